//! Reading of the tables, which recognises values that are not what was written.

use fibfob_protocol::{MatchId, MatchPlace, Record, Timestamp, Version};
use fibfob_store::identity::ServerKey;
use fibfob_store::{
    DataError, Durability, Head, HeldSeats, LobbyRow, PersonColumns, UnfinishedMatch, checksum,
    entry_of, names_human, record_of, whole,
};
use tokio_postgres::Row;
use uuid::Uuid;

use super::error::PostgresError;
use super::schema::timestamp;

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
pub(super) const OWNER: &str = "SELECT id FROM fibfob.match WHERE code = $1";
/// The newest matches that the lobby lists in each phase.
pub(super) const LOBBY: &str =
    "SELECT match.* FROM unnest(ARRAY['open', 'playing']) AS phase (name)
     CROSS JOIN LATERAL (
         SELECT created_at, id, expires_at, lobby,
                creator, creator_name, joiner, joiner_name, persons_sum
         FROM fibfob.match WHERE lobby IS NOT NULL AND phase = phase.name ORDER BY created_at DESC LIMIT $1
     ) AS match";
pub(super) const UNFINISHED_AFTER: &str = "SELECT created_at, id, expires_at
     FROM fibfob.match WHERE phase NOT IN ('over', 'closed') AND (created_at, id) > ($1, $2)
     ORDER BY created_at, id LIMIT $3";
/// The newest matches of a guest in some phases before a place: each phase and seat from one end of
/// an index.
pub(super) const MATCHES_OF: &str = "SELECT place.created_at, place.id
     FROM unnest($2::text[]) AS wanted (phase)
     CROSS JOIN LATERAL (
         (SELECT created_at, id FROM fibfob.match
          WHERE creator = $1 AND phase = wanted.phase AND (created_at, id) < ($3, $4)
          ORDER BY created_at DESC, id DESC LIMIT $5)
         UNION ALL
         (SELECT created_at, id FROM fibfob.match
          WHERE joiner = $1 AND phase = wanted.phase AND (created_at, id) < ($3, $4)
          ORDER BY created_at DESC, id DESC LIMIT $5)
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
    let (version, text) = text_after(row, id, end)?;
    let persons = match names_human(text) {
        true => person_columns(row, 3)?.persons(id)?,
        false => Vec::new(),
    };
    let record = record_of(text, &persons)?;
    match record.version == version {
        true => Ok(record),
        false => Err(DataError::Altered(version).into()),
    }
}

/// Reads the columns `creator, creator_name, joiner, joiner_name, persons_sum` from this one on.
pub(super) fn person_columns(row: &Row, first: usize) -> Result<PersonColumns, PostgresError> {
    let sum: Option<i64> = row.try_get(first + 4)?;
    Ok(PersonColumns {
        creator: row.try_get(first)?,
        creator_name: row.try_get(first + 1)?,
        joiner: row.try_get(first + 2)?,
        joiner_name: row.try_get(first + 3)?,
        sum: sum.unwrap_or_default(),
    })
}

/// Reads version and text of such a row, which is what was written.
pub(super) fn text_after(
    row: &Row,
    id: MatchId,
    end: Version,
) -> Result<(Version, &str), PostgresError> {
    let version = version(row.try_get(0)?);
    let (sum, text): (i64, &str) = (row.try_get(1)?, row.try_get(2)?);
    if version != end.next() {
        return Err(PostgresError::Data(DataError::Gap {
            found: version,
            expected: end.next(),
        }));
    }
    match sum == checksum::of_record(id, version, text) {
        true => Ok((version, text)),
        false => Err(DataError::Altered(version).into()),
    }
}

/// The first matches from an id on in the order of ids: a range of the index, under any plan.
pub(super) const MATCH_IDS: &str = "SELECT id FROM fibfob.match
     WHERE id >= $1 ORDER BY id LIMIT $2";

