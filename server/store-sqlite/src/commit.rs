//! The transactions of the writer: one group of appends, notes and changes, or some finished matches that are packed.

use std::collections::HashMap;

use fibfob_protocol::{MatchId, Version};
use fibfob_store::{
    AppendError, DataError, MatchChange, MatchColumns, Note, NoteKey, QueuedAppend, StoreError,
};
use rusqlite::{Connection, ffi};
use tokio::sync::oneshot;

use super::error::SqliteError;
use super::file::StoreFile;
use super::log::{self, Compressor, LogPlace, Packing, unpack};
use super::notes::ServiceNote;
use super::row::{begin, insert_log_row, replace_person, write_columns};
use super::span::{FileMark, Span, SpanRow, newest_row};
use super::{keep_log_at_close, notes, schema};
use crate::limits::LOG_ENDS_MAX;

pub(super) struct QueuedNotes {
    pub sign: Option<ServiceNote>,
    pub put: Vec<Note>,
    pub removed: Vec<NoteKey>,
    pub reply: oneshot::Sender<Result<Vec<Note>, StoreError>>,
}

pub(super) struct QueuedChange {
    pub id: MatchId,
    pub change: MatchChange,
    pub reply: oneshot::Sender<Result<bool, StoreError>>,
}

pub(super) enum Queued {
    Append(QueuedAppend),
    Notes(QueuedNotes),
    Change(QueuedChange),
    /// A look at the file, so that one that is gone is noticed although nobody writes.
    Look,
}

impl From<QueuedAppend> for Queued {
    fn from(append: QueuedAppend) -> Self {
        Self::Append(append)
    }
}

/// The outcomes of a transaction's entries, in their order.
pub(super) struct Outcomes {
    pub appended: Vec<Result<(), AppendError>>,
    pub noted: Vec<Result<Vec<Note>, DataError>>,
    pub changed: Vec<Result<bool, DataError>>,
}

/// The file as its writer has it open. After an error it must be opened anew.
pub(super) struct OpenLog {
    connection: Connection,
    span: Span,
    ends: LogEnds,
    compressor: Compressor,
    /// The finished matches that may wait to be packed.
    unpacked: usize,
    /// Whether any are packed before the file is opened anew.
    pub(super) packs: bool,
    /// The mark in the file itself when it was looked at last; none before the first checkpoint.
    seen: Option<FileMark>,
}

/// The places of the logs that were appended to last, with their ends as what they have reached, so that an
/// append to one of them looks nothing up.
type LogEnds = HashMap<MatchId, LogPlace>;

impl OpenLog {
    /// Looks whether the newest rows are there. The log itself is not read.
    pub(super) fn read(connection: Connection, file: &StoreFile) -> Result<Self, SqliteError> {
        let SpanRow { span, is_sound } = SpanRow::read(&connection)?;
        if newest_row(&connection)? != span.newest {
            tracing::error!(
                "the store's newest events are missing; `check` names what it can, a backup \
                 restores them"
            );
        }
        if !is_sound {
            tracing::error!("the store's span of its log is not what was written; see `check`");
        }
        Ok(Self {
            connection,
            span,
            ends: LogEnds::new(),
            compressor: Compressor::default(),
            // A server that was killed may have left some.
            unpacked: 1,
            packs: true,
            seen: file.mark()?,
        })
    }

    /// Begins a run with a durable write that changes nothing else.
    pub(super) fn begin_run(&mut self) -> Result<(), SqliteError> {
        let transaction = begin(&mut self.connection)?;
        let mark = self.span.mark.next_run();
        let span = Span { mark, ..self.span };
        span.write(&transaction)?;
        transaction.commit()?;
        self.span = span;
        Ok(())
    }

    /// Checks that the file in the store's place is the one that was opened, with the content that was
    /// written through this connection.
    pub(super) fn check_file(&mut self, file: &StoreFile) -> Result<(), SqliteError> {
        file.check_place()?;
        let (found, now) = (file.mark()?, self.span.mark);
        let least = self.seen.map_or(0, |seen| seen.writes);
        let is_own =
            |mark: FileMark| mark.run == now.run && (least..=now.writes).contains(&mark.writes);
        if found == self.seen || found.is_some_and(is_own) {
            self.seen = found;
            return Ok(());
        }
        Err(SqliteError::Replaced(file.path.clone()))
    }

    /// Commits a batch in one transaction. An append that meets another event or another match's
    /// code writes nothing; any other error undoes the batch.
    pub(super) fn commit(
        &mut self,
        batch: &[QueuedAppend],
        notes: &[QueuedNotes],
        changes: &[QueuedChange],
    ) -> Result<Outcomes, SqliteError> {
        if self.ends.len() > LOG_ENDS_MAX {
            self.ends.clear();
        }
        let transaction = begin(&mut self.connection)?;
        let mut group = Group {
            connection: &transaction,
            ends: &mut self.ends,
            span: self.span,
            unpacked: self.unpacked,
        };
        let mut appended = Vec::with_capacity(batch.len());
        for append in batch {
            appended.push(group.append(append)?);
        }
        let mut changed = Vec::with_capacity(changes.len());
        for change in changes {
            changed.push(group.change(change)?);
        }
        let Group { span, unpacked, .. } = group;
        let signs = || notes.iter().filter_map(|queued| queued.sign.as_ref());
        let stored_at = batch.iter().map(|append| append.at);
        let at = stored_at.chain(signs().map(|sign| sign.at)).max();
        let span = Span {
            at: span.at.max(at.unwrap_or_default()),
            mark: span.mark.next(),
            ..span
        };
        span.write(&transaction)?;
        for sign in signs() {
            notes::write_service(&transaction, sign)?;
            notes::clean(&transaction, sign.at)?;
        }
        let noted = notes
            .iter()
            .map(|queued| notes::put(&transaction, &queued.put, &queued.removed))
            .collect::<Result<_, _>>()?;
        transaction.commit()?;
        (self.span, self.unpacked) = (span, unpacked);
        Ok(Outcomes {
            appended,
            noted,
            changed,
        })
    }

