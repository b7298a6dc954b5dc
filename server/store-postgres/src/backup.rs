//! A copy of a whole database into one file, made while servers may be writing the database.
//!
//! The file is a store of the SQLite engine, so that a server, `check` and `migrate` take it as it is.

use std::path::Path;

use fibfob_protocol::{MatchId, Version};
use fibfob_store::{Backup, BackupError, CopyCounts, DataError, NewBackup};
use fibfob_store_sqlite::{NewFile, SqliteError};
use tokio_postgres::Row;
use uuid::Uuid;

use super::connector::Connector;
use super::error::PostgresError;
use super::snapshot::{DatabaseSnapshot, IndexedMatch, MatchReader};
use super::url::PostgresUrl;
use super::{notes, read, service};
use crate::limits::STATEMENT_WITHIN;

/// Copies the store in this database, as it is at one moment, into the new file `target`: a store of the
/// SQLite engine. All of it was durable in the database before the file has its name, and the file is
/// durable when this returns; only its owner may read it. `shown` is called from time to time.
///
/// # Errors
/// [`BackupError`]; then no file is left.
pub async fn backup_database(
    url: &PostgresUrl,
    allow_single_database: bool,
    target: &Path,
    mut shown: impl FnMut(CopyCounts),
) -> Result<Backup, BackupError> {
    let backup = NewBackup::begin(target)?;
    let connector = Connector::new(url.clone(), allow_single_database);
    let snapshot = DatabaseSnapshot::begin(&connector).await?;
    snapshot.confirm(&connector).await?;
    let link = &snapshot.link;
    let key = read::key(&link.run(read::KEY, &[], STATEMENT_WITHIN).await?)?;
    let (runs, absences) = service::read_noted(link).await?;
    let file = NewFile::create(backup.path(), &key).map_err(copy_failed)?;
    let mut copy = Copy {
        file,
        current: None,
        counts: CopyCounts::default(),
    };
    let note = |row: &Row| {
        let note = notes::read_note(row)?;
        copy.file.add_note(&note).map_err(copy_failed)
    };
    link.each_row(notes::ALL_NOTES, &[], STATEMENT_WITHIN, note)
        .await?;
    let mut first = Some(Uuid::nil());
    while let Some(from) = first {
        let page = snapshot.page(from).await?;
        first = page.next();
        snapshot.read_page(page, &mut copy).await?;
        copy.file.keep().map_err(copy_failed)?;
        shown(copy.counts);
    }
    snapshot.end().await?;
    let finished = copy.file.finish(&runs, absences);
    finished.map_err(copy_failed)?;
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

/// The copy as it is filled.
struct Copy {
    file: NewFile,
    /// The match that is being copied, and the version of its last record so far.
    current: Option<(MatchId, Version)>,
    counts: CopyCounts,
}

impl MatchReader for Copy {
    type End = BackupError;

    fn begin(&mut self, id: MatchId, row: Option<IndexedMatch>) -> Result<(), BackupError> {
        let damaged = |error: PostgresError| BackupError::Match(id, error.into());
        let missing = DataError::Unreadable {
            what: "a row of the index",
            reason: "it is missing".to_owned(),
        };
        let row = row.ok_or_else(|| damaged(missing.into()))?;
        let columns = row.columns.map_err(damaged)?;
        let persons = columns.persons.persons(id);
        persons.map_err(|error| damaged(error.into()))?;
        self.current = Some((id, Version(0)));
        self.file.begin_match(id, &columns).map_err(copy_failed)
    }

    fn record(&mut self, row: &Row) -> Result<(), BackupError> {
        let Some((id, end)) = &mut self.current else {
            return Ok(());
        };
        // The text as it is: a record that only a newer server understands is copied too.
        let (version, text) = read::text_after(row, *id, *end)
            .map_err(|error| BackupError::Match(*id, error.into()))?;
        *end = version;
        self.counts.events += 1;
        self.file.add_record(text);
        Ok(())
    }

    fn end(&mut self) -> Result<(), BackupError> {
        match self.current.take() {
            Some((id, found @ Version(0))) => {
                let expected = Version(1);
                let lost = DataError::Truncated { found, expected };
                Err(BackupError::Match(id, lost.into()))
            }
            _ => {
                self.counts.matches += 1;
                Ok(())
            }
        }
    }
}
