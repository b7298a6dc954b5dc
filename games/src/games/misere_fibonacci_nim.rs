//! Misère Fibonacci Nim: the moves of Fibonacci Nim, but who cannot move wins.
//!
//! Nobody wants the last coin, so it is as good as set aside: with n coins and a quota, who wins and by which moves is
//! as in Fibonacci Nim with n − 1 coins and the same quota.

use std::fmt;

pub use super::fibonacci_nim::Move;
use super::fibonacci_nim::coins::{self, Coins};
use super::fibonacci_nim::{self, winning_takes};
use crate::explain::concluded;
use crate::explanation::{Explanation, ExplanationStep};
use crate::game::Game;
use crate::game_info::{Convention, GameDocs, GameInfo};
use crate::illegal::IllegalReason;
use crate::move_set::MoveSet;
use crate::nimber::{Nimber, Outcome, UnknownReason};
use crate::notation::{Fields, NotationError, NotationErrorKind};
use crate::start::StartRange;
use crate::table::Tables;

/// The coins at the start, and the most moves a play can have.
const COINS: StartRange = StartRange::new("coins", 2..=400, 10..=60);

/// A heap, and what was taken last; at the start at least 2 coins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MisereFibonacciNim {
    coins: Coins,
}

impl MisereFibonacciNim {
    /// The coins without the one that nobody wants; `None` if it is gone.
    const fn wanted(self) -> Option<u64> {
        self.coins.left().checked_sub(1)
    }
}

impl fmt::Display for MisereFibonacciNim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.coins.fmt(f)
    }
}

impl Game for MisereFibonacciNim {
    type Move = Move;

    const INFO: GameInfo = GameInfo {
        id: "misere-fibonacci-nim",
        title: "Misère Fibonacci Nim",
        rules: "One heap: take first any number of coins but not all, then at most twice as many as were taken last. Who \
                cannot move wins.",
        example: "coins=10",
        example_move: "take 9",
        convention: Convention::Misere,
    };
    const DOCS: GameDocs = GameDocs {
        position: coins::POSITION_DOCS,
        how: coins::HOW,
        theory: &[
            "The player who takes the last coin loses: with it set aside, the rest is Fibonacci Nim under normal play.",
            "Every start of two or more coins is won; taking all but one coin is a winning move.",
        ],
    };
    // A single coin is no start: a player who must not take it has no other move.
    const TABLES: Tables = Ok(&coins::tables(2, 1));

    shared_methods!(coins: Coins, COINS);

    fn parse(text: &str) -> Result<Self, NotationError> {
        Fields::read(text, Self::INFO.id, |fields| {
            let coins = Coins::from_fields(fields)?;
            if coins.is_start() && coins.left() < COINS.least {
                // With one coin there would be no move, and the game would be won by not playing it.
                let expected = format!("at least {} coins at the start", COINS.least);
                let found = format!("coins={}", coins.left());
                return Err(NotationErrorKind::AmountTooSmall.error(&found, expected));
            }
            Ok(Self { coins })
        })
    }

    fn after(&self, mv: &Move) -> Result<Self, IllegalReason> {
        self.coins.after(*mv).map(|coins| Self { coins })
    }

    fn legal_moves(&self) -> MoveSet {
        self.coins.takes()
    }

    fn nimber(&self) -> Nimber {
        Nimber::None
    }

    fn outcome(&self) -> Option<Outcome> {
        let quota = self.coins.quota();
        let lost = |wanted| fibonacci_nim::is_lost(wanted, quota);
        Some(Outcome::lost(self.wanted().is_some_and(lost)))
    }

    fn winning_moves(&self) -> Result<MoveSet, UnknownReason> {
        let winning = self
            .wanted()
            .map(|wanted| winning_takes(wanted, self.coins.quota()));
        Ok(winning
            .into_iter()
            .flatten()
            .map(|coins| Move::new(coins).to_string())
            .collect())
    }

    fn moves_to(&self, _value: u64) -> Result<MoveSet, UnknownReason> {
        Err(UnknownReason::Misere)
    }

    fn explain(&self) -> Explanation {
        match self.wanted() {
            None => concluded(self, Vec::new(), |_| None),
            Some(wanted) => fibonacci_nim::explain_parts(
                self,
                vec![ExplanationStep::SetAside { coins: 1 }],
                wanted,
                self.coins.quota(),
            ),
        }
    }
}
