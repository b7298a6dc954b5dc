//! Reading of the tables, which recognises values that are not what was written.

use fibfob_protocol::{MatchId, Record, Version};
use fibfob_store::identity::ServerKey;
use fibfob_store::{Durability, Head, HeldSeats, StoredRow, checksum, names_human, record_of};
use tokio_postgres::Row;
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::error::PostgresError;

/// The records of a match after a version, those with players beside the persons of its row: `CASE`
/// keeps the database from looking for the row beside every ply.
pub(super) const LOG: &str =
    "SELECT version, sum, record, creator, creator_name, joiner, joiner_name, persons_sum
     FROM fibfob.event
     LEFT JOIN fibfob.match
     ON id = CASE WHEN record LIKE '%{\"kind\":\"human\"}%' THEN match_id END
     WHERE match_id = $1 AND version > $2 ORDER BY version";
/// The newest versions of these logs, each from one end of the index, and the newest numbers of
/// their chats.
pub(super) const HEADS: &str = "SELECT wanted.id, event.version, coalesce(chat.number, 0)
     FROM unnest($1::uuid[]) AS wanted (id)
     CROSS JOIN LATERAL (
         SELECT version FROM fibfob.event WHERE match_id = wanted.id
         ORDER BY version DESC LIMIT 1
     ) AS event
     LEFT JOIN fibfob.note AS chat
     ON chat.about = wanted.id AND chat.kind = 4 AND chat.name = '#'";
pub(super) const OF_CODE: &str = "SELECT created_at, id, expires_at
     FROM fibfob.match WHERE code = $2 LIMIT $1";
/// The newest matches that the lobby lists in each phase.
pub(super) const LOBBY: &str =
    "SELECT match.* FROM unnest(ARRAY['open', 'playing']) AS phase (name)
     CROSS JOIN LATERAL (
         SELECT created_at, id, expires_at, lobby,
                creator, creator_name, joiner, joiner_name, persons_sum
         FROM fibfob.match WHERE lobby IS NOT NULL AND phase = phase.name ORDER BY created_at DESC LIMIT $1
     ) AS match";
pub(super) const UNFINISHED_AFTER: &str = "SELECT created_at, id, expires_at
     FROM fibfob.match WHERE phase NOT IN ('over', 'closed') AND (created_at, id) > ($2, $3)
     ORDER BY created_at, id LIMIT $1";
/// The newest matches of a guest in some phases before a place: each phase and seat from one end of
/// an index.
pub(super) const OF_GUEST: &str = "SELECT place.created_at, place.id, place.expires_at
     FROM unnest($3::text[]) AS wanted (phase)
     CROSS JOIN LATERAL (
         (SELECT created_at, id, expires_at FROM fibfob.match
          WHERE creator = $2 AND phase = wanted.phase AND (created_at, id) < ($4, $5)
          ORDER BY created_at DESC, id DESC LIMIT $1)
         UNION ALL
         (SELECT created_at, id, expires_at FROM fibfob.match
          WHERE joiner = $2 AND phase = wanted.phase AND (created_at, id) < ($4, $5)
          ORDER BY created_at DESC, id DESC LIMIT $1)
     ) AS place";
/// The seats of a guest in unfinished matches since a time that have not expired: as a creator, and
/// as a joiner.
pub(super) const HELD_SEATS: &str = "SELECT
         (SELECT count(*) FROM fibfob.match
          WHERE creator = $1 AND phase IN ('open', 'playing') AND created_at >= $2
            AND (expires_at IS NULL OR expires_at > $3)),
         (SELECT count(*) FROM fibfob.match
          WHERE joiner = $1 AND phase IN ('open', 'playing') AND created_at >= $2
            AND (expires_at IS NULL OR expires_at > $3))";
/// The settings that decide where a commit is kept, as they are now. From a table, so that it is read.
pub(super) const DURABILITY: &str = "SELECT current_setting('server_version'),
            current_setting('synchronous_standby_names')
     FROM fibfob.store";
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

/// Reads each row alone.
pub(super) fn each<T>(
    read: impl Fn(&Row) -> Result<T, PostgresError>,
) -> impl Fn(&[Row]) -> Result<Vec<T>, PostgresError> {
    move |rows| rows.iter().map(&read).collect()
}

/// Reads the records of [`LOG`], which follow version `end`.
pub(super) fn records(
    rows: &[Row],
    id: MatchId,
    mut end: Version,
) -> Result<Vec<Record>, PostgresError> {
    let mut records = Vec::with_capacity(rows.len());
    for row in rows {
        let record = record_after(row, id, end)?;
        end = record.version;
        records.push(record);
    }
    Ok(records)
}

/// Reads the row of the record that follows version `end`, of a statement that begins as [`LOG`].
fn record_after(row: &Row, id: MatchId, end: Version) -> Result<Record, PostgresError> {
    let (version, text) = row.log_text(id, end)?;
    let persons = match names_human(text) {
        true => row.persons(3)?.persons(id)?,
        false => Vec::new(),
    };
    Ok(record_of(text, version, &persons)?)
}

/// The first matches after an id in the order of ids: a range of the index, under any plan.
pub(super) const AFTER: &str = "SELECT created_at, id, expires_at
     FROM fibfob.match WHERE id > $2 ORDER BY id LIMIT $1";

pub(super) fn head(row: &Row) -> Result<(Head, u64), PostgresError> {
    let head = Head {
        id: row.match_id(0)?,
        version: Version(row.number(1)?),
    };
    Ok((head, row.number(2)?))
}

pub(super) fn held_seats(rows: &[Row]) -> Result<HeldSeats, PostgresError> {
    let row = rows.first().ok_or(PostgresError::Incomplete)?;
    let (made, joined) = (row.number(0)?, row.number(1)?);
    let count = |seats| u32::try_from(seats).unwrap_or(u32::MAX);
    Ok(HeldSeats {
        made: count(made),
        held: count(made + joined),
    })
}

pub(super) fn durability(rows: &[Row]) -> Result<Durability, PostgresError> {
    let row = rows.first().ok_or(PostgresError::Incomplete)?;
    let (version, standbys): (String, String) = (row.try_get(0)?, row.try_get(1)?);
    Ok(match standbys.is_empty() {
        true => Durability::OneDatabase { version },
        false => Durability::PrimaryAndStandby { version, standbys },
    })
}

pub(super) fn key(rows: &[Row]) -> Result<ServerKey, PostgresError> {
    let row = rows.first().ok_or(PostgresError::Incomplete)?;
    Ok(checksum::verified_key(row.try_get(0)?, row.try_get(1)?)?)
}
