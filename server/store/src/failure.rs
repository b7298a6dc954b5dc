//! Kinds of failure that keep a store from writing, worded for an operator.

use std::io::{self, ErrorKind};

use thiserror::Error;

/// The kind of failure that keeps a store from writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FailureKind {
    /// No space is left.
    #[error("the disk is full")]
    Full,
    /// Another program holds the lock.
    #[error("another program has the file locked")]
    Locked,
    /// Writing is not permitted.
    #[error("the file or its file system is read-only")]
    ReadOnly,
    /// The disk accepted a write and did not confirm that it is durable.
    #[error("the disk does not keep what is written: a flush failed")]
    NotFlushed,
    /// Reading or writing failed in another way.
    #[error("the disk reports an error")]
    Io,
    /// The file or the database is missing, or another one is in its place.
    #[error("the file or the database is gone, was replaced, or cannot be opened")]
    Missing,
    /// No server of the database takes a connection.
    #[error("the database cannot be reached")]
    Unreachable,
    /// Only servers that follow the primary take connections.
    #[error("the database has no primary: its servers that answer are read-only standbys")]
    Standby,
    /// The database does not confirm writes in time.
    #[error("the database does not answer in time: it hangs, or waits for its standby")]
    Unanswered,
    /// All connections that the database offers are in use.
    #[error("the database has no connection left")]
    TooManyConnections,
    /// The database refuses the user or a statement of it.
    #[error("the database refuses this user: the password or a permission is missing")]
    Denied,
    /// The stored data is damaged. Nothing is written until a restart, because a write could
    /// spread the damage.
    #[error("the file is damaged; `fibfob-server check` names what, a backup brings it back")]
    Damaged,
    /// Anything else: a defect of the program or of the engine.
    #[error("the store's engine refuses to write")]
    Refused,
}

impl From<&io::Error> for FailureKind {
    fn from(error: &io::Error) -> Self {
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                Self::Full
            }
            ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied => Self::ReadOnly,
            ErrorKind::NotFound => Self::Missing,
            _ => Self::Io,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn io_errors_are_classified() {
        for (error, kind) in [
            (ErrorKind::StorageFull, FailureKind::Full),
            (ErrorKind::QuotaExceeded, FailureKind::Full),
            (ErrorKind::ReadOnlyFilesystem, FailureKind::ReadOnly),
            (ErrorKind::NotFound, FailureKind::Missing),
            (ErrorKind::Other, FailureKind::Io),
        ] {
            assert_eq!(FailureKind::from(&io::Error::from(error)), kind);
        }
    }
}
