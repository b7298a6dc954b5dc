//! Every choice that clients make by chance.
//!
//! A choice is drawn from the seed and from what is chosen, never from when: the same seed
//! makes the same client answer the same version of the same match with the same move.

use fibfob_protocol::{FirstMoveRule, MatchSetup, TimeControl};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::opening;

/// What a player with a clock has for one match, in milliseconds: a day.
const CLOCK_MS: u64 = 24 * 60 * 60 * 1_000;

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

    /// How a table's match number `ordinal` is made: some with a clock that nobody exhausts,
    /// some where the start is drawn and the joiner chooses who begins.
    pub(crate) fn opening(&self, table: usize, ordinal: u64) -> MatchSetup {
        let mut chance = self.chance("opening", &[table as u64, ordinal]);
        let (game, start) = STARTS[chance.random_range(0..STARTS.len())];
        // A start that somebody named would not be fair; the server draws these.
        let made = if chance.random_bool(0.2) {
            MatchSetup {
                first: FirstMoveRule::Choose,
                ..MatchSetup::of("nim")
            }
        } else {
            MatchSetup {
                first: FirstMoveRule::Random,
                ..opening(game, start)
            }
        };
        let time = if chance.random_bool(0.3) {
            TimeControl::Match {
                initial_ms: CLOCK_MS,
                increment_ms: 0,
            }
        } else {
            TimeControl::None
        };
        MatchSetup { time, ..made }
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
