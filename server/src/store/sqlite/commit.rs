//! The transaction of one group of appends, and with it a slice of the moves into chunks.

use std::collections::HashMap;

use fibfob_protocol::{MatchId, Timestamp, Version};
use rusqlite::{Connection, ErrorCode, TransactionBehavior, ffi};
use tokio::sync::oneshot;

use super::file::StoreFile;
use super::journal::{JournalContent, SpanNotes, Tails};
use super::mark::Mark;
use super::mover::{MoveBounds, Mover};
use super::read::indexed;
use super::row::whole;
use super::service::ServiceNote;
use super::{SqliteError, checksum, chunk, keep_log_at_close, notes, schema, service};
use crate::limits::FINISH_ROWS;
use crate::store::match_columns::MatchColumns;
use crate::store::{AppendError, DataError, IndexRow, Note, NoteKey, StoreError};

/// One event that waits for the writer.
pub(super) struct QueuedAppend {
    pub id: MatchId,
    pub version: Version,
    pub at: Timestamp,
    pub record: String,
    /// The match's index row, if it changes.
    pub row: Option<IndexRow>,
    pub reply: oneshot::Sender<Result<(), AppendError>>,
}

/// A sign of life of the server that waits for the writer.
pub(super) struct QueuedSign {
    pub note: ServiceNote,
    pub reply: oneshot::Sender<Result<(), StoreError>>,
}

/// Notes that wait for the writer.
pub(super) struct QueuedNotes {
    pub put: Vec<Note>,
    pub removed: Vec<NoteKey>,
    pub reply: oneshot::Sender<Result<Vec<Note>, StoreError>>,
}

/// An entry in the writer's queue.
pub(super) enum Queued {
    Append(QueuedAppend),
    Sign(QueuedSign),
    Notes(QueuedNotes),
    /// A look at the file, so that one that is gone is noticed although nobody writes.
    Look,
}

/// The outcomes of a transaction's entries, in their order.
pub(super) struct Outcomes {
    pub appended: Vec<Result<(), AppendError>>,
    pub noted: Vec<Result<Vec<Note>, DataError>>,
}

/// The file as its writer has it open.
pub(super) struct OpenJournal {
    connection: Connection,
    /// The row of the journal that is written next.
    next_seq: i64,
    notes: SpanNotes,
    mover: Mover,
    /// The mark in the file itself when it was looked at last; none before the first checkpoint.
    seen: Option<Mark>,
}

impl OpenJournal {
    /// Reads the journal and restores the tails from it.
    pub(super) fn read(
        connection: Connection,
        file: &StoreFile,
        tails: &Tails,
        bounds: MoveBounds,
    ) -> Result<Self, SqliteError> {
        let content = JournalContent::read(&connection)?;
        if content.missing > 0 {
            tracing::error!(
                rows = content.missing,
                "rows of the store's journal are missing, and with them events; `check` names what \
                 it can, a backup restores them"
            );
        }
        if !content.is_sound {
            tracing::error!("the store's span of its journal is not what was written; see `check`");
        }
        let next_seq = content.span.last + 1;
        let mover = Mover::new(bounds, content.span.first);
        tails.restore(Some(content.tails));
        Ok(Self {
            connection,
            next_seq,
            notes: content.notes,
            mover,
            seen: file.mark()?,
        })
    }

    /// Begins a run with a durable write that changes nothing else.
    pub(super) fn begin_run(&mut self) -> Result<(), SqliteError> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let notes = SpanNotes {
            mark: self.notes.mark.next_run(),
            ..self.notes
        };
        self.mover.span(self.next_seq).write(&transaction, notes)?;
        transaction.commit()?;
        self.notes = notes;
        Ok(())
    }

    /// Checks that the file in the store's place is the one that was opened, with the content that was
    /// written through this connection.
    pub(super) fn check_file(&mut self, file: &StoreFile) -> Result<(), SqliteError> {
        file.check_place()?;
        let (found, now) = (file.mark()?, self.notes.mark);
        let least = self.seen.map_or(0, |seen| seen.writes);
        let is_own =
            |mark: Mark| mark.run == now.run && (least..=now.writes).contains(&mark.writes);
        if found == self.seen || found.is_some_and(is_own) {
            self.seen = found;
            return Ok(());
        }
        Err(SqliteError::Replaced(file.path().to_owned()))
    }

    /// Commits a batch in one transaction. An append that meets another event or another match's
    /// code writes nothing; after any other error the batch is undone, and the file must be opened
    /// anew. The records that were written are taken from the batch.
    pub(super) fn commit(
        &mut self,
        tails: &Tails,
        batch: &mut [QueuedAppend],
        signs: &[QueuedSign],
        notes: &[QueuedNotes],
    ) -> Result<Outcomes, SqliteError> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut group = Group::new(&transaction, tails, self.next_seq);
        let mut outcomes = Vec::with_capacity(batch.len());
        for append in batch.iter() {
            outcomes.push(group.append(append)?);
        }
        let Group {
            next_seq, appended, ..
        } = group;
        let mut moved = Vec::new();
        self.mover.begin_if_long(tails, self.next_seq);
        self.mover
            .slice(&transaction, tails, appended.len(), &mut moved)?;
        let noted_at = signs.iter().map(|queued| queued.note.at);
        let at = batch.iter().map(|append| append.at).chain(noted_at).max();
        let span_notes = SpanNotes {
            at: self.notes.at.max(at.unwrap_or_default()),
            mark: self.notes.mark.next(),
            ..self.notes
        };
        self.mover.span(next_seq).write(&transaction, span_notes)?;
        for queued in signs {
            service::write(&transaction, &queued.note)?;
            notes::clean(&transaction, queued.note.at)?;
        }
        let noted = notes
            .iter()
            .map(|queued| notes::put(&transaction, &queued.put, &queued.removed))
            .collect::<Result<_, _>>()?;
        transaction.commit()?;
        let stored = batch.iter_mut().zip(&outcomes);
        let stored = stored.filter(|(_, outcome)| outcome.is_ok());
        for ((append, _), (_, _, seq)) in stored.zip(&appended) {
            self.mover.keep(*seq, std::mem::take(&mut append.record));
        }
        self.next_seq = next_seq;
        self.notes = span_notes;
        tails.extend(appended);
        tails.forget(&moved);
        Ok(Outcomes {
            appended: outcomes,
            noted,
        })
    }

    /// Moves the whole journal into chunks, and frees the room of what was moved. With the connection then
    /// ends the write-ahead log, if no other program has the file open.
    pub(super) fn finish(mut self, tails: &Tails) -> Result<(), SqliteError> {
        keep_log_at_close(&self.connection, false)?;
        self.mover.begin(tails, self.next_seq);
        while self.mover.is_moving() {
            let transaction = self
                .connection
                .transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut moved = Vec::new();
            self.notes.mark = self.notes.mark.next();
            self.mover
                .slice(&transaction, tails, FINISH_ROWS, &mut moved)?;
            self.mover
                .span(self.next_seq)
                .write(&transaction, self.notes)?;
            transaction.commit()?;
            tails.forget(&moved);
        }
        schema::free_room(&self.connection)
    }
}

