//! Reading of the index and the key, which recognises values that are not what was written.

use fibfob_protocol::MatchId;
use fibfob_store::identity::ServerKey;
use fibfob_store::{DataError, LobbyRow, checksum, entry_of, whole};
use rusqlite::Connection;

use super::error::SqliteError;
use super::row::person_columns;
use super::value::{match_id, timestamp};

/// Reads the lobby's rows of one phase, newest first.
pub(super) fn read_lobby_rows(
    reader: &Connection,
    phase: &str,
    limit: usize,
) -> Result<Vec<(MatchId, LobbyRow)>, SqliteError> {
    let mut found = reader.prepare_cached(
        "SELECT id, expires_at, lobby, creator, creator_name, joiner, joiner_name, persons_sum
         FROM match WHERE lobby IS NOT NULL AND phase = ?1 ORDER BY created_at DESC LIMIT ?2",
    )?;
    let mut rows = found.query((phase, i64::try_from(limit).unwrap_or(i64::MAX)))?;
    let mut listed = Vec::new();
    while let Some(row) = rows.next()? {
        let id = match_id(row.get(0)?)?;
        let persons = person_columns(row, 3)?.persons(id)?;
        let text = row.get_ref(2)?.as_str().unwrap_or_default();
        let entry = entry_of(text, &persons)?;
        let lobby_row = match timestamp(row, 1)? {
            Some(expires_at) => LobbyRow::Open { expires_at, entry },
            None => LobbyRow::Playing { entry },
        };
        listed.push((id, lobby_row));
    }
    Ok(listed)
}

/// Reads the first matches after this one in the order of ids.
pub(super) fn read_match_ids(
    reader: &Connection,
    after: Option<MatchId>,
    limit: usize,
) -> Result<Vec<MatchId>, SqliteError> {
    let sql = "SELECT id FROM match WHERE id > ?1 ORDER BY id LIMIT ?2";
    let mut found = reader.prepare_cached(sql)?;
    // No id is shorter than another one.
    let after = after.map_or_else(Vec::new, |id| id.0.as_bytes().to_vec());
    let mut rows = found.query((after, whole(limit as u64)))?;
    let mut ids = Vec::new();
    while let Some(row) = rows.next()? {
        ids.push(match_id(row.get(0)?)?);
    }
    Ok(ids)
}

/// Reads the key that signs tokens. Another one than was written would make every token invalid.
pub(super) fn read_key(reader: &Connection) -> Result<ServerKey, SqliteError> {
    let sql = "SELECT key, sum FROM server_key";
    let (bytes, sum): (Vec<u8>, i64) =
        reader.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let unreadable = |reason| DataError::Unreadable {
        what: "a server key",
        reason,
    };
    let key = ServerKey::from_bytes(&bytes)
        .ok_or_else(|| unreadable(format!("it has {} bytes", bytes.len())))?;
    if checksum::of_key(&key) == sum {
        Ok(key)
    } else {
        Err(unreadable("its checksum differs".to_owned()).into())
    }
}
