//! A copy of a whole database into one file, made while servers may be writing the database.
//!
//! The file is a store of the SQLite engine, so that a server, `check` and `migrate` take it as it is.

use std::path::Path;

use fibfob_protocol::Version;
use fibfob_store::sql::StoredRow;
use fibfob_store::{BackupError, DataError, MatchCounts, NewBackup};
use fibfob_store_sqlite::{NewFile, SqliteError};
use tokio_postgres::Row;
use uuid::Uuid;

use super::connector::Connector;
use super::error::PostgresError;
use super::snapshot::{DatabaseSnapshot, StoredMatch};
use super::url::PostgresUrl;
use super::{notes, read, service};

/// Copies the store in this database, as it is at one moment, into the new file `target`: a store of the
/// SQLite engine. All of it was durable in the database before the file has its name, and the file is
/// durable when this returns, with its size in bytes; only its owner may read it. `shown` is called from time to time.
///
/// # Errors
/// [`BackupError`]; then no file is left.
pub async fn backup_database(
    url: &PostgresUrl,
    allow_single_database: bool,
    target: &Path,
    mut shown: impl FnMut(MatchCounts),
) -> Result<u64, BackupError> {
    let backup = NewBackup::begin(target)?;
    let connector = Connector::new(url, allow_single_database);
    let snapshot = DatabaseSnapshot::begin(&connector).await?;
    snapshot.confirm(&connector).await?;
    let link = &snapshot.link;
    let key = read::key(&link.run(read::KEY, &[]).await?)?;
    let (runs, absences) = service::read_noted(link).await?;
    let mut file = NewFile::create(backup.path(), &key).map_err(copy_failed)?;
    let note = |row: Row| file.add_note(&row.note()?).map_err(copy_failed);
    let left_out = notes::passing_kinds();
    link.each_row(notes::ALL_NOTES, &[&left_out], note).await?;
    let mut counts = MatchCounts::default();
    let mut after = Some(Uuid::nil());
    while let Some(from) = after {
        let (page, next) = snapshot.page(from).await?;
        after = next;
        let copy = |found| {
            counts.events += copy_match(&mut file, found)?;
            counts.matches += 1;
            Ok::<_, BackupError>(())
        };
        snapshot.read_page(page, (from, next), copy).await?;
        file.keep().map_err(copy_failed)?;
        shown(counts);
    }
    snapshot.end().await?;
    file.finish(&runs, &absences).map_err(copy_failed)?;
    backup.finish()
}

impl From<PostgresError> for BackupError {
    fn from(error: PostgresError) -> Self {
        Self::Store(error.into())
    }
}

fn copy_failed(error: SqliteError) -> BackupError {
    BackupError::Copy(error.into())
}

/// Copies a match, and returns the number of its events. Its texts stay as they are: a record that only a
/// newer server understands is copied too.
fn copy_match(file: &mut NewFile, found: StoredMatch) -> Result<u64, BackupError> {
    let id = found.id;
    let damaged = |error: PostgresError| BackupError::Match(id, error.into());
    let missing = || Err(DataError::unreadable("a row of the index", "it is missing").into());
    let columns = found.columns.unwrap_or_else(missing).map_err(damaged)?;
    let persons = columns.persons.persons(id);
    persons.map_err(|error| damaged(error.into()))?;
    let mut end = Version(0);
    let mut texts = Vec::with_capacity(found.log.len());
    for row in &found.log {
        let (version, text) = row.log_text(id, end).map_err(damaged)?;
        end = version;
        texts.push(text);
    }
    if end == Version(0) {
        let (found, expected) = (end, Version(1));
        return Err(damaged(DataError::Truncated { found, expected }.into()));
    }
    let added = file.add_match(id, &columns, &texts);
    added.map_err(copy_failed)?;
    Ok(end.0)
}