/// The appends of one group, within its transaction.
struct Group<'a> {
    connection: &'a Connection,
    tails: &'a Tails,
    next_seq: i64,
    /// The ends of the logs that this group has appended to.
    ends: HashMap<MatchId, Version>,
    /// The records that were appended: match, version and row.
    appended: Vec<(MatchId, Version, i64)>,
}

impl<'a> Group<'a> {
    fn new(connection: &'a Connection, tails: &'a Tails, next_seq: i64) -> Self {
        Self {
            connection,
            tails,
            next_seq,
            ends: HashMap::new(),
            appended: Vec::new(),
        }
    }

    /// Writes an append. One that meets another event or another match's code writes nothing; any
    /// other error must undo the group.
    fn append(&mut self, append: &QueuedAppend) -> Result<Result<(), AppendError>, SqliteError> {
        let id = append.id;
        let end = match self.ends.get(&id).copied().or_else(|| self.tails.end(id)) {
            Some(end) => end,
            None => match indexed(self.connection, id)? {
                Some(row) => chunk::end_of_chunks(self.connection, row.number)?,
                None => Version(0),
            },
        };
        if append.version != end.next() {
            return Ok(Err(AppendError::Conflict));
        }
        // Before the record, so that a refused row leaves nothing to take back.
        if let Some(row) = &append.row
            && !self.write_row(append, row)?
        {
            return Ok(Err(AppendError::CodeTaken));
        }
        self.connection
            .prepare_cached(
                "INSERT INTO journal (seq, match_id, version, record, sum)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute((
                self.next_seq,
                id.0.as_bytes().as_slice(),
                whole(append.version.0),
                &append.record,
                checksum::of_record(id, append.version, &append.record),
            ))?;
        self.ends.insert(id, append.version);
        self.appended.push((id, append.version, self.next_seq));
        self.next_seq += 1;
        Ok(Ok(()))
    }

    /// Writes a match's row; returns false if its code belongs to another match.
    fn write_row(&self, append: &QueuedAppend, row: &IndexRow) -> Result<bool, SqliteError> {
        let columns = MatchColumns::of(append.id, row);
        let persons = &columns.persons;
        let written = self
            .connection
            .prepare_cached(
                "INSERT INTO match (id, code, phase, version, created_at, expires_at, creator,
                                    creator_name, joiner, joiner_name, persons_sum, lobby)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
                 ON CONFLICT (id) DO UPDATE
                 SET phase = excluded.phase, version = excluded.version,
                     expires_at = excluded.expires_at, creator = excluded.creator,
                     creator_name = excluded.creator_name, joiner = excluded.joiner,
                     joiner_name = excluded.joiner_name, persons_sum = excluded.persons_sum,
                     lobby = excluded.lobby",
            )?
            .execute((
                append.id.0.as_bytes().as_slice(),
                &columns.code,
                &columns.phase,
                whole(append.version.0),
                columns.created_at,
                columns.expires_at,
                persons.creator.as_ref().map(|id| id.as_bytes().as_slice()),
                &persons.creator_name,
                persons.joiner.as_ref().map(|id| id.as_bytes().as_slice()),
                &persons.joiner_name,
                persons.sum,
                columns.lobby_text(),
            ));
        if violates_uniqueness(&written) {
            return Ok(false);
        }
        written?;
        Ok(true)
    }
}

fn violates_uniqueness(outcome: &rusqlite::Result<usize>) -> bool {
    matches!(
        outcome,
        Err(rusqlite::Error::SqliteFailure(
            ffi::Error {
                code: ErrorCode::ConstraintViolation,
                extended_code: ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_UNIQUE,
            },
            _
        ))
    )
}
