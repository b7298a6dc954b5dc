//! The logs: where a match's records are, how they are read, and how they are packed.
//!
//! Each record is a row of the table `log`, where the rows of all matches stand in the order of their
//! arrival. A finished match's records are moved into one packed row: their texts, joined by line feeds,
//! which JSON text never contains, and compressed as a zlib stream.

use std::borrow::Borrow;
use std::io::{Read, Write};

use fibfob_protocol::{MatchId, Record, Version};
use fibfob_store::sql::{self, StoredRow};
use fibfob_store::{DataError, SeatedPerson, checksum, record_of, whole};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use rusqlite::{Connection, Row};

use super::error::SqliteError;
use super::row::{each_log_row, execute, insert_log_row, read_row, read_rows};
use crate::limits::{PACK_MATCHES, PACK_ROWS, PACKED_BYTES_MAX};

/// The value of `match.packed` while the records are rows of the log.
const IN_LOG: i64 = 0;
/// Its value once they are packed.
const PACKED: i64 = 1;
/// Its value if a finished match's records stay in the log, because they are damaged.
const STAYS_IN_LOG: i64 = 2;
const SEPARATOR: &str = "\n";

/// The place of a match's records, as the match's row says.
#[derive(Clone, Copy, Debug)]
pub(super) struct LogPlace {
    pub number: i64,
    /// A version that the log has reached.
    pub reached: Version,
    pub is_packed: bool,
}

impl LogPlace {
    /// Reads the place of a match's log; none of a match that does not exist.
    pub(super) fn read(reader: &Connection, id: MatchId) -> Result<Option<Self>, SqliteError> {
        let sql = "SELECT number, version, packed = ?2 FROM match WHERE id = ?1";
        read_row(reader, sql, (id.0, PACKED), |row| {
            Ok(Self {
                number: row.get(0)?,
                reached: Version(row.number(1)?),
                is_packed: row.get(2)?,
            })
        })
    }

    /// Reads the version of the log's last record; zero without records.
    pub(super) fn end(&self, reader: &Connection) -> Result<Version, SqliteError> {
        let sql = match self.is_packed {
            true => "SELECT coalesce(max(events), 0) FROM packed WHERE number = ?1",
            false => "SELECT coalesce(max(version), 0) FROM log WHERE number = ?1",
        };
        let end = read_row(reader, sql, [self.number], |row| row.number(0))?;
        Ok(Version(end.unwrap_or_default()))
    }

    /// Reads a match's records after a version, up to the first that is damaged or missing.
    pub(super) fn records(
        &self,
        reader: &Connection,
        id: MatchId,
        after: Version,
    ) -> Result<Vec<Record>, SqliteError> {
        let persons = read_persons(reader, id)?;
        let mut records = Vec::new();
        let mut add = |version: Version, text: &str| {
            records.push(record_of(text, version, &persons)?);
            Ok(())
        };
        if self.is_packed {
            let texts = read_texts(reader, id, self.number)?;
            let mut later = records_in(&texts).filter(|(version, _)| *version > after);
            later.try_for_each(|(version, text)| add(version, text))?;
        } else {
            each_log_row(reader, id, self.number, after, add)?;
        }
        let found = records.last().map_or(after, |record| record.version);
        if found < self.reached {
            let expected = self.reached;
            return Err(DataError::Truncated { found, expected }.into());
        }
        Ok(records)
    }
}

fn read_persons(reader: &Connection, id: MatchId) -> Result<Vec<SeatedPerson>, SqliteError> {
    let columns = read_row(reader, sql::PERSONS, [id.0], |row| row.persons(0))?;
    Ok(columns.unwrap_or_default().persons(id)?)
}

/// Writes a match's packed row, and notes in the match's row that it has all of its records. Returns false if
/// the texts are too long, or if there is a packed row already, which is damage.
pub(super) fn insert_packed(
    connection: &Connection,
    compressor: &mut Compressor,
    (id, number): (MatchId, i64),
    records: &[impl Borrow<str>],
) -> rusqlite::Result<bool> {
    let (texts, events) = (records.join(SEPARATOR), records.len() as u64);
    if texts.len() > PACKED_BYTES_MAX {
        return Ok(false);
    }
    let sum = checksum::of_packed(id, events, texts.as_bytes());
    let sql = "INSERT OR IGNORE INTO packed (number, events, records, sum) VALUES (?1, ?2, ?3, ?4)";
    let packed = compressor.compress(texts.as_bytes());
    if execute(connection, sql, (number, whole(events), packed, sum))? == 0 {
        return Ok(false);
    }
    let sql = "UPDATE match SET packed = ?2, version = ?3 WHERE number = ?1";
    execute(connection, sql, (number, PACKED, whole(events)))?;
    Ok(true)
}

/// A compressor that is kept, because making one takes longer than compressing a log.
pub(super) struct Compressor(ZlibEncoder<Vec<u8>>);

impl Default for Compressor {
    fn default() -> Self {
        // The fastest level: records are so alike that a better one gains little.
        Self(ZlibEncoder::new(Vec::new(), Compression::fast()))
    }
}

impl Compressor {
    fn compress(&mut self, input: &[u8]) -> Vec<u8> {
        let written = self.0.write_all(input);
        let output = written.and_then(|()| self.0.reset(Vec::new()));
        output.expect("memory takes every output")
    }
}

