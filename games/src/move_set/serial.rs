//! The serialised form of move families: one text, as short as it is readable, because the legal
//! moves are sent with every ply. What is read is checked, because a family's methods rely on its
//! invariants.

use serde::{Deserialize, Serialize, Serializer};
use thiserror::Error;

use super::{
    MoveFamily, Progression, SUMMED_SLOTS_MAX, SumConstraint,
    pattern::{self, Piece},
};

/// The most slots a family can have: one for each letter.
const SLOTS_MAX: usize = 26;

/// The most runs of one slot that are read.
const RUNS_MAX: usize = 1_024;

/// The serialised form of a family.
///
/// In a pattern, `{1..5,9..21/3}` stands for each number from 1 to 5 and each third one from 9 to
/// 21. `{a:1..5}` also names the number, so that `{a}` and `{a+1}` may follow from it.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "a pattern, or an object of `pattern` and `total`"
)]
pub enum FamilyValue {
    /// The pattern.
    Free(String),
    /// A pattern whose numbers are bound together.
    Summing {
        /// The pattern.
        pattern: String,
        /// Least sum, greatest sum, and the least number of slots above 0.
        total: (u64, u64, u8),
    },
}

/// The error of data that does not describe a family.
#[derive(Debug, Error)]
#[error("this is no family of moves: {0}")]
pub struct MalformedFamily(&'static str);

const MALFORMED_HOLE: MalformedFamily = MalformedFamily("a hole cannot be read");
const MALFORMED_RUNS: MalformedFamily =
    MalformedFamily("a slot has no ascending, disjoint runs of numbers");

impl Serialize for MoveFamily {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        FamilyValue::from(self).serialize(serializer)
    }
}

impl From<&MoveFamily> for FamilyValue {
    fn from(family: &MoveFamily) -> Self {
        match family.total() {
            Some(SumConstraint {
                least,
                most,
                nonzero,
            }) => Self::Summing {
                pattern: family.text(),
                total: (least, most, nonzero),
            },
            None => Self::Free(family.text()),
        }
    }
}

impl TryFrom<FamilyValue> for MoveFamily {
    type Error = MalformedFamily;

    fn try_from(value: FamilyValue) -> Result<Self, MalformedFamily> {
        match value {
            FamilyValue::Free(text) => {
                let Template { pattern, slots } = Template::read(&text)?;
                Ok(if slots.is_empty() {
                    Self::one(pattern)
                } else {
                    Self::new(pattern, slots)
                })
            }
            FamilyValue::Summing {
                pattern,
                total: (least, most, nonzero),
            } => {
                let Template { pattern, slots } = Template::read(&pattern)?;
                let bounds: Option<Vec<(u64, u64)>> = slots
                    .iter()
                    .map(|runs| match runs[..] {
                        [Progression { from, to, step: 1 }] => Some((from, to)),
                        _ => None,
                    })
                    .collect();
                let constraint = SumConstraint {
                    least,
                    most,
                    nonzero,
                };
                bounds
                    .filter(|bounds| (1..=SUMMED_SLOTS_MAX).contains(&bounds.len()))
                    .and_then(|bounds| Self::summing(pattern, &bounds, constraint))
                    .ok_or(MalformedFamily("no move obeys its total"))
            }
        }
    }
}

impl MoveFamily {
    fn text(&self) -> String {
        let mut text = String::with_capacity(self.pattern().len() + 16);
        self.push_text(&mut text);
        text
    }

    /// Appends the pattern with the runs of each slot in its first hole: without a constraint, what
    /// the family is serialised as.
    pub fn push_text(&self, text: &mut String) {
        if self.slots().is_empty() {
            return text.push_str(self.pattern());
        }
        if let Some((before, after)) = pattern::around_only_hole(self.pattern()) {
            text.push_str(before);
            text.push('{');
            push_runs(text, self.slots()[0].runs());
            text.push('}');
            return text.push_str(after);
        }
        let is_named = is_named(self.pattern());
        let mut seen = [false; SLOTS_MAX];
        for piece in pattern::pieces(self.pattern()) {
            match piece {
                Piece::Literal(literal) => text.push_str(literal),
                Piece::Hole { slot, plus } => {
                    text.push('{');
                    if is_named {
                        push_name(text, slot, plus);
                    }
                    if !std::mem::replace(&mut seen[slot], true) {
                        if is_named {
                            text.push(':');
                        }
                        push_runs(text, self.slots()[slot].runs());
                    }
                    text.push('}');
                }
            }
        }
    }
}

/// Returns false if each number stands in one hole, in the order of the slots: then names say
/// nothing.
fn is_named(pattern: &str) -> bool {
    let mut slots = 0..;
    pattern::pieces(pattern).any(|piece| match piece {
        Piece::Literal(_) => false,
        Piece::Hole { slot, plus } => plus > 0 || slots.next() != Some(slot),
    })
}

fn push_name(text: &mut String, slot: usize, plus: u64) {
    text.push(pattern::name(slot));
    if plus > 0 {
        text.push('+');
        pattern::push_number(text, plus);
    }
}

