//! Nim: heaps of coins; take any number from one of them.
//!
//! Solved by Bouton (1901): the nimber is the xor of the heaps.

use std::fmt;

pub use super::heaps::HeapMove as Move;
use super::heaps::{HEAP_TABLES, HEAPS_DOCS, Heaps, TAKE_HOW};
use crate::explain::by_parts;
use crate::explanation::{Explanation, PartValue};
use crate::game::Game;
use crate::game_info::{Convention, GameDocs, GameInfo};
use crate::illegal::IllegalReason;
use crate::move_set::MoveSet;
use crate::nimber::{Nimber, UnknownReason};
use crate::notation::{Fields, NotationError};
use crate::start::StartRange;
use crate::table::Tables;

const HEAPS: StartRange = StartRange::new("heaps", 1..=8, 3..=5);
const COINS: StartRange = StartRange::new("coins", 0..=50, 1..=15);

/// The heaps of a Nim position: at least one, some perhaps empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Nim {
    heaps: Heaps,
}

impl Nim {
    pub fn value(&self) -> u64 {
        self.heaps.xor()
    }
}

impl fmt::Display for Nim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.heaps.fmt(f)
    }
}

impl Game for Nim {
    type Move = Move;

    const INFO: GameInfo = GameInfo {
        id: "nim",
        title: "Nim",
        rules: "Take any number of coins from one heap. Whoever cannot move loses.",
        example: "3,4,5",
        example_move: "take 2 from 1",
        convention: Convention::Normal,
    };
    const DOCS: GameDocs = GameDocs {
        position: HEAPS_DOCS,
        how: TAKE_HOW,
        theory: &[
            "The nimber is the xor ⊕ of the heaps (Bouton 1901): sum the binary digits without carrying. 0 is lost.",
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
        Nimber::Known(self.value())
    }

    fn moves_to(&self, value: u64) -> Result<MoveSet, UnknownReason> {
        Ok(self.heaps.takes_changing(value ^ self.value()))
    }

    fn explain(&self) -> Explanation {
        by_parts(self)
    }

    fn parts(&self) -> Vec<PartValue> {
        self.heaps.parts()
    }
}
