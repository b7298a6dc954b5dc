//! Reading the tables back, and recognising what is not as it was written.

use fibfob_protocol::{LobbyEntry, MatchId, Record, Timestamp, Version};
use rusqlite::{Connection, Row};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::store::LobbyRow;
use crate::store::StoreError;

/// The whole log of a match.
pub(super) fn read_log(reader: &Connection, id: MatchId) -> Result<Vec<Record>, StoreError> {
    let mut records = Vec::new();
    each_record(reader, id, |record| {
        records.push(record);
        Ok::<_, StoreError>(())
    })?;
    Ok(records)
}

/// Shows each record of a match's log in turn, as long as they are what was written and have
/// no gap.
pub(super) fn each_record<E: From<StoreError>>(
    reader: &Connection,
    id: MatchId,
    mut see: impl FnMut(Record) -> Result<(), E>,
) -> Result<(), E> {
    let sql = "SELECT version, record, sum FROM event WHERE match_id = ?1 ORDER BY version";
    let mut found = reader.prepare_cached(sql).map_err(StoreError::from)?;
    let key = [id.0.as_bytes().as_slice()];
    let mut rows = found.query(key).map_err(StoreError::from)?;
    let mut end = Version(0);
    while let Some(row) = rows.next().map_err(StoreError::from)? {
        let record = read_record(id, row)?;
        if record.version != end.next() {
            return Err(E::from(StoreError::Gap {
                found: record.version,
                expected: end.next(),
            }));
        }
        end = record.version;
        see(record)?;
    }
    Ok(())
}

fn read_record(id: MatchId, row: &Row<'_>) -> Result<Record, StoreError> {
    let version: i64 = row.get(0)?;
    let version = Version(u64::try_from(version).unwrap_or_default());
    let text = row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?;
    let noted: Option<i64> = row.get(2)?;
    // Format 1 has written none.
    if noted.is_some_and(|noted| noted != sum(id, version, text)) {
        return Err(StoreError::Altered(version));
    }
    let record: Record = json("a record", text)?;
    if record.version == version {
        Ok(record)
    } else {
        Err(StoreError::Altered(version))
    }
}

/// The checksum of a record: one changed byte, or another place, makes another.
pub(super) fn sum(id: MatchId, version: Version, record: &str) -> i64 {
    let mut digest = Sha256::new();
    digest.update(id.0.as_bytes());
    digest.update(version.0.to_be_bytes());
    digest.update(record);
    let digest: [u8; 32] = digest.finalize().into();
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    i64::from_be_bytes(first)
}

/// The matches of this phase that the lobby shows, newest first.
pub(super) fn read_shown(
    reader: &Connection,
    phase: &str,
    limit: usize,
) -> Result<Vec<(MatchId, LobbyRow)>, StoreError> {
    let mut found = reader.prepare_cached(
        "SELECT id, expires_at, lobby FROM match
         WHERE lobby IS NOT NULL AND phase = ?1 ORDER BY created_at DESC LIMIT ?2",
    )?;
    let mut rows = found.query((phase, i64::try_from(limit).unwrap_or(i64::MAX)))?;
    let mut shown = Vec::new();
    while let Some(row) = rows.next()? {
        let id = match_id(row.get(0)?)?;
        let expires_at: Option<i64> = row.get(1)?;
        let entry: LobbyEntry = json("a lobby entry", &row.get::<_, String>(2)?)?;
        let entry = match expires_at {
            Some(millis) => LobbyRow::Open {
                expires_at: Timestamp(u64::try_from(millis).unwrap_or_default()),
                entry,
            },
            None => LobbyRow::Playing { entry },
        };
        shown.push((id, entry));
    }
    Ok(shown)
}

pub(super) fn json<T: serde::de::DeserializeOwned>(
    what: &'static str,
    text: &str,
) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|fault| StoreError::Unreadable {
        what,
        fault: fault.to_string(),
    })
}

pub(super) fn match_id(bytes: Vec<u8>) -> Result<MatchId, StoreError> {
    match Uuid::from_slice(&bytes) {
        Ok(id) => Ok(MatchId(id)),
        Err(fault) => Err(StoreError::Unreadable {
            what: "a match id",
            fault: fault.to_string(),
        }),
    }
}
