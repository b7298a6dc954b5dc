//! What keeps a store from writing, in words an operator can act on.

use std::io;

use rusqlite::{ErrorCode, ffi};
use thiserror::Error;

/// Why a store cannot write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FailureKind {
    /// There is no room.
    #[error("the disk is full")]
    Full,
    /// Somebody else holds the file's lock.
    #[error("another program has the file locked")]
    Locked,
    /// Writing is not allowed there.
    #[error("the file or its file system is read-only")]
    ReadOnly,
    /// The disk took what was written, and did not say that it keeps it.
    #[error("the disk does not keep what is written: a flush failed")]
    NotFlushed,
    /// Reading or writing failed in another way.
    #[error("the disk reports an error")]
    Failing,
    /// The file is gone, or another one is in its place.
    #[error("the file is gone or cannot be opened")]
    Gone,
    /// What the file holds is no store any more. Nothing is written to it until a restart:
    /// SQLite could spread the damage.
    #[error("the file is damaged; `fibfob-server check` names what, a backup brings it back")]
    Damaged,
    /// Anything else: a fault of the program or of SQLite.
    #[error("SQLite refuses to write")]
    Refused,
}

impl FailureKind {
    /// What an error of SQLite means.
    pub(super) fn of(error: &rusqlite::Error) -> Self {
        let Some(ffi::Error {
            code,
            extended_code,
        }) = error.sqlite_error()
        else {
            return Self::Refused;
        };
        match (code, *extended_code) {
            (ErrorCode::DiskFull, _) => Self::Full,
            (ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked, _) => Self::Locked,
            (ErrorCode::ReadOnly | ErrorCode::PermissionDenied, _) => Self::ReadOnly,
            (ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase, _) => Self::Damaged,
            (_, ffi::SQLITE_IOERR_FSYNC | ffi::SQLITE_IOERR_DIR_FSYNC) => Self::NotFlushed,
            (ErrorCode::SystemIoFailure, _) => Self::Failing,
            (ErrorCode::CannotOpen, _) => Self::Gone,
            _ => Self::Refused,
        }
    }

    /// What an error of the operating system means.
    pub(super) fn of_io(error: &io::Error) -> Self {
        use io::ErrorKind;
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                Self::Full
            }
            ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied => Self::ReadOnly,
            ErrorKind::NotFound => Self::Gone,
            _ => Self::Failing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_of_the_disk_has_its_own_words() {
        for (code, kind) in [
            (ffi::SQLITE_FULL, FailureKind::Full),
            (ffi::SQLITE_BUSY, FailureKind::Locked),
            (ffi::SQLITE_BUSY_SNAPSHOT, FailureKind::Locked),
            (ffi::SQLITE_READONLY, FailureKind::ReadOnly),
            (ffi::SQLITE_READONLY_DIRECTORY, FailureKind::ReadOnly),
            (ffi::SQLITE_CORRUPT, FailureKind::Damaged),
            (ffi::SQLITE_CORRUPT_INDEX, FailureKind::Damaged),
            (ffi::SQLITE_NOTADB, FailureKind::Damaged),
            (ffi::SQLITE_IOERR_FSYNC, FailureKind::NotFlushed),
            (ffi::SQLITE_IOERR_WRITE, FailureKind::Failing),
            (ffi::SQLITE_CANTOPEN, FailureKind::Gone),
            (ffi::SQLITE_MISUSE, FailureKind::Refused),
        ] {
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            assert_eq!(FailureKind::of(&error), kind, "{error}");
        }
        assert_eq!(
            FailureKind::of(&rusqlite::Error::InvalidQuery),
            FailureKind::Refused
        );
        for (io_kind, kind) in [
            (io::ErrorKind::StorageFull, FailureKind::Full),
            (io::ErrorKind::ReadOnlyFilesystem, FailureKind::ReadOnly),
            (io::ErrorKind::Other, FailureKind::Failing),
        ] {
            assert_eq!(FailureKind::of_io(&io_kind.into()), kind);
        }
    }
}
