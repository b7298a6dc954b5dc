//! The one place that draws at random, so that a test can repeat what happened.
//!
//! The server's key is not drawn here: it is a secret, and comes from the operating system alone.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Draws codes, guests, random starts and the bots' choices. Cheap to clone; clones draw from
/// the same source.
#[derive(Clone)]
pub struct Chance(Source);

#[derive(Clone)]
enum Source {
    System,
    Seeded(Arc<Mutex<StdRng>>),
}

impl Chance {
    /// Each thread's own generator, seeded by the operating system.
    #[must_use]
    pub fn system() -> Self {
        Self(Source::System)
    }

    /// The same draws whenever they are asked for in the same order. For tests alone: whoever
    /// knows the seed knows every private match's code.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        let source = StdRng::seed_from_u64(seed);
        Self(Source::Seeded(Arc::new(Mutex::new(source))))
    }

    /// What `from` makes of a random generator. A seeded source is locked meanwhile.
    pub fn draw<T>(&self, from: impl FnOnce(&mut dyn Rng) -> T) -> T {
        match &self.0 {
            Source::System => from(&mut rand::rng()),
            Source::Seeded(source) => {
                // Whatever a panic has left of a generator is random still.
                from(&mut *source.lock().unwrap_or_else(PoisonError::into_inner))
            }
        }
    }
}

impl Default for Chance {
    fn default() -> Self {
        Self::system()
    }
}

impl fmt::Debug for Chance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Chance")
    }
}

#[cfg(test)]
mod tests {
    use fibfob_protocol::{Code, GuestId};

    use super::*;

    fn drawn(chance: &Chance) -> (Code, GuestId) {
        chance.draw(|rng| (Code::draw(rng), GuestId::draw(rng)))
    }

    #[test]
    fn a_seed_draws_the_same_again_and_another_one_does_not() {
        let (one, again, other) = (Chance::seeded(7), Chance::seeded(7), Chance::seeded(8));
        let first = drawn(&one);
        assert_eq!(first, drawn(&again));
        assert_ne!(
            first,
            drawn(&one.clone()),
            "clones go on, they do not repeat"
        );
        assert_ne!(first, drawn(&other));
        assert_ne!(drawn(&Chance::system()), drawn(&Chance::system()));
    }
}
