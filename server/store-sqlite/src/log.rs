//! The log of one match: where its records are, and how they are read.
//!
//! Each record is a row of the log, those of all matches side by side in the order of their arrival.
//! The records of a finished match are in one packed row instead, never in both.

use fibfob_protocol::{MatchId, Record, Version};
use fibfob_store::{DataError, SeatedPerson, record_of};
use rusqlite::Connection;

use super::error::SqliteError;
use super::log_row::each_row;
use super::packed;
use super::row::person_columns;
use super::value::version;

/// The place of a match's records, by the match's row.
#[derive(Clone, Copy, Debug)]
pub(super) struct LogPlace {
    /// The match's number.
    pub number: i64,
    /// A version that the log has reached.
    pub reached: Version,
    /// Whether the records are packed.
    pub is_packed: bool,
}

impl LogPlace {
    /// Reads the place of a match's log; none of a match that does not exist.
    pub(super) fn read(reader: &Connection, id: MatchId) -> Result<Option<Self>, SqliteError> {
        let mut found = reader
            .prepare_cached("SELECT number, version, packed = ?2 FROM match WHERE id = ?1")?;
        let mut rows = found.query((id.0.as_bytes().as_slice(), packed::PACKED))?;
        let Some(row) = rows.next()? else {
            return Ok(None);
        };
        Ok(Some(Self {
            number: row.get(0)?,
            reached: version(row, 1)?,
            is_packed: row.get(2)?,
        }))
    }

    /// Reads the version of the log's last record; zero without records.
    pub(super) fn end(&self, reader: &Connection) -> Result<Version, SqliteError> {
        let sql = match self.is_packed {
            true => "SELECT coalesce(max(events), 0) FROM packed WHERE number = ?1",
            false => "SELECT coalesce(max(version), 0) FROM log WHERE number = ?1",
        };
        let mut found = reader.prepare_cached(sql)?;
        let mut rows = found.query([self.number])?;
        rows.next()?.map_or(Ok(Version(0)), |row| version(row, 0))
    }
}

/// Reads the records of a match after a version, in one transaction.
pub(super) fn read_log(
    reader: &Connection,
    id: MatchId,
    after: Version,
) -> Result<Vec<Record>, SqliteError> {
    // It only reads; nothing is lost whether it commits or not.
    let _transaction = reader.unchecked_transaction()?;
    let mut records = Vec::new();
    if let Some(place) = LogPlace::read(reader, id)? {
        each_record(reader, id, &place, after, |record| {
            records.push(record);
            Ok::<_, SqliteError>(())
        })?;
    }
    Ok(records)
}

/// Reads the persons that the row of a match names.
fn read_persons(
    reader: &Connection,
    id: MatchId,
    number: i64,
) -> Result<Vec<SeatedPerson>, SqliteError> {
    let mut found = reader.prepare_cached(
        "SELECT creator, creator_name, joiner, joiner_name, persons_sum FROM match
         WHERE number = ?1",
    )?;
    let mut rows = found.query([number])?;
    match rows.next()? {
        Some(row) => Ok(person_columns(row, 0)?.persons(id)?),
        None => Ok(Vec::new()),
    }
}

/// Passes each record of a match after a version to `visit` in order, as long as they are what was
/// written and none is missing.
pub(super) fn each_record<E: From<SqliteError>>(
    reader: &Connection,
    id: MatchId,
    place: &LogPlace,
    after: Version,
    mut visit: impl FnMut(Record) -> Result<(), E>,
) -> Result<(), E> {
    let persons = read_persons(reader, id, place.number)?;
    let mut end = after;
    let mut visit_next = |version: Version, text: &str| {
        let record = record_of(text, &persons).map_err(SqliteError::from)?;
        if record.version != version {
            return Err(E::from(SqliteError::from(DataError::Altered(version))));
        }
        end = version;
        visit(record)
    };
    if place.is_packed {
        let texts = packed::read_texts(reader, id, place.number)?;
        for (version, text) in packed::records(&texts) {
            if version > after {
                visit_next(version, text)?;
            }
        }
    } else {
        each_row(reader, id, place.number, after, visit_next)?;
    }
    if end < place.reached {
        return Err(E::from(SqliteError::from(DataError::Truncated {
            found: end,
            expected: place.reached,
        })));
    }
    Ok(())
}
