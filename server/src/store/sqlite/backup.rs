//! A copy of a store in another file, made while a server may be writing the store.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, OpenFlags};
use tempfile::NamedTempFile;
use thiserror::Error;

use super::file::{beside, folder_of, sync_folder};
use super::schema;
use crate::limits::STORE_BUSY_WITHIN;
use crate::store::StoreError;

/// A backup that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backup {
    /// How large it is.
    pub bytes: u64,
}

/// Why there is no backup.
#[derive(Debug, Error)]
pub enum BackupError {
    /// Something has this name; it is left as it is.
    #[error("{0} exists; a backup goes into a new file")]
    Exists(PathBuf),
    /// The backup's folder or file cannot be written.
    #[error("cannot write {path}: {source}")]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The store cannot be read, or SQLite cannot write the copy.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Opens a store to read it, whether or not a server has it open, and changes nothing in it.
pub(super) fn open_to_read(path: &Path) -> Result<Connection, StoreError> {
    // Otherwise SQLite says no more than that it cannot open it.
    let found = std::fs::metadata(path).map_err(|source| StoreError::File {
        path: path.to_owned(),
        source,
    })?;
    if !found.is_file() {
        return Err(StoreError::NotAStore(path.to_owned()));
    }
    match open_read_only(path, "") {
        // SQLite keeps notes beside the file, which a read-only folder does not take. Without a
        // log of changes nobody writes it, and it can be read without notes.
        Err(StoreError::Sqlite(error))
            if error.sqlite_error_code() == Some(ErrorCode::CannotOpen)
                && !beside(path, "-wal").exists() =>
        {
            open_read_only(path, "&immutable=1")
        }
        opened => opened,
    }
    .map_err(|error| error.at(path))
}

fn open_read_only(path: &Path, options: &str) -> Result<Connection, StoreError> {
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
    // A path from the root needs an empty host before it.
    let host = if name.starts_with('/') { "//" } else { "" };
    let connection =
        Connection::open_with_flags(format!("file:{host}{name}?mode=ro{options}"), flags)?;
    connection.busy_timeout(STORE_BUSY_WITHIN)?;
    schema::recognise(&connection, path)?;
    Ok(connection)
}

/// Copies the store at `path`, as it is at one moment, into the new file `target`. The copy is
/// on the disk when this returns, and only its owner may read it: it holds the key that signs
/// tokens. Until then nothing is there under that name.
///
/// # Errors
/// [`BackupError`]; the store and whatever is at `target` are as they were.
pub fn backup(path: &Path, target: &Path) -> Result<Backup, BackupError> {
    let fault = |source| BackupError::File {
        path: target.to_owned(),
        source,
    };
    // Said before the work; decided at its end, by a rename that replaces nothing.
    if target.symlink_metadata().is_ok() {
        return Err(BackupError::Exists(target.to_owned()));
    }
    let store = open_to_read(path)?;
    let folder = folder_of(target);
    let copy = tempfile::Builder::new()
        .prefix(".fibfob-backup-")
        .tempfile_in(folder)
        .map_err(fault)?;
    copy_into(&store, &copy)?;
    copy.as_file().sync_all().map_err(fault)?;
    let bytes = copy.as_file().metadata().map_err(fault)?.len();
    copy.persist_noclobber(target)
        .map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists => BackupError::Exists(target.to_owned()),
            _ => fault(error.error),
        })?;
    sync_folder(folder).map_err(fault)?;
    Ok(Backup { bytes })
}

/// One transaction reads everything, so that the copy is of one moment; writers go on beside
/// it. Unlike a copy of the file's pages it reads every row, and fails where one is damaged.
fn copy_into(store: &Connection, copy: &NamedTempFile) -> Result<(), StoreError> {
    let Some(name) = copy.path().to_str() else {
        return Err(rusqlite::Error::InvalidPath(copy.path().to_owned()).into());
    };
    store.execute("VACUUM INTO ?1", [name])?;
    Ok(())
}
