//! One family of moves: a pattern, the values for its holes, and perhaps a bound on their sum.

use std::fmt;

use rand::RngExt;
use smallvec::SmallVec;

use super::{
    count::{SUMMED_SLOTS_MAX, SumConstraint},
    slot::{Progression, Slot, Symbols, push_runs},
    template::{Template, least},
};

/// A set of moves with one pattern, such as `take {a} from 2` for 1 ≤ a ≤ 7. Never empty; without slots it is
/// one move.
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
    /// The pattern, with each slot's runs in its first hole, as it is displayed.
    text: String,
    total: Option<SumConstraint>,
    /// Whether it is serialised as an object, so that nobody takes the pattern for a move.
    is_marked: bool,
}

impl MoveFamily {
    /// The family of this one move, a text without braces.
    pub fn one(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            total: None,
            is_marked: false,
        }
    }

    /// Makes the family of a readable text, with a total that some of its moves obey.
    pub(super) fn of_text(text: String, total: Option<SumConstraint>) -> Self {
        let family = Self {
            total,
            ..Self::one(text)
        };
        // One move has only one form, so it is written without the constraint.
        family.only_move().map_or(family, Self::one)
    }

    /// The only move, written without a constraint.
    fn only_move(&self) -> Option<String> {
        let template = self.template();
        let is_one = self.total.is_none() && template.slots.iter().all(Slot::is_single);
        is_one.then(|| template.fill(&template.completed(Vec::new(), least)))
    }

    /// The family of a pattern with the hole `{a}`, and holes that follow from it.
    pub(super) fn of_runs(pattern: &str, symbols: Symbols, runs: &[Progression]) -> Self {
        let (before, after) = pattern
            .split_once("{a}")
            .expect("a pattern has the hole {a}");
        let mut text = String::with_capacity(pattern.len() + 16);
        text.push_str(before);
        text.push('{');
        // Only a hole that others follow from needs a name.
        if after.contains('{') {
            text.push_str("a:");
        }
        push_runs(&mut text, symbols, runs);
        text.push('}');
        text.push_str(after);
        match runs {
            [one] if one.from == one.to => Self::of_text(text, None),
            _ => Self::one(text),
        }
    }

    /// Makes all moves that take one number of each slot, `from..=to`, and obey `total` together: the words,
    /// then the numbers with commas between them. `None` if there are none.
    ///
    /// # Panics
    /// Without slots or with more than [`SUMMED_SLOTS_MAX`].
    #[must_use]
    pub fn summing(words: &str, slots: &[(u64, u64)], total: SumConstraint) -> Option<Self> {
        assert!(
            (1..=SUMMED_SLOTS_MAX).contains(&slots.len()),
            "a total is over 1 to {} slots",
            SUMMED_SLOTS_MAX
        );
        let mut text = words.to_owned();
        for (index, &(from, to)) in slots.iter().enumerate() {
            debug_assert!(from <= to, "a slot has numbers");
            text.push_str(if index == 0 { "{" } else { ",{" });
            push_runs(
                &mut text,
                Symbols::Numbers,
                &[Progression { from, to, step: 1 }],
            );
            text.push('}');
        }
        Template::read(&text, Some(total)).ok()?;
        Some(Self::of_text(text, Some(total)))
    }

    /// Returns the text with each slot's runs in its first hole. Without a constraint, it is serialised as this.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    fn template(&self) -> Template<'_> {
        let template = Template::read(&self.text, self.total);
        template.expect("a family is written as it is read")
    }

    /// The text with holes `{a}`, `{a+1}`, `{b}`, ….
    #[must_use]
    pub fn pattern(&self) -> String {
        self.template().pattern()
    }

    /// The values allowed in the holes, in the order of their names.
    #[must_use]
    pub fn slots(&self) -> SmallVec<[Slot; 1]> {
        self.template().slots
    }

    /// Returns the constraint on the sum of the numbers. With one, every slot is a single run of step 1.
    #[must_use]
    pub const fn total(&self) -> Option<SumConstraint> {
        self.total
    }

    /// The number of moves; `None` if 128 bits may not hold it.
    #[must_use]
    pub fn count(&self) -> Option<u128> {
        self.template().count()
    }

    /// The canonical texts of all moves, one by one.
    pub fn iter(&self) -> impl Iterator<Item = String> {
        let template = self.template();
        let mut next = Some(template.completed(Vec::new(), least));
        std::iter::from_fn(move || {
            let values = next.take()?;
            let text = template.fill(&values);
            next = template.following(values);
            Some(text)
        })
    }

    /// Returns the first and the last move, which may be the same: all numbers as small and as large as possible.
    #[must_use]
    pub fn ends(&self) -> [String; 2] {
        let template = self.template();
        let largest = |runs: &[Progression]| {
            let largest = runs.iter().map(|run| run.to).max();
            largest.expect("a number can always be completed")
        };
        [
            template.completed(Vec::new(), least),
            template.completed(Vec::new(), largest),
        ]
        .map(|values| template.fill(&values))
    }

    /// Returns `true` if this canonical text is one of the moves.
    #[must_use]
    pub fn contains(&self, text: &str) -> bool {
        self.template().contains(text)
    }

    /// One move at random: uniform without a total, else each with a positive chance.
    pub fn pick(&self, rng: &mut dyn rand::Rng) -> String {
        let template = self.template();
        let values = template.completed(Vec::new(), |runs| {
            let mut index = rng.random_range(0..runs.iter().map(Progression::count).sum());
            let run = runs.iter().find(|run| {
                let is_there = index < run.count();
                if !is_there {
                    index -= run.count();
                }
                is_there
            });
            let run = run.expect("the index is below the count of all runs");
            // No truncation: the index is smaller than a difference of two 64-bit numbers.
            run.from + index as u64 * run.step
        });
        template.fill(&values)
    }

    /// Returns the same moves, serialised as an object unless they are a single move.
    pub(super) fn marked(mut self) -> Self {
        self.is_marked = self.text.contains('{') && self.total.is_none();
        self
    }

    /// Returns `true` if it is serialised as an object, else as a text.
    #[must_use]
    pub const fn is_object(&self) -> bool {
        self.is_marked || self.total.is_some()
    }

    pub(super) fn prefix(&mut self, prefix: &str) {
        self.text.insert_str(0, prefix);
    }
}

/// Writes `take {1..7} from 2`; a constraint in words after it.
impl fmt::Display for MoveFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
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
