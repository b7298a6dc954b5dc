//! Codes that carry a guest to another device: how they are drawn, shown and typed, and how many an
//! address may have. The store keeps them.

use std::collections::HashMap;

use fibfob_protocol::{Code, GuestId, Timestamp};
use parking_lot::{Mutex, MutexGuard};
use rand::{Rng, RngExt};

use crate::limits::{DEVICE_CODE_CHARS, DEVICE_CODE_FOR, DEVICE_CODE_GROUP, DEVICE_CODES_MAX};

/// The codes that are good now. `A` is a network that codes are counted by.
pub(crate) struct DeviceCodes<A>(Mutex<HashMap<GuestId, Issued<A>>>);

struct Issued<A> {
    /// The networks that it was asked for from.
    networks: Vec<A>,
    until: Timestamp,
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

impl<A> Default for DeviceCodes<A> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<A: Copy + PartialEq> DeviceCodes<A> {
    /// Makes a code for a guest in place of the one before, and returns it with the end of its time.
    /// None if one of the networks that it is asked for from has as many as it may: so many while
    /// there are few in all, fewer the more there are, and none of the last ones if it has any. So
    /// no code ends before its time.
    pub(crate) fn issue(
        &self,
        guest: GuestId,
        networks: &[(A, usize)],
        now: Timestamp,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<(String, Timestamp)> {
        let mut codes = self.good_ones(now);
        let others = codes.iter().filter(|(id, _)| **id != guest);
        let others = others.map(|(_, code)| code);
        let left = DEVICE_CODES_MAX.saturating_sub(others.clone().count());
        for (network, most) in networks {
            let own = others.clone().filter(|one| one.networks.contains(network));
            if own.count() * DEVICE_CODES_MAX >= most * left {
                return None;
            }
        }
        let until = now.after(DEVICE_CODE_FOR);
        let issued = Issued {
            networks: networks.iter().map(|(network, _)| *network).collect(),
            until,
        };
        codes.insert(guest, issued);
        Some((Secret::draw(rng).shown(), until))
    }

    /// The codes whose time is not over.
    fn good_ones(&self, now: Timestamp) -> MutexGuard<'_, HashMap<GuestId, Issued<A>>> {
        let mut codes = self.0.lock();
        codes.retain(|_, one| one.until > now);
        codes
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use super::*;
    use crate::limits::DEVICE_CODES_PER_ADDRESS;

    const NOW: Timestamp = Timestamp(1_000_000);

    fn codes() -> (DeviceCodes<u32>, StdRng) {
        (DeviceCodes::default(), StdRng::seed_from_u64(12))
    }

    const HOME: [(u32, usize); 1] = [(0, DEVICE_CODES_PER_ADDRESS)];

    #[test]
    fn a_code_is_read_as_people_type_it() {
        let (codes, mut rng) = codes();
        let (code, until) = codes.issue(GuestId::fresh(), &HOME, NOW, &mut rng).unwrap();
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
        let (codes, mut rng) = codes();
        let mut issue = |network: u32, guest: GuestId| {
            let network = (network, DEVICE_CODES_PER_ADDRESS);
            codes.issue(guest, &[network], NOW, &mut rng)
        };
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
        assert!(codes.0.lock().len() <= DEVICE_CODES_MAX);
        assert!(issue(1, ada).is_none(), "no place of others");
    }
}
