//! The row that says which rows the log has, so that a lost one is noticed. It also holds the mark of the
//! file's content: the run of the server that wrote it last, and a count of writes.
//!
//! Each transaction changes the mark, so it tells which write-ahead log continues which file: the log's first
//! mark follows the file's, or the file has one of the log's already. A copy has a run of its own. The mark
//! can be read before SQLite opens the file, and while SQLite has it open.

use std::fs::File;
use std::io;

use fibfob_protocol::Timestamp;
use fibfob_store::sql::StoredRow;
use fibfob_store::{DataError, checksum, whole};
use rand::Rng;
use rusqlite::Connection;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};

use super::error::SqliteError;
use super::private_file::read_at;
use super::row::{execute, read_row};

/// The page with the mark: the second one, because the table is the first of the schema.
pub(super) const MARK_PAGE: u32 = 2;
/// The place of the page size in the file's header, and the value that means the greatest size, 64 KiB.
const PAGE_SIZE_AT: u64 = 16;
const PAGE_SIZE_MAX: (u16, usize) = (1, 65_536);
/// The first byte of a page with rows of a table.
const LEAF_OF_A_TABLE: u8 = 13;
/// The greatest length of the row with the mark, in bytes: less than the 512 that a disk writes as a whole.
const ROW_BYTES_MAX: usize = 128;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileMark {
    /// A random number for each time that a server opens the file to write, and for each copy.
    pub run: u64,
    /// The transactions up to this content.
    pub writes: u64,
    /// The run of the transaction before.
    pub before: u64,
}

impl FileMark {
    pub(super) const BYTES: usize = 24;

    /// Returns the mark of a new file, or of a copy made after this many transactions.
    pub(super) fn begin(writes: u64) -> Self {
        Self {
            run: draw(),
            writes,
            before: 0,
        }
    }

    pub(super) fn next(self) -> Self {
        Self {
            run: self.run,
            writes: self.writes + 1,
            before: self.run,
        }
    }

    /// Returns the mark of the first transaction of the next run.
    pub(super) fn next_run(self) -> Self {
        Self {
            run: draw(),
            ..self.next()
        }
    }

    /// Returns whether this is the next mark after another one.
    pub(super) fn follows(self, other: Self) -> bool {
        self.before == other.run && self.writes == other.writes + 1
    }

    pub(super) fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        let parts = [self.run, self.writes, self.before];
        for (place, part) in bytes.chunks_exact_mut(8).zip(parts) {
            place.copy_from_slice(&part.to_be_bytes());
        }
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (parts, rest) = bytes.as_chunks::<8>();
        let [run, writes, before] = *parts else {
            return None;
        };
        rest.is_empty().then_some(Self {
            run: u64::from_be_bytes(run),
            writes: u64::from_be_bytes(writes),
            before: u64::from_be_bytes(before),
        })
    }

    /// Reads the mark from its page; none if the page is not the expected one.
    pub(super) fn of_page(page: &[u8]) -> Option<Self> {
        // The page has one row. It has its length, its number, and a record: first the number again, for
        // which nothing is stored, then the mark.
        let has_one_row = *page.first()? == LEAF_OF_A_TABLE && page.get(3..5)? == [0, 1];
        // The page also says where the row begins. That place is not used: a power cut may leave the place of one write
        // and the row of another. SQLite puts the only row at the end of its page, and a disk writes that end as a whole.
        let ends = page.len().checked_sub(ROW_BYTES_MAX)?;
        let mark = (ends..page.len()).rev().find_map(|row| {
            let &[length, 1, header, 0, kind, ..] = &page[row..] else {
                return None;
            };
            let is_row = row + 2 + usize::from(length) == page.len();
            let is_mark = is_row && usize::from(kind) == 12 + 2 * Self::BYTES;
            let at = row + 2 + usize::from(header);
            is_mark.then(|| page.get(at..at + Self::BYTES).and_then(Self::from_bytes))?
        });
        mark.filter(|_| has_one_row)
    }

    /// Reads a file's mark without SQLite. There is none while only the log has the pages after the first.
    pub(super) fn of_file(file: &File) -> io::Result<Option<Self>> {
        let mut size = [0; 2];
        read_at(file, PAGE_SIZE_AT, &mut size)?;
        let size = match u16::from_be_bytes(size) {
            size if size == PAGE_SIZE_MAX.0 => PAGE_SIZE_MAX.1,
            size => size.into(),
        };
        let mut page = vec![0; size];
        let read = read_at(file, u64::from(MARK_PAGE - 1) * size as u64, &mut page)?;
        Ok(Self::of_page(&page[..read]))
    }
}

impl FromSql for FileMark {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        Self::from_bytes(value.as_blob()?).ok_or(FromSqlError::InvalidType)
    }
}

fn draw() -> u64 {
    rand::rng().next_u64()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// The newest number that a row was given. No number is given twice.
    pub last: i64,
    /// The number of the newest row that is still in the log; zero without rows.
    pub newest: i64,
    pub rows: i64,
    /// The newest instant at which a server is known to have run.
    pub at: Timestamp,
    /// The checksum of the key that the store was made with.
    pub key_sum: i64,
    /// The mark of the transaction that wrote the row.
    pub mark: FileMark,
}

impl Span {
    pub(super) fn empty(key_sum: i64) -> Self {
        Self {
            last: 0,
            newest: 0,
            rows: 0,
            at: Timestamp(0),
            key_sum,
            mark: FileMark::begin(1),
        }
    }

    /// Writes the table's only row.
    pub(super) fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        // Naming the row spares SQLite a copy of its page for a possible failure.
        let sql = "UPDATE span SET last = ?1, newest = ?2, rows = ?3, at = ?4, key_sum = ?5,
                                   mark = ?6, sum = ?7
                   WHERE only = 1";
        let (at, mark, sum) = (whole(self.at.0), self.mark.to_bytes(), self.sum());
        let (last, newest, rows) = (self.last, self.newest, self.rows);
        let parameters = (last, newest, rows, at, self.key_sum, mark, sum);
        execute(connection, sql, parameters).map(drop)
    }

    /// Reads the row as it is in the file, and whether it is what was written.
    pub(super) fn read(connection: &Connection) -> Result<(Self, bool), SqliteError> {
        let sql = "SELECT last, newest, rows, at, key_sum, mark, sum FROM span";
        let found = read_row(connection, sql, [], |row| {
            let span = Self {
                last: row.get(0)?,
                newest: row.get(1)?,
                rows: row.get(2)?,
                at: Timestamp(row.number(3)?),
                key_sum: row.get(4)?,
                mark: row.get(5)?,
            };
            let is_sound = span.sum() == row.get::<_, i64>(6)?;
            Ok((span, is_sound))
        })?;
        let missing = || DataError::unreadable("a span of its log", "the row is missing");
        Ok(found.ok_or_else(missing)?)
    }

    fn sum(&self) -> i64 {
        let at = whole(self.at.0);
        let numbers = [self.last, self.newest, self.rows, at, self.key_sum];
        checksum::of_span(numbers, &self.mark.to_bytes())
    }
}

/// Reads the number of the newest row in the log; zero without rows.
pub(super) fn newest_row(connection: &Connection) -> Result<i64, SqliteError> {
    let mut found = connection.prepare_cached("SELECT coalesce(max(seq), 0) FROM log")?;
    Ok(found.query_row([], |row| row.get(0))?)
}
