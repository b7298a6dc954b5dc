//! Copies of a store into another file, made while a server may be writing the store.

use std::path::Path;

use rusqlite::Connection;

use super::SqliteError;
use super::read_only::open_to_read;
use crate::store::backup::{Backup, BackupError, NewBackup};

/// Copies the store at `path`, as it is at one moment, into the new file `target`. The copy is
/// durable when this returns, and only its owner may read it: it holds the key that signs
/// tokens. Until then no file has that name.
///
/// # Errors
/// [`BackupError`]; the store and any file at `target` are unchanged.
pub fn backup_file(path: &Path, target: &Path) -> Result<Backup, BackupError> {
    let backup = NewBackup::begin(target)?;
    let failed = |error: SqliteError| BackupError::Store(error.into());
    let store = open_to_read(path).map_err(failed)?;
    copy_into(&store, backup.path()).map_err(failed)?;
    backup.finish()
}

/// Copies in one transaction, so that the copy is of one moment; writers continue beside it.
/// Unlike a copy of the file's pages, it reads every row, and fails where one is damaged.
fn copy_into(store: &Connection, copy: &Path) -> Result<(), SqliteError> {
    let Some(name) = copy.to_str() else {
        return Err(rusqlite::Error::InvalidPath(copy.to_owned()).into());
    };
    store.execute("VACUUM INTO ?1", [name])?;
    Ok(())
}
