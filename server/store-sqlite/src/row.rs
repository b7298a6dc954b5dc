//! The rows of the tables `match` and `log`, and the values of any.

use fibfob_protocol::{GuestId, MatchId, PlayerName, Version};
use fibfob_store::identity::ServerKey;
use fibfob_store::sql::{self, StoredRow};
use fibfob_store::{MatchColumns, checksum, whole};
use rusqlite::{Connection, Params, Row, Transaction, TransactionBehavior};
use uuid::Uuid;

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

/// Reads the first row; none without rows.
pub(super) fn read_row<T>(
    reader: &Connection,
    sql: &str,
    parameters: impl Params,
    read: impl FnOnce(&Row<'_>) -> Result<T, SqliteError>,
) -> Result<Option<T>, SqliteError> {
    let mut found = reader.prepare_cached(sql)?;
    let mut rows = found.query(parameters)?;
    rows.next()?.map(read).transpose()
}

/// Runs a statement that writes, and returns the number of rows that it has changed.
pub(super) fn execute(
    connection: &Connection,
    sql: &str,
    parameters: impl Params,
) -> rusqlite::Result<usize> {
    connection.prepare_cached(sql)?.execute(parameters)
}

/// Begins a transaction that excludes other writers.
pub(super) fn begin(connection: &mut Connection) -> rusqlite::Result<Transaction<'_>> {
    connection.transaction_with_behavior(TransactionBehavior::Immediate)
}

impl StoredRow<SqliteError> for Row<'_> {
    fn integer(&self, column: usize) -> Result<Option<i64>, SqliteError> {
        Ok(self.get(column)?)
    }

    fn text(&self, column: usize) -> Result<Option<&str>, SqliteError> {
        let text = self.get_ref(column)?.as_str_or_null();
        Ok(text.map_err(rusqlite::Error::from)?)
    }

    fn uuid(&self, column: usize) -> Result<Option<Uuid>, SqliteError> {
        Ok(self.get(column)?)
    }
}

pub(super) fn read_key(reader: &Connection) -> Result<ServerKey, SqliteError> {
    let sql = "SELECT key, sum FROM server_key";
    let (bytes, sum): (Vec<u8>, i64) =
        reader.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(checksum::verified_key(&bytes, sum)?)
}

/// Writes a match's row as it is after the event of this version, and returns the match's number. An existing
/// row keeps its code and its beginning.
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
        columns.lobby.as_ref().map(ToString::to_string),
    );
    let mut written = connection.prepare_cached(sql)?;
    written.query_one(parameters, |row| row.get(0))
}

/// Makes a guest a former player in a match's row, or gives them this name there.
pub(super) fn replace_person(
    connection: &Connection,
    id: MatchId,
    guest: GuestId,
    name: Option<&PlayerName>,
) -> Result<bool, SqliteError> {
    let found = read_row(connection, sql::PERSONS, [id.0], |row| row.persons(0))?;
    let Some(found) = found else {
        return Ok(false);
    };
    let Some(new) = found.replaced(id, guest, name)? else {
        return Ok(false);
    };
    let sql = "UPDATE match SET creator = ?2, creator_name = ?3, joiner = ?4, joiner_name = ?5,
                                persons_sum = ?6
               WHERE id = ?1";
    let (creator, joiner) = (&new.creator_name, &new.joiner_name);
    let parameters = (id.0, new.creator, creator, new.joiner, joiner, new.sum);
    Ok(execute(connection, sql, parameters)? > 0)
}

/// Passes the version and text of each row of a match after a version to `visit`, in order, up to the first
/// that is damaged or missing.
pub(super) fn each_log_row(
    reader: &Connection,
    id: MatchId,
    match_number: i64,
    after: Version,
    mut visit: impl FnMut(Version, &str) -> Result<(), SqliteError>,
) -> Result<(), SqliteError> {
    let sql = "SELECT version, sum, record FROM log
               WHERE number = ?1 AND version > ?2 ORDER BY version";
    let mut found = reader.prepare_cached(sql)?;
    let mut rows = found.query((match_number, whole(after.0)))?;
    let mut end = after;
    while let Some(row) = rows.next()? {
        let (version, text) = row.log_text(id, end)?;
        end = version;
        visit(version, text)?;
    }
    Ok(())
}

/// Writes a record as this row of the log.
pub(super) fn insert_log_row(
    connection: &Connection,
    seq: i64,
    (id, match_number): (MatchId, i64),
    version: Version,
    record: &str,
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO log (seq, number, version, record, sum) VALUES (?1, ?2, ?3, ?4, ?5)";
    let sum = checksum::of_record(id, version, record);
    let parameters = (seq, match_number, whole(version.0), record, sum);
    execute(connection, sql, parameters).map(drop)
}