/// Returns the id at which those after another one begin; none after the last possible one.
pub(super) fn first_after(after: Option<Uuid>) -> Option<Uuid> {
    let Some(after) = after else {
        return Some(Uuid::nil());
    };
    // The database compares ids byte by byte, as big-endian numbers.
    after.as_u128().checked_add(1).map(Uuid::from_u128)
}

pub(super) fn match_ids(rows: &[Row]) -> Result<Vec<MatchId>, PostgresError> {
    let id = |row: &Row| Ok(MatchId(row.try_get(0)?));
    rows.iter().map(id).collect()
}

pub(super) fn heads(rows: &[Row]) -> Result<Vec<(Head, u64)>, PostgresError> {
    let head = |row: &Row| {
        let head = Head {
            id: MatchId(row.try_get(0)?),
            version: version(row.try_get(1)?),
        };
        let chat: i64 = row.try_get(2)?;
        Ok((head, u64::try_from(chat).unwrap_or_default()))
    };
    rows.iter().map(head).collect()
}

/// Reads the rows of [`LOBBY`], and returns them oldest first.
pub(super) fn lobby_rows(rows: &[Row]) -> Result<Vec<(MatchId, LobbyRow)>, PostgresError> {
    let mut listed = Vec::with_capacity(rows.len());
    for row in rows {
        let (created_at, id): (i64, Uuid) = (row.try_get(0)?, row.try_get(1)?);
        let expires_at: Option<i64> = row.try_get(2)?;
        let persons = person_columns(row, 4)?.persons(MatchId(id))?;
        let entry = entry_of(row.try_get(3)?, &persons)?;
        let lobby = match expires_at.map(timestamp) {
            Some(expires_at) => LobbyRow::Open { expires_at, entry },
            None => LobbyRow::Playing { entry },
        };
        listed.push((created_at, MatchId(id), lobby));
    }
    listed.sort_by_key(|(created_at, id, _)| (*created_at, *id));
    let listed = listed.into_iter().map(|(_, id, lobby)| (id, lobby));
    Ok(listed.collect())
}

pub(super) fn unfinished(rows: &[Row]) -> Result<Vec<UnfinishedMatch>, PostgresError> {
    let unfinished = |row: &Row| {
        let expires_at: Option<i64> = row.try_get(2)?;
        Ok(UnfinishedMatch {
            id: MatchId(row.try_get(1)?),
            created_at: timestamp(row.try_get(0)?),
            open_until: expires_at.map(timestamp),
        })
    };
    rows.iter().map(unfinished).collect()
}

/// Reads the rows of [`MATCHES_OF`], and returns the newest `limit` of them, newest first.
pub(super) fn places(rows: &[Row], limit: usize) -> Result<Vec<MatchPlace>, PostgresError> {
    let read = |row: &Row| {
        Ok(MatchPlace {
            created_at: timestamp(row.try_get(0)?),
            match_id: MatchId(row.try_get(1)?),
        })
    };
    let places = rows.iter().map(read).collect::<Result<_, PostgresError>>();
    let mut places: Vec<MatchPlace> = places?;
    places.sort_unstable_by(|one, other| other.cmp(one));
    // A guest may have both seats.
    places.dedup();
    places.truncate(limit);
    Ok(places)
}

/// The parameters of [`MATCHES_OF`] that a place becomes.
pub(super) fn before(before: Option<MatchPlace>) -> (i64, Uuid) {
    before.map_or((i64::MAX, Uuid::nil()), |before| {
        place(before.created_at, before.match_id)
    })
}

/// A place in the order of creation and id, as parameters.
pub(super) fn place(created_at: Timestamp, id: MatchId) -> (i64, Uuid) {
    (whole(created_at.0), id.0)
}

pub(super) fn held_seats(rows: &[Row]) -> Result<HeldSeats, PostgresError> {
    let row = rows.first().ok_or(PostgresError::Incomplete)?;
    let (made, joined): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
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

fn version(version: i32) -> Version {
    Version(u64::try_from(version).unwrap_or_default())
}
