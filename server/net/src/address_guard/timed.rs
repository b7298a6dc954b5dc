//! Things that count against addresses until they end or their time is over.

use std::collections::HashMap;
use std::hash::Hash;

use parking_lot::Mutex;

use super::account::{AddressAccount, AddressSlot};
use super::share::Held;
use crate::client_address::ClientAddress;

/// The slots of these things. Each ends by itself at a time, a `T` by the caller's clock.
pub struct TimedSlots<K, T> {
    held: Held,
    /// The most for all addresses together, if there is such a bound. An address's own bound shrinks as this one
    /// fills up.
    most: Option<usize>,
    taken: Mutex<HashMap<K, (AddressSlot, T)>>,
}

impl<K: Eq + Hash, T: Ord> TimedSlots<K, T> {
    /// Makes slots of which none is taken, at most `most` for all addresses together.
    #[must_use]
    pub fn new(held: Held, most: Option<usize>) -> Self {
        Self {
            held,
            most,
            taken: Mutex::default(),
        }
    }

    /// Takes a slot from `now` to `until`. A thing that has one keeps that.
    ///
    /// # Errors
    /// The bound of the address, or of a network around it, which has as many as it may.
    pub fn begin(&self, key: K, asker: &AddressAccount, now: &T, until: T) -> Result<(), usize> {
        let mut taken = self.taken.lock();
        match taken.contains_key(&key) {
            true => Ok(()),
            false => self.take(&mut taken, key, asker, now, until),
        }
    }

    /// Takes a slot from `now` to `until`, in place of the one that the thing has. Returns true if this address had
    /// none for it.
    ///
    /// # Errors
    /// As [`Self::begin`]; the earlier slot stays then.
    pub fn renew(&self, key: K, asker: &AddressAccount, now: &T, until: T) -> Result<bool, usize> {
        let mut taken = self.taken.lock();
        match taken.get_mut(&key) {
            Some((slot, ends)) if slot.is_of(asker) => {
                *ends = until;
                Ok(false)
            }
            _ => self.take(&mut taken, key, asker, now, until).map(|()| true),
        }
    }

    /// Returns the address that a thing counts against; none if it has no slot.
    pub fn address_of(&self, key: &K) -> Option<ClientAddress> {
        let taken = self.taken.lock();
        taken.get(key).map(|(slot, _)| slot.address())
    }

    /// Ends one before its time.
    pub fn end(&self, key: &K) {
        self.taken.lock().remove(key);
    }

    fn take(
        &self,
        taken: &mut HashMap<K, (AddressSlot, T)>,
        key: K,
        asker: &AddressAccount,
        now: &T,
        until: T,
    ) -> Result<(), usize> {
        let hold = |taken: usize| match self.most {
            Some(most) => asker.hold_part(self.held, most.saturating_sub(taken), most),
            None => asker.hold(self.held),
        };
        // Those whose time is over are in nobody's way until there is no room.
        let slot = hold(taken.len()).or_else(|_| {
            taken.retain(|_, (_, until)| *until > *now);
            hold(taken.len())
        })?;
        taken.insert(key, (slot, until));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;
    use crate::address_guard::{AddressShare, AddressTable};
    use crate::limits::{DEVICE_CODES_PER_ADDRESS, Rate};

    const NOW: u64 = 1_000_000;
    const UNTIL: u64 = NOW + 1;
    const MOST: usize = 4_096;

    /// The accounts of addresses that may have `open` open matches, by number.
    fn accounts(open: usize) -> impl Fn(u32) -> AddressAccount {
        let rate = Rate {
            per_second: 1,
            burst: 1,
        };
        let addresses = AddressTable::new(AddressShare::of(1, open, rate, rate), 8);
        move |number| addresses.account(IpAddr::from(Ipv4Addr::from_bits(number)).into())
    }

    #[test]
    fn hundreds_of_addresses_keep_nobody_from_a_first_slot() {
        let (slots, account) = (TimedSlots::new(Held::DeviceCodes, Some(MOST)), accounts(1));
        let take = |address, key| slots.renew(key, &account(address), &NOW, UNTIL).is_ok();
        let mut keys = 2..;
        let mut take_next = |address| take(address, keys.next().unwrap());
        let (ada, bo) = (0, 1);
        assert!(take(0, ada));
        let alone = (0..100).filter(|_| take_next(1)).count();
        assert!((30..=DEVICE_CODES_PER_ADDRESS).contains(&alone), "{alone}");
        for network in 1..300 {
            while take_next(network) {}
            assert!(take_next(1_000 + network), "{network}");
        }
        for network in 300..900 {
            if slots.taken.lock().len() < MOST - 50 {
                while take_next(network) {}
            }
        }
        assert!(take(2_000, bo), "one of the last ones");
        assert!(!take_next(2_000));
        assert!(take(2_000, bo), "in place of the one before");
        assert!(slots.taken.lock().len() <= MOST);
        assert!(!take(1, ada), "no place of others");
    }

    #[test]
    fn an_ipv6_customer_has_the_slots_of_few_addresses() {
        let rate = Rate {
            per_second: 1,
            burst: 1,
        };
        let addresses = AddressTable::new(AddressShare::of(1, 3, rate, rate), 8);
        let slots = TimedSlots::new(Held::OpenMatches, None);
        let begin = |text: String| {
            let account = addresses.account(text.parse::<IpAddr>().unwrap().into());
            slots.begin(text, &account, &NOW, UNTIL).is_ok()
        };
        let narrow = (0..64).filter(|last| begin(format!("2001:db8:0:{last:x}::1")));
        assert_eq!(narrow.count(), 6, "one /56");
        let wide = (1..64).filter(|last| begin(format!("2001:db8:0:{last:x}00::1")));
        assert_eq!(wide.count(), 6, "one /48");
        assert!(begin("2001:db8:1::1".to_owned()));
    }

    #[test]
    fn what_has_a_slot_keeps_it_until_it_ends_or_its_time_is_over() {
        let (slots, account) = (TimedSlots::new(Held::OpenMatches, None), accounts(3));
        let address = account(1);
        let begin = |key, now, until| slots.begin(key, &address, &now, until);
        assert!((1..=3).all(|key| begin(key, NOW, UNTIL) == Ok(())));
        assert_eq!(begin(1, NOW, UNTIL), Ok(()), "it is counted once");
        assert_eq!(begin(4, NOW, UNTIL), Err(3));
        assert_eq!(slots.begin(5, &account(2), &NOW, UNTIL), Ok(()));
        slots.end(&2);
        assert_eq!(begin(4, NOW, UNTIL), Ok(()));
        assert!((6..=8).all(|key| begin(key, UNTIL, UNTIL + 1) == Ok(())));
        assert_eq!(begin(9, UNTIL, UNTIL + 1), Err(3));
        assert_eq!(slots.taken.lock().len(), 3, "what is over is forgotten");
    }
}
