//! Removes matches that ended long ago.

use fibfob_protocol::{Phase, Timestamp};
use fibfob_store::{Hint, MatchChange, StoreError, in_time};

use super::Persons;
use super::way::Way;

/// Counts of matches and events that were removed, or would be.
#[derive(Default)]
pub(crate) struct Pruned {
    pub matches: u64,
    pub events: u64,
}

impl Persons {
    /// Removes the matches whose last event was before this instant, or counts them. A match that cannot be
    /// read stays.
    pub(crate) async fn prune(
        &self,
        before: Timestamp,
        removes: bool,
    ) -> Result<Pruned, StoreError> {
        let (mut pruned, mut way) = (Pruned::default(), Way::all());
        while let Some(found) = way.next(&self.store).await? {
            let id = found.match_id;
            if found.created_at >= before {
                continue;
            }
            let Some((current, records)) = self.read(id).await? else {
                continue;
            };
            let is_finished = matches!(current.phase(), Phase::Over { .. } | Phase::Closed { .. });
            let is_old = records.last().is_some_and(|record| record.at < before);
            if !is_finished || !is_old {
                continue;
            }
            if removes {
                if !in_time(self.store.change_match(id, MatchChange::Remove)).await? {
                    continue;
                }
                self.tell(Hint::Rewritten(id), None);
            }
            pruned.matches += 1;
            pruned.events += records.len() as u64;
        }
        Ok(pruned)
    }
}
