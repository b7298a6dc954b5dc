//! What can go wrong with a store.

use std::path::PathBuf;

use fibfob_protocol::Version;
use thiserror::Error;

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
    /// A record that is missing in the middle of a log.
    #[error("a log has version {found} where {expected} belongs")]
    Gap {
        /// The version found.
        found: Version,
        /// The version that belongs there.
        expected: Version,
    },
    /// The store's own thread is gone.
    #[error("the store has stopped")]
    Stopped,
}
