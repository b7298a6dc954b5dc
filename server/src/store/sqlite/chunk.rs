//! Chunks: consecutive records of one match in one row, compressed.
//!
//! The texts of the records are joined by line feeds, of which JSON text has none, and compressed
//! as a zlib stream.

use std::io::Read;

use fibfob_protocol::{MatchId, Record, Version};
use flate2::read::ZlibDecoder;
use flate2::{Compress, Compression, FlushCompress, Status};
use rusqlite::{Connection, OptionalExtension, Row};

use super::row::whole;
use super::value::version;
use super::{SqliteError, checksum};
use crate::limits::CHUNK_BYTES_MAX;
use crate::store::person::record_of;
use crate::store::{DataError, SeatedPerson};

/// The separator of the records' texts.
const SEPARATOR: char = '\n';
/// More than the head and the checksum of a compressed stream, in bytes.
const STREAM_BYTES: usize = 64;

/// A chunk to be written.
pub(super) struct NewChunk {
    pub id: MatchId,
    /// The match's number in the index.
    pub number: i64,
    pub first: Version,
    pub events: u64,
    /// The joined texts.
    pub texts: String,
}

impl NewChunk {
    /// A chunk without records.
    pub(super) fn new(id: MatchId, number: i64, first: Version) -> Self {
        Self {
            id,
            number,
            first,
            events: 0,
            texts: String::new(),
        }
    }

    /// Adds the next record.
    pub(super) fn push(&mut self, record: &str) {
        if self.events > 0 {
            self.texts.push(SEPARATOR);
        }
        self.texts.push_str(record);
        self.events += 1;
    }

    /// Returns the version that follows the chunk's last one.
    pub(super) fn next(&self) -> Version {
        Version(self.first.0 + self.events)
    }

    pub(super) fn insert(
        &self,
        connection: &Connection,
        compressor: &mut Compressor,
    ) -> rusqlite::Result<()> {
        connection
            .prepare_cached(
                "INSERT INTO chunk (number, first, match_id, events, records, sum)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute((
                self.number,
                whole(self.first.0),
                self.id.0.as_bytes().as_slice(),
                whole(self.events),
                compressor.compress(self.texts.as_bytes()),
                checksum::of_chunk(self.id, self.first, self.events, self.texts.as_bytes()),
            ))?;
        Ok(())
    }
}

/// A compressor that is used again, because a new one takes longer to make than a chunk to compress.
pub(super) struct Compressor {
    compress: Compress,
    output: Vec<u8>,
}

impl Default for Compressor {
    fn default() -> Self {
        Self {
            // The fastest level: texts that are so alike gain little from a better one.
            compress: Compress::new(Compression::fast(), true),
            output: Vec::new(),
        }
    }
}

impl Compressor {
    fn compress(&mut self, input: &[u8]) -> &[u8] {
        self.compress.reset();
        self.output.clear();
        self.output.reserve(input.len());
        loop {
            let taken = usize::try_from(self.compress.total_in()).unwrap_or(usize::MAX);
            let left = input.get(taken..).unwrap_or_default();
            let status = self
                .compress
                .compress_vec(left, &mut self.output, FlushCompress::Finish)
                .expect("a compressor takes every input");
            if status == Status::StreamEnd {
                return &self.output;
            }
            self.output.reserve(input.len() + STREAM_BYTES);
        }
    }
}

/// Passes the records of a match's chunks to `visit` in order, as long as they are what was
/// written and have no gap, and returns the version of the last one.
pub(super) fn each_record<E: From<SqliteError>>(
    reader: &Connection,
    id: MatchId,
    number: i64,
    persons: &[SeatedPerson],
    visit: &mut impl FnMut(Record) -> Result<(), E>,
) -> Result<Version, E> {
    let sql = "SELECT first, events, records, sum FROM chunk WHERE number = ?1 ORDER BY first";
    let mut found = reader.prepare_cached(sql).map_err(SqliteError::from)?;
    let mut rows = found.query([number]).map_err(SqliteError::from)?;
    let mut end = Version(0);
    while let Some(row) = rows.next().map_err(SqliteError::from)? {
        let first = version(row, 0)?;
        if first != end.next() {
            return Err(E::from(gap(first, end)));
        }
        let texts = read_texts(id, first, row)?;
        for text in texts.split(SEPARATOR) {
            let record = record_of(text, persons).map_err(SqliteError::from)?;
            if record.version != end.next() {
                return Err(E::from(SqliteError::from(DataError::AlteredFrom(first))));
            }
            end = record.version;
            visit(record)?;
        }
    }
    Ok(end)
}

/// Returns the version of the last record in the chunks of a match; zero without chunks.
pub(super) fn end_of_chunks(connection: &Connection, number: i64) -> Result<Version, SqliteError> {
    let mut found = connection.prepare_cached(
        "SELECT first + events - 1 FROM chunk WHERE number = ?1 ORDER BY first DESC LIMIT 1",
    )?;
    let end = found.query_row([number], |row| row.get::<_, i64>(0));
    let end = end.optional()?.unwrap_or_default();
    Ok(Version(u64::try_from(end).unwrap_or_default()))
}

/// Reads the joined texts of a row `first, events, records, sum`.
fn read_texts(id: MatchId, first: Version, row: &Row<'_>) -> Result<String, SqliteError> {
    let altered = || SqliteError::from(DataError::AlteredFrom(first));
    let events = u64::try_from(row.get::<_, i64>(1)?).unwrap_or_default();
    let compressed = row.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?;
    let mut texts = Vec::new();
    // A damaged stream could say that it holds any amount.
    let mut decoder = ZlibDecoder::new(compressed).take(CHUNK_BYTES_MAX as u64 + 1);
    decoder.read_to_end(&mut texts).map_err(|_| altered())?;
    if row.get::<_, i64>(3)? != checksum::of_chunk(id, first, events, &texts) {
        return Err(altered());
    }
    String::from_utf8(texts).map_err(|_| altered())
}

pub(super) fn gap(found: Version, end: Version) -> SqliteError {
    SqliteError::Data(DataError::Gap {
        found,
        expected: end.next(),
    })
}
