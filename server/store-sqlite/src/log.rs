//! The log of one match: where its records are, and how they are read.
//!
//! Each record is a row of the log, those of all matches side by side in the order of their arrival.
//! The records of a finished match are in one packed row instead, never in both.

use fibfob_protocol::{MatchId, Record, Version};
use fibfob_store::{DataError, SeatedPerson, StoredRow, record_of};
use rusqlite::Connection;

use super::error::SqliteError;
use super::packed;
use super::row::{each_log_row, read_row};

/// The place of a match's records, by the match's row.
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
        read_row(reader, sql, (id.0, packed::PACKED), |row| {
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

    /// Reads the records of a match after a version, as long as they are what was written and none is
    /// missing.
    pub(super) fn records(
        &self,
        reader: &Connection,
        id: MatchId,
        after: Version,
    ) -> Result<Vec<Record>, SqliteError> {
        let persons = read_persons(reader, id, self.number)?;
        let mut records = Vec::new();
        let mut add = |version: Version, text: &str| {
            records.push(record_of(text, version, &persons)?);
            Ok(())
        };
        if self.is_packed {
            let texts = packed::read_texts(reader, id, self.number)?;
            let mut later = packed::records(&texts).filter(|(version, _)| *version > after);
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

/// Reads the records of a match after a version, in one transaction.
pub(super) fn read_log(
    reader: &Connection,
    id: MatchId,
    after: Version,
) -> Result<Vec<Record>, SqliteError> {
    // It only reads; nothing is lost whether it commits or not.
    let _transaction = reader.unchecked_transaction()?;
    match LogPlace::read(reader, id)? {
        Some(place) => place.records(reader, id, after),
        None => Ok(Vec::new()),
    }
}

fn read_persons(
    reader: &Connection,
    id: MatchId,
    number: i64,
) -> Result<Vec<SeatedPerson>, SqliteError> {
    let sql = "SELECT creator, creator_name, joiner, joiner_name, persons_sum FROM match
               WHERE number = ?1";
    let columns = read_row(reader, sql, [number], |row| row.persons(0))?;
    Ok(columns.unwrap_or_default().persons(id)?)
}
