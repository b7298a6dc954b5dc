//! The heap and the moves that Fibonacci Nim and its misère form share. Who wins, this file does not know.

use std::fmt;

use crate::game_info::MoveKind;
use crate::illegal::{IllegalReason, less_coins};
use crate::move_set::MoveSet;
use crate::notation::{self, Fields, NotationError};
use crate::shape::{MoveBound, ShapePart};
use crate::start::{StartError, StartRange, StartSampler};
use crate::table::{Axis, PLANE_MAX, PositionTable, SEQUENCE_MAX};

/// The notation of positions in prose.
pub const POSITION_DOCS: &str =
    "The coins; after a move, `last` is the number of coins taken last.";

/// An example of a move, and its effect.
pub const HOW: &[MoveKind] = how! {
    "coins=10", "take 3" => "First move: take as many coins as you like, but not all.";
    "coins=8 last=2", "take 4" => "Afterwards: at most twice as many as the other one just took. After 2, that is up to 4.";
};

/// Returns the tables of starts and of positions after a move, which begin at these numbers of coins.
pub const fn tables(least_start: u64, least_left: u64) -> [PositionTable; 2] {
    [
        PositionTable::sequence(
            Axis::new("coins at the start", least_start, SEQUENCE_MAX),
            |coins, _, _| format!("coins={coins}"),
        ),
        PositionTable {
            columns: Some(Axis::new("taken last", 1, PLANE_MAX)),
            ..PositionTable::sequence(
                Axis::new("coins", least_left, PLANE_MAX),
                |coins, last, _| format!("coins={coins} last={last}"),
            )
        },
    ]
}

/// A heap, and how many coins were taken last: 0 at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Coins {
    left: u64,
    last: u64,
}

/// Take so many coins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move(u64);

impl Coins {
    pub fn sample(sampler: &mut StartSampler<'_>, coins: &StartRange) -> Self {
        Self {
            left: sampler.amount(coins),
            last: 0,
        }
    }

    pub fn check_bounds(self, coins: &StartRange) -> Result<(), StartError> {
        coins.check(self.left)
    }

    /// Takes the pieces of a position: `coins`, and `last` unless nothing was taken yet.
    pub fn from_fields(fields: &mut Fields<'_>) -> Result<Self, NotationError> {
        Ok(Self {
            left: fields.amount("coins")?,
            last: fields.amount("last")?,
        })
    }

    pub const fn is_start(self) -> bool {
        self.last == 0
    }

    /// The coins in the heap.
    pub const fn left(self) -> u64 {
        self.left
    }

    /// Returns the most coins that may be taken, never more than there are. It is also the number of legal moves.
    pub fn quota(self) -> u64 {
        if self.is_start() {
            self.left.saturating_sub(1)
        } else {
            // No overflow: amounts have 53 bits.
            self.left.min(2 * self.last)
        }
    }

    pub fn shape(self) -> Vec<ShapePart> {
        let most = self.quota();
        let bound = match self.last {
            0 => MoveBound::NotAll,
            last => MoveBound::AfterTake { last, most },
        };
        let bound = (self.left > 0).then_some(ShapePart::Bound(bound));
        let coins = ShapePart::Coins(self.left);
        [coins].into_iter().chain(bound).collect()
    }

    pub fn after(self, Move(taken): Move) -> Result<Self, IllegalReason> {
        let left = less_coins(self.left, taken)?;
        match (taken, self.quota()) {
            (0, _) => Err(IllegalReason::Nothing),
            (asked, quota) if asked > quota => Err(IllegalReason::PastQuota { asked, quota }),
            (last, _) => Ok(Self { left, last }),
        }
    }

    pub fn takes(self) -> MoveSet {
        let mut moves = MoveSet::new();
        moves.push_range("take {a}", 1, self.quota());
        moves
    }

    /// Exact: one coin may always be taken after one coin, so that they can be taken singly, unless none may be taken.
    pub fn longest_play(self) -> u128 {
        if self.quota() == 0 {
            0
        } else {
            self.left.into()
        }
    }
}

impl Move {
    pub(crate) const fn new(coins: u64) -> Self {
        Self(coins)
    }

    pub(crate) fn read(text: &str) -> Result<Self, NotationError> {
        let [coins] = notation::amounts(text, ["take"])?;
        Ok(Self(coins))
    }
}

impl fmt::Display for Coins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "coins={}", self.left)?;
        if self.is_start() {
            Ok(())
        } else {
            write!(f, " last={}", self.last)
        }
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "take {}", self.0)
    }
}
