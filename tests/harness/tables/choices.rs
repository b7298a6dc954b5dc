//! Every choice that clients make by chance.
//!
//! A choice is drawn from the seed and from what is chosen, never from when: the same seed
//! makes the same client answer the same version of the same match with the same move.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// The games that are played, with starts that a random player ends in some twenty moves.
const STARTS: [(&str, &str); 8] = [
    ("fib-fob", "c4@3 time=12 nuggets=3 fib=9 fob=8"),
    ("fib-fob", "a1@1 time=30 nuggets=0 fib=30 fob=30"),
    ("nim", "3,4,5"),
    ("misere-nim", "4,4,4"),
    ("kayles", "xxxxx.xxxx.xxx"),
    ("wythoff-nim", "13,15"),
    ("staircase-nim", "2,3,4"),
    ("sum", "nim 3,4 + kayles xxx"),
];

/// What all choices are drawn from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choices {
    pub seed: u64,
}

impl Choices {
    /// The chance for one choice: `what`, and the numbers that tell it from its like.
    pub(crate) fn chance(&self, what: &str, numbers: &[u64]) -> StdRng {
        // FNV-1a: it need not be strong, only the same everywhere.
        let words = numbers.iter().flat_map(|number| number.to_le_bytes());
        let bytes = self
            .seed
            .to_le_bytes()
            .into_iter()
            .chain(what.bytes())
            .chain(words);
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        StdRng::seed_from_u64(hash)
    }

    /// The game and the first position of a table's match number `ordinal`.
    pub(crate) fn start(&self, table: usize, ordinal: u64) -> (&'static str, &'static str) {
        let mut chance = self.chance("start", &[table as u64, ordinal]);
        STARTS[chance.random_range(0..STARTS.len())]
    }

    /// Which of a table's two ends makes its match number `ordinal`.
    pub(crate) fn maker(&self, table: usize, ordinal: u64) -> usize {
        usize::from(
            self.chance("maker", &[table as u64, ordinal])
                .random::<bool>(),
        )
    }

    /// Whether a table's match number `ordinal` is followed by its rematch, and which of its
    /// ends offers that.
    pub(crate) fn rematch(&self, table: usize, ordinal: u64) -> Option<usize> {
        let mut chance = self.chance("rematch", &[table as u64, ordinal]);
        let offerer = usize::from(chance.random::<bool>());
        chance.random_bool(0.4).then_some(offerer)
    }
}
