//! Codes that carry a guest to another device: how they are drawn, shown and typed, and how many an
//! address may have. The store keeps them.

use fibfob_net::address_guard::Held;
use fibfob_protocol::Code;
use rand::{Rng, RngExt};

use super::guest_slots::GuestSlots;
use crate::limits::{DEVICE_CODE_CHARS, DEVICE_CODE_FOR, DEVICE_CODE_GROUP, DEVICE_CODES_MAX};

/// The places of the codes that are good now, each counted against the address that asked for it.
pub(crate) fn device_code_slots() -> GuestSlots {
    GuestSlots::new(Held::DeviceCodes, DEVICE_CODES_MAX, DEVICE_CODE_FOR)
}

/// Draws a code, as it is shown.
pub(crate) fn draw_device_code(rng: &mut dyn Rng) -> String {
    let alphabet = Code::ALPHABET.as_bytes();
    let letter = |_| char::from(alphabet[rng.random_range(0..alphabet.len())]);
    shown(&(0..DEVICE_CODE_CHARS).map(letter).collect::<String>())
}

fn shown(letters: &str) -> String {
    let groups = letters.as_bytes().chunks(DEVICE_CODE_GROUP);
    let groups = groups.map(|group| String::from_utf8_lossy(group).into_owned());
    groups.collect::<Vec<_>>().join("-")
}

/// The letters of a code as people type it: case, spaces and hyphens do not matter.
pub(super) fn letters(typed: &str) -> String {
    let letters = typed.chars().filter(char::is_ascii_alphanumeric);
    let letters = letters.map(|letter| letter.to_ascii_uppercase());
    letters.take(DEVICE_CODE_CHARS + 1).collect()
}

/// Returns true if a text is in the form in which codes are shown.
pub(crate) fn is_device_code(text: &str) -> bool {
    let typed = letters(text);
    let known = |letter: char| Code::ALPHABET.contains(letter);
    typed.len() == DEVICE_CODE_CHARS && typed.chars().all(known) && shown(&typed) == text
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use fibfob_net::address_guard::{AddressAccount, AddressShare, AddressTable};
    use fibfob_protocol::{GuestId, Timestamp};
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use super::*;
    use crate::limits::{DEVICE_CODES_PER_ADDRESS, Rate};

    const NOW: Timestamp = Timestamp(1_000_000);

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
        let code = draw_device_code(&mut StdRng::seed_from_u64(12));
        assert_eq!(code.len(), DEVICE_CODE_CHARS + 2, "{code}");
        assert!(is_device_code(&code) && !is_device_code(&code[1..]));
        assert!(!is_device_code("<x>2-2222-2222") && !is_device_code("0000-1111-IIII"));
        let typed = code.replace('-', " ").to_lowercase();
        assert_eq!(letters(&typed), letters(&code));
        for wrong in ["", "-", &code[1..], &format!("{code}A")] {
            assert_ne!(letters(wrong), letters(&code), "{wrong}");
        }
    }

    #[test]
    fn hundreds_of_addresses_keep_nobody_from_a_first_code() {
        let (codes, account) = (device_code_slots(), accounts());
        let issue = |address: u32, guest: GuestId| codes.take(guest, &account(address), NOW);
        let ada = GuestId::fresh();
        assert_eq!(issue(0, ada), Some(NOW.after(DEVICE_CODE_FOR)));
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
            if codes.taken.lock().len() < DEVICE_CODES_MAX - 50 {
                while issue(network, GuestId::fresh()).is_some() {}
            }
        }
        let bo = GuestId::fresh();
        assert!(issue(2_000, bo).is_some(), "one of the last ones");
        assert!(issue(2_000, GuestId::fresh()).is_none());
        assert!(issue(2_000, bo).is_some(), "in place of the one before");
        assert!(codes.taken.lock().len() <= DEVICE_CODES_MAX);
        assert!(issue(1, ada).is_none(), "no place of others");
    }
}
