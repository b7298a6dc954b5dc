//! Kinds of failure that keep a store from writing, worded for an operator.

use std::io::{self, ErrorKind};

use thiserror::Error;

/// The kind of failure that keeps a store from writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "each is what its text says")]
pub enum FailureKind {
    #[error("the disk is full")]
    Full,
    #[error("another program has the file locked")]
    Locked,
    #[error("the file or its file system is read-only")]
    ReadOnly,
    #[error("the disk does not keep what is written: a flush failed")]
    NotFlushed,
    #[error("the disk reports an error")]
    Io,
    #[error("the file or the database is gone, was replaced, or cannot be opened")]
    Missing,
    #[error("the database cannot be reached")]
    Unreachable,
    #[error("the database has no primary: its servers that answer are read-only standbys")]
    Standby,
    #[error("the database's primary led before another one was promoted, and may lack moves")]
    Superseded,
    #[error("the database does not answer in time: it hangs, or waits for its standby")]
    Unanswered,
    #[error("the database has no connection left")]
    TooManyConnections,
    #[error("the database refuses this user: the password or a permission is missing")]
    Denied,
    /// The stored data is damaged. Nothing is written until a restart, because a write could
    /// spread the damage.
    #[error("the file is damaged; `fibfob-server check` names what, a backup brings it back")]
    Damaged,
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