    /// Returns how many finished matches may wait to be packed.
    pub(super) fn unpacked(&self) -> usize {
        if self.packs { self.unpacked } else { 0 }
    }

    /// Packs some finished matches in a transaction of its own.
    pub(super) fn pack(&mut self) -> Result<(), SqliteError> {
        let transaction = begin(&mut self.connection)?;
        let packing = Packing::of_finished(&transaction, &mut self.compressor)?;
        if !packing.matches.is_empty() {
            let span = Span {
                newest: newest_row(&transaction)?,
                rows: self.span.rows - packing.rows,
                mark: self.span.mark.next(),
                ..self.span
            };
            span.write(&transaction)?;
            transaction.commit()?;
            self.span = span;
        }
        for id in &packing.matches {
            self.ends.remove(id);
        }
        let left = self.unpacked.saturating_sub(packing.matches.len());
        self.unpacked = if packing.is_partial { left.max(1) } else { 0 };
        Ok(())
    }

    /// Packs all finished matches, and frees the room of what was removed. With the connection then ends
    /// the write-ahead log, if no other program has the file open.
    pub(super) fn finish(mut self) -> Result<(), SqliteError> {
        keep_log_at_close(&self.connection, false)?;
        while self.unpacked() > 0 {
            self.pack()?;
        }
        schema::free_room(&self.connection)
    }
}

struct Group<'a> {
    connection: &'a Connection,
    ends: &'a mut LogEnds,
    span: Span,
    unpacked: usize,
}

impl Group<'_> {
    /// Writes an append. One that meets another event or another match's code writes nothing; any
    /// other error must undo the group.
    fn append(&mut self, append: &QueuedAppend) -> Result<Result<(), AppendError>, SqliteError> {
        let id = append.id;
        let found = self.end_of(id)?;
        let end = found.map_or(Version(0), |place| place.reached);
        if append.version != end.next() {
            return Ok(Err(AppendError::Conflict));
        }
        if let Some(place) = found
            && place.is_packed
            && !self.unpack(id, place.number)?
        {
            return Ok(Err(AppendError::Unknown));
        }
        let number = match (found, &append.row) {
            (_, Some(row)) => {
                let columns = MatchColumns::of(id, row);
                let written = write_columns(self.connection, id, append.version, &columns);
                match written {
                    Err(error) if violates_uniqueness(&error) => {
                        return Ok(Err(AppendError::CodeTaken));
                    }
                    written => written?,
                }
            }
            (Some(place), None) => place.number,
            // A match begins with a row.
            (None, None) => return Ok(Err(AppendError::Unknown)),
        };
        self.add_rows(1);
        let (version, record) = (append.version, &append.record);
        insert_log_row(
            self.connection,
            self.span.last,
            (id, number),
            version,
            record,
        )?;
        let is_finished = append.row.as_ref().is_some_and(|row| !row.is_unfinished());
        self.unpacked += usize::from(is_finished);
        let place = LogPlace {
            number,
            reached: version,
            is_packed: false,
        };
        self.ends.insert(id, place);
        Ok(Ok(()))
    }

    /// Makes a change of a match. One that meets damage changes nothing.
    fn change(&mut self, queued: &QueuedChange) -> Result<Result<bool, DataError>, SqliteError> {
        let id = queued.id;
        match &queued.change {
            MatchChange::Person(guest, name) => {
                match replace_person(self.connection, id, *guest, name.as_ref()) {
                    Err(SqliteError::Data(error)) => Ok(Err(error)),
                    changed => Ok(Ok(changed?)),
                }
            }
            MatchChange::Remove => {
                let Some(rows) = log::remove(self.connection, id)? else {
                    return Ok(Ok(false));
                };
                self.ends.remove(&id);
                self.span.rows -= rows;
                self.span.newest = newest_row(self.connection)?;
                Ok(Ok(true))
            }
        }
    }

    fn end_of(&self, id: MatchId) -> Result<Option<LogPlace>, SqliteError> {
        if let Some(found) = self.ends.get(&id) {
            return Ok(Some(*found));
        }
        let place = LogPlace::read(self.connection, id)?;
        let with_end = |place: LogPlace| {
            let reached = place.end(self.connection)?;
            Ok(LogPlace { reached, ..place })
        };
        place.map(with_end).transpose()
    }

    fn add_rows(&mut self, rows: i64) {
        self.span.last += rows;
        self.span.newest = self.span.last;
        self.span.rows += rows;
    }

    /// Makes a packed log rows again; returns false if it is damaged.
    fn unpack(&mut self, id: MatchId, number: i64) -> Result<bool, SqliteError> {
        let Ok(rows) = unpack(self.connection, (id, number), self.span.last)? else {
            return Ok(false);
        };
        self.add_rows(rows);
        self.unpacked += 1;
        Ok(true)
    }
}

fn violates_uniqueness(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error().map(|error| error.extended_code);
    let codes = [
        ffi::SQLITE_CONSTRAINT_PRIMARYKEY,
        ffi::SQLITE_CONSTRAINT_UNIQUE,
    ];
    code.is_some_and(|code| codes.contains(&code))
}
