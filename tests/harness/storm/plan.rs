//! What a storm is: its size, who plays whom, and every choice its clients make.
//!
//! A choice is drawn from the seed and from what is chosen, never from when: the same seed
//! makes the same client answer the same version of the same match with the same move.

use fibfob_games::Level;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Matches against another guest that each guest begins to be in; as many are begun by others.
const TABLES_EACH: usize = 2;
/// Matches against a bot that each guest is in.
const BOT_TABLES_EACH: usize = 2;
/// Matches that each watcher follows.
pub(super) const WATCHED_EACH: usize = 5;

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

/// The size of a storm.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What all choices are drawn from.
    pub seed: u64,
    /// How often the server is killed.
    pub rounds: u32,
    /// Clients that play, each in six matches at once.
    pub guests: usize,
    /// Clients that watch, each five matches at once.
    pub watchers: usize,
    /// Commands that must be unanswered at a kill in the middle of play.
    pub in_flight: usize,
    /// The least and most answers between two such kills.
    pub answers: (u64, u64),
}

impl Plan {
    /// A storm of the usual size.
    #[must_use]
    pub fn new(seed: u64, rounds: u32) -> Self {
        Self {
            seed,
            rounds,
            guests: 120,
            watchers: 24,
            in_flight: 200,
            answers: (200, 1_500),
        }
    }

    /// The chance for one choice: `what`, and the numbers that tell it from its like.
    pub(super) fn chance(&self, what: &str, numbers: &[u64]) -> StdRng {
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

    /// Who plays whom.
    pub(super) fn tables(&self) -> Vec<Table> {
        let mut tables = Vec::new();
        for guest in 0..self.guests {
            for step in 1..=TABLES_EACH {
                let other = (guest + step) % self.guests;
                tables.push(Table::Guests([guest, other]));
            }
            for _ in 0..BOT_TABLES_EACH {
                let levels = [Level::Perfect, Level::Strong, Level::Casual, Level::Novice];
                let level = self
                    .chance("bot", &[tables.len() as u64])
                    .random_range(0..levels.len());
                tables.push(Table::Bot(guest, levels[level]));
            }
        }
        tables
    }

    /// The game and the first position of a table's match number `ordinal`.
    pub(super) fn start(&self, table: usize, ordinal: u64) -> (&'static str, &'static str) {
        let mut chance = self.chance("start", &[table as u64, ordinal]);
        STARTS[chance.random_range(0..STARTS.len())]
    }

    /// Which of a table's two ends makes its match number `ordinal`.
    pub(super) fn maker(&self, table: usize, ordinal: u64) -> usize {
        usize::from(
            self.chance("maker", &[table as u64, ordinal])
                .random::<bool>(),
        )
    }

    /// Whether a table's match number `ordinal` is followed by its rematch, and which of its
    /// ends offers that.
    pub(super) fn rematch(&self, table: usize, ordinal: u64) -> Option<usize> {
        let mut chance = self.chance("rematch", &[table as u64, ordinal]);
        let offerer = usize::from(chance.random::<bool>());
        chance.random_bool(0.4).then_some(offerer)
    }
}

/// Where one match after the other is played.
#[derive(Clone, Copy, Debug)]
pub(super) enum Table {
    /// By these two.
    Guests([usize; 2]),
    /// By this one against a bot.
    Bot(usize, Level),
}
