//! The row that says which rows the log has, so that a lost one is noticed, and what is noted beside that.

use fibfob_protocol::Timestamp;
use fibfob_store::{DataError, StoredRow, checksum, whole};
use rusqlite::Connection;

use super::error::SqliteError;
use super::mark::Mark;
use super::row::read_row;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// The newest number that a row was given. None is given twice.
    pub last: i64,
    /// The number of the newest row that is still in the log; zero without rows.
    pub newest: i64,
    pub rows: i64,
    /// The newest instant at which a server is known to have run.
    pub at: Timestamp,
    /// The checksum of the key that the store was made with.
    pub key_sum: i64,
    /// The mark of the transaction that wrote the row.
    pub mark: Mark,
}

impl Span {
    pub(super) fn empty(key_sum: i64) -> Self {
        Self {
            last: 0,
            newest: 0,
            rows: 0,
            at: Timestamp(0),
            key_sum,
            mark: Mark::begin(1),
        }
    }

    pub(super) fn insert(&self, connection: &Connection) -> rusqlite::Result<()> {
        let sql = "INSERT INTO span (only, last, newest, rows, at, key_sum, mark, sum)
                   VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        self.execute(connection, sql)
    }

    pub(super) fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        // Naming the row spares SQLite a copy of its page in case that a later one fails.
        let sql = "UPDATE span SET last = ?1, newest = ?2, rows = ?3, at = ?4, key_sum = ?5,
                                   mark = ?6, sum = ?7
                   WHERE only = 1";
        self.execute(connection, sql)
    }

    fn execute(&self, connection: &Connection, sql: &str) -> rusqlite::Result<()> {
        connection.prepare_cached(sql)?.execute((
            self.last,
            self.newest,
            self.rows,
            whole(self.at.0),
            self.key_sum,
            self.mark.to_bytes(),
            self.sum(),
        ))?;
        Ok(())
    }

    fn sum(&self) -> i64 {
        let at = whole(self.at.0);
        let numbers = [self.last, self.newest, self.rows, at, self.key_sum];
        checksum::of_span(numbers, &self.mark.to_bytes())
    }
}

/// The row with the span, as it is in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpanRow {
    pub span: Span,
    /// Whether the row is what was written.
    pub is_sound: bool,
}

impl SpanRow {
    pub(super) fn read(connection: &Connection) -> Result<Self, SqliteError> {
        let sql = "SELECT last, newest, rows, at, key_sum, mark, sum FROM span";
        let found = read_row(connection, sql, [], |row| {
            let span = Span {
                last: row.get(0)?,
                newest: row.get(1)?,
                rows: row.get(2)?,
                at: Timestamp(row.number(3)?),
                key_sum: row.get(4)?,
                mark: row.get(5)?,
            };
            let is_sound = span.sum() == row.get::<_, i64>(6)?;
            Ok(Self { span, is_sound })
        })?;
        let missing = || DataError::Unreadable {
            what: "a span of its log",
            reason: "the row is missing".to_owned(),
        };
        Ok(found.ok_or_else(missing)?)
    }
}

/// Reads the number of the newest row in the log; zero without rows.
pub(super) fn newest_row(connection: &Connection) -> Result<i64, SqliteError> {
    let mut found = connection.prepare_cached("SELECT coalesce(max(seq), 0) FROM log")?;
    Ok(found.query_row([], |row| row.get(0))?)
}
