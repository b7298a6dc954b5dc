//! The notes of a running server for the one after it.

use fibfob_protocol::Timestamp;
use rusqlite::{Connection, OptionalExtension};

use super::SqliteError;
use super::value::{json, timestamp};
use crate::store::{NotedAbsence, Uptime};

/// Reads the notes. Absences that cannot be read are none: nobody loses by counting anew.
pub(super) fn read(reader: &Connection) -> Result<Uptime, SqliteError> {
    let sql = "SELECT at FROM journal_span";
    let at = reader.query_row(sql, [], |row| timestamp(row, 0));
    let at = at.optional()?.flatten();
    let sql = "SELECT noted FROM absences";
    let noted = reader.query_row(sql, [], |row| row.get::<_, String>(0));
    let absences = match noted.optional()? {
        Some(text) => json("the absences", &text).unwrap_or_else(|error| {
            tracing::warn!(%error, "the absences of players are counted anew");
            Vec::new()
        }),
        None => Vec::new(),
    };
    let at = at.filter(|at| *at > Timestamp(0));
    Ok(Uptime { at, absences })
}

/// Replaces the absences.
pub(super) fn write_absences(
    connection: &Connection,
    absences: &[NotedAbsence],
) -> Result<(), SqliteError> {
    let noted = serde_json::to_string(absences).expect("absences have string keys");
    connection
        .prepare_cached("INSERT OR REPLACE INTO absences (only, noted) VALUES (1, ?1)")?
        .execute([noted])?;
    Ok(())
}
