//! Misère Nim: the moves of Nim, but who cannot move wins, so that nobody wants the last coin.
//!
//! Solved by Bouton (1901) together with Nim: as long as two heaps have more than one coin, play is as in Nim; then
//! whoever leaves an odd number of heaps of one coin wins. Nimbers say nothing here: 1,1 has the xor 0 and is won.

use std::fmt;

pub use super::heaps::HeapMove as Move;
use super::heaps::{HEAP_TABLES, HEAPS_DOCS, Heaps, TAKE_HOW};
use crate::explain::{concluded, leaves, xor};
use crate::explanation::{Explanation, ExplanationStep};
use crate::game::Game;
use crate::game_info::{Convention, GameDocs, GameInfo};
use crate::illegal::IllegalReason;
use crate::move_set::MoveSet;
use crate::nimber::{Nimber, Outcome, UnknownReason};
use crate::notation::{Fields, NotationError};
use crate::start::StartRange;
use crate::table::Tables;

/// The number of heaps; with [`COINS`] a play stays within [`PLIES_MAX`](crate::PLIES_MAX).
const HEAPS: StartRange = StartRange::new("heaps", 1..=8, 3..=5);
const COINS: StartRange = StartRange::new("coins", 0..=50, 1..=15);

/// The heaps of a Misère Nim position: at least one, some perhaps empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MisereNim {
    heaps: Heaps,
}

impl MisereNim {
    fn big(&self) -> impl Iterator<Item = (u64, u64)> {
        self.heaps.numbered().filter(|&(_, coins)| coins > 1)
    }

    fn ones(&self) -> impl Iterator<Item = (u64, u64)> {
        self.heaps.numbered().filter(|&(_, coins)| coins == 1)
    }
}

impl fmt::Display for MisereNim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.heaps.fmt(f)
    }
}

impl Game for MisereNim {
    type Move = Move;

    const INFO: GameInfo = GameInfo {
        id: "misere-nim",
        title: "Misère Nim",
        rules: "Take any number of coins from one heap. Whoever cannot move wins.",
        example: "3,4,5",
        example_move: "take 2 from 1",
        convention: Convention::Misere,
    };
    const DOCS: GameDocs = GameDocs {
        position: HEAPS_DOCS,
        how: TAKE_HOW,
        theory: &[
            "While two or more heaps have more than one coin, as in Nim: lost iff the xor is 0.",
            "With one such heap it is won: leave an odd number of heaps of one. With none it is lost iff the number \
             of heaps of one is odd. Misère positions have no nimber.",
        ],
    };
    const TABLES: Tables = Ok(HEAP_TABLES);

    shared_methods!(heaps: Heaps, HEAPS, COINS);

    fn parse(text: &str) -> Result<Self, NotationError> {
        Fields::read(text, Self::INFO.id, Heaps::from_fields).map(|heaps| Self { heaps })
    }

    fn after(&self, mv: &Move) -> Result<Self, IllegalReason> {
        self.heaps.after(*mv).map(|heaps| Self { heaps })
    }

    fn legal_moves(&self) -> MoveSet {
        self.heaps.takes()
    }

    fn legal_count(&self) -> Option<u128> {
        // Every smaller heap is one move away, and the longest play takes coins singly.
        Some(self.longest_play())
    }

    fn nimber(&self) -> Nimber {
        Nimber::None
    }

    fn moves_to(&self, _value: u64) -> Result<MoveSet, UnknownReason> {
        Err(UnknownReason::Misere)
    }

    fn outcome(&self) -> Option<Outcome> {
        let lost = match self.big().count() {
            0 => self.ones().count() % 2 == 1,
            1 => false,
            _ => self.heaps.xor() == 0,
        };
        Some(Outcome::lost(lost))
    }

    fn winning_moves(&self) -> Result<MoveSet, UnknownReason> {
        let odd = self.ones().count() % 2 == 1;
        let mut big = self.big();
        Ok(match (big.next(), big.next()) {
            (None, _) if odd => MoveSet::new(),
            (None, _) => self
                .ones()
                .map(|(heap, _)| Move::new(1, heap).to_string())
                .collect(),
            // The big heap becomes one coin or none, whichever leaves an odd number of ones.
            (Some((heap, coins)), None) => {
                let left = u64::from(!odd);
                MoveSet::one(Move::new(coins - left, heap).to_string())
            }
            (Some(_), Some(_)) => self.heaps.takes_changing(self.heaps.xor()),
        })
    }

    fn explain(&self) -> Explanation {
        let big = self.big().count() as u64;
        let ones = self.ones().count() as u64;
        let mut steps = vec![ExplanationStep::BigHeaps { big, ones }];
        if big >= 2 {
            steps.push(xor(&self.heaps.parts()));
        }
        concluded(self, steps, |mv| leaves(self, mv))
    }
}
