//! Reading of the tables, which recognises values that are not what was written.

use fibfob_protocol::{LobbyEntry, MatchId, Record, Timestamp, Version};
use rusqlite::{Connection, Row};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::SqliteError;
use crate::store::{DataError, LobbyRow};

/// Reads the whole log of a match.
pub(super) fn read_log(reader: &Connection, id: MatchId) -> Result<Vec<Record>, SqliteError> {
    let mut records = Vec::new();
    each_record(reader, id, |record| {
        records.push(record);
        Ok::<_, SqliteError>(())
    })?;
    Ok(records)
}

/// Passes each record of a match's log to `visit` in order, as long as they are what was written
/// and have no gap.
pub(super) fn each_record<E: From<SqliteError>>(
    reader: &Connection,
    id: MatchId,
    mut visit: impl FnMut(Record) -> Result<(), E>,
) -> Result<(), E> {
    let sql = "SELECT version, record, sum FROM event WHERE match_id = ?1 ORDER BY version";
    let mut found = reader.prepare_cached(sql).map_err(SqliteError::from)?;
    let key = [id.0.as_bytes().as_slice()];
    let mut rows = found.query(key).map_err(SqliteError::from)?;
    let mut end = Version(0);
    while let Some(row) = rows.next().map_err(SqliteError::from)? {
        let record = read_record(id, row)?;
        if record.version != end.next() {
            return Err(E::from(SqliteError::Data(DataError::Gap {
                found: record.version,
                expected: end.next(),
            })));
        }
        end = record.version;
        visit(record)?;
    }
    Ok(())
}

fn read_record(id: MatchId, row: &Row<'_>) -> Result<Record, SqliteError> {
    let version: i64 = row.get(0)?;
    let version = Version(u64::try_from(version).unwrap_or_default());
    let text = row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?;
    let stored: i64 = row.get(2)?;
    if stored != checksum(id, version, text) {
        return Err(DataError::Altered(version).into());
    }
    let record: Record = json("a record", text)?;
    if record.version == version {
        Ok(record)
    } else {
        Err(DataError::Altered(version).into())
    }
}

/// Returns the checksum of a record: it changes with every byte, and with the record's place.
pub(super) fn checksum(id: MatchId, version: Version, record: &str) -> i64 {
    let mut digest = Sha256::new();
    digest.update(id.0.as_bytes());
    digest.update(version.0.to_be_bytes());
    digest.update(record);
    let digest: [u8; 32] = digest.finalize().into();
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    i64::from_be_bytes(first)
}

/// Reads the lobby's rows of one phase, newest first.
pub(super) fn read_lobby_rows(
    reader: &Connection,
    phase: &str,
    limit: usize,
) -> Result<Vec<(MatchId, LobbyRow)>, SqliteError> {
    let mut found = reader.prepare_cached(
        "SELECT id, expires_at, lobby FROM match
         WHERE lobby IS NOT NULL AND phase = ?1 ORDER BY created_at DESC LIMIT ?2",
    )?;
    let mut rows = found.query((phase, i64::try_from(limit).unwrap_or(i64::MAX)))?;
    let mut listed = Vec::new();
    while let Some(row) = rows.next()? {
        let id = match_id(row.get(0)?)?;
        let expires_at: Option<i64> = row.get(1)?;
        let entry: LobbyEntry = json("a lobby entry", &row.get::<_, String>(2)?)?;
        let lobby_row = match expires_at {
            Some(millis) => LobbyRow::Open {
                expires_at: Timestamp(u64::try_from(millis).unwrap_or_default()),
                entry,
            },
            None => LobbyRow::Playing { entry },
        };
        listed.push((id, lobby_row));
    }
    Ok(listed)
}

pub(super) fn json<T: serde::de::DeserializeOwned>(
    what: &'static str,
    text: &str,
) -> Result<T, DataError> {
    serde_json::from_str(text).map_err(|error| DataError::Unreadable {
        what,
        reason: error.to_string(),
    })
}

pub(super) fn match_id(bytes: Vec<u8>) -> Result<MatchId, DataError> {
    match Uuid::from_slice(&bytes) {
        Ok(id) => Ok(MatchId(id)),
        Err(error) => Err(DataError::Unreadable {
            what: "a match id",
            reason: error.to_string(),
        }),
    }
}
