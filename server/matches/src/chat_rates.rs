//! Limits how fast chat lines are said: by a guest on all its connections, by a match's spectators at one
//! address, and by an address, because a guest costs nothing to create. The address's account has the last rate.

use std::collections::HashMap;
use std::iter::once;

use fibfob_net::address_guard::Spent;
use fibfob_net::client_address::ClientAddress;
use fibfob_net::token_bucket::TokenBucket;
use fibfob_protocol::{GuestId, MatchId, Refusal};
use parking_lot::Mutex;
use tokio::time::Instant;

use super::chat::ChatAuthor;
use crate::limits::{Rate, SPECTATORS_TALK_RATE, TALK_RATE, TALKERS_MAX};

/// The rates of guests, and of a match's spectators at one address, that have spoken lately on this server: at
/// most [`TALKERS_MAX`].
#[derive(Default)]
pub(crate) struct ChatRates(Mutex<HashMap<Talker, TokenBucket>>);

/// One or several guests that share a rate.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Talker {
    Guest(GuestId),
    Spectators(MatchId, ClientAddress),
}

impl Talker {
    /// The rate, and who has it.
    fn rate(self) -> (Rate, &'static str) {
        match self {
            Self::Guest(_) => (TALK_RATE, "you"),
            Self::Spectators(_, network) => (
                SPECTATORS_TALK_RATE.times(network.shares()),
                "the spectators of a match who have your address",
            ),
        }
    }
}

impl ChatRates {
    /// Takes the tokens for one line, by a spectator of the match `spectated` or by a player.
    ///
    /// # Errors
    /// If there is none left for the author or the address.
    pub(super) fn take(
        &self,
        author: &ChatAuthor,
        spectated: Option<MatchId>,
        now: Instant,
    ) -> Result<(), Refusal> {
        let mut buckets = self.0.lock();
        let networks = author.account.address().networks();
        let spectators =
            networks.filter_map(|network| Some(Talker::Spectators(spectated?, network)));
        let talkers: Vec<_> = once(Talker::Guest(author.guest))
            .chain(spectators)
            .collect();
        if buckets.len() + talkers.len() > TALKERS_MAX {
            buckets.retain(|_, bucket| !bucket.is_full(now));
        }
        let has_room = buckets.len() + talkers.len() <= TALKERS_MAX;
        for talker in &talkers {
            let (rate, who) = talker.rate();
            let mut has_some = || {
                let bucket = buckets.entry(*talker);
                let bucket = bucket.or_insert_with(|| TokenBucket::new(rate, now));
                bucket.check(now).is_ok()
            };
            if !has_room || !has_some() {
                return Err(too_fast(rate, who));
            }
        }
        let of_address = author.account.take(Spent::Talk, now);
        of_address.map_err(|empty| too_fast(empty.rate, "all guests of your address"))?;
        for talker in talkers {
            let bucket = buckets.get_mut(&talker);
            bucket.expect("it was just looked at").owe(1, now);
        }
        Ok(())
    }
}

fn too_fast(rate: Rate, who: &'static str) -> Refusal {
    Refusal::ChatTooFast {
        who,
        burst: rate.burst,
        every_ms: 1_000 / u64::from(rate.per_second),
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use fibfob_net::address_guard::{AddressShare, AddressTable};
    use fibfob_protocol::PlayerName;

    use super::*;
    use crate::limits::ADDRESS_TALK_RATE;

    #[test]
    fn new_guests_of_an_address_or_network_say_no_more_than_it_may() {
        let (rates, now) = (ChatRates::default(), Instant::now());
        let addresses = AddressTable::new(AddressShare::of(1, 1, TALK_RATE, TALK_RATE), 8);
        let says = |address: &str| {
            let author = ChatAuthor {
                guest: GuestId::fresh(),
                name: PlayerName::default(),
                account: addresses.account(address.parse::<IpAddr>().unwrap().into()),
            };
            rates.take(&author, None, now).is_ok()
        };
        let burst = ADDRESS_TALK_RATE.burst as usize;
        let said = (0..200).filter(|_| says("192.0.2.1")).count();
        assert_eq!(said, burst);
        assert!(says("192.0.2.2"), "another address");
        let said = (0..1_000).filter(|number| says(&format!("2001:db8:1:{number:x}::1")));
        assert_eq!(said.count(), 4 * burst, "a /48 network");
    }
}
