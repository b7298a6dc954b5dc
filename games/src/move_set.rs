//! Many moves in little space, as text: families with holes instead of lists.
//!
//! A position with counters near 2^53 has that many legal moves, and they must still be counted, shown, drawn
//! from and sent. This file knows texts and numbers, but neither games nor rules.

mod count;
mod cover;
mod family;
mod serial;
mod slot;
mod template;

use std::fmt;

use rand::RngExt;

pub use count::{SUMMED_SLOTS_MAX, SumConstraint};
pub use family::MoveFamily;
use slot::Symbols;
pub use slot::{Progression, Slot};

use crate::notation::write_joined;

/// A set of moves of one position, as disjoint families of canonical move texts.
///
/// Serialised, it is an array of families.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct MoveSet {
    families: Vec<MoveFamily>,
}

impl MoveSet {
    /// The empty set.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            families: Vec::new(),
        }
    }

    /// The empty set, with room for this many families.
    #[must_use]
    pub fn with_capacity(families: usize) -> Self {
        Self {
            families: Vec::with_capacity(families),
        }
    }

    /// The set of this one move.
    pub fn one(text: impl Into<String>) -> Self {
        Self {
            families: vec![MoveFamily::one(text)],
        }
    }

    /// Adds a move that is not in the set yet.
    pub fn push(&mut self, text: impl Into<String>) {
        self.push_family(MoveFamily::one(text));
    }

    /// Adds the moves that the numbers `from..=to` make in a pattern's hole `{a}`; other holes, such as
    /// `{a+1}`, follow from it. Adds none if `from > to`.
    ///
    /// # Panics
    /// Without that hole: an error in a game's code, not in its input.
    pub fn push_range(&mut self, pattern: impl AsRef<str>, from: u64, to: u64) {
        self.push_symbols(pattern.as_ref(), Symbols::Numbers, from, to);
    }

    /// As [`Self::push_range`], with letters in the hole: 1 is `a`, 26 is `z`.
    ///
    /// # Panics
    /// As [`Self::push_range`].
    pub fn push_letters(&mut self, pattern: impl AsRef<str>, from: u64, to: u64) {
        self.push_symbols(pattern.as_ref(), Symbols::Letters, from, to);
    }

    fn push_symbols(&mut self, pattern: &str, symbols: Symbols, from: u64, to: u64) {
        if from <= to {
            let run = Progression { from, to, step: 1 };
            self.push_family(MoveFamily::of_runs(pattern, symbols, &[run]));
        }
    }

    /// Adds the moves that these ascending numbers make in a pattern's hole `{a}`, in few runs.
    ///
    /// # Panics
    /// As [`Self::push_range`].
    pub fn push_numbers(&mut self, pattern: impl AsRef<str>, numbers: &[u64]) {
        self.push_runs(pattern, Progression::cover(numbers, 1));
    }

    /// Adds the moves that all numbers of disjoint runs make in the hole `{a}`. Each run ends on its last number.
    ///
    /// # Panics
    /// As [`Self::push_range`].
    pub fn push_runs(&mut self, pattern: impl AsRef<str>, mut runs: Vec<Progression>) {
        if !runs.is_empty() {
            runs.sort_by_key(|run| run.from);
            let family = MoveFamily::of_runs(pattern.as_ref(), Symbols::Numbers, &runs);
            self.push_family(family);
        }
    }

    /// Adds a family, none of whose moves is in the set yet.
    pub fn push_family(&mut self, family: MoveFamily) {
        self.families.push(family);
    }

    /// Joins two sets that have no move in common.
    #[must_use]
    pub fn union(mut self, other: Self) -> Self {
        self.families.extend(other.families);
        self
    }

    /// The same moves, each with `prefix` before it.
    #[must_use]
    pub fn prefixed(mut self, prefix: &str) -> Self {
        self.families
            .iter_mut()
            .for_each(|family| family.prefix(prefix));
        self
    }

    /// The families; they have no move in common.
    #[must_use]
    pub fn families(&self) -> &[MoveFamily] {
        &self.families
    }

    /// The number of moves; `None` if 128 bits may not hold it.
    #[must_use]
    pub fn count(&self) -> Option<u128> {
        self.families
            .iter()
            .try_fold(0u128, |sum, family| sum.checked_add(family.count()?))
    }

    /// Returns `true` if there is no move.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.families.is_empty()
    }

    /// The canonical texts of all moves, one by one, family by family.
    pub fn iter(&self) -> impl Iterator<Item = String> {
        self.families.iter().flat_map(MoveFamily::iter)
    }

    /// Returns the same moves: one by one if there are at most `most`, else as families serialised as objects.
    #[must_use]
    pub fn listed(&self, most: u128) -> Self {
        match self.count().is_some_and(|count| count <= most) {
            true => self.iter().collect(),
            false => Self {
                families: self
                    .families
                    .iter()
                    .cloned()
                    .map(MoveFamily::marked)
                    .collect(),
            },
        }
    }

    /// Returns `true` if this canonical text is one of the moves.
    #[must_use]
    pub fn contains(&self, move_text: &str) -> bool {
        self.families
            .iter()
            .any(|family| family.contains(move_text))
    }

    /// Draws a move at random; `None` iff there is none.
    ///
    /// Every move has a positive chance. All have the same chance if no family has a [`SumConstraint`], and
    /// the families' sizes, times their number, are below 2^128.
    pub fn pick(&self, rng: &mut dyn rand::Rng) -> Option<String> {
        // Capped so that the sum cannot overflow; every family keeps a chance.
        let cap = u128::MAX / (self.families.len().max(1) as u128);
        let weight = |family: &MoveFamily| family.count().map_or(cap, |count| count.min(cap));
        let weights: Vec<u128> = self.families.iter().map(weight).collect();
        let sum = weights.iter().sum();
        if sum == 0 {
            return None;
        }
        let mut left = rng.random_range(0..sum);
        for (family, weight) in self.families.iter().zip(weights) {
            match left.checked_sub(weight) {
                Some(less) => left = less,
                None => return Some(family.pick(rng)),
            }
        }
        unreachable!("the weights of the families add up to at least their sum")
    }
}

/// Writes the families separated by `; `.
impl fmt::Display for MoveSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_joined(f, "; ", &self.families)
    }
}

/// Collects moves of which no two are the same.
impl<T: Into<String>> FromIterator<T> for MoveSet {
    fn from_iter<I: IntoIterator<Item = T>>(moves: I) -> Self {
        Self {
            families: moves.into_iter().map(MoveFamily::one).collect(),
        }
    }
}
