//! Backups: copies a store into another file while a server may be writing it, and puts a copy in a store's
//! place, where the old store is kept under another name.
//!
//! A restore may be killed at any step and made again. At every step the place has the old store or the new
//! one; a write-ahead log beside it is its own, or is recognised as another store's.

use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use fibfob_store::{BackupError, CheckReport, MatchCounts, NewBackup, begins_as_database};
use rusqlite::Connection;

use super::check::check_file;
use super::error::SqliteError;
use super::file::{check_no_journal, lock_file, lock_place};
use super::old_log::{OldLog, link_aside, unlink_beside};
use super::private_file::{file_error, if_there};
use super::read_only::open_to_read;
use super::span::{FileMark, Span};

impl From<SqliteError> for BackupError {
    fn from(error: SqliteError) -> Self {
        Self::Store(error.into())
    }
}

/// Copies the store at `path` into the new file `target`, as it is at one moment, and returns the copy's size
/// in bytes. The copy is durable when this returns, and gets its name only then. Only its owner may read it,
/// because it holds the key that signs tokens.
///
/// # Errors
/// [`BackupError`]; the store and any file at `target` are unchanged.
pub fn backup_file(path: &Path, target: &Path) -> Result<u64, BackupError> {
    let backup = NewBackup::begin(target)?;
    copy_into(path, backup.path())?;
    backup.finish()
}

/// Copies the store at `path` into an empty file. The copy gets a mark of its own, so that later writes to
/// the original are not applied to it.
///
/// It is made in one transaction, so it is of one moment; writers continue beside it. Unlike a copy of the
/// file's pages, it reads every row, and fails where one is damaged.
fn copy_into(path: &Path, copy: &Path) -> Result<(), SqliteError> {
    let store = open_to_read(path)?;
    let Some(name) = copy.to_str() else {
        return Err(rusqlite::Error::InvalidPath(copy.to_owned()).into());
    };
    store.execute("VACUUM INTO ?1", [name])?;
    let copy = Connection::open(copy)?;
    // A copy that is not finished is of no use.
    copy.pragma_update_and_check(None, "journal_mode", "OFF", |_| Ok(()))?;
    let (span, _) = Span::read(&copy)?;
    let mark = FileMark::begin(span.mark.writes + 1);
    Span { mark, ..span }.write(&copy)?;
    copy.close().map_err(|(_, error)| error.into())
}

/// A backup that is the store now.
#[derive(Debug)]
pub struct Restored {
    /// The counts of its matches and events.
    pub checked: CheckReport,
    /// The store that was in its place; none if nothing was.
    pub old: Option<OldFile>,
}

/// A store that was replaced.
#[derive(Debug)]
pub struct OldFile {
    /// Its name now.
    pub kept: PathBuf,
    /// The events and matches that the backup lacks, or why they cannot be read.
    pub beyond: Result<MatchCounts, SqliteError>,
}

/// Checks a copy of the store file `backup`, and puts it durably in the place of the store at `path`. Calls
/// `report` for each damage that is found.
///
/// # Errors
/// [`BackupError`]: if a server uses the store, or the backup is damaged or cannot be read.
pub fn restore_file(
    backup: &Path,
    path: &Path,
    report: impl FnMut(&str) -> ControlFlow<()>,
) -> Result<Restored, BackupError> {
    let (path, _beside) = lock_place(path, check_replaceable)?;
    let old = OpenOptions::new().read(true).write(true).open(&path);
    let old = if_there(old).map_err(file_error(&path))?;
    match &old {
        Some(old) => lock_file(old, &path, &path)?,
        // The log of a store that was lost is set aside below.
        None if OldLog::of(&path, None).map_err(file_error(&path))? == OldLog::Gap => {}
        None => check_no_journal(&path)?,
    }
    let copy = NewBackup::begin_to_replace(&path)?;
    copy_into(backup, copy.path()).map_err(|error| error.at(backup))?;
    let checked = check_file(copy.path(), report)?;
    if !checked.is_clean() {
        return Err(BackupError::Damaged);
    }
    let beyond = old.as_ref().map(|_| beyond(&path, copy.path()));
    // The old store stays in place, whole, until the new one replaces it.
    let kept = link_aside(&path, &["", "-wal", "-journal"]).map_err(file_error(&path))?;
    copy.finish()?;
    unlink_beside(&path, &["-wal", "-shm", "-journal"]).map_err(file_error(&path))?;
    let missing = || Err(file_error(&path)(ErrorKind::NotFound.into()));
    Ok(Restored {
        checked,
        old: kept.map(|kept| OldFile {
            kept,
            beyond: beyond.unwrap_or_else(missing),
        }),
    })
}

/// Checks that a store may have the place: it is free, or has what was a store once, however damaged.
fn check_replaceable(path: &Path) -> Result<(), SqliteError> {
    match if_there(begins_as_database(path)).map_err(file_error(path))? {
        None | Some(true) => Ok(()),
        Some(false) => Err(SqliteError::NotAStore(path.to_owned())),
    }
}

/// Counts what the store at `path` has and `copy` lacks.
fn beyond(path: &Path, copy: &Path) -> Result<MatchCounts, SqliteError> {
    let store = open_to_read(path)?;
    let ends = |schema: &str| {
        format!(
            "SELECT id, max(reached) AS version FROM (
                 SELECT number, events AS reached FROM {schema}.packed
                 UNION ALL SELECT number, version FROM {schema}.log
             ) JOIN {schema}.match USING (number) GROUP BY id"
        )
    };
    let sql = format!(
        "WITH old AS ({}), new AS ({})
         SELECT count(*), coalesce(sum(old.version - coalesce(new.version, 0)), 0)
         FROM old LEFT JOIN new USING (id) WHERE old.version > coalesce(new.version, 0)",
        ends("main"),
        ends("copy")
    );
    let name = copy.to_str();
    let name = name.ok_or_else(|| rusqlite::Error::InvalidPath(copy.to_owned()))?;
    store.execute("ATTACH ?1 AS copy", [name])?;
    let (matches, events): (i64, i64) =
        store.query_row(&sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(MatchCounts {
        matches: matches.unsigned_abs(),
        events: events.unsigned_abs(),
    })
}
