//! The serialised form of move families: one text, as short as it is readable, because the legal
//! moves are sent with every ply. What is read is checked, because a family's methods rely on its
//! invariants.

use serde::{Deserialize, Serialize, Serializer};
use smallvec::SmallVec;
use thiserror::Error;

use super::{
    count::SumConstraint,
    family::MoveFamily,
    pattern::{self, Piece},
    slot::{self, Progression, Runs, Slot, Symbols},
};

/// The most slots a family can have: one for each letter.
const SLOTS_MAX: usize = 26;

/// The most runs of one slot that are read.
const RUNS_MAX: usize = 1_024;

/// The serialised form of a family.
///
/// In a pattern, `{1..5,9..21/3}` stands for each number from 1 to 5 and each third one from 9 to
/// 21, and `{a..f}` for each letter from a to f. `{a:1..5}` also names the number, so that `{a}` and
/// `{a+1}` may follow from it.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "a pattern, or an object of `pattern` and perhaps `total`"
)]
pub enum FamilyValue {
    /// The pattern.
    Free(String),
    /// A pattern that must not be taken for a move, or whose numbers are bound together.
    Marked {
        /// The pattern.
        pattern: String,
        /// Least sum, greatest sum, and the least number of slots above 0.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        total: Option<(u64, u64, u8)>,
    },
}

/// The error of data that does not describe a family.
#[derive(Debug, Error)]
#[error("this is no family of moves: {0}")]
pub struct MalformedFamily(&'static str);

const MALFORMED_HOLE: MalformedFamily = MalformedFamily("a hole cannot be read");
const MALFORMED_RUNS: MalformedFamily =
    MalformedFamily("a slot has no ascending, disjoint runs of numbers or of letters");

impl Serialize for MoveFamily {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut pattern = String::with_capacity(self.pattern().len() + 16);
        self.push_text(&mut pattern);
        let total = self.total();
        let total = total.map(|total| (total.least, total.most, total.nonzero));
        let value = match self.is_object() {
            true => FamilyValue::Marked { pattern, total },
            false => FamilyValue::Free(pattern),
        };
        value.serialize(serializer)
    }
}

impl TryFrom<FamilyValue> for MoveFamily {
    type Error = MalformedFamily;

    fn try_from(value: FamilyValue) -> Result<Self, MalformedFamily> {
        match value {
            FamilyValue::Free(text) => {
                let Template { pattern, slots } = Template::read(&text)?;
                Ok(Self::of_slots(pattern, slots))
            }
            FamilyValue::Marked {
                pattern,
                total: None,
            } => Ok(Self::try_from(FamilyValue::Free(pattern))?.marked()),
            FamilyValue::Marked {
                pattern,
                total: Some((least, most, nonzero)),
            } => {
                let Template { pattern, slots } = Template::read(&pattern)?;
                let total = SumConstraint {
                    least,
                    most,
                    nonzero,
                };
                Self::of_sum(pattern, slots, total)
                    .ok_or(MalformedFamily("no move obeys its total"))
            }
        }
    }
}

