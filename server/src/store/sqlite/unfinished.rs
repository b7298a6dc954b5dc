//! The newest matches that are not over, for the start of a server.

use fibfob_protocol::{MatchId, Record, Timestamp};
use rusqlite::Connection;

use super::SqliteError;
use super::read::{json, match_id};
use super::row::whole;
use crate::store::UnfinishedMatch;

/// Reads them oldest first: one scan of the index, and two records of each match found.
pub(super) fn read(
    reader: &Connection,
    since: Timestamp,
    limit: usize,
) -> Result<Vec<UnfinishedMatch>, SqliteError> {
    let mut found = reader.prepare_cached(
        "SELECT newest.id, newest.created_at, event.record
         FROM (SELECT id, created_at FROM match
               WHERE phase NOT IN ('over', 'closed') AND created_at >= ?1
               ORDER BY created_at DESC LIMIT ?2) AS newest
         JOIN event ON event.match_id = newest.id AND event.version <= 2
         ORDER BY newest.created_at, newest.id, event.version",
    )?;
    let mut rows = found.query((whole(since.0), whole(limit as u64)))?;
    let mut matches: Vec<UnfinishedMatch> = Vec::new();
    while let Some(row) = rows.next()? {
        let id: MatchId = match_id(row.get(0)?)?;
        // Reported when a client opens the match; other matches are not affected.
        let Ok(record) = json::<Record>("a record", &row.get::<_, String>(2)?) else {
            continue;
        };
        match matches.last_mut() {
            Some(last) if last.id == id => last.records.push(record),
            _ => {
                let created_at = u64::try_from(row.get::<_, i64>(1)?).unwrap_or_default();
                matches.push(UnfinishedMatch {
                    id,
                    created_at: Timestamp(created_at),
                    records: vec![record],
                });
            }
        }
    }
    Ok(matches)
}
