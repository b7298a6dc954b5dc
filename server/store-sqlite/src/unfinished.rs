//! The matches that are not over, in turn for the sweep.

use fibfob_protocol::{MatchId, Timestamp};
use fibfob_store::{UnfinishedMatch, whole};
use rusqlite::{Connection, Rows};

use super::error::SqliteError;
use super::value::{match_id, timestamp};

/// Reads those after this place, oldest first, from the index alone.
pub(super) fn read_after(
    reader: &Connection,
    (created_at, id): (Timestamp, MatchId),
    limit: usize,
) -> Result<Vec<UnfinishedMatch>, SqliteError> {
    let mut found = reader.prepare_cached(
        "SELECT id, created_at, expires_at FROM match
         WHERE phase NOT IN ('over', 'closed') AND (created_at, id) > (?1, ?2)
         ORDER BY created_at, id LIMIT ?3",
    )?;
    let id = id.0.as_bytes().as_slice();
    collect(found.query((whole(created_at.0), id, whole(limit as u64)))?)
}

fn collect(mut rows: Rows<'_>) -> Result<Vec<UnfinishedMatch>, SqliteError> {
    let mut matches = Vec::new();
    while let Some(row) = rows.next()? {
        matches.push(UnfinishedMatch {
            id: match_id(row.get(0)?)?,
            created_at: timestamp(row, 1)?.unwrap_or_default(),
            open_until: timestamp(row, 2)?,
        });
    }
    Ok(matches)
}