impl MoveFamily {
    /// Appends the pattern with the runs of each slot in its first hole: without a constraint, what
    /// the family is serialised as.
    pub fn push_text(&self, text: &mut String) {
        if self.slots().is_empty() {
            return text.push_str(self.pattern());
        }
        if let Some((before, after)) = pattern::around_only_hole(self.pattern()) {
            text.push_str(before);
            text.push('{');
            push_runs(text, &self.slots()[0]);
            text.push('}');
            return text.push_str(after);
        }
        let is_named = is_named(self.pattern());
        let mut seen = [false; SLOTS_MAX];
        for piece in pattern::pieces(self.pattern()) {
            match piece {
                Piece::Literal(literal) => text.push_str(literal),
                Piece::Hole { slot: index, plus } => {
                    let slot = &self.slots()[index];
                    text.push('{');
                    if is_named {
                        push_name(text, slot, plus);
                    }
                    if !std::mem::replace(&mut seen[index], true) {
                        if is_named {
                            text.push(':');
                        }
                        push_runs(text, slot);
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

fn push_name(text: &mut String, slot: &Slot, plus: u64) {
    text.push(slot.name());
    if plus > 0 {
        text.push('+');
        Symbols::Numbers.push(text, plus);
    }
}

fn push_runs(text: &mut String, slot: &Slot) {
    let symbols = slot.symbols();
    for (index, &Progression { from, to, step }) in slot.runs().iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        symbols.push(text, from);
        // One letter between braces would be the name of a slot.
        if from < to || symbols == Symbols::Letters {
            text.push_str("..");
            symbols.push(text, to);
        }
        if from < to && step > 1 {
            text.push('/');
            Symbols::Numbers.push(text, step);
        }
    }
}

/// A pattern that was read, with its slots.
struct Template {
    pattern: String,
    slots: SmallVec<[Slot; 1]>,
}

impl Template {
    fn read(text: &str) -> Result<Self, MalformedFamily> {
        let mut pattern = String::with_capacity(text.len());
        let mut slots: Vec<Option<Slot>> = Vec::new();
        let mut are_named = None;
        let mut rest = text;
        while let Some((literal, after)) = rest.split_once('{') {
            let (inside, after) = after.split_once('}').ok_or(MALFORMED_HOLE)?;
            let (name, runs) = read_hole(inside)?;
            if *are_named.get_or_insert(name.is_some()) != name.is_some() {
                return Err(MalformedFamily("some holes have a name and some have none"));
            }
            let (index, plus) = name.unwrap_or((slots.len(), 0));
            let slot = slot_at(&mut slots, index, runs)?;
            let most = slot.symbols().most();
            let has_room = |run: &Progression| most.checked_sub(run.to) >= Some(plus);
            if !slot.runs().iter().all(has_room) {
                return Err(MalformedFamily("a number exceeds 64 bits, or a letter z"));
            }
            pattern.push_str(literal);
            pattern.push('{');
            push_name(&mut pattern, slot, plus);
            pattern.push('}');
            rest = after;
        }
        pattern.push_str(rest);
        let slots: Option<_> = slots.into_iter().collect();
        let slots = slots.ok_or(MalformedFamily("a slot has no hole"))?;
        Ok(Self { pattern, slots })
    }
}

/// A hole's slot and constant if it has a name, and what may stand in it.
type Hole = (Option<(usize, u64)>, Option<(Symbols, Runs)>);

fn read_hole(inside: &str) -> Result<Hole, MalformedFamily> {
    let (name, runs) = match (inside.split_once(':'), pattern::read_name(inside)) {
        (Some((name, runs)), _) => {
            let name = pattern::read_name(name).ok_or(MALFORMED_HOLE)?;
            (Some(name), Some(runs))
        }
        (None, Some(name)) => (Some(name), None),
        (None, None) => (None, Some(inside)),
    };
    Ok((name, runs.map(read_runs).transpose()?))
}

/// The slot of a hole, which the first hole brings.
fn slot_at(
    slots: &mut Vec<Option<Slot>>,
    index: usize,
    runs: Option<(Symbols, Runs)>,
) -> Result<&Slot, MalformedFamily> {
    if index >= SLOTS_MAX {
        return Err(MalformedFamily("it has too many slots"));
    }
    if slots.len() <= index {
        slots.resize(index + 1, None);
    }
    match (&mut slots[index], runs) {
        (Some(slot), None) => Ok(slot),
        (free @ None, Some((symbols, runs))) => Ok(free.insert(Slot::new(index, symbols, runs))),
        _ => Err(MalformedFamily(
            "a slot has no numbers in its first hole, or others later",
        )),
    }
}

fn read_runs(text: &str) -> Result<(Symbols, Runs), MalformedFamily> {
    let symbols = match text.starts_with(|first: char| first.is_ascii_lowercase()) {
        true => Symbols::Letters,
        false => Symbols::Numbers,
    };
    let runs = text.split(',').take(RUNS_MAX + 1);
    let runs: Option<Runs> = runs.map(|run| read_run(symbols, run)).collect();
    let ascending = |pair: &[Progression]| {
        pair[0].from < pair[1].from
            && !pair[0].contains(pair[1].from)
            && !pair[1].contains(pair[0].to)
    };
    runs.filter(|runs| runs.len() <= RUNS_MAX && runs.windows(2).all(ascending))
        .map(|runs| (symbols, runs))
        .ok_or(MALFORMED_RUNS)
}

fn read_run(symbols: Symbols, text: &str) -> Option<Progression> {
    let (ends, step) = match text.split_once('/') {
        Some((ends, step)) => (ends, slot::canonical(step)?),
        None => (text, 1),
    };
    let (from, to) = ends.split_once("..").unwrap_or((ends, ends));
    let whole = |end| match symbols.read(end)? {
        (value, "") => Some(value),
        _ => None,
    };
    let (from, to) = (whole(from)?, whole(to)?);
    let beyond = to.checked_sub(from)?.checked_rem(step)?;
    Some(Progression {
        from,
        to: to - beyond,
        step,
    })
}
