//! The row of a match in the table `match`.

use fibfob_protocol::{GuestId, MatchId, Version};
use rusqlite::{Connection, Row};
use uuid::Uuid;

use super::SqliteError;
use super::value::json;
use crate::store::DataError;
use crate::store::match_columns::MatchColumns;
pub(super) use crate::store::match_columns::whole;

/// Reads the columns `code, phase, created_at, expires_at, creator, joiner, lobby`.
pub(super) fn read_columns(row: &Row<'_>) -> Result<MatchColumns, SqliteError> {
    let entry: Option<String> = row.get(6)?;
    Ok(MatchColumns {
        code: row.get(0)?,
        phase: row.get(1)?,
        created_at: row.get(2)?,
        expires_at: row.get(3)?,
        creator: guest(row, 4)?,
        joiner: guest(row, 5)?,
        entry: entry
            .map(|entry| json("a lobby entry", &entry))
            .transpose()?,
    })
}

/// Writes the row of a new match, and returns the match's number.
pub(super) fn insert_columns(
    connection: &Connection,
    id: MatchId,
    columns: &MatchColumns,
) -> rusqlite::Result<i64> {
    connection
        .prepare_cached(
            "INSERT INTO match (id, code, phase, version, created_at, expires_at, creator, joiner,
                                lobby)
             VALUES (?1, ?2, ?3, 1, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute((
            id.0.as_bytes().as_slice(),
            &columns.code,
            &columns.phase,
            columns.created_at,
            columns.expires_at,
            guest_bytes(&columns.creator),
            guest_bytes(&columns.joiner),
            columns.lobby(),
        ))?;
    Ok(connection.last_insert_rowid())
}

/// Writes what an event has changed in the row of a match; its code and its beginning stay.
pub(super) fn update_columns(
    connection: &Connection,
    number: i64,
    version: Version,
    columns: &MatchColumns,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "UPDATE match SET phase = ?2, version = ?3, expires_at = ?4, creator = ?5, joiner = ?6,
                              lobby = ?7
             WHERE number = ?1",
        )?
        .execute((
            number,
            &columns.phase,
            whole(version.0),
            columns.expires_at,
            guest_bytes(&columns.creator),
            guest_bytes(&columns.joiner),
            columns.lobby(),
        ))?;
    Ok(())
}

fn guest_bytes(guest: &Option<GuestId>) -> Option<&[u8]> {
    guest.as_ref().map(|guest| guest.0.as_bytes().as_slice())
}

/// Reads a guest, or none.
pub(super) fn guest(row: &Row<'_>, column: usize) -> Result<Option<GuestId>, SqliteError> {
    let bytes: Option<Vec<u8>> = row.get(column)?;
    let id = bytes.map(|bytes| Uuid::from_slice(&bytes)).transpose();
    let id = id.map_err(|error| DataError::Unreadable {
        what: "a guest",
        reason: error.to_string(),
    })?;
    Ok(id.map(GuestId))
}
