//! The failures that end a run.

use std::io;

use fibfob_client::{ConnectError, ConnectionError};
use thiserror::Error;

/// A failure that ends a run.
#[derive(Debug, Error)]
pub enum LoadError {
    /// A connection could not be opened.
    #[error("a connection could not be opened: {0}")]
    Connect(#[from] ConnectError),
    /// A connection ended early.
    #[error("a connection ended: {0}")]
    Connection(#[from] ConnectionError),
    /// The server said something that is not so.
    #[error("WRONG ANSWER: {0}")]
    WrongAnswer(String),
    /// The server refused a request of the load.
    #[error("the server refused: {0}")]
    Refused(String),
    /// Nothing happened for too long.
    #[error("no progress for {seconds} s: {during}")]
    Stalled {
        /// The longest silence, in seconds.
        seconds: u64,
        /// The part of the run.
        during: String,
    },
    /// A server of another kind failed.
    #[error("the compared server failed: {0}")]
    Peer(String),
    /// The load that was asked for cannot be made.
    #[error("{0}")]
    Unsuitable(String),
    /// The server's process could not be started or measured.
    #[error("{what}: {error}")]
    Process {
        /// The part that failed.
        what: String,
        /// The operating system's reason.
        error: io::Error,
    },
}

impl LoadError {
    /// The error of a step with the server's process.
    pub(crate) fn process(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        |error| Self::Process { what, error }
    }
}
