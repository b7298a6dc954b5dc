//! The log of one match: where its records are, and how they are read.
//!
//! Each record is a row of the log, those of all matches side by side in the order of their arrival.
//! The records of a finished match are in one packed row instead, never in both.

use fibfob_protocol::{MatchId, Record, Version};
use fibfob_store::{DataError, SeatedPerson, record_of};
use rusqlite::{Connection, OptionalExtension};

use super::error::SqliteError;
use super::packed;
use super::row::{each_log_row, number, person_columns};

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
        let mut found = reader.prepare_cached(sql)?;
        let place = found.query_row((id.0, packed::PACKED), |row| {
            Ok(Self {
                number: row.get(0)?,
                reached: Version(number(row, 1)?),
                is_packed: row.get(2)?,
            })
        });
        Ok(place.optional()?)
    }

    /// Reads the version of the log's last record; zero without records.
    pub(super) fn end(&self, reader: &Connection) -> Result<Version, SqliteError> {
        let sql = match self.is_packed {
            true => "SELECT coalesce(max(events), 0) FROM packed WHERE number = ?1",
            false => "SELECT coalesce(max(version), 0) FROM log WHERE number = ?1",
        };
        let mut found = reader.prepare_cached(sql)?;
        let end = found.query_row([self.number], |row| number(row, 0));
        Ok(Version(end?))
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
            let record = record_of(text, &persons)?;
            if record.version != version {
                return Err(DataError::Altered(version).into());
            }
            records.push(record);
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
    let mut found = reader.prepare_cached(
        "SELECT creator, creator_name, joiner, joiner_name, persons_sum FROM match
         WHERE number = ?1",
    )?;
    let columns = found.query_row([number], |row| person_columns(row, 0));
    Ok(columns?.persons(id)?)
}
