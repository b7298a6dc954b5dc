//! Errors of the SQLite engine, and the kinds of failure they are.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{ErrorCode, ffi};
use thiserror::Error;

use fibfob_store::{DataError, FailureKind, StoreError};

/// A failure of the SQLite engine.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "each is what its text says")]
pub enum SqliteError {
    #[error("cannot use {0}: {1}")]
    File(PathBuf, #[source] io::Error),
    #[error("cannot use {}: {}", .0.display(), with_remedy(.1))]
    Unusable(PathBuf, #[source] rusqlite::Error),
    /// Another server has the file open: its process, if known, or an empty text.
    #[error(
        "{0} is in use by another fibfob-server{1}; stop that one, or give this one another --store"
    )]
    InUse(PathBuf, String),
    #[error(
        "{0} is a device, a pipe, a socket or a folder; a store and what lies beside it are regular \
         files"
    )]
    NotAFile(PathBuf),
    /// A file in the place of one that the engine would rewrite or remove.
    #[error(
        "{0} was not made by fibfob-server, which needs this name beside its store; move that file away, or \
         give another --store"
    )]
    NotOurs(PathBuf),
    #[error(
        "{0}-wal does not belong to {0}, which was replaced or is missing, and is not laid over it: put \
         the right file there, or a backup with `fibfob-server restore`; to use the file as it is, move \
         the log away"
    )]
    ForeignLog(PathBuf),
    #[error("{0} is no store of fibfob-server; move that file away, or give another --store")]
    NotAStore(PathBuf),
    /// Another version of the server wrote the file: its format, and the one known here.
    #[error(
        "{0} has format {1}, and this server reads format {2} alone: use the server that wrote it, \
         or give another --store"
    )]
    OtherFormat(PathBuf, i64, i64),
    /// SQLite does not give the durability that acknowledged moves need: the setting, its value, and the
    /// needed one.
    #[error("SQLite has {0} = {1} where {2} is needed to keep what is acknowledged")]
    NotDurable(&'static str, String, &'static str),
    #[error("{0} is no old store that a restore has left; `fibfob-server old-stores` lists them")]
    NotLeft(PathBuf),
    #[error("{0} is not the file that was opened: it, or its content, was replaced")]
    Replaced(PathBuf),
    #[error("the store has stopped")]
    Stopped,
    #[error("the store failed: {}", with_remedy(.0))]
    Sqlite(#[from] rusqlite::Error),
    #[error(transparent)]
    Data(#[from] DataError),
}

impl SqliteError {
    /// Adds the file's path, where SQLite does not give it.
    pub(super) fn at(self, path: &Path) -> Self {
        match self {
            Self::Sqlite(source) => Self::Unusable(path.to_owned(), source),
            other => other,
        }
    }

    /// Returns the kind of failure that this error is.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Sqlite(error) | Self::Unusable(_, error) => kind_of(error),
            Self::File(_, source) => source.into(),
            Self::Replaced(_)
            | Self::ForeignLog(_)
            | Self::NotAFile(_)
            | Self::NotOurs(_)
            | Self::NotAStore(_)
            | Self::OtherFormat(..) => FailureKind::Missing,
            Self::Data(_) => FailureKind::Damaged,
            Self::InUse(..) | Self::NotDurable(..) | Self::NotLeft(_) | Self::Stopped => {
                FailureKind::Refused
            }
        }
    }
}

impl From<SqliteError> for StoreError {
    fn from(error: SqliteError) -> Self {
        match error {
            SqliteError::Data(error) => Self::Data(error),
            error => Self::Engine {
                kind: error.kind(),
                source: Box::new(error),
            },
        }
    }
}

/// Adds what to do to SQLite's words, where that is known.
fn with_remedy(error: &rusqlite::Error) -> String {
    match kind_of(error) {
        FailureKind::Full => format!("{error}: the disk is full; make room on it, and try again"),
        FailureKind::Damaged => {
            format!(
                "{error}; `fibfob-server check` names what is damaged, and a backup brings it back"
            )
        }
        _ => error.to_string(),
    }
}

fn kind_of(error: &rusqlite::Error) -> FailureKind {
    if matches!(
        error,
        // SQLite returned a value that the tables cannot hold.
        rusqlite::Error::Utf8Error(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::FromSqlConversionFailure(..)
    ) {
        return FailureKind::Damaged;
    }
    let Some(ffi::Error {
        code,
        extended_code,
    }) = error.sqlite_error()
    else {
        return FailureKind::Refused;
    };
    match (code, *extended_code) {
        // Even to read a store, SQLite needs some room for an index of its write-ahead log.
        (ErrorCode::DiskFull, _) | (_, ffi::SQLITE_IOERR_SHMSIZE) => FailureKind::Full,
        (ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked, _) => FailureKind::Locked,
        (ErrorCode::ReadOnly | ErrorCode::PermissionDenied, _) => FailureKind::ReadOnly,
        (ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase, _) => FailureKind::Damaged,
        (_, ffi::SQLITE_IOERR_FSYNC | ffi::SQLITE_IOERR_DIR_FSYNC) => FailureKind::NotFlushed,
        (ErrorCode::SystemIoFailure, _) => FailureKind::Io,
        (ErrorCode::CannotOpen, _) => FailureKind::Missing,
        _ => FailureKind::Refused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sqlite_errors_are_classified() {
        for (code, kind) in [
            (ffi::SQLITE_FULL, FailureKind::Full),
            (ffi::SQLITE_IOERR_SHMSIZE, FailureKind::Full),
            (ffi::SQLITE_BUSY, FailureKind::Locked),
            (ffi::SQLITE_BUSY_SNAPSHOT, FailureKind::Locked),
            (ffi::SQLITE_READONLY, FailureKind::ReadOnly),
            (ffi::SQLITE_READONLY_DIRECTORY, FailureKind::ReadOnly),
            (ffi::SQLITE_CORRUPT, FailureKind::Damaged),
            (ffi::SQLITE_CORRUPT_INDEX, FailureKind::Damaged),
            (ffi::SQLITE_NOTADB, FailureKind::Damaged),
            (ffi::SQLITE_IOERR_FSYNC, FailureKind::NotFlushed),
            (ffi::SQLITE_IOERR_WRITE, FailureKind::Io),
            (ffi::SQLITE_CANTOPEN, FailureKind::Missing),
            (ffi::SQLITE_MISUSE, FailureKind::Refused),
        ] {
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            assert_eq!(kind_of(&error), kind, "{error}");
        }
        assert_eq!(
            kind_of(&rusqlite::Error::InvalidQuery),
            FailureKind::Refused
        );
    }

    #[test]
    fn the_contract_receives_an_error_with_its_kind_and_text() {
        let full = rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_FULL), None);
        let text = SqliteError::Sqlite(full).to_string();
        let full = rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_FULL), None);
        let error = StoreError::from(SqliteError::Sqlite(full));
        assert_eq!(error.to_string(), text);
        assert!(!error.is_damage());
        let corrupt = rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_CORRUPT), None);
        assert!(StoreError::from(SqliteError::from(corrupt)).is_damage());
    }
}
