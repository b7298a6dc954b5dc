//! Copies of a store into another file, made while a server may be writing the store.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, OpenFlags};
use tempfile::NamedTempFile;
use thiserror::Error;

use super::file::{folder_of, sync_folder};
use super::private_file::beside;
use super::{SqliteError, schema};
use crate::limits::STORE_BUSY_WITHIN;

/// A finished backup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backup {
    /// Its size.
    pub bytes: u64,
}

/// A reason why a backup failed.
#[derive(Debug, Error)]
pub enum BackupError {
    /// A file of this name exists; it is left unchanged.
    #[error("{0} exists; a backup goes into a new file")]
    Exists(PathBuf),
    /// The backup's folder or file cannot be written.
    #[error("cannot write {path}: {source}")]
    File {
        /// The backup's path.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// The store cannot be read, or SQLite cannot write the copy.
    #[error(transparent)]
    Store(#[from] SqliteError),
}

/// Opens a store for reading, whether or not a server has it open, and changes nothing in it.
pub(super) fn open_to_read(path: &Path) -> Result<Connection, SqliteError> {
    // SQLite itself reports only that it cannot open the file.
    let metadata = std::fs::metadata(path).map_err(|source| SqliteError::File {
        path: path.to_owned(),
        source,
    })?;
    if !metadata.is_file() {
        return Err(SqliteError::NotAStore(path.to_owned()));
    }
    match open_read_only(path, "") {
        // SQLite keeps an index of its write-ahead log beside the file, which a read-only folder
        // does not take. Without such a log no program writes the file, and no index is needed.
        Err(SqliteError::Sqlite(error))
            if error.sqlite_error_code() == Some(ErrorCode::CannotOpen)
                && !beside(path, "-wal").exists() =>
        {
            open_read_only(path, "&immutable=1")
        }
        opened => opened,
    }
    .map_err(|error| error.at(path))
}

fn open_read_only(path: &Path, options: &str) -> Result<Connection, SqliteError> {
    let connection = connect_read_only(path, options)?;
    schema::recognise(&connection, path)?;
    Ok(connection)
}

fn connect_read_only(path: &Path, options: &str) -> Result<Connection, SqliteError> {
    let Some(name) = path.to_str() else {
        return Err(rusqlite::Error::InvalidPath(path.to_owned()).into());
    };
    let name = name
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    // An absolute path needs an empty host before it.
    let host = if name.starts_with('/') { "//" } else { "" };
    let connection =
        Connection::open_with_flags(format!("file:{host}{name}?mode=ro{options}"), flags)?;
    connection.busy_timeout(STORE_BUSY_WITHIN)?;
    Ok(connection)
}

/// Checks that a file may be used as a store, and changes nothing of it.
pub(super) fn recognise_unchanged(path: &Path) -> Result<(), SqliteError> {
    // Without a write-ahead log SQLite would make one beside the file; it need not.
    let has_log = std::fs::metadata(beside(path, "-wal")).is_ok_and(|log| log.len() > 0);
    let options = if has_log { "" } else { "&immutable=1" };
    let recognised = connect_read_only(path, options)
        .and_then(|connection| schema::recognise_or_empty(&connection, path));
    recognised.map_err(|error| error.at(path))
}

/// Copies the store at `path`, as it is at one moment, into the new file `target`. The copy is
/// durable when this returns, and only its owner may read it: it holds the key that signs
/// tokens. Until then no file has that name.
///
/// # Errors
/// [`BackupError`]; the store and any file at `target` are unchanged.
pub fn backup(path: &Path, target: &Path) -> Result<Backup, BackupError> {
    let file_error = |source| BackupError::File {
        path: target.to_owned(),
        source,
    };
    // Reported before the work; decided at its end by a rename that replaces no file.
    if target.symlink_metadata().is_ok() {
        return Err(BackupError::Exists(target.to_owned()));
    }
    let store = open_to_read(path)?;
    let folder = folder_of(target);
    let copy = tempfile::Builder::new()
        .prefix(".fibfob-backup-")
        .tempfile_in(folder)
        .map_err(file_error)?;
    copy_into(&store, &copy)?;
    copy.as_file().sync_all().map_err(file_error)?;
    let bytes = copy.as_file().metadata().map_err(file_error)?.len();
    copy.persist_noclobber(target)
        .map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists => BackupError::Exists(target.to_owned()),
            _ => file_error(error.error),
        })?;
    sync_folder(folder).map_err(file_error)?;
    Ok(Backup { bytes })
}

/// Copies in one transaction, so that the copy is of one moment; writers continue beside it.
/// Unlike a copy of the file's pages, it reads every row, and fails where one is damaged.
fn copy_into(store: &Connection, copy: &NamedTempFile) -> Result<(), SqliteError> {
    let Some(name) = copy.path().to_str() else {
        return Err(rusqlite::Error::InvalidPath(copy.path().to_owned()).into());
    };
    store.execute("VACUUM INTO ?1", [name])?;
    Ok(())
}
