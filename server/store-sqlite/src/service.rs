//! The notes of a running server for the one after it.

use fibfob_protocol::Timestamp;
use fibfob_store::{Downtimes, NotedAbsence, NotedRuns, parsed, whole};
use rusqlite::{Connection, OptionalExtension};

use super::error::SqliteError;
use super::row::timestamp;

/// The changes of a note beside the span of the log.
pub(super) struct ServiceNote {
    pub at: Timestamp,
    /// The runs, if one begins with this note.
    pub new_run: Option<NotedRuns>,
    pub absences: Option<Vec<NotedAbsence>>,
}

/// Reads the notes. Absences that cannot be read are none: nobody loses by counting anew.
pub(super) fn read(reader: &Connection) -> Result<(NotedRuns, Vec<NotedAbsence>), SqliteError> {
    let sql = "SELECT at FROM span";
    let until = reader.query_row(sql, [], |row| timestamp(row, 0));
    let until = until.optional()?.flatten();
    let until = until.filter(|until| *until > Timestamp(0));
    let sql = "SELECT absences, began, downtimes FROM uptime";
    let noted = reader.query_row(sql, [], |row| {
        let (absences, downtimes): (String, String) = (row.get(0)?, row.get(2)?);
        Ok((absences, timestamp(row, 1)?, downtimes))
    });
    let Some((absences, since, downtimes)) = noted.optional()? else {
        let runs = NotedRuns {
            until,
            ..NotedRuns::default()
        };
        return Ok((runs, Vec::new()));
    };
    let absences = parsed("the absences", &absences).unwrap_or_else(|error| {
        tracing::warn!(%error, "the absences of players are counted anew");
        Vec::new()
    });
    let downtimes = parsed("the downtimes", &downtimes).unwrap_or_else(|error| {
        tracing::warn!(%error, "earlier times without a server count as if one had run");
        Downtimes::default()
    });
    let runs = NotedRuns {
        since,
        until,
        last_run: None,
        downtimes,
    };
    Ok((runs, absences))
}

/// Writes what a note changes beside the span of the log.
pub(super) fn write(connection: &Connection, note: &ServiceNote) -> Result<(), SqliteError> {
    if let Some(runs) = &note.new_run {
        let since = runs.since.unwrap_or_default();
        let downtimes = serde_json::to_string(&runs.downtimes).expect("downtimes are numbers");
        connection
            .prepare_cached(
                "INSERT INTO uptime (only, began, downtimes) VALUES (1, ?1, ?2)
                 ON CONFLICT (only) DO UPDATE SET began = ?1, downtimes = ?2",
            )?
            .execute((whole(since.0), downtimes))?;
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
