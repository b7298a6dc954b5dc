//! Notes, in the transactions of the events.

use fibfob_protocol::Timestamp;
use fibfob_store::{DataError, NameTaken, Note, NoteKey, NoteKind, StoredRow, checksum, whole};
use rusqlite::Connection;
use uuid::Uuid;

use super::error::SqliteError;
use super::row::{read_row, read_rows};
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

/// Removes notes and stores others; returns those that are stored under the names then. A stored one
/// that is not what was written is left as it is, and nothing after it is stored. Any other error must
/// undo the transaction.
pub(super) fn put(
    connection: &Connection,
    put: &[Note],
    removed: &[NoteKey],
) -> Result<Result<Vec<Note>, DataError>, SqliteError> {
    for key in removed {
        connection
            .prepare_cached("DELETE FROM note WHERE about = ?1 AND kind = ?2 AND name = ?3")?
            .execute((key.about, key.kind.number(), &key.name))?;
    }
    let mut stored = Vec::with_capacity(put.len());
    for note in put {
        match put_one(connection, note) {
            Ok(note) => stored.push(note),
            Err(SqliteError::Data(error)) => return Ok(Err(error)),
            Err(error) => return Err(error),
        }
    }
    Ok(Ok(stored))
}

fn put_one(connection: &Connection, note: &Note) -> Result<Note, SqliteError> {
    let (key, mut note) = (&note.key, note.clone());
    let rule = key.kind.name_taken();
    if rule != NameTaken::Replaces {
        let sql = "SELECT kind, about, name, number, until, text, sum FROM note
                   WHERE about = ?1 AND kind = ?2 AND name = ?3";
        let parameters = (key.about, key.kind.number(), &key.name);
        let stored = read_row(connection, sql, parameters, |row| row.note())?;
        if let Some(stored) = stored.filter(|stored| note.gives_way_to(stored)) {
            return Ok(stored);
        }
    }
    if rule == NameTaken::StaysNumbered {
        note.number = note
            .number
            .max(newest_number(connection, key.kind, key.about)? + 1);
    }
    write(connection, &note)?;
    Ok(note)
}

pub(super) fn write(connection: &Connection, note: &Note) -> Result<(), SqliteError> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO note (about, kind, name, number, until, text, sum)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute((
            note.key.about,
            note.key.kind.number(),
            &note.key.name,
            whole(note.number),
            note.until.map(|until| whole(until.0)),
            &note.text,
            checksum::of_note(note),
        ))?;
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

/// Removes some of the notes that have ended by `now`.
pub(super) fn clean(connection: &Connection, now: Timestamp) -> Result<(), SqliteError> {
    connection
        .prepare_cached(
            "DELETE FROM note WHERE rowid IN (
                 SELECT rowid FROM note WHERE until <= ?1 ORDER BY until LIMIT ?2)",
        )?
        .execute((whole(now.0), NOTES_CLEANED))?;
    Ok(())
}

pub(super) fn count_damaged(reader: &Connection) -> Result<u64, SqliteError> {
    let sql = "SELECT kind, about, name, number, until, text, sum FROM note";
    let mut damaged = 0;
    read_rows(reader, sql, [], |row| {
        damaged += u64::from(row.note().is_err());
        Ok(())
    })?;
    Ok(damaged)
}
