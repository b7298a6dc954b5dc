//! The way of records from the journal into chunks, a slice at a time within the transactions of
//! appends, so that no player waits for a move alone.
//!
//! A cycle begins when the journal is long. It moves all rows up to the last one of that moment,
//! match by match, and then removes them from the journal, oldest first: whole pages at once, where
//! removing each match's rows would touch as many pages as it has rows. Between the two a record is
//! in both tables, and the journal's copy is known by its version, which the chunks have reached.
//!
//! Rows that cannot be moved, because they are damaged, stay in the journal.

use fibfob_protocol::{MatchId, Version};
use rusqlite::Connection;

use super::SqliteError;
use super::chunk::{Compressor, NewChunk, end_of_chunks};
use super::journal::{Moved, Span, Tail, Tails};
use super::read::{indexed, verified_row};
use super::recent::RecentTexts;
use super::row::whole;
use crate::limits::{
    CHUNK_RECORDS_MAX, CHUNK_TEXT_BYTES, JOURNAL_ROWS_MAX, MOVE_ROWS_MIN, MOVE_TIMES, REMOVE_TIMES,
};

/// The bounds of the moves; a test has narrower ones than a server.
#[derive(Clone, Copy, Debug)]
pub struct MoveBounds {
    /// The length of the journal above which a cycle begins.
    pub journal_rows: i64,
    /// The fewest rows that a slice moves.
    pub slice_rows: usize,
}

impl Default for MoveBounds {
    fn default() -> Self {
        Self {
            journal_rows: JOURNAL_ROWS_MAX,
            slice_rows: MOVE_ROWS_MIN,
        }
    }
}

/// The moves of one writer.
pub(super) struct Mover {
    bounds: MoveBounds,
    /// The journal has no rows up to this one, except those that cannot be moved.
    removed_to: i64,
    cycle: Option<Cycle>,
    recent: RecentTexts,
    compressor: Compressor,
}

/// One move of all rows up to `upto`.
struct Cycle {
    upto: i64,
    /// The matches that are still to be moved.
    waiting: Vec<MatchId>,
    /// Rows that cannot be moved.
    kept: Vec<i64>,
}

impl Mover {
    /// A mover for a journal whose first row is `first`.
    pub(super) fn new(bounds: MoveBounds, first: i64) -> Self {
        Self {
            bounds,
            removed_to: first - 1,
            cycle: None,
            recent: RecentTexts::default(),
            compressor: Compressor::default(),
        }
    }

    /// Keeps the text of a row that was made durable, for its move.
    pub(super) fn keep(&mut self, seq: i64, text: String) {
        self.recent.push(seq, text);
    }

    /// Begins a cycle if the journal is so long that `next_seq` is its next row.
    pub(super) fn begin_if_long(&mut self, tails: &Tails, next_seq: i64) {
        if self.cycle.is_none() && next_seq - self.removed_to > self.bounds.journal_rows {
            self.begin(tails, next_seq);
        }
    }

    /// Begins a cycle over the whole journal.
    pub(super) fn begin(&mut self, tails: &Tails, next_seq: i64) {
        let mut waiting = tails.matches();
        // Matches of the index that are beside each other change the same pages.
        waiting.sort_unstable();
        self.cycle = Some(Cycle {
            upto: next_seq - 1,
            waiting,
            kept: Vec::new(),
        });
    }

    /// Returns the rows of a journal whose next row is `next_seq`.
    pub(super) fn span(&self, next_seq: i64) -> Span {
        Span {
            first: self.removed_to + 1,
            last: next_seq - 1,
        }
    }

    /// Returns whether a cycle is under way.
    pub(super) fn is_moving(&self) -> bool {
        self.cycle.is_some()
    }

    /// Moves or removes some rows within a transaction that appends `appended` rows, and adds to
    /// `moved` what readers find in chunks once it is committed. After an error, or without a
    /// commit, this mover no longer knows the journal.
    pub(super) fn slice(
        &mut self,
        connection: &Connection,
        tails: &Tails,
        appended: usize,
        moved: &mut Vec<Moved>,
    ) -> Result<(), SqliteError> {
        let Some(cycle) = &mut self.cycle else {
            return Ok(());
        };
        // In proportion to the appends, so that the journal does not outgrow the moves.
        let mut left = self.bounds.slice_rows.max(MOVE_TIMES * appended);
        while left > 0
            && let Some(id) = cycle.waiting.pop()
        {
            let rows = cycle.move_match(
                connection,
                tails,
                id,
                moved,
                &mut self.recent,
                &mut self.compressor,
            )?;
            left = left.saturating_sub(rows.max(1));
        }
        if left > 0 && cycle.waiting.is_empty() {
            let rows = i64::try_from(REMOVE_TIMES * left).unwrap_or(i64::MAX);
            let upto = cycle.upto.min(self.removed_to.saturating_add(rows));
            cycle.remove(connection, self.removed_to + 1, upto)?;
            self.removed_to = upto;
            self.recent.forget(upto);
            if upto == cycle.upto {
                self.cycle = None;
            }
        }
        Ok(())
    }
}

