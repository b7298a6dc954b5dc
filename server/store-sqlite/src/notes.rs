//! Notes, written in the transactions of the events. Also the notes of a running server, for the next one.

use fibfob_protocol::Timestamp;
use fibfob_store::sql::{self, StoredRow};
use fibfob_store::{NameTaken, Note, NoteKey, NoteKind, NotedAbsence, NotedRuns, checksum, whole};
use rusqlite::Connection;
use uuid::Uuid;

use super::error::SqliteError;
use super::row::{execute, read_row, read_rows};
use crate::limits::NOTES_CLEANED;

pub(super) fn read(
    reader: &Connection,
    kind: NoteKind,
    about: Uuid,
    above: u64,
) -> Result<Vec<Note>, SqliteError> {
    let sql = "SELECT kind, about, name, number, until, text, sum FROM note
               WHERE about = ?1 AND kind = ?2 AND number > ?3 ORDER BY number";
    read_rows(reader, sql, (about, kind.number(), whole(above)), |row| {
        row.note()
    })
}

/// Removes some notes and stores others; returns what is stored then under each name. A damaged note is left
/// as it is, and nothing after it is stored.
pub(super) fn put(
    connection: &Connection,
    put: &[Note],
    removed: &[NoteKey],
) -> Result<Vec<Note>, SqliteError> {
    for key in removed {
        execute(
            connection,
            "DELETE FROM note WHERE about = ?1 AND kind = ?2 AND name = ?3",
            (key.about, key.kind.number(), &key.name),
        )?;
    }
    put.iter().map(|note| put_one(connection, note)).collect()
}

fn put_one(connection: &Connection, note: &Note) -> Result<Note, SqliteError> {
    let (key, mut note) = (&note.key, note.clone());
    let rule = key.kind.name_taken();
    if rule != NameTaken::Replaces {
        let parameters = (key.about, key.kind.number(), &key.name);
        let stored = read_row(connection, sql::NOTE, parameters, |row| row.note())?;
        if let Some(stored) = stored.filter(|stored| note.gives_way_to(stored)) {
            return Ok(stored);
        }
    }
    if rule == NameTaken::StaysNumbered {
        let newest = newest_number(connection, key.kind, key.about)?;
        note.number = note.number.max(newest + 1);
    }
    write(connection, &note)?;
    Ok(note)
}

pub(super) fn write(connection: &Connection, note: &Note) -> Result<(), SqliteError> {
    execute(
        connection,
        "INSERT OR REPLACE INTO note (about, kind, name, number, until, text, sum)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        (
            note.key.about,
            note.key.kind.number(),
            &note.key.name,
            whole(note.number),
            note.until.map(|until| whole(until.0)),
            &note.text,
            checksum::of_note(note),
        ),
    )?;
    Ok(())
}

/// Reads the newest number of the notes about a subject, zero without one.
pub(super) fn newest_number(
    connection: &Connection,
    kind: NoteKind,
    about: Uuid,
) -> Result<u64, SqliteError> {
    let sql = "SELECT coalesce(max(number), 0) FROM note WHERE about = ?1 AND kind = ?2";
    let newest = read_row(connection, sql, (about, kind.number()), |row| row.number(0))?;
    Ok(newest.unwrap_or_default())
}

/// Removes some of the notes that have expired by `now`.
pub(super) fn clean(connection: &Connection, now: Timestamp) -> Result<(), SqliteError> {
    execute(
        connection,
        "DELETE FROM note WHERE rowid IN (
                 SELECT rowid FROM note WHERE until <= ?1 ORDER BY until LIMIT ?2)",
        (whole(now.0), NOTES_CLEANED),
    )?;
    Ok(())
}

pub(super) fn read_service(
    reader: &Connection,
) -> Result<(NotedRuns, Vec<NotedAbsence>), SqliteError> {
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

/// Writes what a note changes beside the span of the log: the runs, if one begins, and the absences.
pub(super) fn write_service(
    connection: &Connection,
    new_run: Option<&NotedRuns>,
    absences: Option<&[NotedAbsence]>,
) -> Result<(), SqliteError> {
    if let Some(runs) = new_run {
        let runs = serde_json::to_string(runs).expect("runs have string keys");
        execute(connection, "UPDATE uptime SET runs = ?1", [runs])?;
    }
    if let Some(absences) = absences {
        let absences = serde_json::to_string(absences).expect("absences have string keys");
        execute(connection, "UPDATE uptime SET absences = ?1", [absences])?;
    }
    Ok(())
}
