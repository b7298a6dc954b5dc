//! The notes of a running server for the one after it.

use fibfob_protocol::Timestamp;
use rusqlite::{Connection, OptionalExtension};

use super::SqliteError;
use super::row::whole;
use super::value::{json, timestamp};
use crate::store::{Downtimes, Uptime, UptimeNote};

/// Reads the notes. Absences that cannot be read are none: nobody loses by counting anew.
pub(super) fn read(reader: &Connection) -> Result<Uptime, SqliteError> {
    let sql = "SELECT at FROM journal_span";
    let at = reader.query_row(sql, [], |row| timestamp(row, 0));
    let at = at.optional()?.flatten();
    let sql = "SELECT absences, began, downtimes FROM uptime";
    let noted = reader.query_row(sql, [], |row| {
        let (absences, downtimes): (String, String) = (row.get(0)?, row.get(2)?);
        Ok((absences, timestamp(row, 1)?, downtimes))
    });
    let at = at.filter(|at| *at > Timestamp(0));
    let Some((absences, began, downtimes)) = noted.optional()? else {
        return Ok(Uptime {
            at,
            ..Uptime::default()
        });
    };
    Ok(Uptime {
        at,
        began,
        absences: json("the absences", &absences).unwrap_or_else(|error| {
            tracing::warn!(%error, "the absences of players are counted anew");
            Vec::new()
        }),
        downtimes: json("the downtimes", &downtimes).unwrap_or_else(|error| {
            tracing::warn!(%error, "earlier times without a server count as if one had run");
            Downtimes::default()
        }),
    })
}

/// Writes what a note changes beside the span of the journal.
pub(super) fn write(connection: &Connection, note: &UptimeNote) -> Result<(), SqliteError> {
    if note.begins {
        connection
            .prepare_cached(
                "INSERT INTO uptime (only, began) VALUES (1, ?1)
                 ON CONFLICT (only) DO UPDATE SET began = ?1",
            )?
            .execute([whole(note.at.0)])?;
    }
    if let Some(downtimes) = &note.downtimes {
        let noted = serde_json::to_string(downtimes).expect("downtimes are numbers");
        connection
            .prepare_cached(
                "INSERT INTO uptime (only, downtimes) VALUES (1, ?1)
                 ON CONFLICT (only) DO UPDATE SET downtimes = ?1",
            )?
            .execute([noted])?;
    }
    if let Some(absences) = &note.absences {
        let noted = serde_json::to_string(absences).expect("absences have string keys");
        connection
            .prepare_cached(
                "INSERT INTO uptime (only, absences) VALUES (1, ?1)
                 ON CONFLICT (only) DO UPDATE SET absences = ?1",
            )?
            .execute([noted])?;
    }
    Ok(())
}
