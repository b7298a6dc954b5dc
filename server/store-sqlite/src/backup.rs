//! Copies of a store into another file, made while a server may be writing the store.

use std::path::Path;

use fibfob_store::{BackupError, NewBackup};
use rusqlite::Connection;

use super::error::SqliteError;
use super::mark::Mark;
use super::read_only::open_to_read;
use super::span::{Span, SpanRow};

impl From<SqliteError> for BackupError {
    fn from(error: SqliteError) -> Self {
        Self::Store(error.into())
    }
}

/// Copies the store at `path`, as it is at one moment, into the new file `target`, and returns the copy's
/// size in bytes. It is durable when this returns, and only its owner may read it: it holds the key that signs
/// tokens. Until then no file has that name.
///
/// # Errors
/// [`BackupError`]; the store and any file at `target` are unchanged.
pub fn backup_file(path: &Path, target: &Path) -> Result<u64, BackupError> {
    let backup = NewBackup::begin(target)?;
    copy_into(path, backup.path())?;
    backup.finish()
}

/// Copies the store at `path` into an empty file, which gets a mark of its own: what was written to the
/// original since is nothing to the copy.
///
/// It copies in one transaction, so that the copy is of one moment; writers continue beside it.
/// Unlike a copy of the file's pages, it reads every row, and fails where one is damaged.
pub(super) fn copy_into(path: &Path, copy: &Path) -> Result<(), SqliteError> {
    let store = open_to_read(path)?;
    let Some(name) = copy.to_str() else {
        return Err(rusqlite::Error::InvalidPath(copy.to_owned()).into());
    };
    store.execute("VACUUM INTO ?1", [name])?;
    let copy = Connection::open(copy)?;
    // A copy that is not finished is of no use.
    copy.pragma_update_and_check(None, "journal_mode", "OFF", |_| Ok(()))?;
    let SpanRow { span, .. } = SpanRow::read(&copy)?;
    let mark = Mark::begin(span.mark.writes + 1);
    Span { mark, ..span }.write(&copy)?;
    copy.close().map_err(|(_, error)| error.into())
}
