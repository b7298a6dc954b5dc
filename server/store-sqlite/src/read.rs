//! Reading of the index and the key, which recognises values that are not what was written.

use fibfob_protocol::{GuestId, MatchId, MatchPlace, Timestamp};
use fibfob_store::identity::ServerKey;
use fibfob_store::{
    HeldSeats, IndexedMatch, Listing, LobbyRow, StoredRow, checksum, oldest_first, whole,
};
use rusqlite::{Connection, Params};
use uuid::Uuid;

use super::error::SqliteError;
use super::row::{read_row, read_rows};

/// Reads the lobby's rows, oldest first.
pub(super) fn lobby_rows(
    reader: &Connection,
    limit: usize,
) -> Result<Vec<(MatchId, LobbyRow)>, SqliteError> {
    let sql = "SELECT created_at, id, expires_at, lobby,
                      creator, creator_name, joiner, joiner_name, persons_sum
               FROM match WHERE lobby IS NOT NULL AND phase = ?1 ORDER BY created_at DESC LIMIT ?2";
    let mut rows = Vec::new();
    for phase in ["open", "playing"] {
        let parameters = (phase, whole(limit as u64));
        rows.extend(read_rows(reader, sql, parameters, |row| row.lobby_row())?);
    }
    Ok(oldest_first(rows))
}

/// Reads the first `limit` matches that are asked for, each query from one end of an index.
pub(super) fn list(
    reader: &Connection,
    query: &Listing,
    limit: usize,
) -> Result<Vec<IndexedMatch>, SqliteError> {
    let rows = whole(limit as u64);
    match query {
        Listing::OfCode(code) => listed(reader, "code = ?2", (rows, code.as_str())),
        Listing::UnfinishedAfter(MatchPlace {
            created_at,
            match_id,
        }) => {
            let wanted = "phase NOT IN ('over', 'closed') AND (created_at, id) > (?2, ?3)
                          ORDER BY created_at, id";
            listed(reader, wanted, (rows, whole(created_at.0), match_id.0))
        }
        Listing::OfGuest {
            guest,
            finished,
            before,
        } => {
            let (created_at, id) = before.map_or((i64::MAX, Uuid::nil()), |place| {
                (whole(place.created_at.0), place.match_id.0)
            });
            let mut found = Vec::new();
            for phase in Listing::phases(*finished) {
                for seat in ["creator", "joiner"] {
                    let wanted = format!(
                        "{seat} = ?2 AND phase = ?3 AND (created_at, id) < (?4, ?5)
                         ORDER BY created_at DESC, id DESC"
                    );
                    let parameters = (rows, guest.0, phase, created_at, id);
                    found.extend(listed(reader, &wanted, parameters)?);
                }
            }
            Ok(IndexedMatch::newest(found, limit))
        }
        Listing::After(id) => listed(reader, "id > ?2 ORDER BY id", (rows, id.0)),
    }
}

fn listed(
    reader: &Connection,
    wanted: &str,
    parameters: impl Params,
) -> Result<Vec<IndexedMatch>, SqliteError> {
    let sql = format!("SELECT created_at, id, expires_at FROM match WHERE {wanted} LIMIT ?1");
    read_rows(reader, &sql, parameters, |row| row.listed())
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
        let sql = format!(
            "SELECT count(*) FROM match
             WHERE {seat} = ?1 AND phase IN ('open', 'playing') AND created_at >= ?2
               AND (expires_at IS NULL OR expires_at > ?3)"
        );
        let parameters = (guest.0, whole(since.0), whole(now.0));
        let count = read_row(reader, &sql, parameters, |row| row.number(0))?;
        Ok(u32::try_from(count.unwrap_or_default()).unwrap_or(u32::MAX))
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
