//! The ends of the logs that have records in the journal, in memory.
//!
//! The journal has no index by match, so that an append writes nothing but its own row. One process
//! at a time writes a store, so its memory can say which rows of the journal belong to which match.
//! It is filled at the start, and changes after each commit.
//!
//! A reader takes the rows of its match from here *before* its transaction begins: all of them are
//! then in the journal or, if they were moved meanwhile, in a chunk.

use std::collections::HashMap;

use fibfob_protocol::{MatchId, Timestamp, Version};
use fibfob_store::DataError;
use parking_lot::Mutex;
use rusqlite::{Connection, OptionalExtension};

use super::SqliteError;
use super::checksum;
use super::mark::Mark;
use super::row::whole;
use super::value::{match_id, version};

/// The tails of all logs in the journal, shared by the writer and the readers.
#[derive(Default)]
pub(super) struct Tails(Mutex<TailsState>);

#[derive(Default)]
struct TailsState {
    tails: HashMap<MatchId, Tail>,
    /// Whether the journal could not be read, so that any log may have a tail that is not here.
    unknown: bool,
}

/// The end of one log in the journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tail {
    /// The version of the last record.
    pub end: Version,
    /// The rows of the records up to it, in order. Some of the first may be in a chunk already.
    pub rows: Vec<i64>,
}

/// The rows of a match up to this one that a slice has moved.
pub(super) type Moved = (MatchId, i64);

/// The rows that the journal has, besides some before them that could not be moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub first: i64,
    /// Before `first` if there are none.
    pub last: i64,
}

impl Span {
    /// The span of an empty journal.
    pub(super) const EMPTY: Self = Self { first: 1, last: 0 };

    /// Writes the row of a new store.
    pub(super) fn insert(self, connection: &Connection, key_sum: i64) -> rusqlite::Result<()> {
        let mark = Mark::begin(1).to_bytes();
        let sum = checksum::of_span(self.first, self.last, 0, key_sum, &mark);
        connection.execute(
            "INSERT INTO journal_span (only, mark, first, last, at, key_sum, sum)
             VALUES (1, ?1, ?2, ?3, 0, ?4, ?5)",
            (mark, self.first, self.last, key_sum, sum),
        )?;
        Ok(())
    }

    /// Writes the span within the transaction that changes it, with its notes.
    pub(super) fn write(self, connection: &Connection, notes: SpanNotes) -> rusqlite::Result<()> {
        let at = whole(notes.at.0);
        let mark = notes.mark.to_bytes();
        let sum = checksum::of_span(self.first, self.last, at, notes.key_sum, &mark);
        // Naming the row spares SQLite a copy of its page in case that a later one fails.
        connection
            .prepare_cached(
                "UPDATE journal_span SET first = ?1, last = ?2, at = ?3, sum = ?4, mark = ?5
                 WHERE only = 1",
            )?
            .execute((self.first, self.last, at, sum, mark))?;
        Ok(())
    }
}

/// The notes beside the span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SpanNotes {
    /// The newest instant at which a server is known to have run.
    pub at: Timestamp,
    /// Another checksum of the key.
    pub key_sum: i64,
    /// The mark of the transaction that wrote the row.
    pub mark: Mark,
}

/// The row with the span, as it is in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpanRow {
    pub span: Span,
    pub notes: SpanNotes,
    /// Whether the row is what was written.
    pub is_sound: bool,
}

impl SpanRow {
    pub(super) fn read(connection: &Connection) -> Result<Self, SqliteError> {
        let sql = "SELECT first, last, at, key_sum, sum, mark FROM journal_span";
        let found = connection.query_row(sql, [], |row| {
            let (first, last) = (row.get(0)?, row.get(1)?);
            let (at, key_sum) = (row.get(2)?, row.get(3)?);
            let mark: Mark = row.get(5)?;
            let sum = checksum::of_span(first, last, at, key_sum, &mark.to_bytes());
            Ok(Self {
                span: Span { first, last },
                notes: SpanNotes {
                    at: Timestamp(u64::try_from(at).unwrap_or_default()),
                    key_sum,
                    mark,
                },
                is_sound: sum == row.get::<_, i64>(4)?,
            })
        });
        found.optional()?.ok_or_else(unknown_tail)
    }
}

/// The journal as it is in the file.
#[derive(Debug)]
pub(super) struct JournalContent {
    pub tails: HashMap<MatchId, Tail>,
    pub span: Span,
    pub notes: SpanNotes,
    /// Whether span and notes are what was written.
    pub is_sound: bool,
    /// The rows of the span that are missing.
    pub missing: u64,
}

impl JournalContent {
    /// Reads the whole journal, whose length is bounded.
    pub(super) fn read(connection: &Connection) -> Result<Self, SqliteError> {
        let SpanRow {
            span,
            notes,
            is_sound,
        } = SpanRow::read(connection)?;
        let mut tails = HashMap::<MatchId, Tail>::new();
        let mut within = 0;
        let mut found =
            connection.prepare_cached("SELECT seq, match_id, version FROM journal ORDER BY seq")?;
        let mut rows = found.query([])?;
        while let Some(row) = rows.next()? {
            let seq = row.get(0)?;
            let tail = tails.entry(match_id(row.get(1)?)?).or_default();
            tail.end = version(row, 2)?;
            tail.rows.push(seq);
            within += i64::from((span.first..=span.last).contains(&seq));
        }
        let missing = (span.last - span.first + 1).saturating_sub(within);
        Ok(Self {
            tails,
            span,
            notes,
            is_sound,
            missing: u64::try_from(missing).unwrap_or_default(),
        })
    }
}

impl Tails {
    /// Returns the tail of a log; none if the journal has no record of it.
    pub(super) fn of(&self, id: MatchId) -> Option<Tail> {
        self.0.lock().tails.get(&id).cloned()
    }

    /// Returns whether any log may have a tail that is not known.
    pub(super) fn unknown(&self) -> bool {
        self.0.lock().unknown
    }

    /// Returns the version of the last record of a log that has records in the journal.
    pub(super) fn end(&self, id: MatchId) -> Option<Version> {
        self.0.lock().tails.get(&id).map(|tail| tail.end)
    }

    /// Returns the matches with records in the journal.
    pub(super) fn matches(&self) -> Vec<MatchId> {
        self.0.lock().tails.keys().copied().collect()
    }

    /// Replaces all tails by those of the file; without any, notes that they are not known.
    pub(super) fn restore(&self, found: Option<HashMap<MatchId, Tail>>) {
        let mut state = self.0.lock();
        state.unknown = found.is_none();
        state.tails = found.unwrap_or_default();
    }

    /// Adds records that were made durable.
    pub(super) fn extend(&self, appended: impl IntoIterator<Item = (MatchId, Version, i64)>) {
        let mut state = self.0.lock();
        for (id, version, seq) in appended {
            let tail = state.tails.entry(id).or_default();
            tail.end = version;
            tail.rows.push(seq);
        }
    }

    /// Removes the rows of logs up to those that were moved.
    pub(super) fn forget(&self, moved: &[Moved]) {
        let mut state = self.0.lock();
        for (id, upto) in moved {
            let Some(tail) = state.tails.get_mut(id) else {
                continue;
            };
            tail.rows.retain(|seq| seq > upto);
            if tail.rows.is_empty() {
                state.tails.remove(id);
            }
        }
    }
}

/// The error of a log that may have a tail which is not known.
pub(super) fn unknown_tail() -> SqliteError {
    SqliteError::Data(DataError::Journal)
}
