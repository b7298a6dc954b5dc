//! A store file that is filled at once with what another store has, and then opened by nobody before
//! it is complete.

use std::path::Path;

use fibfob_protocol::{MatchId, Timestamp, Version};
use rusqlite::{Connection, OpenFlags};

use super::SqliteError;
use super::chunk::{Compressor, NewChunk};
use super::journal::{Span, SpanNotes};
use super::mark::Mark;
use super::row::whole;
use super::service::{self, ServiceNote};
use super::{checksum, notes, schema};
use crate::identity::ServerKey;
use crate::limits::{CHUNK_RECORDS_MAX, CHUNK_TEXT_BYTES};
use crate::store::match_columns::MatchColumns;
use crate::store::service::NotedRuns;
use crate::store::{Note, NotedAbsence};

/// A store file in the making. Everything that is added until [`Self::keep`] is one transaction, and a
/// file that was not [finished](Self::finish) is of no use.
pub(in crate::store) struct NewFile {
    connection: Connection,
    compressor: Compressor,
    log: Option<NewLog>,
}

/// The log that is being added.
struct NewLog {
    number: i64,
    chunk: NewChunk,
}

impl NewFile {
    /// Makes an empty file a store with this key.
    ///
    /// # Errors
    /// If SQLite cannot write the file.
    pub(in crate::store) fn create(path: &Path, key: &ServerKey) -> Result<Self, SqliteError> {
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
            log: None,
        })
    }

    /// Begins to add a match with these columns, after the end of the one before.
    ///
    /// # Errors
    /// If SQLite cannot write the file, or the file has the match or its code already.
    pub(in crate::store) fn begin_match(
        &mut self,
        id: MatchId,
        columns: &MatchColumns,
    ) -> Result<(), SqliteError> {
        self.end_match()?;
        let persons = &columns.persons;
        self.connection
            .prepare_cached(
                "INSERT INTO match (id, code, phase, version, created_at, expires_at, creator,
                                    creator_name, joiner, joiner_name, persons_sum, lobby)
                 VALUES (?1, ?2, ?3, 0, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            )?
            .execute((
                id.0.as_bytes().as_slice(),
                &columns.code,
                &columns.phase,
                columns.created_at,
                columns.expires_at,
                persons.creator.as_ref().map(|id| id.as_bytes().as_slice()),
                &persons.creator_name,
                persons.joiner.as_ref().map(|id| id.as_bytes().as_slice()),
                &persons.joiner_name,
                persons.sum,
                columns.lobby_text(),
            ))?;
        let number = self.connection.last_insert_rowid();
        self.log = Some(NewLog {
            number,
            chunk: NewChunk::new(id, number, Version(1)),
        });
        Ok(())
    }

    /// Adds the next record of the match that was begun last.
    ///
    /// # Errors
    /// If SQLite cannot write the file.
    pub(in crate::store) fn add_record(&mut self, text: &str) -> Result<(), SqliteError> {
        let log = self.log.as_mut().expect("a match was begun");
        let chunk = &mut log.chunk;
        chunk.push(text);
        if chunk.events >= CHUNK_RECORDS_MAX || chunk.texts.len() >= CHUNK_TEXT_BYTES {
            chunk.insert(&self.connection, &mut self.compressor)?;
            *chunk = NewChunk::new(chunk.id, log.number, chunk.next());
        }
        Ok(())
    }

    /// Ends the match that was begun last.
    fn end_match(&mut self) -> Result<(), SqliteError> {
        let Some(NewLog { number, chunk }) = self.log.take() else {
            return Ok(());
        };
        if chunk.events > 0 {
            chunk.insert(&self.connection, &mut self.compressor)?;
        }
        let end = chunk.next().0 - 1;
        self.connection
            .prepare_cached("UPDATE match SET version = ?2 WHERE number = ?1")?
            .execute((number, whole(end)))?;
        Ok(())
    }

    /// Adds a note.
    ///
    /// # Errors
    /// If SQLite cannot write the file.
    pub(in crate::store) fn add_note(&mut self, note: &Note) -> Result<(), SqliteError> {
        notes::write(&self.connection, note)
    }

    /// Writes what was added to the file, so that the memory it takes is bounded.
    ///
    /// # Errors
    /// If SQLite cannot write the file.
    pub(in crate::store) fn keep(&mut self) -> Result<(), SqliteError> {
        self.end_match()?;
        Ok(self.connection.execute_batch("COMMIT; BEGIN")?)
    }

    /// Notes when servers have run, and closes the file, which is complete then and not yet flushed.
    ///
    /// # Errors
    /// If SQLite cannot write the file.
    pub(in crate::store) fn finish(
        mut self,
        key: &ServerKey,
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
        let key_sum = checksum::of_key_again(key);
        let mark = Mark::begin(1);
        Span::EMPTY.write(&self.connection, SpanNotes { at, key_sum, mark })?;
        self.connection.execute_batch("COMMIT")?;
        self.connection.close().map_err(|(_, error)| error.into())
    }
}
