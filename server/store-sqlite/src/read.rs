//! Reading of the index and the key, which recognises values that are not what was written.

use fibfob_protocol::{GuestId, MatchId, MatchPlace, Timestamp};
use fibfob_store::identity::ServerKey;
use fibfob_store::{HeldSeats, LobbyRow, UnfinishedMatch, checksum, entry_of, whole};
use rusqlite::{Connection, OptionalExtension};
use uuid::Uuid;

use super::error::SqliteError;
use super::row::{match_id, number, person_columns, read_rows, timestamp};

/// Reads the lobby's rows of one phase, newest first.
pub(super) fn lobby_rows(
    reader: &Connection,
    phase: &str,
    limit: usize,
) -> Result<Vec<(MatchId, LobbyRow)>, SqliteError> {
    let sql =
        "SELECT id, expires_at, lobby, creator, creator_name, joiner, joiner_name, persons_sum
               FROM match WHERE lobby IS NOT NULL AND phase = ?1 ORDER BY created_at DESC LIMIT ?2";
    read_rows(reader, sql, (phase, whole(limit as u64)), |row| {
        let id = match_id(row, 0)?;
        let persons = person_columns(row, 3)?.persons(id)?;
        let entry = entry_of(row.get_ref(2)?.as_str().unwrap_or_default(), &persons)?;
        let lobby_row = match timestamp(row, 1)? {
            Some(expires_at) => LobbyRow::Open { expires_at, entry },
            None => LobbyRow::Playing { entry },
        };
        Ok((id, lobby_row))
    })
}

pub(super) fn match_ids(
    reader: &Connection,
    after: Option<MatchId>,
    limit: usize,
) -> Result<Vec<MatchId>, SqliteError> {
    let sql = "SELECT id FROM match WHERE id > ?1 ORDER BY id LIMIT ?2";
    // No id is shorter than another one.
    let after = after.map_or_else(Vec::new, |id| id.0.as_bytes().to_vec());
    read_rows(reader, sql, (after, whole(limit as u64)), |row| {
        Ok(match_id(row, 0)?)
    })
}

pub(super) fn find(reader: &Connection, code: &str) -> Result<Option<MatchId>, SqliteError> {
    let mut found = reader.prepare_cached("SELECT id FROM match WHERE code = ?1")?;
    Ok(found.query_row([code], |row| match_id(row, 0)).optional()?)
}

/// Reads the unfinished matches after this place, oldest first, from the index alone.
pub(super) fn unfinished_after(
    reader: &Connection,
    (created_at, id): (Timestamp, MatchId),
    limit: usize,
) -> Result<Vec<UnfinishedMatch>, SqliteError> {
    let sql = "SELECT id, created_at, expires_at FROM match
               WHERE phase NOT IN ('over', 'closed') AND (created_at, id) > (?1, ?2)
               ORDER BY created_at, id LIMIT ?3";
    let parameters = (whole(created_at.0), id.0, whole(limit as u64));
    read_rows(reader, sql, parameters, |row| {
        Ok(UnfinishedMatch {
            id: match_id(row, 0)?,
            created_at: Timestamp(number(row, 1)?),
            open_until: timestamp(row, 2)?,
        })
    })
}

/// Reads the newest matches in which a guest has a seat, newest first, from the index alone.
pub(super) fn matches_of(
    reader: &Connection,
    guest: GuestId,
    finished: bool,
    before: Option<MatchPlace>,
    limit: usize,
) -> Result<Vec<MatchPlace>, SqliteError> {
    let (created_at, id) = before.map_or((i64::MAX, Uuid::nil()), |place| {
        (whole(place.created_at.0), place.match_id.0)
    });
    let mut found = Vec::new();
    for phase in match finished {
        true => ["over"].as_slice(),
        false => ["open", "playing"].as_slice(),
    } {
        for seat in ["creator", "joiner"] {
            let sql = format!(
                "SELECT id, created_at FROM match
                 WHERE {seat} = ?1 AND phase = ?2 AND (created_at, id) < (?3, ?4)
                 ORDER BY created_at DESC, id DESC LIMIT ?5"
            );
            let parameters = (guest.0, phase, created_at, id, whole(limit as u64));
            found.extend(read_rows(reader, &sql, parameters, |row| {
                Ok(MatchPlace {
                    created_at: Timestamp(number(row, 1)?),
                    match_id: match_id(row, 0)?,
                })
            })?);
        }
    }
    found.sort_unstable_by(|one, other| other.cmp(one));
    // A guest may have both seats.
    found.dedup();
    found.truncate(limit);
    Ok(found)
}

/// Counts the seats of a guest in matches that are not over, were created at `since` or later and have
/// not expired at `now`.
pub(super) fn held_seats(
    reader: &Connection,
    guest: GuestId,
    since: Timestamp,
    now: Timestamp,
) -> Result<HeldSeats, SqliteError> {
    let of_seat = |seat: &str| -> Result<u32, SqliteError> {
        let mut counted = reader.prepare_cached(&format!(
            "SELECT count(*) FROM match
             WHERE {seat} = ?1 AND phase IN ('open', 'playing') AND created_at >= ?2
               AND (expires_at IS NULL OR expires_at > ?3)"
        ))?;
        let parameters = (guest.0, whole(since.0), whole(now.0));
        let count = counted.query_row(parameters, |row| number(row, 0))?;
        Ok(u32::try_from(count).unwrap_or(u32::MAX))
    };
    let (made, joined) = (of_seat("creator")?, of_seat("joiner")?);
    Ok(HeldSeats {
        made,
        held: made.saturating_add(joined),
    })
}

pub(super) fn key(reader: &Connection) -> Result<ServerKey, SqliteError> {
    let sql = "SELECT key, sum FROM server_key";
    let (bytes, sum): (Vec<u8>, i64) =
        reader.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(checksum::verified_key(&bytes, sum)?)
}