impl Cycle {
    /// Moves the rows of a match into chunks, and returns their number.
    fn move_match(
        &mut self,
        connection: &Connection,
        tails: &Tails,
        id: MatchId,
        moved: &mut Vec<Moved>,
        recent: &mut RecentTexts,
        compressor: &mut Compressor,
    ) -> Result<usize, SqliteError> {
        let mut tail = tails.of(id).unwrap_or_default();
        let newer = tail.rows.iter().filter(|seq| **seq > self.upto).count();
        tail.rows.truncate(tail.rows.len() - newer);
        if tail.rows.is_empty() {
            return Ok(0);
        }
        tail.end = Version(tail.end.0.saturating_sub(newer as u64));
        let end = match indexed(connection, id)? {
            Some(row) => move_rows(connection, id, row.number, &tail, recent, compressor)?,
            // Damage: the match has lost its row.
            None => Version(0),
        };
        let unmoved = usize::try_from(tail.end.0.saturating_sub(end.0)).unwrap_or(usize::MAX);
        let kept = tail.rows.len().saturating_sub(unmoved);
        self.kept.extend(&tail.rows[kept..]);
        if let Some(&last) = tail.rows[..kept].last() {
            moved.push((id, last));
        }
        Ok(tail.rows.len())
    }

    /// Removes the rows of the journal from `first` to `last`, except those that are kept.
    fn remove(
        &mut self,
        connection: &Connection,
        first: i64,
        last: i64,
    ) -> Result<(), SqliteError> {
        let mut remove =
            connection.prepare_cached("DELETE FROM journal WHERE seq BETWEEN ?1 AND ?2")?;
        self.kept.sort_unstable();
        let mut from = first;
        let within = self.kept.iter().filter(|seq| (first..=last).contains(*seq));
        for seq in within {
            remove.execute((from, seq - 1))?;
            from = seq + 1;
        }
        remove.execute((from, last))?;
        Ok(())
    }
}

/// Writes the rows of a tail into chunks, those of the file as far as they are what was written, and
/// returns the version that the chunks then reach.
fn move_rows(
    connection: &Connection,
    id: MatchId,
    number: i64,
    tail: &Tail,
    recent: &mut RecentTexts,
    compressor: &mut Compressor,
) -> Result<Version, SqliteError> {
    let begin = end_of_chunks(connection, number)?;
    let mut chunk = NewChunk::new(id, number, begin.next());
    let mut read = connection
        .prepare_cached("SELECT match_id, version, record, sum FROM journal WHERE seq = ?1")?;
    for (seq, version) in rows_after(tail, begin) {
        if version != chunk.next() {
            break;
        }
        if let Some(text) = recent.take(seq) {
            chunk.push(&text);
        } else {
            let pushed = read.query_row([seq], |row| {
                let found = verified_row(id, row).ok();
                let found = found.filter(|(found, _)| *found == version);
                Ok(found.map(|(_, text)| chunk.push(text)).is_some())
            });
            match pushed {
                Ok(true) => {}
                Ok(false) | Err(rusqlite::Error::QueryReturnedNoRows) => break,
                Err(error) => return Err(error.into()),
            }
        }
        if chunk.events >= CHUNK_RECORDS_MAX || chunk.texts.len() >= CHUNK_TEXT_BYTES {
            chunk.insert(connection, compressor)?;
            chunk = NewChunk::new(id, number, chunk.next());
        }
    }
    if chunk.events > 0 {
        chunk.insert(connection, compressor)?;
    }
    let end = Version(chunk.next().0 - 1);
    if end > begin {
        connection
            .prepare_cached("UPDATE match SET version = max(version, ?2) WHERE number = ?1")?
            .execute((number, whole(end.0)))?;
    }
    Ok(end)
}

/// Returns the rows of a tail with versions after `begin`, each with its version.
fn rows_after(tail: &Tail, begin: Version) -> impl Iterator<Item = (i64, Version)> {
    let first = (tail.end.0 + 1).saturating_sub(tail.rows.len() as u64);
    (first..)
        .map(Version)
        .zip(&tail.rows)
        .filter(move |(version, _)| *version > begin)
        .map(|(version, seq)| (*seq, version))
}
