//! Speaking with a server: what is said when, and that nothing is lost or said twice when the
//! line breaks.
//!
//! [`Conversation`] decides, without a socket or a clock; [`Link`] is the task that lends it
//! both. Neither knows a screen.

mod backoff;
mod connect;
mod conversation;
mod link;
mod news;
mod outbox;
mod reading;
mod trust;

pub use conversation::Conversation;
pub use link::{GaveUp, Line, Link, Reach, Report, Wish};
pub use news::{News, Update};
pub use trust::{BadCertificates, Trust};
