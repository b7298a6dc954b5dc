//! A store file that is filled in one go with another store's content, and opened by nobody before it is
//! complete.

use std::path::Path;

use fibfob_protocol::{MatchId, Timestamp, Version};
use fibfob_store::identity::ServerKey;
use fibfob_store::{MatchColumns, Note, NotedAbsence, NotedRuns, checksum};
use rusqlite::{Connection, OpenFlags};

use super::error::SqliteError;
use super::log::{Compressor, insert_packed};
use super::row::{insert_log_row, write_columns};
use super::span::Span;
use super::{notes, schema};

/// A store file in the making. A file that was not [finished](Self::finish) is of no use. Each operation
/// fails if SQLite cannot write it.
pub struct NewFile {
    connection: Connection,
    compressor: Compressor,
    span: Span,
}

impl NewFile {
    /// Makes an empty file a store with this key.
    pub fn create(path: &Path, key: &ServerKey) -> Result<Self, SqliteError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, flags)?;
        // After a failure the file is removed; when it is complete, all of it is flushed at once.
        connection.pragma_update_and_check(None, "journal_mode", "OFF", |_| Ok(()))?;
        connection.pragma_update(None, "synchronous", "OFF")?;
        schema::ensure(&mut connection, path, Some(key))?;
        connection.execute_batch("BEGIN")?;
        Ok(Self {
            connection,
            compressor: Compressor::default(),
            span: Span::empty(checksum::of_key(key)),
        })
    }

    /// Adds a match with these columns and the texts of its records.
    pub fn add_match(
        &mut self,
        id: MatchId,
        columns: &MatchColumns,
        records: &[&str],
    ) -> Result<(), SqliteError> {
        let last = Version(records.len() as u64);
        let number = write_columns(&self.connection, id, last, columns)?;
        let key = (id, number);
        let is_finished = matches!(columns.phase.as_str(), "over" | "closed");
        if is_finished && insert_packed(&self.connection, &mut self.compressor, key, records)? {
            return Ok(());
        }
        for (text, version) in records.iter().zip((1..).map(Version)) {
            self.span.last += 1;
            insert_log_row(&self.connection, self.span.last, key, version, text)?;
        }
        Ok(())
    }

    /// Adds a note.
    pub fn add_note(&mut self, note: &Note) -> Result<(), SqliteError> {
        notes::write(&self.connection, note)
    }

    /// Writes what was added so far to the file, so that it takes a bounded amount of memory.
    pub fn keep(&mut self) -> Result<(), SqliteError> {
        Ok(self.connection.execute_batch("COMMIT; BEGIN")?)
    }

    /// Notes when servers have run, and closes the file. It is complete then, but not flushed.
    pub fn finish(self, runs: &NotedRuns, absences: &[NotedAbsence]) -> Result<(), SqliteError> {
        let at = runs.until.unwrap_or(Timestamp(0));
        let noted = runs.since.map(|_| runs);
        notes::write_service(&self.connection, noted, Some(absences))?;
        let span = Span {
            newest: self.span.last,
            rows: self.span.last,
            at,
            ..self.span
        };
        span.write(&self.connection)?;
        self.connection.execute_batch("COMMIT")?;
        self.connection.close().map_err(|(_, error)| error.into())
    }
}
