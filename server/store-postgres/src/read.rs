//! Reading of the tables, which recognises values that are not what was written.

use fibfob_protocol::{MatchId, Record, Version};
use fibfob_store::identity::ServerKey;
use fibfob_store::sql::StoredRow;
use fibfob_store::{Head, checksum, names_human, record_of};
use tokio_postgres::Row;
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::error::PostgresError;

/// Selects records. Those with players come with the persons of the match's row: `CASE` spares the database
/// a look at that row for every ply.
macro_rules! select_records {
    ($condition:literal) => {
        concat!(
            "SELECT version, sum, record, creator, creator_name, joiner, joiner_name, persons_sum,
                    match_id
             FROM fibfob.event
             LEFT JOIN fibfob.match
             ON id = CASE WHEN record LIKE '%{\"kind\":\"human\"}%' THEN match_id END
             WHERE ",
            $condition
        )
    };
}
pub(super) use select_records;

/// The records of a match after a version.
pub(super) const LOG: &str = select_records!("match_id = $1 AND version > $2 ORDER BY version");
/// The newest versions of these logs, each from one end of the index, and the newest numbers of
/// their chats.
pub(super) const HEADS: &str = "SELECT wanted.id, event.version, coalesce(chat.number, 0)
     FROM unnest($1::uuid[]) AS wanted (id)
     CROSS JOIN LATERAL (
         SELECT version FROM fibfob.event WHERE match_id = wanted.id
         ORDER BY version DESC LIMIT 1
     ) AS event
     LEFT JOIN fibfob.note AS chat
     ON chat.about = wanted.id AND chat.kind = $2 AND chat.name = '#'";
/// The settings that decide where a commit is kept, as they are now. From a table, so that it is read.
pub(super) const DURABILITY: &str = "SELECT current_setting('server_version'),
            current_setting('synchronous_standby_names')
     FROM fibfob.store";
/// The length of the database, its system identifier, the primary's timeline, and the disks that a commit waits
/// for.
pub(super) const ROOM: &str = "SELECT pg_database_size(current_database()), system_identifier,
            ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint,
            CASE current_setting('synchronous_standby_names') WHEN '' THEN 1 ELSE 2 END
     FROM pg_control_system()";
pub(super) const KEY: &str = "SELECT key, sum FROM fibfob.store";

impl StoredRow<PostgresError> for Row {
    fn integer(&self, column: usize) -> Result<Option<i64>, PostgresError> {
        match *self.columns()[column].type_() {
            Type::INT4 => Ok(self.try_get::<_, Option<i32>>(column)?.map(i64::from)),
            _ => Ok(self.try_get(column)?),
        }
    }

    fn text(&self, column: usize) -> Result<Option<&str>, PostgresError> {
        Ok(self.try_get(column)?)
    }

    fn uuid(&self, column: usize) -> Result<Option<Uuid>, PostgresError> {
        Ok(self.try_get(column)?)
    }
}

pub(super) fn each<T>(
    read: impl Fn(&Row) -> Result<T, PostgresError>,
) -> impl Fn(&[Row]) -> Result<Vec<T>, PostgresError> {
    move |rows| rows.iter().map(&read).collect()
}

/// Reads the records of a match which follow version `end`, as [`select_records`] selects them.
pub(super) fn records(
    rows: &[Row],
    id: MatchId,
    mut end: Version,
) -> Result<Vec<Record>, PostgresError> {
    let mut records = Vec::with_capacity(rows.len());
    for row in rows {
        let (version, text) = row.log_text(id, end)?;
        let persons = match names_human(text) {
            true => row.persons(3)?.persons(id)?,
            false => Vec::new(),
        };
        records.push(record_of(text, version, &persons)?);
        end = version;
    }
    Ok(records)
}

pub(super) fn head(row: &Row) -> Result<(Head, u64), PostgresError> {
    let head = Head {
        id: row.match_id(0)?,
        version: Version(row.number(1)?),
    };
    Ok((head, row.number(2)?))
}

pub(super) fn key(rows: &[Row]) -> Result<ServerKey, PostgresError> {
    let row = rows.first().ok_or(PostgresError::Incomplete)?;
    Ok(checksum::verified_key(row.try_get(0)?, row.try_get(1)?)?)
}
