//! The rows of the tables `match` and `log`, and the values of any.

use fibfob_protocol::{MatchId, Timestamp, Version};
use fibfob_store::{DataError, LOBBY_ENTRY, MatchColumns, PersonColumns, checksum, parsed, whole};
use rusqlite::{Connection, Params, Row};

use super::error::SqliteError;

pub(super) fn read_rows<T>(
    reader: &Connection,
    sql: &str,
    parameters: impl Params,
    read: impl FnMut(&Row<'_>) -> Result<T, SqliteError>,
) -> Result<Vec<T>, SqliteError> {
    let mut found = reader.prepare_cached(sql)?;
    found.query_and_then(parameters, read)?.collect()
}

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

/// Writes the row of a match as it is after the event of this version, and returns the match's number. Of a
/// row that is there, code and beginning stay.
pub(super) fn write_columns(
    connection: &Connection,
    id: MatchId,
    version: Version,
    columns: &MatchColumns,
) -> rusqlite::Result<i64> {
    let persons = &columns.persons;
    let sql = "INSERT INTO match (id, code, phase, version, created_at, expires_at, creator,
                                  creator_name, joiner, joiner_name, persons_sum, lobby)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
               ON CONFLICT (id) DO UPDATE
               SET phase = ?3, version = ?4, expires_at = ?6, creator = ?7, creator_name = ?8,
                   joiner = ?9, joiner_name = ?10, persons_sum = ?11, lobby = ?12
               RETURNING number";
    let parameters = (
        id.0,
        &columns.code,
        &columns.phase,
        whole(version.0),
        columns.created_at,
        columns.expires_at,
        persons.creator,
        &persons.creator_name,
        persons.joiner,
        &persons.joiner_name,
        persons.sum,
        columns.lobby_text(),
    );
    let mut written = connection.prepare_cached(sql)?;
    written.query_one(parameters, |row| row.get(0))
}

/// Reads the columns `creator, creator_name, joiner, joiner_name, persons_sum` from this one on.
pub(super) fn person_columns(row: &Row<'_>, first: usize) -> rusqlite::Result<PersonColumns> {
    Ok(PersonColumns {
        creator: row.get(first)?,
        creator_name: row.get(first + 1)?,
        joiner: row.get(first + 2)?,
        joiner_name: row.get(first + 3)?,
        sum: row.get(first + 4)?,
    })
}

pub(super) fn match_id(row: &Row<'_>, column: usize) -> rusqlite::Result<MatchId> {
    row.get(column).map(MatchId)
}

/// Reads a number; a negative one, which nobody has written, reads as zero.
pub(super) fn number(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let number: i64 = row.get(column)?;
    Ok(u64::try_from(number).unwrap_or_default())
}

/// Reads a time, or none.
pub(super) fn timestamp(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Timestamp>> {
    let millis: Option<i64> = row.get(column)?;
    Ok(millis.map(|millis| Timestamp(u64::try_from(millis).unwrap_or_default())))
}

/// Passes the version and the text of each row of a match after a version to `visit` in order, as long
/// as they are what was written and have no gap.
pub(super) fn each_log_row(
    reader: &Connection,
    id: MatchId,
    match_number: i64,
    after: Version,
    mut visit: impl FnMut(Version, &str) -> Result<(), SqliteError>,
) -> Result<(), SqliteError> {
    let sql = "SELECT version, record, sum FROM log
               WHERE number = ?1 AND version > ?2 ORDER BY version";
    let mut found = reader.prepare_cached(sql)?;
    let mut rows = found.query((match_number, whole(after.0)))?;
    let mut end = after;
    while let Some(row) = rows.next()? {
        let (version, text) = verified(id, row)?;
        if version != end.next() {
            let (found, expected) = (version, end.next());
            return Err(DataError::Gap { found, expected }.into());
        }
        end = version;
        visit(version, text)?;
    }
    Ok(())
}

/// Returns version and text of a row `version, record, sum`, if the checksum is right.
fn verified<'row>(id: MatchId, row: &'row Row<'_>) -> Result<(Version, &'row str), SqliteError> {
    let version = Version(number(row, 0)?);
    let altered = || SqliteError::from(DataError::Altered(version));
    let text = row.get_ref(1)?.as_str().map_err(|_| altered())?;
    if row.get::<_, i64>(2)? == checksum::of_record(id, version, text) {
        Ok((version, text))
    } else {
        Err(altered())
    }
}

/// Writes a record as this row of the log.
pub(super) fn insert_log_row(
    connection: &Connection,
    seq: i64,
    (id, match_number): (MatchId, i64),
    version: Version,
    record: &str,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO log (seq, number, version, record, sum) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute((
            seq,
            match_number,
            whole(version.0),
            record,
            checksum::of_record(id, version, record),
        ))?;
    Ok(())
}
