//! The row of a match in the table `match`.

use fibfob_protocol::{MatchId, Version};
use fibfob_store::{DataError, LOBBY_ENTRY, MatchColumns, PersonColumns, parsed, whole};
use rusqlite::{Connection, Row};
use uuid::Uuid;

use super::error::SqliteError;

/// Reads the columns `code, phase, created_at, expires_at, lobby`, and those of the persons.
pub(super) fn read_columns(row: &Row<'_>) -> Result<MatchColumns, SqliteError> {
    let lobby: Option<String> = row.get(4)?;
    Ok(MatchColumns {
        code: row.get(0)?,
        phase: row.get(1)?,
        created_at: row.get(2)?,
        expires_at: row.get(3)?,
        persons: person_columns(row, 5)?,
        lobby: lobby.map(|entry| parsed(LOBBY_ENTRY, &entry)).transpose()?,
    })
}

/// Writes the row of a new match, and returns the match's number.
pub(super) fn insert_columns(
    connection: &Connection,
    id: MatchId,
    columns: &MatchColumns,
) -> rusqlite::Result<i64> {
    let persons = &columns.persons;
    connection
        .prepare_cached(
            "INSERT INTO match (id, code, phase, version, created_at, expires_at, creator,
                                creator_name, joiner, joiner_name, persons_sum, lobby)
             VALUES (?1, ?2, ?3, 1, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?
        .execute((
            id.0.as_bytes().as_slice(),
            &columns.code,
            &columns.phase,
            columns.created_at,
            columns.expires_at,
            persons.creator.as_ref().map(|id| id.as_bytes().as_slice()),
            &persons.creator_name,
            persons.joiner.as_ref().map(|id| id.as_bytes().as_slice()),
            &persons.joiner_name,
            persons.sum,
            columns.lobby_text(),
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
    let persons = &columns.persons;
    connection
        .prepare_cached(
            "UPDATE match SET phase = ?2, version = ?3, expires_at = ?4, creator = ?5,
                              creator_name = ?6, joiner = ?7, joiner_name = ?8, persons_sum = ?9,
                              lobby = ?10
             WHERE number = ?1",
        )?
        .execute((
            number,
            &columns.phase,
            whole(version.0),
            columns.expires_at,
            persons.creator.as_ref().map(|id| id.as_bytes().as_slice()),
            &persons.creator_name,
            persons.joiner.as_ref().map(|id| id.as_bytes().as_slice()),
            &persons.joiner_name,
            persons.sum,
            columns.lobby_text(),
        ))?;
    Ok(())
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
