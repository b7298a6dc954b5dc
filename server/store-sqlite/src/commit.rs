//! The transactions of the writer: one group of appends and changes, or some finished matches that are packed.

use std::collections::HashMap;
use std::time::Duration;

use fibfob_protocol::{MatchId, Timestamp, Version};
use fibfob_store::{AppendError, MatchChange, MatchColumns, NotedAbsence, NotedRuns, QueuedAppend};
use rusqlite::{Connection, ffi};
use tokio::sync::oneshot;

use super::error::SqliteError;
use super::file::StoreFile;
use super::log::{self, Compressor, LogPlace, Packing, unpack};
use super::row::{begin, insert_log_row, replace_person, write_columns};
use super::span::{FileMark, Span, newest_row};
use super::{keep_log_at_close, notes, schema};
use crate::limits::{LOG_ENDS_MAX, STORE_BUSY_WITHIN};

type Make = dyn Fn(&mut Group<'_>) -> Result<(), SqliteError> + Send;

/// A change that is made in the same transaction as appends.
pub(super) struct QueuedChange {
    /// Makes the change; called again if the transaction is repeated. An error must undo the transaction.
    pub make: Box<Make>,
    /// Told of the commit; dropped if there is none.
    pub committed: oneshot::Sender<()>,
}

#[expect(clippy::large_enum_variant, reason = "almost every entry is an append")]
pub(super) enum Queued {
    Append(QueuedAppend),
    Change(QueuedChange),
    /// A look at the file, so that a vanished file is noticed even if nobody writes.
    Look,
}

impl From<QueuedAppend> for Queued {
    fn from(append: QueuedAppend) -> Self {
        Self::Append(append)
    }
}

/// The file as its writer has it open. After an error it must be opened again.
pub(super) struct OpenLog {
    connection: Connection,
    span: Span,
    ends: LogEnds,
    compressor: Compressor,
    /// The finished matches that may wait to be packed.
    unpacked: usize,
    /// True if finished matches are packed, until the file is opened again.
    pub(super) packs: bool,
    /// True if an erasure has ended whose data the write-ahead log may still have.
    wipes: bool,
    /// The file's mark at the last look; none before the first checkpoint.
    seen: Option<FileMark>,
}

/// Caches where recently used logs end, so that an append needs no lookup.
type LogEnds = HashMap<MatchId, LogPlace>;

impl OpenLog {
    /// Checks that the newest rows are there, and begins a run with a durable write that changes nothing
    /// else. The log itself is not read.
    pub(super) fn begin_run(
        mut connection: Connection,
        file: &StoreFile,
    ) -> Result<Self, SqliteError> {
        let (span, is_sound) = Span::read(&connection)?;
        if newest_row(&connection)? != span.newest {
            tracing::error!(
                "the store's newest events are missing; `fibfob-server check` names what it can, a \
                 backup restores them"
            );
        }
        if !is_sound {
            tracing::error!(
                "the store's record of its newest event is damaged; run `fibfob-server check`"
            );
        }
        let seen = file.mark()?;
        let mark = span.mark.next_run();
        let span = Span { mark, ..span };
        let transaction = begin(&mut connection)?;
        span.write(&transaction)?;
        transaction.commit()?;
        Ok(Self {
            connection,
            span,
            ends: LogEnds::new(),
            compressor: Compressor::default(),
            // A killed server may have left some.
            unpacked: 1,
            packs: true,
            wipes: false,
            seen,
        })
    }

    /// Checks that the file in the store's place is the one that was opened, with what this connection wrote.
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

    /// Commits appends and changes in one transaction, and returns the outcome of each append. One that meets
    /// another event, or another match's code, writes nothing; any other error undoes all.
    pub(super) fn commit(
        &mut self,
        appends: &[QueuedAppend],
        changes: &[QueuedChange],
    ) -> Result<Vec<Result<(), AppendError>>, SqliteError> {
        if self.ends.len() > LOG_ENDS_MAX {
            self.ends.clear();
        }
        let transaction = begin(&mut self.connection)?;
        let mut group = Group {
            connection: &transaction,
            ends: &mut self.ends,
            span: self.span,
            unpacked: self.unpacked,
            ends_erasure: false,
        };
        let appended = appends.iter().map(|append| group.append(append));
        let appended = appended.collect::<Result<_, _>>()?;
        for change in changes {
            (change.make)(&mut group)?;
        }
        let Group {
            span,
            unpacked,
            ends_erasure,
            ..
        } = group;
        let mark = span.mark.next();
        let span = Span { mark, ..span };
        span.write(&transaction)?;
        transaction.commit()?;
        (self.span, self.unpacked) = (span, unpacked);
        self.wipes |= ends_erasure;
        Ok(appended)
    }

    /// Empties the write-ahead log after an erasure. Its frames have pages as they were, also after they were
    /// written to the file. Never waits: while another program reads, the next call tries again.
    pub(super) fn wipe_log(&mut self) -> Result<(), SqliteError> {
        if !self.wipes {
            return Ok(());
        }
        self.connection.busy_timeout(Duration::ZERO)?;
        let sql = "PRAGMA wal_checkpoint(TRUNCATE)";
        let is_busy = self.connection.query_row(sql, [], |row| row.get(0));
        self.connection.busy_timeout(STORE_BUSY_WITHIN)?;
        self.wipes = is_busy?;
        Ok(())
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

    /// Packs all finished matches, and gives the removed rows' room back. Closing the connection then removes
    /// the write-ahead log, unless another program has the file open.
    pub(super) fn finish(mut self) -> Result<(), SqliteError> {
        keep_log_at_close(&self.connection, false)?;
        while self.unpacked() > 0 {
            self.pack()?;
        }
        schema::free_room(&self.connection)
    }
}

/// A transaction of the writer.
pub(super) struct Group<'a> {
    pub connection: &'a Connection,
    ends: &'a mut LogEnds,
    span: Span,
    unpacked: usize,
    /// True if a change ends an erasure.
    pub ends_erasure: bool,
}

impl Group<'_> {
    /// Writes an append. One that meets another event or another match's code writes nothing; any
    /// other error must undo the group.
    fn append(&mut self, append: &QueuedAppend) -> Result<Result<(), AppendError>, SqliteError> {
        self.span.at = self.span.at.max(append.at);
        let id = append.id;
        let found = self.end_of(id)?;
        let end = found.map_or(Version(0), |place| place.reached);
        if append.version != end.next() {
            return Ok(Err(AppendError::Conflict));
        }
        if let Some(place) = found.filter(|place| place.is_packed) {
            match unpack(self.connection, (id, place.number), self.span.last) {
                Err(SqliteError::Data(_)) => return Ok(Err(AppendError::Unknown)),
                rows => self.add_rows(rows?),
            }
            self.unpacked += 1;
        }
        let number = match (found, &append.row) {
            (_, Some(row)) => {
                let columns = MatchColumns::of(id, row);
                match write_columns(self.connection, id, append.version, &columns) {
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
        let (seq, version) = (self.span.last, append.version);
        insert_log_row(self.connection, seq, (id, number), version, &append.record)?;
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

    /// Changes what is stored of a match beside its events. A change that meets damage changes nothing.
    pub(super) fn change(
        &mut self,
        id: MatchId,
        change: &MatchChange,
    ) -> Result<bool, SqliteError> {
        match change {
            MatchChange::Person(guest, name) => {
                replace_person(self.connection, id, *guest, name.as_ref())
            }
            MatchChange::Remove => {
                let Some(rows) = log::remove(self.connection, id)? else {
                    return Ok(false);
                };
                self.ends.remove(&id);
                self.span.rows -= rows;
                self.span.newest = newest_row(self.connection)?;
                Ok(true)
            }
        }
    }

    /// Notes a sign of life, and removes some of the notes that have expired.
    pub(super) fn note_sign(
        &mut self,
        at: Timestamp,
        new_run: Option<&NotedRuns>,
        absences: Option<&[NotedAbsence]>,
    ) -> Result<(), SqliteError> {
        self.span.at = self.span.at.max(at);
        notes::write_service(self.connection, new_run, absences)?;
        notes::clean(self.connection, at)
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
}

fn violates_uniqueness(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error().map(|error| error.extended_code);
    let codes = [
        ffi::SQLITE_CONSTRAINT_PRIMARYKEY,
        ffi::SQLITE_CONSTRAINT_UNIQUE,
    ];
    code.is_some_and(|code| codes.contains(&code))
}
