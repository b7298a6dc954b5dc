//! The row of a match in the table `match`.

use fibfob_protocol::GuestId;
use fibfob_store::DataError;
use fibfob_store::MatchColumns;
use rusqlite::Row;
use uuid::Uuid;

use super::SqliteError;
use super::value::json;
pub(super) use fibfob_store::whole;

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
