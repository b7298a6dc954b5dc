//! Codes that carry a guest to another device: how they are drawn, shown and typed, and how many an
//! address may have. The store keeps them.

use fibfob_net::address_guard::{AddressAccount, Held};
use fibfob_protocol::{Code, GuestId, Timestamp};
use rand::{Rng, RngExt};

use super::guest_slots::GuestSlots;
use crate::limits::{DEVICE_CODE_CHARS, DEVICE_CODE_FOR, DEVICE_CODE_GROUP, DEVICE_CODES_MAX};

/// The codes that are good now, each counted against the address that asked for it.
pub(crate) struct DeviceCodes(GuestSlots);

impl Default for DeviceCodes {
    fn default() -> Self {
        Self(GuestSlots::new(
            Held::DeviceCodes,
            DEVICE_CODES_MAX,
            DEVICE_CODE_FOR,
        ))
    }
}

/// The letters of a code, without separators.
struct Secret(String);

impl Secret {
    fn draw(rng: &mut (impl Rng + ?Sized)) -> Self {
        let alphabet = Code::ALPHABET.as_bytes();
        let letter = |_| char::from(alphabet[rng.random_range(0..alphabet.len())]);
        Self((0..DEVICE_CODE_CHARS).map(letter).collect())
    }

    /// The code as people type it: case, spaces and hyphens do not matter.
    fn typed(text: &str) -> Self {
        let letters = text.chars().filter(char::is_ascii_alphanumeric);
        let letters = letters.map(|letter| letter.to_ascii_uppercase());
        Self(letters.take(DEVICE_CODE_CHARS + 1).collect())
    }

    fn shown(&self) -> String {
        let groups = self.0.as_bytes().chunks(DEVICE_CODE_GROUP);
        let groups = groups.map(|group| String::from_utf8_lossy(group).into_owned());
        groups.collect::<Vec<_>>().join("-")
    }
}

/// The letters of a code as people type it.
pub(crate) fn device_code_letters(typed: &str) -> String {
    Secret::typed(typed).0
}

/// Returns true if a text is in the form in which codes are shown.
pub(crate) fn is_device_code(text: &str) -> bool {
    let typed = Secret::typed(text);
    let known = |letter: char| Code::ALPHABET.contains(letter);
    typed.0.len() == DEVICE_CODE_CHARS && typed.0.chars().all(known) && typed.shown() == text
}

impl DeviceCodes {
    /// Makes a code for a guest in place of the one before, and returns it with the end of its time.
    /// None if the address that asks for it has as many as it may.
    pub(crate) fn issue(
        &self,
        guest: GuestId,
        asker: &AddressAccount,
        now: Timestamp,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<(String, Timestamp)> {
        let until = self.0.take(guest, asker, now)?;
        Some((Secret::draw(rng).shown(), until))
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use fibfob_net::address_guard::{AddressShare, AddressTable};
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use super::*;
    use crate::limits::{DEVICE_CODES_PER_ADDRESS, Rate};

    const NOW: Timestamp = Timestamp(1_000_000);

    fn codes() -> (DeviceCodes, StdRng) {
        (DeviceCodes::default(), StdRng::seed_from_u64(12))
    }

    /// The accounts of addresses, by number.
    fn accounts() -> impl Fn(u32) -> AddressAccount {
        let rate = Rate {
            per_second: 1,
            burst: 1,
        };
        let addresses = AddressTable::new(AddressShare::of(1, 1, rate, rate), 8);
        move |number| addresses.account(IpAddr::from(Ipv4Addr::from_bits(number)).into())
    }

    #[test]
    fn a_code_is_read_as_people_type_it() {
        let (codes, mut rng) = codes();
        let (code, until) = codes
            .issue(GuestId::fresh(), &accounts()(0), NOW, &mut rng)
            .unwrap();
        assert_eq!(until, NOW.after(DEVICE_CODE_FOR));
        assert_eq!(code.len(), DEVICE_CODE_CHARS + 2, "{code}");
        assert!(is_device_code(&code) && !is_device_code(&code[1..]));
        assert!(!is_device_code("<x>2-2222-2222") && !is_device_code("0000-1111-IIII"));
        let typed = code.replace('-', " ").to_lowercase();
        assert_eq!(device_code_letters(&typed), device_code_letters(&code));
        for wrong in ["", "-", &code[1..], &format!("{code}A")] {
            assert_ne!(
                device_code_letters(wrong),
                device_code_letters(&code),
                "{wrong}"
            );
        }
    }

    #[test]
    fn hundreds_of_addresses_keep_nobody_from_a_first_code() {
        let ((codes, mut rng), account) = (codes(), accounts());
        let mut issue =
            |address: u32, guest: GuestId| codes.issue(guest, &account(address), NOW, &mut rng);
        let ada = GuestId::fresh();
        issue(0, ada).unwrap();
        let alone = (0..100)
            .filter(|_| issue(1, GuestId::fresh()).is_some())
            .count();
        assert!((30..=DEVICE_CODES_PER_ADDRESS).contains(&alone), "{alone}");
        for network in 1..300 {
            while issue(network, GuestId::fresh()).is_some() {}
            assert!(
                issue(1_000 + network, GuestId::fresh()).is_some(),
                "{network}"
            );
        }
        for network in 300..900 {
            if codes.0.taken.lock().len() < DEVICE_CODES_MAX - 50 {
                while issue(network, GuestId::fresh()).is_some() {}
            }
        }
        let bo = GuestId::fresh();
        assert!(issue(2_000, bo).is_some(), "one of the last ones");
        assert!(issue(2_000, GuestId::fresh()).is_none());
        assert!(issue(2_000, bo).is_some(), "in place of the one before");
        assert!(codes.0.taken.lock().len() <= DEVICE_CODES_MAX);
        assert!(issue(1, ada).is_none(), "no place of others");
    }
}
