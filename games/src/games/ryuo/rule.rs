//! The rule of the Ryūō games: coins are taken from one heap, or a few from several heaps at once.

use std::{fmt, ops::RangeInclusive};

use crate::illegal::{IllegalReason, less_coins};
use crate::move_set::{MoveFamily, MoveSet, SUMMED_SLOTS_MAX, SumConstraint};
use crate::notation::{self, NotationError};
use crate::start::StartRange;

/// The most heaps of a position. Winning moves are looked for in every set of heaps, and counted in families.
pub const HEAPS_MAX: usize = SUMMED_SLOTS_MAX;

/// The bounds on the coins a move may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TakeRule {
    /// The most from one heap alone.
    pub alone: u64,
    /// The most from each of several heaps.
    pub each: u64,
    /// The most from several heaps together; below 2, nothing is taken from several.
    pub together: u64,
}

/// The coins that are taken from the heaps.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RyuoMove(Vec<u64>);

impl RyuoMove {
    pub fn new(coins: &[u64]) -> Self {
        Self(coins.to_vec())
    }

    /// Reads `take 3,0`, with as many numbers as `heaps` allows.
    pub fn read(text: &str, heaps: RangeInclusive<usize>) -> Result<Self, NotationError> {
        notation::verb_list(text, "take", heaps).map(RyuoMove)
    }
}

impl fmt::Display for RyuoMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("take ")?;
        notation::write_list(f, &self.0)
    }
}

impl TakeRule {
    pub fn after(self, heaps: &[u64], take: &RyuoMove) -> Result<Vec<u64>, IllegalReason> {
        let RyuoMove(coins) = take;
        if coins.len() != heaps.len() {
            return Err(IllegalReason::HeapCount {
                asked: coins.len() as u64,
                there: heaps.len() as u64,
            });
        }
        let left = heaps
            .iter()
            .zip(coins)
            .map(|(&heap, &coins)| less_coins(heap, coins));
        let left = left.collect::<Result<Vec<u64>, _>>()?;
        let taken = coins.iter().filter(|&&coins| coins > 0).count();
        let total = coins.iter().sum();
        let greatest = coins.iter().copied().max().unwrap_or(0);
        let bounds = match taken {
            0 => return Err(IllegalReason::Nothing),
            1 => vec![("from one heap", total, self.alone)],
            _ => vec![
                ("from several heaps together", total, self.together),
                ("from each of several heaps", greatest, self.each),
            ],
        };
        match bounds.into_iter().find(|&(_, asked, most)| asked > most) {
            None => Ok(left),
            Some((from, asked, most)) => Err(IllegalReason::TooManyAtOnce { from, asked, most }),
        }
    }

    pub fn legal_moves(self, heaps: &[u64]) -> MoveSet {
        let mut moves = MoveSet::new();
        for (heap, &coins) in heaps.iter().enumerate() {
            moves.push_range(alone(heaps.len(), heap, "{a}"), 1, coins.min(self.alone));
        }
        let bounds: Vec<(u64, u64)> = heaps
            .iter()
            .map(|&coins| (0, coins.min(self.each)))
            .collect();
        push_several(&mut moves, &bounds, 2, self.together);
        moves
    }

    /// The greatest number of takes that can follow each other: exact.
    pub fn longest_play(self, heaps: &[u64]) -> u128 {
        let coins: u128 = heaps.iter().map(|&coins| u128::from(coins)).sum();
        let greatest = u128::from(heaps.iter().copied().max().unwrap_or(0));
        match (self.alone, self.together) {
            (1.., _) => coins,
            (0, 0 | 1) => 0,
            // Only takes from several heaps: the longest play takes single coins from two heaps, the larger
            // ones first, until one heap or none is left.
            (0, _) => (coins / 2).min(coins - greatest),
        }
    }

    /// A bound on the takes that [`Self::for_each`] visits, if no heap has more coins than `most`.
    pub fn takes(self, heaps: &[u64], most: u64) -> u64 {
        let alone = heaps.iter().map(|&coins| coins.min(self.alone).min(most));
        let each = self.each.min(self.together).min(most);
        let several = heaps.iter().map(|&coins| coins.min(each) + 1);
        alone.sum::<u64>() + several.product::<u64>()
    }

    /// A bound on the takes that a table of all heaps up to `most` visits: those of [`Self::for_each`] of each cell.
    pub fn tabled(self, heaps: usize, most: u64) -> u64 {
        let heaps = heaps as u32;
        let sum = |count: &dyn Fn(u64) -> u64| (0..=most).map(count).sum::<u64>();
        let alone =
            sum(&|coins| coins.min(self.alone)) * u64::from(heaps) * (most + 1).pow(heaps - 1);
        let each = self.each.min(self.together);
        alone + sum(&|coins| coins.min(each) + 1).pow(heaps)
    }

    /// Calls `visit` with every legal take: for small heaps.
    pub fn for_each(self, heaps: &[u64], mut visit: impl FnMut(&[u64])) {
        let mut take = vec![0; heaps.len()];
        for (heap, &coins) in heaps.iter().enumerate() {
            for coins in 1..=coins.min(self.alone) {
                take[heap] = coins;
                visit(&take);
            }
            take[heap] = 0;
        }
        let (mut total, mut taken) = (0, 0);
        'takes: loop {
            // The next list of numbers, the last one changing fastest.
            for heap in (0..heaps.len()).rev() {
                if total < self.together && take[heap] < heaps[heap].min(self.each) {
                    taken += u32::from(take[heap] == 0);
                    take[heap] += 1;
                    total += 1;
                    if taken >= 2 {
                        visit(&take);
                    }
                    continue 'takes;
                }
                taken -= u32::from(take[heap] > 0);
                total -= take[heap];
                take[heap] = 0;
            }
            return;
        }
    }
}

/// The text of a take from one heap (counted from 0) alone.
pub fn alone(heaps: usize, heap: usize, coins: &str) -> String {
    let places = (0..heaps).map(|place| if place == heap { coins } else { "0" });
    format!("take {}", places.collect::<Vec<_>>().join(","))
}

/// Adds the takes from two heaps or more, within bounds for each, of `least` to `most` coins together.
pub fn push_several(moves: &mut MoveSet, bounds: &[(u64, u64)], least: u64, most: u64) {
    let total = SumConstraint {
        least,
        most,
        nonzero: 2,
    };
    if let Some(family) = MoveFamily::summing("take ", bounds, total) {
        moves.push_family(family);
    }
}

/// A range of heaps of so many coins.
pub const fn coins(most: u64, default_to: u64) -> StartRange {
    StartRange::new("coins", 0..=most, 1..=default_to)
}
