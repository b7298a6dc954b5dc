//! Randomness for the rest of the server, so that a test can repeat a run.
//!
//! The server's key is not drawn here. It is a secret, so it comes from the operating system.

#![expect(
    clippy::disallowed_methods,
    reason = "this module is where randomness is drawn"
)]

use std::sync::Arc;

use parking_lot::Mutex;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// The source of codes, guests, random starts and bots' choices. Cheap to clone; clones draw from
/// the same source.
#[derive(Clone, Debug, Default)]
pub struct Randomness {
    /// A seeded generator, used instead of each thread's own, which the operating system seeds.
    seeded: Option<Arc<Mutex<StdRng>>>,
}

impl Randomness {
    /// Makes a generator that repeats its draws for the same seed. For tests only: the seed reveals every
    /// private match's code.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        let source = StdRng::seed_from_u64(seed);
        let seeded = Some(Arc::new(Mutex::new(source)));
        Self { seeded }
    }

    /// Calls `from` with a random generator. A seeded generator is locked meanwhile.
    pub fn draw<T>(&self, from: impl FnOnce(&mut dyn Rng) -> T) -> T {
        match &self.seeded {
            None => from(&mut rand::rng()),
            Some(source) => from(&mut *source.lock()),
        }
    }
}

#[cfg(test)]
mod tests {
    use fibfob_protocol::{Code, GuestId};

    use super::*;

    fn drawn(randomness: &Randomness) -> (Code, GuestId) {
        randomness.draw(|rng| (Code::draw(rng), GuestId::draw(rng)))
    }

    #[test]
    fn a_seed_repeats_its_draws_and_another_one_does_not() {
        let (one, again, other) = (
            Randomness::seeded(7),
            Randomness::seeded(7),
            Randomness::seeded(8),
        );
        let first = drawn(&one);
        assert_eq!(first, drawn(&again));
        assert_ne!(
            first,
            drawn(&one.clone()),
            "clones go on, they do not repeat"
        );
        assert_ne!(first, drawn(&other));
        assert_ne!(drawn(&Randomness::default()), drawn(&Randomness::default()));
    }
}
