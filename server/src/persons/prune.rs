//! The removal of matches that ended long ago.

use fibfob_protocol::{Phase, Timestamp};
use fibfob_store::{Hint, MatchChange, StoreError, in_time};

use super::Persons;
use super::way::Way;
use crate::limits::PERSONS_PAGE;

/// The counts of removed matches, or of those that would be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// The matches.
    pub matches: u64,
    /// Their events.
    pub events: u64,
    /// Matches that cannot be read, which stay.
    pub damaged: u64,
}

impl Persons {
    /// Removes the matches whose last event was before this instant, or counts them.
    pub async fn prune(&self, before: Timestamp, removes: bool) -> Result<Pruned, StoreError> {
        let (mut pruned, mut way) = (Pruned::default(), Way::all());
        loop {
            let page = way.next(&self.store, PERSONS_PAGE).await?;
            if page.is_empty() {
                return Ok(pruned);
            }
            for found in page.iter().filter(|found| found.place.created_at < before) {
                let id = found.place.match_id;
                let Some((current, records)) = self.read(id).await? else {
                    pruned.damaged += 1;
                    continue;
                };
                let is_finished =
                    matches!(current.phase(), Phase::Over { .. } | Phase::Closed { .. });
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
        }
    }
}
