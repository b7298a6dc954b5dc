//! One family of moves: a pattern, the values that may stand in its holes, and perhaps a bound on their sum.

use std::{borrow::Cow, fmt};

use rand::RngExt;
use smallvec::SmallVec;

use super::{
    count::{self, SUMMED_SLOTS_MAX, SumConstraint},
    pattern::{self, Piece},
    slot::{Progression, Runs, Slot, Symbols},
};

/// A set of moves with one pattern, such as `take {a} from 2` for 1 ≤ a ≤ 7. Never empty; without slots it is one move.
///
/// Displayed and serialised, it is its pattern with the numbers in it, such as `take {1..7} from 2`;
/// serialised with a constraint, or marked, an object: `{"pattern": "take {0..7},{0..7}", "total": [1, 3, 2]}`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(with = "super::serial::FamilyValue")
)]
#[derive(serde::Deserialize)]
#[serde(try_from = "super::serial::FamilyValue")]
pub struct MoveFamily {
    pattern: String,
    /// Most often one.
    slots: SmallVec<[Slot; 1]>,
    total: Option<SumConstraint>,
    /// Serialised as an object, so that nobody takes the pattern for a move.
    is_marked: bool,
}

impl MoveFamily {
    /// The family of this one move.
    pub fn one(text: impl Into<String>) -> Self {
        Self {
            pattern: text.into(),
            slots: SmallVec::new(),
            total: None,
            is_marked: false,
        }
    }

    /// All moves made by filling the holes `{a}`, `{b}`, … with numbers from the first, second, … list of runs.
    ///
    /// # Panics
    /// When a list or a run is empty, runs of a list overlap, or the holes of the pattern are not those of the lists:
    /// errors in a game's code, not in its input.
    pub fn new(pattern: impl Into<String>, slots: Vec<Vec<Progression>>) -> Self {
        let slots = slots.into_iter().map(Runs::from_vec).enumerate();
        let slots = slots.map(|(index, runs)| Slot::new(index, Symbols::Numbers, runs));
        Self::of_slots(pattern.into(), slots.collect())
    }

    /// As [`Self::new`], with slots of any symbols.
    pub(super) fn of_slots(pattern: String, slots: SmallVec<[Slot; 1]>) -> Self {
        check_holes(&pattern, slots.len());
        if let Some(values) = slots.iter().map(Slot::only).collect::<Option<Vec<u64>>>() {
            return Self::one(pattern::fill(&pattern, &slots, &values));
        }
        Self {
            pattern,
            slots,
            total: None,
            is_marked: false,
        }
    }

    /// All moves made by filling the holes with numbers from `from..=to` each that obey `total` together; `None` if
    /// there are none.
    ///
    /// # Panics
    /// As [`MoveFamily::new`], and without slots or with more than [`SUMMED_SLOTS_MAX`].
    pub fn summing(
        pattern: impl Into<String>,
        slots: &[(u64, u64)],
        total: SumConstraint,
    ) -> Option<Self> {
        assert!(
            (1..=SUMMED_SLOTS_MAX).contains(&slots.len()),
            "a total is over 1 to {SUMMED_SLOTS_MAX} slots"
        );
        let slots = slots.iter().enumerate();
        let slots = slots
            .map(|(index, &(from, to))| Slot::of_range(index, Symbols::Numbers, from, to))
            .collect();
        Self::of_sum(pattern.into(), slots, total)
    }

    /// As [`Self::summing`]; `None` also where the slots are not as there.
    pub(super) fn of_sum(
        pattern: String,
        slots: SmallVec<[Slot; 1]>,
        total: SumConstraint,
    ) -> Option<Self> {
        check_holes(&pattern, slots.len());
        let fits = (1..=SUMMED_SLOTS_MAX).contains(&slots.len())
            && slots.iter().all(Slot::is_range_of_numbers);
        let family = Self {
            pattern,
            slots,
            total: Some(total),
            is_marked: false,
        };
        (fits && !family.runs_after(&[]).is_empty()).then_some(family)
    }

    /// The text with holes `{a}`, `{a+1}`, `{b}`, ….
    #[must_use]
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// The values allowed in the holes, in the order of their names.
    #[must_use]
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The constraint on the sum of the numbers. With one, every slot is one run of step 1.
    #[must_use]
    pub const fn total(&self) -> Option<SumConstraint> {
        self.total
    }

    /// The number of moves; `None` if 128 bits may not hold it.
    pub fn count(&self) -> Option<u128> {
        match self.total {
            Some(total) => count::tuples(&self.bounds(), total),
            None => {
                let mut counts = self.slots.iter().map(Slot::count);
                counts.try_fold(1u128, |product, count| product.checked_mul(count))
            }
        }
    }

