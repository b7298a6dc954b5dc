//! Copies of a store into another file, made while a server may be writing the store.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use tempfile::NamedTempFile;
use thiserror::Error;

use super::SqliteError;
use super::file::{folder_of, sync_folder};
use super::read_only::open_to_read;

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
