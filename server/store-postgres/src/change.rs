//! Changes of a match beside its events: another person on a seat, or no match any more.

use std::sync::Arc;

use fibfob_protocol::MatchId;
use fibfob_store::MatchChange;
use fibfob_store::sql::{self, StoredRow};

use super::error::PostgresError;
use super::lane::Lane;
use super::link::Parameters;
use crate::limits::NOTE_TRIES;

/// Names other persons in a match's row, unless somebody has changed them meanwhile.
const REPLACE: &str = "UPDATE fibfob.match
     SET creator = $2, creator_name = $3, joiner = $4, joiner_name = $5, persons_sum = $6
     WHERE id = $1 AND persons_sum = $7 RETURNING id";
/// Removes a finished match with everything about it.
const REMOVE: &str = "WITH gone AS (
         DELETE FROM fibfob.match WHERE id = $1 AND phase IN ('over', 'closed') RETURNING id
     ), events AS (
         DELETE FROM fibfob.event WHERE match_id IN (SELECT id FROM gone)
     ), notes AS (
         DELETE FROM fibfob.note WHERE about IN (SELECT id FROM gone)
     )
     SELECT id FROM gone";

pub(super) async fn change(
    lane: &Arc<Lane>,
    id: MatchId,
    change: &MatchChange,
) -> Result<bool, PostgresError> {
    let MatchChange::Person(guest, name) = change else {
        return Ok(!lane.write(REMOVE, &[&id.0]).await?.is_empty());
    };
    for _ in 0..NOTE_TRIES {
        let (_, found) = lane.read(sql::PERSONS, &[&id.0]).await?;
        let Some(found) = found.first() else {
            return Ok(false);
        };
        let found = found.persons(0)?;
        let Some(new) = found.replaced(id, *guest, name.as_ref())? else {
            return Ok(false);
        };
        let (creator, joiner) = (&new.creator_name, &new.joiner_name);
        let parameters: Parameters<'_> = &[
            &id.0,
            &new.creator,
            creator,
            &new.joiner,
            joiner,
            &new.sum,
            &found.sum,
        ];
        if !lane.write(REPLACE, parameters).await?.is_empty() {
            return Ok(true);
        }
    }
    Err(PostgresError::Contended)
}
