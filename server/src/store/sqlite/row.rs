//! The row of a match in the table `match`.

use rusqlite::Row;
use uuid::Uuid;

use super::SqliteError;
use super::value::json;
use crate::store::DataError;
use crate::store::match_columns::MatchColumns;
pub(super) use crate::store::match_columns::whole;
use crate::store::person::{LOBBY_ENTRY, PersonColumns};

/// Reads the columns `code, phase, created_at, expires_at, lobby`, and those of the persons.
pub(super) fn read_columns(row: &Row<'_>) -> Result<MatchColumns, SqliteError> {
    let lobby: Option<String> = row.get(4)?;
    Ok(MatchColumns {
        code: row.get(0)?,
        phase: row.get(1)?,
        created_at: row.get(2)?,
        expires_at: row.get(3)?,
        persons: person_columns(row, 5)?,
        lobby: lobby.map(|entry| json(LOBBY_ENTRY, &entry)).transpose()?,
    })
}

/// Reads the columns `creator, creator_name, joiner, joiner_name, persons_sum` from this one on.
pub(super) fn person_columns(row: &Row<'_>, first: usize) -> Result<PersonColumns, SqliteError> {
    Ok(PersonColumns {
        creator: guest(row, first)?,
        creator_name: row.get(first + 1)?,
        joiner: guest(row, first + 2)?,
        joiner_name: row.get(first + 3)?,
        sum: row.get(first + 4)?,
    })
}

fn guest(row: &Row<'_>, column: usize) -> Result<Option<Uuid>, SqliteError> {
    let bytes: Option<Vec<u8>> = row.get(column)?;
    let id = bytes.map(|bytes| Uuid::from_slice(&bytes)).transpose();
    let id = id.map_err(|error| DataError::Unreadable {
        what: "a guest",
        reason: error.to_string(),
    })?;
    Ok(id)
}
