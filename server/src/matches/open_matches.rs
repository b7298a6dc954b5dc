//! The matches that wait for a second player, counted by the address that made them.
//!
//! A guest costs nothing, so the bound on a guest's matches alone would not keep one address from
//! filling a server with open ones. The address of a match is in no log: after a restart those made
//! before it are not counted. Knows only the index row of a match.

use std::collections::{HashMap, HashSet};
use std::iter::successors;

use fibfob_protocol::{MatchId, Refusal, Timestamp};
use fibfob_store::IndexRow;
use parking_lot::Mutex;

use crate::clock::Clock;
use crate::net::client_address::ClientAddress;

/// The open matches of each address.
pub(crate) struct OpenMatches {
    opened: Mutex<OpenedMatches>,
    clock: Clock,
    per_address: usize,
}

#[derive(Default)]
struct OpenedMatches {
    by_id: HashMap<MatchId, (ClientAddress, Timestamp)>,
    by_network: HashMap<ClientAddress, HashSet<MatchId>>,
}

impl OpenMatches {
    /// No open matches, with this bound on those of one address.
    pub(crate) fn new(clock: Clock, per_address: usize) -> Self {
        Self {
            opened: Mutex::default(),
            clock,
            per_address,
        }
    }

    /// Counts a match that is about to be open until this time, unless it is counted already.
    ///
    /// # Errors
    /// If the address, or a wider network that it is counted in, has as many as it may.
    pub(super) fn begin(
        &self,
        id: MatchId,
        address: ClientAddress,
        until: Timestamp,
    ) -> Result<(), Refusal> {
        let now = self.clock.now();
        let mut opened = self.opened.lock();
        if opened.by_id.contains_key(&id) {
            return Ok(());
        }
        for network in networks(address) {
            opened.forget_expired(network, now);
            let max = self.per_address.saturating_mul(network.shares() as usize);
            let count = opened.by_network.get(&network).map_or(0, HashSet::len);
            if count >= max {
                return Err(Refusal::AddressTooManyMatches(max));
            }
        }
        opened.by_id.insert(id, (address, until));
        for network in networks(address) {
            opened.by_network.entry(network).or_default().insert(id);
        }
        Ok(())
    }

    /// Updates a match from its index row.
    pub(super) fn note(&self, id: MatchId, row: &IndexRow) {
        if row.open_until.is_none() {
            self.end(id);
        }
    }

    /// Forgets a match.
    pub(super) fn end(&self, id: MatchId) {
        self.opened.lock().end(id);
    }
}

impl OpenedMatches {
    fn end(&mut self, id: MatchId) {
        let Some((address, _)) = self.by_id.remove(&id) else {
            return;
        };
        for network in networks(address) {
            if let Some(ids) = self.by_network.get_mut(&network) {
                ids.remove(&id);
                if ids.is_empty() {
                    self.by_network.remove(&network);
                }
            }
        }
    }

    /// An open match expires also while it is not in memory.
    fn forget_expired(&mut self, network: ClientAddress, now: Timestamp) {
        let ids = self.by_network.get(&network).into_iter().flatten();
        let expired = |id: &MatchId| self.by_id.get(id).is_none_or(|(_, until)| *until <= now);
        let expired: Vec<MatchId> = ids.copied().filter(expired).collect();
        for id in expired {
            self.end(id);
        }
    }
}

/// The networks that an address is counted in.
fn networks(address: ClientAddress) -> impl Iterator<Item = ClientAddress> {
    successors(Some(address), |network| network.wider())
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use fibfob_protocol::{Code, GuestId};

    use super::*;

    fn open_matches() -> (OpenMatches, Arc<AtomicU64>) {
        let now = Arc::new(AtomicU64::new(0));
        let read = Arc::clone(&now);
        let clock = Clock::from_fn(move || Timestamp(read.load(Ordering::SeqCst)));
        (OpenMatches::new(clock, 3), now)
    }

    fn some_match() -> MatchId {
        MatchId(GuestId::fresh().0)
    }

    fn ip(text: &str) -> ClientAddress {
        text.parse::<IpAddr>().unwrap().into()
    }

    #[test]
    fn open_matches_are_bounded_per_address_until_they_end_or_expire() {
        let (openings, now) = open_matches();
        let address = ip("192.0.2.1");
        let begin = |id, until| openings.begin(id, address, Timestamp(until)).is_ok();
        let ids = [some_match(), some_match(), some_match()];
        assert!(ids.iter().all(|id| begin(*id, 100)));
        assert!(begin(ids[0], 100), "a repeated request counts once");
        assert!(!begin(some_match(), 100));
        assert!(
            openings
                .begin(some_match(), ip("192.0.2.2"), Timestamp(9))
                .is_ok()
        );
        let mut row = IndexRow {
            code: Code::draw(&mut rand::rng()),
            phase: "open",
            created_at: Timestamp(1),
            lobby: None,
            seated: Vec::new(),
            open_until: Some(Timestamp(100)),
        };
        openings.note(ids[1], &row);
        assert!(!begin(some_match(), 100));
        row.open_until = None;
        openings.note(ids[1], &row);
        assert!(begin(some_match(), 100));
        now.store(100, Ordering::SeqCst);
        assert!((0..3).all(|_| begin(some_match(), 200)) && !begin(some_match(), 200));
        assert_eq!(
            openings.opened.lock().by_id.len(),
            4,
            "what expired is forgotten"
        );
    }

    #[test]
    fn the_open_matches_of_an_ipv6_customer_are_bounded() {
        let (openings, _) = open_matches();
        let begin = |text: String| {
            openings
                .begin(some_match(), ip(&text), Timestamp(9))
                .is_ok()
        };
        let narrow = (0..64).filter(|last| begin(format!("2001:db8:0:{last:x}::1")));
        assert_eq!(narrow.count(), 6, "one /56");
        let wide = (1..64).filter(|last| begin(format!("2001:db8:0:{last:x}00::1")));
        assert_eq!(wide.count(), 6, "one /48");
        assert!(begin("2001:db8:1::1".to_owned()));
    }
}
