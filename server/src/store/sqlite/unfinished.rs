//! The newest matches that are not over, for the start of a server.

use fibfob_protocol::{Seat, Timestamp};
use rusqlite::Connection;

use super::SqliteError;
use super::row::{guest, whole};
use super::value::{match_id, timestamp};
use crate::store::UnfinishedMatch;

/// Reads them oldest first, from the index alone.
pub(super) fn read(
    reader: &Connection,
    since: Timestamp,
    limit: usize,
) -> Result<Vec<UnfinishedMatch>, SqliteError> {
    let mut found = reader.prepare_cached(
        "SELECT id, created_at, expires_at, creator, joiner FROM match
         WHERE phase NOT IN ('over', 'closed') AND created_at >= ?1
         ORDER BY created_at DESC LIMIT ?2",
    )?;
    let mut rows = found.query((whole(since.0), whole(limit as u64)))?;
    let mut matches = Vec::new();
    while let Some(row) = rows.next()? {
        let seats = [
            (Seat::Creator, guest(row, 3)?),
            (Seat::Joiner, guest(row, 4)?),
        ];
        let seated = seats
            .into_iter()
            .filter_map(|(seat, guest)| Some((seat, guest?)));
        matches.push(UnfinishedMatch {
            id: match_id(row.get(0)?)?,
            created_at: timestamp(row, 1)?.unwrap_or_default(),
            open_until: timestamp(row, 2)?,
            seated: seated.collect(),
        });
    }
    matches.reverse();
    Ok(matches)
}
