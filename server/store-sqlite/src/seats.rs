//! The matches in which a guest has a seat, from the index alone.

use fibfob_protocol::{GuestId, MatchPlace, Timestamp};
use fibfob_store::{HeldSeats, whole};
use rusqlite::Connection;

use super::error::SqliteError;
use super::value::{match_id, timestamp};

/// Reads the newest of them, newest first.
pub(super) fn read(
    reader: &Connection,
    guest: GuestId,
    finished: bool,
    before: Option<MatchPlace>,
    limit: usize,
) -> Result<Vec<MatchPlace>, SqliteError> {
    let mut found = Vec::new();
    for phase in match finished {
        true => ["over"].as_slice(),
        false => ["open", "playing"].as_slice(),
    } {
        for seat in ["creator", "joiner"] {
            read_seat(reader, guest, (seat, phase), before, limit, &mut found)?;
        }
    }
    found.sort_unstable_by(|one, other| other.cmp(one));
    // A guest may have both seats.
    found.dedup();
    found.truncate(limit);
    Ok(found)
}

fn read_seat(
    reader: &Connection,
    guest: GuestId,
    (seat, phase): (&str, &str),
    before: Option<MatchPlace>,
    limit: usize,
    found: &mut Vec<MatchPlace>,
) -> Result<(), SqliteError> {
    let mut rows = reader.prepare_cached(&format!(
        "SELECT id, created_at FROM match
         WHERE {seat} = ?1 AND phase = ?2 AND (created_at, id) < (?3, ?4)
         ORDER BY created_at DESC, id DESC LIMIT ?5"
    ))?;
    let (created_at, id) = match &before {
        Some(place) => (whole(place.created_at.0), place.match_id.0.as_bytes()),
        None => (i64::MAX, &[0; 16]),
    };
    let guest = guest.0.as_bytes().as_slice();
    let limit = whole(limit as u64);
    let mut rows = rows.query((guest, phase, created_at, id.as_slice(), limit))?;
    while let Some(row) = rows.next()? {
        found.push(MatchPlace {
            created_at: timestamp(row, 1)?.unwrap_or(Timestamp(0)),
            match_id: match_id(row.get(0)?)?,
        });
    }
    Ok(())
}

/// Counts the seats of a guest in matches that are not over, were created at `since` or later and have
/// not expired at `now`.
pub(super) fn count(
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
        let guest = guest.0.as_bytes().as_slice();
        let parameters = (guest, whole(since.0), whole(now.0));
        let count: i64 = counted.query_row(parameters, |row| row.get(0))?;
        Ok(u32::try_from(count).unwrap_or(u32::MAX))
    };
    let (made, joined) = (of_seat("creator")?, of_seat("joiner")?);
    Ok(HeldSeats {
        made,
        held: made.saturating_add(joined),
    })
}
