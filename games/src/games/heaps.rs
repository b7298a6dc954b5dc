//! Heaps of coins and taking from one of them: what the games of Nim's kind share. It knows none of them.

use std::fmt;

use crate::explanation::{Part, PartValue};
use crate::game_info::MoveKind;
use crate::illegal::{IllegalReason, less_coins, numbered};
use crate::move_set::MoveSet;
use crate::notation::{self, Fields, NotationError};
use crate::shape::ShapePart;
use crate::start::{StartError, StartRange, StartSampler};
use crate::table::{Axis, PositionTable, SEQUENCE_MAX};

/// The notation of heaps in prose.
pub const HEAPS_DOCS: &str = "The coins of each heap; heaps are numbered from 1.";

/// The sentence about takes from one heap.
pub const TAKE: &str = "Take as many coins as you like from one heap.";

/// The moves of Nim.
pub const TAKE_HOW: &[MoveKind] = &[("3,4,5", "take 2 from 2", TAKE)];

/// The tables of one heap and of two.
pub const HEAP_TABLES: &[PositionTable] = &[
    PositionTable::sequence(Axis::new("coins", 0, SEQUENCE_MAX), |coins, _, _| {
        coins.to_string()
    }),
    PositionTable::heaps(),
];

/// Heaps: at least one, some perhaps empty. At most [`LIST_MAX`](crate::LIST_MAX) can be read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Heaps(Vec<u64>);

/// Take coins from a heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HeapMove {
    /// The number of coins.
    pub coins: u64,
    /// From which heap, counted from 1.
    pub heap: u64,
}

impl Heaps {
    pub fn from_fields(fields: &mut Fields<'_>) -> Result<Self, NotationError> {
        fields.list().map(Heaps)
    }

    pub fn sample(sampler: &mut StartSampler<'_>, heaps: &StartRange, coins: &StartRange) -> Self {
        Self(
            (0..sampler.amount(heaps))
                .map(|_| sampler.amount(coins))
                .collect(),
        )
    }

    pub fn check_bounds(&self, heaps: &StartRange, coins: &StartRange) -> Result<(), StartError> {
        heaps.check(self.0.len() as u64)?;
        self.0.iter().try_for_each(|&heap| coins.check(heap))
    }

    /// The heaps with their numbers from 1.
    pub fn numbered(&self) -> impl Iterator<Item = (u64, u64)> {
        (1..).zip(self.0.iter().copied())
    }

    pub fn shape(&self) -> Vec<ShapePart> {
        vec![ShapePart::Heaps(self.0.clone())]
    }

    pub fn parts(&self) -> Vec<PartValue> {
        let part = |(heap, coins)| PartValue::new(Part::heap(heap), coins, coins);
        self.numbered().map(part).collect()
    }

    /// The xor of the heaps: the nimber of Nim.
    pub fn xor(&self) -> u64 {
        self.0.iter().fold(0, |sum, heap| sum ^ heap)
    }

    /// All coins together: they can be taken singly.
    pub fn longest_play(&self) -> u128 {
        self.0.iter().map(|&coins| u128::from(coins)).sum()
    }

    /// The heaps after a move, or the rule that it breaks in every game.
    pub fn after(&self, take: HeapMove) -> Result<Self, IllegalReason> {
        let mut after = self.clone();
        let heap = numbered(&mut after.0, "heap", take.heap)?;
        if take.coins == 0 {
            return Err(IllegalReason::Nothing);
        }
        *heap = less_coins(*heap, take.coins)?;
        Ok(after)
    }

    /// Taking any number of coins from any heap.
    pub fn takes(&self) -> MoveSet {
        let mut moves = MoveSet::with_capacity(self.0.len());
        let mut digits = itoa::Buffer::new();
        for (heap, coins) in self.numbered() {
            let pattern = ["take {a} from ", digits.format(heap)].concat();
            moves.push_range(pattern, 1, coins);
        }
        moves
    }

    /// The moves that change the xor by these bits: at most one from each heap.
    pub fn takes_changing(&self, bits: u64) -> MoveSet {
        let lower = self.numbered().filter(|(_, coins)| coins ^ bits < *coins);
        lower
            .map(|(heap, coins)| HeapMove::new(coins - (coins ^ bits), heap).to_string())
            .collect()
    }
}

impl HeapMove {
    pub(crate) const fn new(coins: u64, heap: u64) -> Self {
        Self { coins, heap }
    }

    pub(crate) fn read(text: &str) -> Result<Self, NotationError> {
        let [coins, heap] = notation::amounts(text, ["take", "from"])?;
        Ok(Self { coins, heap })
    }
}

impl fmt::Display for Heaps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        notation::write_list(f, &self.0)
    }
}

impl fmt::Display for HeapMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "take {} from {}", self.coins, self.heap)
    }
}
