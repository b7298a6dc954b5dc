//! Changes of a guest's own matches, for connections that watch them.

use std::collections::{BTreeMap, HashMap};

use fibfob_protocol::{GuestId, GuestMatch, Match, MatchId, Seat, Version};
use tokio::sync::watch;
use tokio::time::sleep;

use super::feed::Inspection;
use super::presence_set::player;
use crate::limits::{LOBBY_EVERY, OWN_CHANGES_KEPT};

/// The newest changes of one guest's matches.
#[derive(Default)]
pub(super) struct OwnChanges {
    /// The number of changes so far.
    number: u64,
    /// The newest change of each match and its number, for at most [`OWN_CHANGES_KEPT`] matches.
    newest: BTreeMap<MatchId, (u64, OwnChange)>,
}

#[derive(Clone)]
pub(super) enum OwnChange {
    /// The match as a task of this server has published it.
    Here(Box<GuestMatch>),
    /// Another server has told of it, and it is not in memory here. Whoever shows it reads it.
    Elsewhere,
}

/// A guest's own matches as one connection watches them.
pub struct WatchedMatches {
    guest: GuestId,
    changes: watch::Receiver<OwnChanges>,
    /// The number of changes seen.
    seen: u64,
    /// The newest version of each match that was shown, for at most [`OWN_CHANGES_KEPT`] matches.
    shown: HashMap<MatchId, Version>,
}

impl OwnChanges {
    pub(super) fn push(&mut self, id: MatchId, change: OwnChange) {
        self.number += 1;
        self.newest.insert(id, (self.number, change));
        if self.newest.len() > OWN_CHANGES_KEPT {
            let oldest = self.newest.iter().min_by_key(|(_, (number, _))| *number);
            if let Some(oldest) = oldest.map(|(id, _)| *id) {
                self.newest.remove(&oldest);
            }
        }
    }

    fn after(&self, seen: u64) -> Vec<(MatchId, OwnChange)> {
        let changes = self.newest.iter();
        let missed = changes.filter(|(_, (number, _))| *number > seen);
        missed
            .map(|(id, (_, change))| (*id, change.clone()))
            .collect()
    }
}

impl WatchedMatches {
    pub(super) fn new(guest: GuestId, mut changes: watch::Receiver<OwnChanges>) -> Self {
        let seen = changes.borrow_and_update().number;
        Self {
            guest,
            changes,
            seen,
            shown: HashMap::new(),
        }
    }

    /// Waits for changes, and returns the matches as they are then; none when the guest's connections have
    /// ended. `read` reads a match that is out of memory; one that cannot be read is left out.
    pub async fn next<F: Future<Output = Option<Inspection>>>(
        &mut self,
        read: impl Fn(MatchId) -> F,
    ) -> Option<Vec<GuestMatch>> {
        loop {
            self.changes.changed().await.ok()?;
            // Changes that come together go into one message.
            sleep(LOBBY_EVERY).await;
            let missed = {
                let changes = self.changes.borrow_and_update();
                let missed = changes.after(self.seen);
                self.seen = changes.number;
                missed
            };
            let mut matches = Vec::new();
            for (id, change) in missed {
                let changed = match change {
                    OwnChange::Here(changed) => Some(*changed),
                    OwnChange::Elsewhere => read(id).await.and_then(|read| read.own_of(self.guest)),
                };
                matches.extend(changed.filter(|changed| self.show(changed)));
            }
            if !matches.is_empty() {
                return Some(matches);
            }
        }
    }

    /// Notes a match as shown. Returns false if this version was shown before.
    fn show(&mut self, changed: &GuestMatch) -> bool {
        if self.shown.len() >= OWN_CHANGES_KEPT {
            // A match may be shown twice after this, which does no harm.
            self.shown.clear();
        }
        let before = self.shown.insert(changed.place.match_id, changed.version);
        before.is_none_or(|before| before < changed.version)
    }
}

/// Lists the guests who have a seat in a match.
#[must_use]
pub fn players(current: &Match) -> Vec<GuestId> {
    let players = Seat::BOTH.into_iter();
    let players = players.filter_map(|seat| player(current, seat)?.guest());
    players.map(|(guest, _)| guest).collect()
}
