//! Randomness. The rest of the server draws from it, so that a test can repeat a run.
//!
//! The server's key is not drawn here: it is a secret, and comes from the operating system alone.

#![expect(
    clippy::disallowed_methods,
    reason = "this module is where randomness is drawn"
)]

use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// The source of codes, guests, random starts and bots' choices. Cheap to clone; clones draw from
/// the same source.
#[derive(Clone)]
pub struct Randomness(RandomSource);

#[derive(Clone)]
enum RandomSource {
    System,
    Seeded(Arc<Mutex<StdRng>>),
}

impl Randomness {
    /// Each thread's own generator, seeded by the operating system.
    #[must_use]
    pub fn system() -> Self {
        Self(RandomSource::System)
    }

    /// A generator that repeats its draws for the same seed. For tests alone: the seed reveals every
    /// private match's code.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        let source = StdRng::seed_from_u64(seed);
        Self(RandomSource::Seeded(Arc::new(Mutex::new(source))))
    }

    /// Calls `from` with a random generator. A seeded generator is locked meanwhile.
    pub fn draw<T>(&self, from: impl FnOnce(&mut dyn Rng) -> T) -> T {
        match &self.0 {
            RandomSource::System => from(&mut rand::rng()),
            RandomSource::Seeded(source) => from(&mut *source.lock()),
        }
    }
}

impl Default for Randomness {
    fn default() -> Self {
        Self::system()
    }
}

impl fmt::Debug for Randomness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Randomness")
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
        assert_ne!(drawn(&Randomness::system()), drawn(&Randomness::system()));
    }
}
