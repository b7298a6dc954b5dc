//! The notes of a running server for the one after it.

use fibfob_protocol::Timestamp;
use fibfob_store::{NotedAbsence, NotedRuns, StoredRow};
use rusqlite::Connection;

use super::error::SqliteError;
use super::row::read_row;

/// The changes of a note beside the span of the log.
pub(super) struct ServiceNote {
    pub at: Timestamp,
    /// The runs, if one begins with this note.
    pub new_run: Option<NotedRuns>,
    pub absences: Option<Vec<NotedAbsence>>,
}

pub(super) fn read(reader: &Connection) -> Result<(NotedRuns, Vec<NotedAbsence>), SqliteError> {
    let sql = "SELECT runs, absences, (SELECT at FROM span) FROM uptime";
    let noted = read_row(reader, sql, [], |row| {
        let (runs, absences): (String, String) = (row.get(0)?, row.get(1)?);
        Ok((runs, absences, row.timestamp(2)?))
    });
    let (runs, absences, until) = noted?.unwrap_or_default();
    let (mut runs, absences) = NotedRuns::read(&runs, &absences);
    runs.until = until.filter(|until| *until > Timestamp(0));
    Ok((runs, absences))
}

/// Writes what a note changes beside the span of the log.
pub(super) fn write(connection: &Connection, note: &ServiceNote) -> Result<(), SqliteError> {
    if let Some(runs) = &note.new_run {
        let runs = serde_json::to_string(runs).expect("runs have string keys");
        let mut noted = connection.prepare_cached("UPDATE uptime SET runs = ?1")?;
        noted.execute([runs])?;
    }
    if let Some(absences) = &note.absences {
        let absences = serde_json::to_string(absences).expect("absences have string keys");
        let mut noted = connection.prepare_cached("UPDATE uptime SET absences = ?1")?;
        noted.execute([absences])?;
    }
    Ok(())
}
