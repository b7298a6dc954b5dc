//! The random choices of clients.
//!
//! A choice is drawn from the seed and from what is chosen, never from when: the same seed
//! makes the same client answer the same version of the same match with the same move.

use fibfob_protocol::{FirstMoveRule, MatchSetup, TimeControl};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::match_setup;

/// The time controls: some that nobody exhausts, and the shortest ones, which a player who stops
/// playing does.
const TIMES: [TimeControl; 6] = [
    TimeControl::None,
    TimeControl::None,
    TimeControl::Match {
        initial_ms: 24 * 60 * 60 * 1_000,
        increment_ms: 0,
    },
    TimeControl::Match {
        initial_ms: 60_000,
        increment_ms: 500,
    },
    TimeControl::Match {
        initial_ms: 5_000,
        increment_ms: 1_000,
    },
    TimeControl::Move { each_ms: 5_000 },
];

/// The games, with starts that random play ends in some twenty moves.
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

/// The source of all choices of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SeededChoices {
    pub seed: u64,
    /// The time after which an absent player's match may be claimed, in milliseconds.
    pub grace_ms: u64,
}

impl SeededChoices {
    /// The generator for one choice, named by `what` and by `numbers`.
    pub(crate) fn rng(&self, what: &str, numbers: &[u64]) -> StdRng {
        // FNV-1a: it need not be strong, only the same everywhere.
        let number_bytes = numbers.iter().flat_map(|number| number.to_le_bytes());
        let bytes = self
            .seed
            .to_le_bytes()
            .into_iter()
            .chain(what.bytes())
            .chain(number_bytes);
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        StdRng::seed_from_u64(hash)
    }

    /// The setup of a pairing's match number `ordinal`, with one of the time controls: some with a drawn start where the joiner chooses the first move.
    pub(crate) fn setup(&self, pairing: usize, ordinal: u64) -> MatchSetup {
        let mut rng = self.rng("opening", &[pairing as u64, ordinal]);
        let (game, start) = STARTS[rng.random_range(0..STARTS.len())];
        // A choice of the first move needs a drawn start; the server draws these.
        let made = if rng.random_bool(0.2) {
            MatchSetup {
                first: FirstMoveRule::Choose,
                ..MatchSetup::new("nim")
            }
        } else {
            MatchSetup {
                first: FirstMoveRule::Random,
                ..match_setup(game, start)
            }
        };
        let time = TIMES[rng.random_range(0..TIMES.len())];
        MatchSetup {
            time,
            grace_ms: Some(self.grace_ms),
            ..made
        }
    }

    /// Returns true if the player to move after so many plies thinks until a short time is up.
    pub(crate) fn stalls(&self, pairing: usize, ordinal: u64, plies: u64) -> bool {
        let mut rng = self.rng("stall", &[pairing as u64, ordinal, plies]);
        rng.random_bool(0.01)
    }

    /// The player, 0 or 1, who creates a pairing's match number `ordinal`.
    pub(crate) fn creator(&self, pairing: usize, ordinal: u64) -> usize {
        usize::from(
            self.rng("maker", &[pairing as u64, ordinal])
                .random::<bool>(),
        )
    }

    /// The player, 0 or 1, who offers a rematch after a pairing's match number `ordinal`; none if
    /// there is none.
    pub(crate) fn rematch(&self, pairing: usize, ordinal: u64) -> Option<usize> {
        let mut rng = self.rng("rematch", &[pairing as u64, ordinal]);
        let offerer = usize::from(rng.random::<bool>());
        rng.random_bool(0.4).then_some(offerer)
    }
}
