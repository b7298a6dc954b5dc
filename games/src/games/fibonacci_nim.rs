//! Fibonacci Nim: one heap; each player takes at most twice as many coins as the last.
//!
//! Solved by Whinihan (1963): a position is lost iff the quota is smaller than the least part of the Zeckendorf
//! representation of the coins. For nimbers no formula is known: they come from a table of thresholds.

pub(super) mod coins;
mod thresholds;

use std::fmt;

use coins::Coins;
pub use coins::Move;
pub use thresholds::TABLE_MAX;

use crate::explain::concluded;
use crate::explanation::{Explanation, ExplanationStep};
use crate::fibonacci;
use crate::game::{Game, PASSED_PER_STEP};
use crate::game_info::{Convention, GameDocs, GameInfo};
use crate::illegal::IllegalReason;
use crate::move_set::MoveSet;
use crate::nimber::{Nimber, Outcome, UnknownReason};
use crate::notation::{Fields, NotationError};
use crate::start::StartRange;
use crate::table::Tables;

/// The coins at the start, and the most moves a play can have.
const COINS: StartRange = StartRange::new("coins", 2..=400, 10..=60);

/// The entries of the table that are looked at to value one take.
const SEARCHED_PER_TAKE: u64 = 4;

/// Lists the winning takes from `coins`, at most `quota` each, ascending.
///
/// They are sums of the least Zeckendorf parts: such a sum wins iff nothing is left, or twice the sum is less than
/// the next larger part. Not bounded by [`AMOUNT_MAX`](crate::AMOUNT_MAX); takes time logarithmic in `coins`.
#[must_use]
pub fn winning_takes(coins: u64, quota: u64) -> Vec<u64> {
    tails(coins, quota).map(|(sum, _)| sum).collect()
}

/// Yields the winning takes, each with the least part that is left.
fn tails(coins: u64, quota: u64) -> impl Iterator<Item = (u64, Option<u64>)> {
    let parts = fibonacci::zeckendorf(coins);
    let mut sum = 0;
    let tails: Vec<_> = (0..parts.len())
        .map(|index| {
            sum += parts[index];
            (sum, parts.get(index + 1).copied())
        })
        .collect();
    // Written without 2·sum, which may pass 64 bits.
    tails.into_iter().filter(move |&(sum, next)| {
        sum <= quota && next.is_none_or(|next| next > sum && next - sum > sum)
    })
}

/// Returns `true` if the player to move loses with this many coins left, at most `quota` of which may be taken.
#[must_use]
pub fn is_lost(coins: u64, quota: u64) -> bool {
    fibonacci::zeckendorf(coins)
        .first()
        .is_none_or(|&least| quota < least)
}

/// The argument from the Zeckendorf representation, for a position with so many coins and this quota.
pub(super) fn explain_parts<G: Game<Move = Move>>(
    position: &G,
    mut steps: Vec<ExplanationStep>,
    coins: u64,
    quota: u64,
) -> Explanation {
    let mut parts = fibonacci::zeckendorf(coins);
    parts.reverse();
    steps.push(ExplanationStep::Zeckendorf {
        coins,
        parts,
        quota,
    });
    concluded(position, steps, |mv| {
        let (sum, next) = tails(coins, quota).find(|&(sum, _)| Move::new(sum) == *mv)?;
        let mv = mv.to_string();
        Some(ExplanationStep::Tail { sum, next, mv })
    })
}

/// A heap, and what was taken last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FibonacciNim {
    coins: Coins,
}

impl FibonacciNim {
    fn is_lost(self) -> bool {
        is_lost(self.coins.left(), self.coins.quota())
    }
}

impl fmt::Display for FibonacciNim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.coins.fmt(f)
    }
}

impl Game for FibonacciNim {
    type Move = Move;

    const INFO: GameInfo = GameInfo {
        id: "fibonacci-nim",
        title: "Fibonacci Nim",
        rules: "One heap: take first any number of coins but not all, then at most twice as many as were taken last. Who \
                cannot move loses.",
        example: "coins=10",
        example_move: "take 2",
        convention: Convention::Normal,
    };
    const DOCS: GameDocs = GameDocs {
        position: coins::POSITION_DOCS,
        how: coins::HOW,
        theory: &[
            "Lost iff fewer coins may be taken than the smallest part of the coins as a sum of Fibonacci numbers, no two of \
             them neighbours (Zeckendorf); at the start: iff the coins are a Fibonacci number (Whinihan 1963).",
            "Otherwise, taking the smallest parts wins if twice their sum is less than the next larger part. For other \
             nimbers no formula is known: they come from a table.",
        ],
    };
    const TABLES: Tables = Ok(&coins::tables(0, 0));

    shared_methods!(coins: Coins, COINS);

    fn parse(text: &str) -> Result<Self, NotationError> {
        Fields::read(text, Self::INFO.id, Coins::from_fields).map(|coins| Self { coins })
    }

    fn after(&self, mv: &Move) -> Result<Self, IllegalReason> {
        self.coins.after(*mv).map(|coins| Self { coins })
    }

    fn legal_moves(&self) -> MoveSet {
        self.coins.takes()
    }

    fn nimber(&self) -> Nimber {
        match self.is_lost() {
            true => Nimber::Known(0),
            false => thresholds::nimber(self.coins.left(), self.coins.quota()).into(),
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        Some(Outcome::lost(self.is_lost()))
    }

    fn winning_moves(&self) -> Result<MoveSet, UnknownReason> {
        let winning = winning_takes(self.coins.left(), self.coins.quota());
        Ok(winning
            .into_iter()
            .map(|coins| Move::new(coins).to_string())
            .collect())
    }

    fn moves_to(&self, value: u64) -> Result<MoveSet, UnknownReason> {
        if value == 0 {
            return self.winning_moves();
        }
        let hits = thresholds::takes_to(self.coins.left(), self.coins.quota(), value)?;
        let mut moves = MoveSet::new();
        moves.push_numbers("take {a}", &hits);
        Ok(moves)
    }

    /// A nimber other than 0 is looked for take by take.
    fn solve_steps(&self) -> u64 {
        self.play_steps() + self.coins.left().min(TABLE_MAX) * SEARCHED_PER_TAKE / PASSED_PER_STEP
    }

    fn explain(&self) -> Explanation {
        explain_parts(self, Vec::new(), self.coins.left(), self.coins.quota())
    }
}
