//! Take Fibonacci: heaps of coins; take a Fibonacci number from one of them.
//!
//! The nimber is the xor of the heaps' nimbers, which come from a table: no formula and no period is known.

use std::fmt;

pub use super::heaps::HeapMove as Move;
use super::heaps::{HEAP_TABLES, HEAPS_DOCS, Heaps};
use crate::explain::{by_parts, concluded};
use crate::explanation::{Explanation, ExplanationStep, Part, PartValue};
use crate::fibonacci;
use crate::game::{FIXED_STEPS, Game};
use crate::game_info::{Convention, GameDocs, GameInfo};
use crate::illegal::IllegalReason;
use crate::move_set::MoveSet;
use crate::nimber::{Nimber, TableIndex, UnknownReason};
use crate::notation::{Fields, NotationError};
use crate::start::StartRange;
use crate::table::Tables;
use crate::tiered_table::TieredTable;

/// The number of heaps; with [`COINS`] a play stays within [`PLIES_MAX`](crate::PLIES_MAX).
const HEAPS: StartRange = StartRange::new("heaps", 1..=8, 2..=3);
const COINS: StartRange = StartRange::new("coins", 0..=50, 5..=30);

/// The largest heap whose nimber is tabled, at one byte each.
pub const TABLE_MAX: u64 = (1 << 21) - 1;

static NIMBERS: TieredTable<Vec<u8>> = TieredTable::new(
    TableIndex::CoinsInAHeap,
    [(1 << 12) - 1, TABLE_MAX],
    nimbers,
);

/// The nimbers of the heaps from 0 to `most`.
fn nimbers(most: u64) -> Vec<u8> {
    let mut nimbers: Vec<u8> = Vec::new();
    for coins in 0..=most as usize {
        // A nimber is at most the number of options, and within the bound those are fewer than 64.
        let seen = fibonacci::up_to(coins as u64)
            .iter()
            .fold(0u64, |seen, &taken| {
                seen | 1 << nimbers[coins - taken as usize]
            });
        nimbers.push(seen.trailing_ones() as u8);
    }
    nimbers
}

/// The heaps of a Take Fibonacci position: at least one, some perhaps empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TakeFibonacci {
    heaps: Heaps,
}

fn value_of(coins: u64) -> Result<u64, UnknownReason> {
    // No truncation: the table holds the index.
    Ok(NIMBERS.holding(coins)?[coins as usize].into())
}

impl TakeFibonacci {
    fn value(&self) -> Result<u64, UnknownReason> {
        self.heaps
            .numbered()
            .try_fold(0, |sum, (_, coins)| Ok(sum ^ value_of(coins)?))
    }

    /// Explains a position where some nimbers are unknown, by the heaps whose nimbers are known.
    fn explain_unknown(&self) -> Explanation {
        let steps = self.heaps.numbered().map(|(heap, coins)| {
            let part = Part::heap(heap);
            match value_of(coins) {
                Ok(nimber) => PartValue::new(part, coins, nimber).into(),
                Err(why) => ExplanationStep::Unknown {
                    part,
                    size: coins.to_string(),
                    why,
                },
            }
        });
        concluded(self, steps.collect(), |_| None)
    }
}

impl fmt::Display for TakeFibonacci {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.heaps.fmt(f)
    }
}

impl Game for TakeFibonacci {
    type Move = Move;

    const INFO: GameInfo = GameInfo {
        id: "take-fibonacci",
        title: "Take Fibonacci",
        rules: "Take a Fibonacci number of coins (1, 2, 3, 5, 8, …) from one heap. Whoever cannot move loses.",
        example: "7,12",
        example_move: "take 5 from 2",
        convention: Convention::Normal,
    };
    const DOCS: GameDocs = GameDocs {
        position: HEAPS_DOCS,
        how: &[(
            "7,9",
            "take 5 from 2",
            "Take 1, 2, 3, 5, 8, 13 … coins, a Fibonacci number, from one heap.",
        )],
        theory: &[
            "The nimber is the xor of the heaps' nimbers: 0 1 2 3 0 1 2 3 4 5 0 1 2 3 0 1 … for 0, 1, 2, … coins. \
             No period is known; they come from a table.",
        ],
    };
    const TABLES: Tables = Ok(HEAP_TABLES);

    shared_methods!(heaps: Heaps, HEAPS, COINS);

    fn parse(text: &str) -> Result<Self, NotationError> {
        Fields::read(text, Self::INFO.id, Heaps::from_fields).map(|heaps| Self { heaps })
    }

    fn after(&self, mv: &Move) -> Result<Self, IllegalReason> {
        let heaps = self.heaps.after(*mv)?;
        if fibonacci::is_fibonacci(mv.coins) {
            Ok(Self { heaps })
        } else {
            Err(IllegalReason::NotFibonacci { asked: mv.coins })
        }
    }

    fn legal_moves(&self) -> MoveSet {
        let mut moves = MoveSet::new();
        for (heap, coins) in self.heaps.numbered() {
            moves.push_numbers(format!("take {{a}} from {heap}"), fibonacci::up_to(coins));
        }
        moves
    }

    /// The takes of a heap are listed one by one.
    fn play_steps(&self) -> u64 {
        let takes = |(_, coins)| 1 + fibonacci::up_to(coins).len() as u64;
        FIXED_STEPS + self.heaps.numbered().map(takes).sum::<u64>()
    }

    fn nimber(&self) -> Nimber {
        self.value().into()
    }

    fn moves_to(&self, value: u64) -> Result<MoveSet, UnknownReason> {
        let change = value ^ self.value()?;
        let mut moves = MoveSet::new();
        for (heap, coins) in self.heaps.numbered() {
            let target = Ok(value_of(coins)? ^ change);
            let hits = fibonacci::up_to(coins)
                .iter()
                .filter(|&&taken| value_of(coins - taken) == target);
            hits.for_each(|&taken| moves.push(Move::new(taken, heap).to_string()));
        }
        Ok(moves)
    }

    fn parts(&self) -> Vec<PartValue> {
        let part = |(heap, coins)| {
            let nimber = value_of(coins).ok()?;
            Some(PartValue::new(Part::heap(heap), coins, nimber))
        };
        self.heaps.numbered().filter_map(part).collect()
    }

    fn explain(&self) -> Explanation {
        if self.value().is_ok() {
            by_parts(self)
        } else {
            self.explain_unknown()
        }
    }
}
