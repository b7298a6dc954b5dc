//! A store file that is filled at once with what another store has, and then opened by nobody before
//! it is complete.

use std::path::Path;

use fibfob_protocol::{MatchId, Timestamp, Version};
use fibfob_store::identity::ServerKey;
use fibfob_store::{MatchColumns, Note, NotedAbsence, NotedRuns, checksum};
use rusqlite::{Connection, OpenFlags};

use super::error::SqliteError;
use super::packed::{Compressor, JoinedTexts};
use super::row::{insert_log_row, write_columns};
use super::service::{self, ServiceNote};
use super::span::Span;
use super::{notes, schema};

/// A store file in the making. Everything that is added until [`Self::keep`] is one transaction, and a
/// file that was not [finished](Self::finish) is of no use. Each operation fails if SQLite cannot write it.
pub struct NewFile {
    connection: Connection,
    compressor: Compressor,
    span: Span,
    log: Option<NewLog>,
}

struct NewLog {
    key: (MatchId, i64),
    is_finished: bool,
    records: JoinedTexts,
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
            log: None,
        })
    }

    /// Begins to add a match with these columns, after the end of the one before.
    pub fn begin_match(&mut self, id: MatchId, columns: &MatchColumns) -> Result<(), SqliteError> {
        self.end_match()?;
        let number = write_columns(&self.connection, id, Version(1), columns)?;
        self.log = Some(NewLog {
            key: (id, number),
            is_finished: matches!(columns.phase.as_str(), "over" | "closed"),
            records: JoinedTexts::default(),
        });
        Ok(())
    }

    /// Adds the next record of the match that was begun last.
    pub fn add_record(&mut self, text: &str) {
        let log = self.log.as_mut().expect("a match was begun");
        log.records.push(text);
    }

    /// Writes the records of the match that was begun last.
    fn end_match(&mut self) -> Result<(), SqliteError> {
        let Some(NewLog {
            key,
            is_finished,
            records,
        }) = self.log.take()
        else {
            return Ok(());
        };
        records.note(&self.connection, key.1, is_finished)?;
        if is_finished {
            records.insert(&self.connection, &mut self.compressor, key)?;
            return Ok(());
        }
        for (version, text) in records.records() {
            self.span.last += 1;
            insert_log_row(&self.connection, self.span.last, key, version, text)?;
        }
        Ok(())
    }

    /// Adds a note.
    pub fn add_note(&mut self, note: &Note) -> Result<(), SqliteError> {
        notes::write(&self.connection, note)
    }

    /// Writes what was added to the file, so that the memory it takes is bounded.
    pub fn keep(&mut self) -> Result<(), SqliteError> {
        self.end_match()?;
        Ok(self.connection.execute_batch("COMMIT; BEGIN")?)
    }

    /// Notes when servers have run, and closes the file, which is complete then and not yet flushed.
    pub fn finish(
        mut self,
        runs: &NotedRuns,
        absences: Vec<NotedAbsence>,
    ) -> Result<(), SqliteError> {
        self.end_match()?;
        let at = runs.until.unwrap_or(Timestamp(0));
        let note = ServiceNote {
            at,
            new_run: runs.since.is_some().then(|| runs.clone()),
            absences: Some(absences),
        };
        service::write(&self.connection, &note)?;
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
