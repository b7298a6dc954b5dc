//! Codes that carry a guest to another device: each is used once, within minutes.
//!
//! They are kept in memory alone: after a restart of the server one asks for a new code. Servers that
//! share a store look there instead for the guest of a code, and count here what they have given.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use fibfob_protocol::{Code, CommandId, GuestId, PlayerName, Timestamp};
use rand::{Rng, RngExt};

use super::TokenStamp;
use crate::clock::millis;
use crate::limits::{DEVICE_CODE_CHARS, DEVICE_CODE_FOR, DEVICE_CODE_GROUP, DEVICE_CODES_MAX};

/// The codes that are good now. `A` is a network that codes are counted by.
pub(crate) struct DeviceCodes<A>(Mutex<HashMap<GuestId, Issued<A>>>);

/// A guest as its device has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MovedGuest {
    pub(crate) guest: GuestId,
    pub(crate) stamp: TokenStamp,
    pub(crate) name: PlayerName,
}

struct Issued<A> {
    secret: Secret,
    moved: MovedGuest,
    /// The networks that it was asked for from.
    networks: Vec<A>,
    until: Timestamp,
    /// The request that has used it, which may be sent again.
    used_by: Option<(GuestId, CommandId)>,
}

/// The letters of a code, without separators.
#[derive(Clone, PartialEq, Eq)]
struct Secret(String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

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

    /// Compares in a time that does not depend on how much is equal.
    fn is(&self, other: &Self) -> bool {
        let pairs = self.0.bytes().zip(other.0.bytes());
        let difference = pairs.fold(0, |all, (one, other)| all | (one ^ other));
        self.0.len() == other.0.len() && difference == 0
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
        moved: MovedGuest,
        networks: &[(A, usize)],
        now: Timestamp,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<(String, Timestamp)> {
        let mut codes = self.good_ones(now);
        let others = codes.values().filter(|one| one.moved.guest != moved.guest);
        let left = DEVICE_CODES_MAX.saturating_sub(others.clone().count());
        for (network, most) in networks {
            let own = others.clone().filter(|one| one.networks.contains(network));
            if own.count() * DEVICE_CODES_MAX >= most * left {
                return None;
            }
        }
        let secret = Secret::draw(rng);
        let until = Timestamp(now.0.saturating_add(millis(DEVICE_CODE_FOR)));
        let shown = secret.shown();
        let issued = Issued {
            secret,
            networks: networks.iter().map(|(network, _)| *network).collect(),
            until,
            used_by: None,
            moved,
        };
        codes.insert(issued.moved.guest, issued);
        Some((shown, until))
    }

    /// Uses a code: returns its guest once, and again to the same request. By nobody it is only
    /// looked at.
    pub(crate) fn take(
        &self,
        typed: &str,
        by: Option<(GuestId, CommandId)>,
        now: Timestamp,
    ) -> Option<MovedGuest> {
        let typed = Secret::typed(typed);
        let mut codes = self.good_ones(now);
        // All are compared, so that the time tells nothing about them.
        let mut found = None;
        for one in codes.values_mut() {
            if one.secret.is(&typed) {
                found = Some(one);
            }
        }
        let found = found?;
        let is_good = found.used_by.is_none() || found.used_by == by;
        is_good.then(|| {
            found.used_by = by;
            found.moved.clone()
        })
    }

    /// The codes whose time is not over.
    fn good_ones(&self, now: Timestamp) -> MutexGuard<'_, HashMap<GuestId, Issued<A>>> {
        // Every change is complete before anything in it can panic.
        let mut codes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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

    fn somebody() -> MovedGuest {
        MovedGuest {
            guest: GuestId::fresh(),
            stamp: TokenStamp::default(),
            name: PlayerName::default(),
        }
    }

    fn device() -> Option<(GuestId, CommandId)> {
        Some((GuestId::fresh(), CommandId::fresh()))
    }

    const HOME: [(u32, usize); 1] = [(0, DEVICE_CODES_PER_ADDRESS)];

    #[test]
    fn a_code_is_good_once_and_for_the_same_request_again() {
        let (codes, mut rng) = codes();
        let ada = somebody();
        let (code, until) = codes.issue(ada.clone(), &HOME, NOW, &mut rng).unwrap();
        assert_eq!(until.0 - NOW.0, millis(DEVICE_CODE_FOR));
        assert_eq!(code.len(), DEVICE_CODE_CHARS + 2, "{code}");
        assert!(is_device_code(&code) && !is_device_code(&code[1..]));
        assert!(!is_device_code("<x>2-2222-2222") && !is_device_code("0000-1111-IIII"));
        let typed = code.replace('-', " ").to_lowercase();
        let phone = device();
        for _ in 0..2 {
            assert_eq!(codes.take(&typed, None, NOW), Some(ada.clone()), "a look");
        }
        assert_eq!(codes.take(&typed, phone.clone(), NOW), Some(ada.clone()));
        assert_eq!(codes.take(&code, device(), NOW), None, "it is used");
        assert_eq!(codes.take(&code, None, NOW), None, "and not to be seen");
        assert_eq!(codes.take(&code, phone, NOW), Some(ada), "a repeat");
    }

    #[test]
    fn a_code_ends_with_its_time_and_the_next_one() {
        let (codes, mut rng) = codes();
        let ada = somebody();
        let mut issue = || codes.issue(ada.clone(), &HOME, NOW, &mut rng).unwrap();
        let ((first, _), (second, until)) = (issue(), issue());
        assert_ne!(first, second);
        assert_eq!(codes.take(&first, device(), NOW), None);
        for wrong in ["", "-", &second[1..], &format!("{second}A")] {
            assert_eq!(codes.take(wrong, device(), NOW), None, "{wrong}");
        }
        assert_eq!(codes.take(&second, device(), until), None);
    }

    #[test]
    fn hundreds_of_addresses_end_no_code_and_keep_nobody_from_a_first_one() {
        let (codes, mut rng) = codes();
        let mut issue = |network: u32, moved: MovedGuest| {
            let network = (network, DEVICE_CODES_PER_ADDRESS);
            codes.issue(moved, &[network], NOW, &mut rng)
        };
        let ada = somebody();
        let (code, _) = issue(0, ada.clone()).unwrap();
        let alone = (0..100).filter(|_| issue(1, somebody()).is_some()).count();
        assert!((30..=DEVICE_CODES_PER_ADDRESS).contains(&alone), "{alone}");
        for network in 1..300 {
            while issue(network, somebody()).is_some() {}
            assert!(issue(1_000 + network, somebody()).is_some(), "{network}");
        }
        assert!(codes.0.lock().unwrap().len() <= DEVICE_CODES_MAX);
        assert!(issue(1, ada.clone()).is_none(), "no place of others");
        let taken = codes.take(&code, device(), NOW);
        assert_eq!(taken, Some(ada), "good for as long as it was promised");
    }
}
