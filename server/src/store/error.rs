//! What can go wrong with a store.

use std::path::{Path, PathBuf};
use std::time::Duration;

use fibfob_protocol::Version;
use thiserror::Error;

use super::FailureKind;

/// Why an event was not, or perhaps not, made durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum AppendError {
    /// The log does not end where the writer thought: another event is there. Not stored.
    #[error("another event was stored first")]
    Conflict,
    /// Another match has this code. Not stored; the log is as it was.
    #[error("the code belongs to another match")]
    CodeTaken,
    /// The store cannot tell whether the event was stored.
    #[error("it is not known whether the event was stored")]
    Unknown,
}

/// Why a store cannot be opened or read.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The folder or file cannot be made or read.
    #[error("cannot use {path}: {source}")]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// SQLite does not take the file.
    #[error("cannot use {path}: {source}")]
    Unusable {
        /// Which.
        path: PathBuf,
        /// SQLite's own words.
        source: rusqlite::Error,
    },
    /// Another server has the file.
    #[error(
        "{0} is in use by another fibfob-server; stop that one, or give this one another --store"
    )]
    InUse(PathBuf),
    /// The file is something else.
    #[error("{0} is no store of fibfob-server; give another --store")]
    NotAStore(PathBuf),
    /// The file was written by a newer server.
    #[error(
        "{path} has format {found}, this server knows formats up to {known}; use a newer server"
    )]
    TooNew {
        /// Which file.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The newest known here.
        known: i64,
    },
    /// The file was written by an older server, and nothing has brought it up to date.
    #[error("{path} has format {found}, of an older server; start this server on it once")]
    TooOld {
        /// Which file.
        path: PathBuf,
        /// Its format.
        found: i64,
    },
    /// The engine does not promise what acknowledged moves need.
    #[error(
        "SQLite has {setting} = {found} where {expected} is needed to keep what is acknowledged"
    )]
    NotDurable {
        /// The setting.
        setting: &'static str,
        /// What it is.
        found: String,
        /// What it must be.
        expected: &'static str,
    },
    /// SQLite's own words.
    #[error("the store failed: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// A stored value that cannot be read back.
    #[error("the store holds what this server cannot read ({what}): {fault}")]
    Unreadable {
        /// What it should be.
        what: &'static str,
        /// What is wrong with it.
        fault: String,
    },
    /// A record that is not what was written.
    #[error("the record of version {0} is not what was written: its checksum differs")]
    Altered(Version),
    /// A record that is missing in the middle of a log.
    #[error("a log has version {found} where {expected} belongs")]
    Gap {
        /// The version found.
        found: Version,
        /// The version that belongs there.
        expected: Version,
    },
    /// Another file stands where the store's was.
    #[error("{0} is not the file that was opened")]
    Replaced(PathBuf),
    /// The last write failed, and none has succeeded since.
    #[error("the store cannot write: {0}")]
    CannotWrite(FailureKind),
    /// A write has not come back.
    #[error("the store does not finish a write: the disk has hung for {} s", .0.as_secs())]
    Late(Duration),
    /// The store's own thread is gone.
    #[error("the store has stopped")]
    Stopped,
}

impl StoreError {
    /// Whether trying again is useless, because what was stored is not there as it was.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Unreadable { .. } | Self::Altered(_) | Self::Gap { .. } => true,
            Self::Sqlite(error) | Self::Unusable { source: error, .. } => match error {
                // What SQLite hands out is not what the tables can hold.
                rusqlite::Error::Utf8Error(..)
                | rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::FromSqlConversionFailure(..) => true,
                error => FailureKind::of(error) == FailureKind::Damaged,
            },
            _ => false,
        }
    }

    /// Names the file, where SQLite does not.
    pub(super) fn at(self, path: &Path) -> Self {
        match self {
            Self::Sqlite(source) => Self::Unusable {
                path: path.to_owned(),
                source,
            },
            other => other,
        }
    }

    /// What keeps the store from writing, if this does.
    pub(super) fn failure_kind(&self) -> FailureKind {
        match self {
            Self::CannotWrite(kind) => *kind,
            Self::Sqlite(error) | Self::Unusable { source: error, .. } => FailureKind::of(error),
            Self::File { source, .. } => FailureKind::of_io(source),
            Self::Replaced(_) | Self::NotAStore(_) | Self::TooNew { .. } | Self::TooOld { .. } => {
                FailureKind::Gone
            }
            Self::Unreadable { .. } | Self::Altered(_) | Self::Gap { .. } => FailureKind::Damaged,
            Self::Late(_) => FailureKind::Failing,
            Self::InUse(_) | Self::NotDurable { .. } | Self::Stopped => FailureKind::Refused,
        }
    }
}
