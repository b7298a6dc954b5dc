//! The matches that wait for a second player, counted by the address that made them.
//!
//! A guest costs nothing, so the bound on a guest's matches alone would not keep one address from
//! filling a server with open ones. The address of a match is in no log: after a restart those made
//! before it are not counted. Knows only the index row of a match.

use fibfob_net::address_guard::{AddressAccount, Held, TimedSlots};
use fibfob_protocol::{MatchId, Refusal, Timestamp};
use fibfob_store::IndexRow;

use crate::clock::Clock;

/// The open matches that were made here, each with the time at which it closes by itself: it expires also
/// while it is not in memory.
pub(crate) struct OpenMatches {
    opened: TimedSlots<MatchId, Timestamp>,
    clock: Clock,
}

impl OpenMatches {
    /// No open matches.
    pub(crate) fn new(clock: Clock) -> Self {
        Self {
            opened: TimedSlots::new(Held::OpenMatches, None),
            clock,
        }
    }

    /// Counts a match that is about to be open until this time; returns false if it is counted already.
    ///
    /// # Errors
    /// If the address, or a wider network that it is counted in, has as many as it may.
    pub(super) fn begin(
        &self,
        id: MatchId,
        creator: &AddressAccount,
        until: Timestamp,
    ) -> Result<bool, Refusal> {
        let begun = self.opened.begin(id, creator, &self.clock.now(), until);
        begun.map_err(Refusal::AddressTooManyMatches)
    }

    /// Updates a match from its index row.
    pub(super) fn note(&self, id: MatchId, row: &IndexRow) {
        if row.open_until.is_none() {
            self.end(id);
        }
    }

    /// Forgets a match.
    pub(super) fn end(&self, id: MatchId) {
        self.opened.end(&id);
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use fibfob_net::address_guard::{AddressShare, AddressTable};
    use fibfob_protocol::{Code, GuestId};

    use super::*;
    use crate::limits::Rate;

    fn open_matches() -> (OpenMatches, Arc<AddressTable>, Arc<AtomicU64>) {
        let now = Arc::new(AtomicU64::new(0));
        let read = Arc::clone(&now);
        let clock = Clock::from_fn(move || Timestamp(read.load(Ordering::SeqCst)));
        let rate = Rate {
            per_second: 1,
            burst: 1,
        };
        let addresses = AddressTable::new(AddressShare::of(1, 3, rate, rate), 8);
        (OpenMatches::new(clock), addresses, now)
    }

    fn some_match() -> MatchId {
        MatchId(GuestId::fresh().0)
    }

    fn ip(addresses: &AddressTable, text: &str) -> AddressAccount {
        addresses.account(text.parse::<IpAddr>().unwrap().into())
    }

    #[test]
    fn open_matches_are_bounded_per_address_until_they_end_or_expire() {
        let (openings, addresses, now) = open_matches();
        let address = ip(&addresses, "192.0.2.1");
        let begin = |id, until| openings.begin(id, &address, Timestamp(until)).is_ok();
        let ids = [some_match(), some_match(), some_match()];
        assert!(ids.iter().all(|id| begin(*id, 100)));
        assert!(begin(ids[0], 100), "a repeated request counts once");
        assert!(!begin(some_match(), 100));
        assert!(
            openings
                .begin(some_match(), &ip(&addresses, "192.0.2.2"), Timestamp(9))
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
    }

    #[test]
    fn the_open_matches_of_an_ipv6_customer_are_bounded() {
        let (openings, addresses, _) = open_matches();
        let begin = |text: String| {
            openings
                .begin(some_match(), &ip(&addresses, &text), Timestamp(9))
                .is_ok()
        };
        let narrow = (0..64).filter(|last| begin(format!("2001:db8:0:{last:x}::1")));
        assert_eq!(narrow.count(), 6, "one /56");
        let wide = (1..64).filter(|last| begin(format!("2001:db8:0:{last:x}00::1")));
        assert_eq!(wide.count(), 6, "one /48");
        assert!(begin("2001:db8:1::1".to_owned()));
    }
}