fn push_runs(text: &mut String, runs: &[Progression]) {
    for (index, &Progression { from, to, step }) in runs.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        pattern::push_number(text, from);
        if from < to {
            text.push_str("..");
            pattern::push_number(text, to);
        }
        if from < to && step > 1 {
            text.push('/');
            pattern::push_number(text, step);
        }
    }
}

/// A pattern that was read, with the runs of its slots.
struct Template {
    pattern: String,
    slots: Vec<Vec<Progression>>,
}

impl Template {
    fn read(text: &str) -> Result<Self, MalformedFamily> {
        let mut holes = Vec::new();
        let mut literals = Vec::new();
        let mut rest = text;
        while let Some((literal, after)) = rest.split_once('{') {
            let (inside, after) = after.split_once('}').ok_or(MALFORMED_HOLE)?;
            literals.push(literal);
            holes.push(Hole::read(inside)?);
            rest = after;
        }
        let slots = runs_of(&mut holes)?;
        let mut pattern = String::with_capacity(text.len());
        for (literal, hole) in literals.into_iter().zip(&holes) {
            let runs = slots.get(hole.slot).ok_or(MALFORMED_HOLE)?;
            if runs
                .iter()
                .any(|run| run.to.checked_add(hole.plus).is_none())
            {
                return Err(MalformedFamily("a number exceeds 64 bits"));
            }
            pattern.push_str(literal);
            hole.write(&mut pattern);
        }
        pattern.push_str(rest);
        Ok(Self { pattern, slots })
    }
}

/// A hole that was read.
struct Hole {
    /// The slot; for a hole without a name, the number of such holes before it.
    slot: usize,
    is_named: bool,
    plus: u64,
    runs: Option<Vec<Progression>>,
}

impl Hole {
    fn read(inside: &str) -> Result<Self, MalformedFamily> {
        if !inside.starts_with(|first: char| first.is_ascii_lowercase()) {
            return Ok(Self {
                slot: 0,
                is_named: false,
                plus: 0,
                runs: Some(read_runs(inside)?),
            });
        }
        let (name, runs) = match inside.split_once(':') {
            Some((name, runs)) => (name, Some(read_runs(runs)?)),
            None => (inside, None),
        };
        let (slot, plus) = pattern::read_name(name).ok_or(MALFORMED_HOLE)?;
        Ok(Self {
            slot,
            is_named: true,
            plus,
            runs,
        })
    }

    fn write(&self, pattern: &mut String) {
        pattern.push('{');
        push_name(pattern, self.slot, self.plus);
        pattern.push('}');
    }
}

/// Takes the runs of every slot, `a` first, out of the holes, and numbers the holes without names.
fn runs_of(holes: &mut [Hole]) -> Result<Vec<Vec<Progression>>, MalformedFamily> {
    let are_named = holes.iter().any(|hole| hole.is_named);
    let mut slots: Vec<Option<Vec<Progression>>> = Vec::new();
    for (index, hole) in holes.iter_mut().enumerate() {
        if hole.is_named != are_named {
            return Err(MalformedFamily("some holes have a name and some have none"));
        }
        if !are_named {
            hole.slot = index;
        }
        if hole.slot >= SLOTS_MAX {
            return Err(MalformedFamily("it has too many slots"));
        }
        if slots.len() <= hole.slot {
            slots.resize(hole.slot + 1, None);
        }
        let runs = hole.runs.take();
        if runs.is_some() == slots[hole.slot].is_some() {
            return Err(MalformedFamily(
                "a slot has no numbers in its first hole, or others later",
            ));
        }
        if runs.is_some() {
            slots[hole.slot] = runs;
        }
    }
    let slots: Option<Vec<_>> = slots.into_iter().collect();
    slots.ok_or(MalformedFamily("a slot has no hole"))
}

fn read_runs(text: &str) -> Result<Vec<Progression>, MalformedFamily> {
    let runs = text.split(',').take(RUNS_MAX + 1).map(read_run);
    let runs: Option<Vec<Progression>> = runs.collect();
    let ascending = |pair: &[Progression]| {
        pair[0].from < pair[1].from
            && !pair[0].contains(pair[1].from)
            && !pair[1].contains(pair[0].to)
    };
    runs.filter(|runs| runs.len() <= RUNS_MAX && runs.windows(2).all(ascending))
        .ok_or(MALFORMED_RUNS)
}

fn read_run(text: &str) -> Option<Progression> {
    let (ends, step) = match text.split_once('/') {
        Some((ends, step)) => (ends, pattern::canonical(step)?),
        None => (text, 1),
    };
    let (from, to) = ends.split_once("..").unwrap_or((ends, ends));
    let (from, to) = (pattern::canonical(from)?, pattern::canonical(to)?);
    let beyond = to.checked_sub(from)?.checked_rem(step)?;
    Some(Progression {
        from,
        to: to - beyond,
        step,
    })
}
