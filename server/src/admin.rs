//! Administration: what an operator asks of a server, what the server does about it, and the answer.
//!
//! A [`Command`] comes from the command line or as JSON over a Unix socket. `acts` and `queries` do it, on a running
//! server or on one that was started for it alone. The [`Answer`] goes back as JSON, and `text` prints it.

mod acts;
mod answer;
mod client;
mod command;
mod error;
mod queries;
mod socket;
mod text;

pub(crate) use acts::perform;
pub use answer::Answer;
pub use client::{AdminSocket, print_answers};
pub use command::Command;
pub use error::AdminError;
pub use socket::listen;
pub(crate) use socket::serve;
