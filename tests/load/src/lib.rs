//! A load program for operators: puts a server under a known load, checks every answer while it
//! does, and measures the server's processor time and memory from the operating system.
//!
//! The players are [`fibfob_client::Connection`]s with typed requests, not the library's `Client`:
//! that one keeps a full state for each match and reads each frame whole, which would take more
//! processor time than the server that is measured. What is read of a frame is in [`wire`] alone.

mod args;
pub mod cluster;
pub mod compare;
pub mod curves;
mod error;
mod figures;
mod idle;
mod latency;
mod lobby;
mod matches;
mod pace;
mod peers;
mod players;
mod process;
mod progress;
mod recover;
mod run;
mod sequence;
mod target;
mod watch;
pub mod wire;

pub use args::{CommonArgs, Load, LoadArgs, MatchArgs};
pub use error::LoadError;
pub use figures::{Figure, Figures};
pub use progress::LoadProgress;
pub use run::{allow_descriptors, run};
pub use target::program_beside;
