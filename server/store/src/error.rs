//! Errors of the store's contract. They name no engine: an engine's own error is a boxed source
//! with a [`FailureKind`].

use std::error::Error;
use std::time::Duration;

use fibfob_protocol::{Seat, Version};
use serde::de::DeserializeOwned;
use thiserror::Error;

use super::failure::FailureKind;
use crate::limits::OPEN_WITHIN;

/// A reason why an event was not, or perhaps not, made durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum AppendError {
    /// The log does not end where the writer assumed: another event is there. Not stored.
    #[error("another event was stored first")]
    Conflict,
    /// Another match has this code. Not stored; the log is unchanged.
    #[error("the code belongs to another match")]
    CodeTaken,
    /// The store cannot tell whether the event was stored.
    #[error("it is not known whether the event was stored")]
    Unknown,
}

/// A reason why a store cannot be opened, read or written.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "each is what its text says")]
pub enum StoreError {
    /// Stored data is not what was written. Trying again is useless.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The last write failed, and none has succeeded since.
    #[error("the store cannot write: {0}")]
    CannotWrite(FailureKind),
    #[error("the store does not finish a write: the disk has hung for {} s", .0.as_secs())]
    WriteOverdue(Duration),
    #[error("a note of the running server cannot be stored")]
    NotNoted,
    #[error("the store has not answered within {} s", OPEN_WITHIN.as_secs())]
    NoAnswer,
    #[error("the store has stopped")]
    Stopped,
    /// The engine failed.
    #[error("{source}")]
    Engine {
        kind: FailureKind,
        source: Box<dyn Error + Send + Sync>,
    },
}

/// Stored data that is not what was written.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "each is what its text says")]
pub enum DataError {
    #[error("the store holds {what} that cannot be read: {reason}")]
    Unreadable { what: &'static str, reason: String },
    #[error("the record of version {0} is not what was written: its checksum differs")]
    Altered(Version),
    #[error("the persons in the match's row are not what was written: their checksum differs")]
    AlteredPersons,
    #[error("the match's row does not say who is the {0}, where its log has a person")]
    NoPerson(Seat),
    /// A newer server wrote a record. It is intact, but this server does not understand it.
    #[error(
        "the record of version {version} has an event `{event}` that this server does not know; use \
         a newer server"
    )]
    NewerEvent { version: Version, event: String },
    #[error("a log has version {found} where {expected} belongs")]
    Gap { found: Version, expected: Version },
    #[error("a log ends with version {found}, and {expected} was stored")]
    Truncated { found: Version, expected: Version },
    #[error(
        "it has records in the log and packed ones, or not those that its row in the index names"
    )]
    Misplaced,
    #[error("the packed records are not what was written: their checksum differs")]
    AlteredPacked,
}

impl DataError {
    /// Returns the error of a value that cannot be read. `what` names its kind with the article.
    pub fn unreadable(what: &'static str, reason: impl ToString) -> Self {
        let reason = reason.to_string();
        Self::Unreadable { what, reason }
    }
}

/// Reads stored JSON. `what` names its kind with the article.
pub fn parsed<T: DeserializeOwned>(what: &'static str, text: &str) -> Result<T, DataError> {
    serde_json::from_str(text).map_err(|error| DataError::unreadable(what, error))
}

impl StoreError {
    /// Returns whether trying again is useless, because stored data is damaged.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        match self {
            // Another server on the store may be newer, and can read it.
            Self::Data(DataError::NewerEvent { .. }) => false,
            Self::Data(_) => true,
            Self::Engine { kind, .. } => *kind == FailureKind::Damaged,
            Self::CannotWrite(_)
            | Self::WriteOverdue(_)
            | Self::NotNoted
            | Self::NoAnswer
            | Self::Stopped => false,
        }
    }
}