/// The matches that a transaction has packed.
#[derive(Default)]
pub(super) struct Packing {
    /// The finished matches that no longer wait for it.
    pub matches: Vec<MatchId>,
    /// The rows that were removed from the log.
    pub rows: i64,
    /// Whether others may still wait.
    pub is_partial: bool,
}

impl Packing {
    /// Packs some finished matches within a transaction. A match with damaged records stays in the log.
    pub(super) fn of_finished(
        connection: &Connection,
        compressor: &mut Compressor,
    ) -> Result<Self, SqliteError> {
        let mut done = Self::default();
        let sql = "SELECT id, number, version FROM match INDEXED BY match_unpacked
                   WHERE packed = 0 AND phase IN ('over', 'closed') ORDER BY number LIMIT ?1";
        let limit = whole(PACK_MATCHES as u64);
        let waiting = read_rows(connection, sql, [limit], |row| {
            Ok((row.match_id(0)?, row.get(1)?, Version(row.number(2)?)))
        })?;
        done.is_partial = waiting.len() == PACK_MATCHES;
        for (id, number, reached) in waiting {
            if done.rows >= PACK_ROWS {
                done.is_partial = true;
                break;
            }
            done.rows += pack(connection, compressor, (id, number), reached)?;
            done.matches.push(id);
        }
        Ok(done)
    }
}

fn set_packed(connection: &Connection, number: i64, packed: i64) -> rusqlite::Result<usize> {
    let sql = "UPDATE match SET packed = ?2 WHERE number = ?1";
    execute(connection, sql, (number, packed))
}

/// Packs a match's log, and returns how many rows left the log.
fn pack(
    connection: &Connection,
    compressor: &mut Compressor,
    (id, number): (MatchId, i64),
    reached: Version,
) -> Result<i64, SqliteError> {
    let mut records = Vec::new();
    let read = each_log_row(connection, id, number, Version(0), |_, text| {
        records.push(text.to_owned());
        Ok(())
    });
    let is_whole = match read {
        Ok(()) => records.len() as u64 >= reached.0.max(1),
        Err(SqliteError::Data(_)) => false,
        Err(error) => return Err(error),
    };
    if !is_whole || !insert_packed(connection, compressor, (id, number), &records)? {
        set_packed(connection, number, STAYS_IN_LOG)?;
        return Ok(0);
    }
    let removed = execute(connection, "DELETE FROM log WHERE number = ?1", [number])?;
    Ok(whole(removed as u64))
}

/// Makes a packed match's records rows of the log again, from row `last` on, and returns their number. If
/// they are damaged, nothing is changed.
pub(super) fn unpack(
    connection: &Connection,
    (id, number): (MatchId, i64),
    last: i64,
) -> Result<i64, SqliteError> {
    let texts = read_texts(connection, id, number)?;
    let mut rows = 0;
    for (version, text) in records_in(&texts) {
        rows += 1;
        insert_log_row(connection, last + rows, (id, number), version, text)?;
    }
    execute(connection, "DELETE FROM packed WHERE number = ?1", [number])?;
    set_packed(connection, number, IN_LOG)?;
    Ok(rows)
}

/// Removes a finished match with its records and notes. Returns how many rows left the log; none if the match
/// is not there or not finished.
pub(super) fn remove(connection: &Connection, id: MatchId) -> Result<Option<i64>, SqliteError> {
    let sql = "DELETE FROM match WHERE id = ?1 AND phase IN ('over', 'closed') RETURNING number";
    let number: Option<i64> = read_row(connection, sql, [id.0], |row| Ok(row.get(0)?))?;
    let Some(number) = number else {
        return Ok(None);
    };
    execute(connection, "DELETE FROM packed WHERE number = ?1", [number])?;
    execute(connection, "DELETE FROM note WHERE about = ?1", [id.0])?;
    let rows = execute(connection, "DELETE FROM log WHERE number = ?1", [number])?;
    Ok(Some(whole(rows as u64)))
}

fn records_in(texts: &str) -> impl Iterator<Item = (Version, &str)> {
    let is_record = |(_, text): &(Version, &str)| !text.is_empty();
    (1..)
        .map(Version)
        .zip(texts.split(SEPARATOR))
        .filter(is_record)
}

/// Reads the joined texts of a packed match; empty if there are none.
fn read_texts(reader: &Connection, id: MatchId, number: i64) -> Result<String, SqliteError> {
    let sql = "SELECT events, records, sum FROM packed WHERE number = ?1";
    let texts = read_row(reader, sql, [number], |row| verified_texts(id, row))?;
    Ok(texts.unwrap_or_default())
}

fn verified_texts(id: MatchId, row: &Row<'_>) -> Result<String, SqliteError> {
    let events = row.number(0)?;
    let compressed = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
    let mut texts = Vec::new();
    // A damaged stream could unpack to any size.
    let mut decoder = ZlibDecoder::new(compressed).take(PACKED_BYTES_MAX as u64 + 1);
    let read = decoder.read_to_end(&mut texts);
    if read.is_err() || row.get::<_, i64>(2)? != checksum::of_packed(id, events, &texts) {
        return Err(DataError::AlteredPacked.into());
    }
    String::from_utf8(texts).map_err(|_| DataError::AlteredPacked.into())
}
