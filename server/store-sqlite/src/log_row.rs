//! The rows of the log, one for each record.

use fibfob_protocol::{MatchId, Version};
use fibfob_store::{DataError, checksum, whole};
use rusqlite::{Connection, Row};

use super::error::SqliteError;
use super::value::version;

/// Passes the version and the text of each row of a match after a version to `visit` in order, as long
/// as they are what was written and have no gap.
pub(super) fn each_row<E: From<SqliteError>>(
    reader: &Connection,
    id: MatchId,
    number: i64,
    after: Version,
    mut visit: impl FnMut(Version, &str) -> Result<(), E>,
) -> Result<(), E> {
    let sql = "SELECT version, record, sum FROM log
               WHERE number = ?1 AND version > ?2 ORDER BY version";
    let mut found = reader.prepare_cached(sql).map_err(SqliteError::from)?;
    let mut rows = found
        .query((number, whole(after.0)))
        .map_err(SqliteError::from)?;
    let mut end = after;
    while let Some(row) = rows.next().map_err(SqliteError::from)? {
        let (version, text) = verified(id, row)?;
        if version != end.next() {
            return Err(E::from(SqliteError::from(DataError::Gap {
                found: version,
                expected: end.next(),
            })));
        }
        end = version;
        visit(version, text)?;
    }
    Ok(())
}

/// Returns version and text of a row `version, record, sum`, if the checksum is right.
fn verified<'row>(id: MatchId, row: &'row Row<'_>) -> Result<(Version, &'row str), SqliteError> {
    let version = version(row, 0)?;
    let altered = || SqliteError::from(DataError::Altered(version));
    let text = row.get_ref(1)?.as_str().map_err(|_| altered())?;
    if row.get::<_, i64>(2)? == checksum::of_record(id, version, text) {
        Ok((version, text))
    } else {
        Err(altered())
    }
}

/// Writes a record as this row of the log.
pub(super) fn insert(
    connection: &Connection,
    seq: i64,
    (id, number): (MatchId, i64),
    version: Version,
    record: &str,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO log (seq, number, version, record, sum) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute((
            seq,
            number,
            whole(version.0),
            record,
            checksum::of_record(id, version, record),
        ))?;
    Ok(())
}
