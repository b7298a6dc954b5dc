//! The notes of a running server for the one after it.

use fibfob_protocol::Timestamp;
use rusqlite::{Connection, OptionalExtension};

use super::SqliteError;
use super::row::whole;
use super::value::{json, timestamp};
use crate::store::{Uptime, UptimeNote};

/// Reads the notes. Absences that cannot be read are none: nobody loses by counting anew.
pub(super) fn read(reader: &Connection) -> Result<Uptime, SqliteError> {
    let sql = "SELECT at FROM journal_span";
    let at = reader.query_row(sql, [], |row| timestamp(row, 0));
    let at = at.optional()?.flatten();
    let sql = "SELECT noted, began FROM absences";
    let noted = reader.query_row(sql, [], |row| {
        Ok((row.get::<_, String>(0)?, timestamp(row, 1)?))
    });
    let (noted, began) = noted.optional()?.unzip();
    let absences = match noted {
        Some(text) => json("the absences", &text).unwrap_or_else(|error| {
            tracing::warn!(%error, "the absences of players are counted anew");
            Vec::new()
        }),
        None => Vec::new(),
    };
    let at = at.filter(|at| *at > Timestamp(0));
    Ok(Uptime {
        at,
        began: began.flatten(),
        absences,
    })
}

/// Writes what a note changes beside the span of the journal.
pub(super) fn write(connection: &Connection, note: &UptimeNote) -> Result<(), SqliteError> {
    if note.begins {
        connection
            .prepare_cached(
                "INSERT INTO absences (only, noted, began) VALUES (1, '[]', ?1)
                 ON CONFLICT (only) DO UPDATE SET began = ?1",
            )?
            .execute([whole(note.at.0)])?;
    }
    if let Some(absences) = &note.absences {
        let noted = serde_json::to_string(absences).expect("absences have string keys");
        connection
            .prepare_cached(
                "INSERT INTO absences (only, noted) VALUES (1, ?1)
                 ON CONFLICT (only) DO UPDATE SET noted = ?1",
            )?
            .execute([noted])?;
    }
    Ok(())
}