    /// The canonical texts of all moves, one by one.
    pub fn iter(&self) -> impl Iterator<Item = String> {
        let mut next = Some(self.completed(Vec::with_capacity(self.slots.len())));
        std::iter::from_fn(move || {
            let values = next.take()?;
            let text = pattern::fill(&self.pattern, &self.slots, &values);
            next = self.following(values);
            Some(text)
        })
    }

    /// The first and the last move, which may be the same: all numbers as small, and all as large, as can be.
    #[must_use]
    pub fn ends(&self) -> [String; 2] {
        let mut last = Vec::with_capacity(self.slots.len());
        while last.len() < self.slots.len() {
            let largest = self.runs_after(&last).iter().map(|run| run.to).max();
            last.push(largest.expect("a number can always be completed"));
        }
        [self.completed(Vec::new()), last]
            .map(|values| pattern::fill(&self.pattern, &self.slots, &values))
    }

    /// Returns `true` if this canonical text is one of the moves.
    #[must_use]
    pub fn contains(&self, text: &str) -> bool {
        let Some(values) = pattern::values(&self.pattern, &self.slots, text) else {
            return false;
        };
        (0..values.len()).all(|index| {
            self.runs_after(&values[..index])
                .iter()
                .any(|run| run.contains(values[index]))
        })
    }

    /// One move at random: uniform without a total, else each with a positive chance.
    pub fn pick(&self, rng: &mut dyn rand::Rng) -> String {
        let mut values = Vec::with_capacity(self.slots.len());
        while values.len() < self.slots.len() {
            let runs = self.runs_after(&values);
            let mut index = rng.random_range(0..runs.iter().map(Progression::count).sum());
            let run = runs
                .iter()
                .find(|run| match index.checked_sub(run.count()) {
                    Some(less) => {
                        index = less;
                        false
                    }
                    None => true,
                });
            let run = run.expect("the index is below the count of all runs");
            // No truncation: the index is below the count of numbers between two numbers of 64 bits.
            values.push(run.from + index as u64 * run.step);
        }
        pattern::fill(&self.pattern, &self.slots, &values)
    }

    /// The same moves, serialised as an object unless they are one.
    pub(super) fn marked(mut self) -> Self {
        self.is_marked = !self.slots.is_empty() && self.total.is_none();
        self
    }

    /// Returns `true` if it is serialised as an object, else as a text.
    #[must_use]
    pub const fn is_object(&self) -> bool {
        self.is_marked || self.total.is_some()
    }

    pub(super) fn prefix(&mut self, prefix: &str) {
        self.pattern.insert_str(0, prefix);
    }

    /// First and last number of each slot.
    fn bounds(&self) -> Vec<(u64, u64)> {
        self.slots
            .iter()
            .map(|slot| (slot.runs()[0].from, slot.runs()[0].to))
            .collect()
    }

    /// The numbers for the next slot that can be completed to a move, after these numbers for the slots before it.
    fn runs_after(&self, values: &[u64]) -> Cow<'_, [Progression]> {
        match self.total {
            None => Cow::Borrowed(self.slots[values.len()].runs()),
            Some(total) => count::completable(&self.bounds(), total, values)
                .map_or(Cow::Borrowed(&[]), |(from, to)| {
                    Cow::Owned(vec![Progression { from, to, step: 1 }])
                }),
        }
    }

    /// The first numbers for all slots that begin with these.
    fn completed(&self, mut values: Vec<u64>) -> Vec<u64> {
        while values.len() < self.slots.len() {
            let first = self.runs_after(&values)[0].from;
            values.push(first);
        }
        values
    }

    /// The numbers that come after these; the last slot changes fastest.
    fn following(&self, mut values: Vec<u64>) -> Option<Vec<u64>> {
        while let Some(last) = values.pop() {
            let runs = self.runs_after(&values);
            let current = runs.iter().position(|run| run.contains(last))?;
            if let Some(next) = runs[current]
                .after(last)
                .or_else(|| runs.get(current + 1).map(|run| run.from))
            {
                values.push(next);
                return Some(self.completed(values));
            }
        }
        None
    }
}

/// Writes `take {1..7} from 2`; a constraint in words after it.
impl fmt::Display for MoveFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::with_capacity(self.pattern.len() + 16);
        self.push_text(&mut text);
        f.write_str(&text)?;
        match self.total {
            None => Ok(()),
            Some(SumConstraint {
                least,
                most,
                nonzero,
            }) => write!(f, " (together {least}..{most}, at least {nonzero} above 0)"),
        }
    }
}

/// Holds a pattern's holes against the number of its slots.
fn check_holes(pattern: &str, slots: usize) {
    if slots == 1 && pattern::around_only_hole(pattern).is_some() {
        return;
    }
    let mut named = 0_u64;
    for piece in pattern::pieces(pattern) {
        if let Piece::Hole { slot, .. } = piece {
            named |= 1 << slot;
        }
    }
    assert_eq!(
        named,
        (1 << slots) - 1,
        "the holes of \"{pattern}\" are the {slots} slots"
    );
}
