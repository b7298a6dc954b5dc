//! The text of a move family, taken apart: literals, holes, and the values that may stand in these.
//!
//! `{1..5,9..21/3}` stands for each number from 1 to 5 and each third one from 9 to 21, and `{a..f}` for each letter from
//! a to f. `{a:1..5}` also names the number, so that `{a}` and `{a+1}` may follow from it. Slot 0 is called `a`, slot 1
//! `b`, ….

use std::borrow::Cow;

use smallvec::SmallVec;
use thiserror::Error;

use super::{
    count::{self, SUMMED_SLOTS_MAX, SumConstraint},
    slot::{self, Progression, Runs, Slot, Symbols},
};

/// The most slots a family can have: one for each letter.
const SLOTS_MAX: usize = 26;

/// The error of data that does not describe a family.
#[derive(Debug, Error)]
#[error("this is no family of moves: {0}")]
pub struct MalformedFamily(pub &'static str);

const MALFORMED_HOLE: MalformedFamily = MalformedFamily("a hole cannot be read");
pub const MALFORMED_RUNS: MalformedFamily =
    MalformedFamily("a slot has no ascending, disjoint runs of numbers or of letters");

/// A stretch of a family's text.
#[derive(Clone, Copy, Debug)]
enum Piece<'t> {
    /// Text that stands for itself.
    Literal(&'t str),
    /// The value of a slot, plus a constant.
    Hole { slot: usize, plus: u64 },
}

/// A family's text, taken apart.
pub struct Template<'t> {
    pieces: SmallVec<[Piece<'t>; 3]>,
    /// The slots in the order of their names.
    pub slots: SmallVec<[Slot; 1]>,
    total: Option<SumConstraint>,
}

impl<'t> Template<'t> {
    pub fn read(text: &'t str, total: Option<SumConstraint>) -> Result<Self, MalformedFamily> {
        let mut pieces = SmallVec::new();
        let mut slots: SmallVec<[Option<Slot>; 1]> = SmallVec::new();
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
            // Checked once here, so that filling in a number never overflows.
            let has_room = |run: &Progression| most.checked_sub(run.to) >= Some(plus);
            if !slot.runs().iter().all(has_room) {
                return Err(MalformedFamily("a number exceeds 64 bits, or a letter z"));
            }
            pieces.extend([Piece::Literal(literal), Piece::Hole { slot: index, plus }]);
            rest = after;
        }
        pieces.push(Piece::Literal(rest));
        let slots: Option<_> = slots.into_iter().collect();
        let template = Self {
            pieces,
            slots: slots.ok_or(MalformedFamily("a slot has no hole"))?,
            total,
        };
        if total.is_some() && !template.is_summed() {
            return Err(MalformedFamily("no move obeys its total"));
        }
        Ok(template)
    }

    /// Returns true if the slots can have a total, and some values have this one.
    fn is_summed(&self) -> bool {
        (1..=SUMMED_SLOTS_MAX).contains(&self.slots.len())
            && self.slots.iter().all(Slot::is_range_of_numbers)
            && !self.runs_after(&[]).is_empty()
    }

    /// The text with the names of the slots alone in its holes.
    pub fn pattern(&self) -> String {
        let written = self.pieces.iter().map(|piece| match *piece {
            Piece::Literal(literal) => literal.to_owned(),
            Piece::Hole { slot, plus: 0 } => format!("{{{}}}", self.slots[slot].name()),
            Piece::Hole { slot, plus } => format!("{{{}+{plus}}}", self.slots[slot].name()),
        });
        written.collect()
    }

    /// The text that arises when each slot has this value.
    pub fn fill(&self, values: &[u64]) -> String {
        let mut text = String::with_capacity(32);
        for piece in &self.pieces {
            match *piece {
                Piece::Literal(literal) => text.push_str(literal),
                Piece::Hole { slot, plus } => {
                    self.slots[slot]
                        .symbols()
                        .push(&mut text, values[slot] + plus);
                }
            }
        }
        text
    }

    /// The values of the slots with which this text arises, none of them checked; `None` if there are none.
    fn values(&self, text: &str) -> Option<Vec<u64>> {
        let mut values: Vec<Option<u64>> = vec![None; self.slots.len()];
        let mut rest = text;
        for piece in &self.pieces {
            match *piece {
                Piece::Literal(literal) => rest = rest.strip_prefix(literal)?,
                Piece::Hole { slot, plus } => {
                    let (value, after) = self.slots[slot].symbols().read(rest)?;
                    let value = value.checked_sub(plus)?;
                    // All holes of a slot must agree, as `{a}` and `{a+1}`.
                    if *values[slot].get_or_insert(value) != value {
                        return None;
                    }
                    rest = after;
                }
            }
        }
        let values: Option<Vec<u64>> = values.into_iter().collect();
        values.filter(|_| rest.is_empty())
    }

    pub fn contains(&self, text: &str) -> bool {
        self.values(text).is_some_and(|values| {
            (0..values.len()).all(|index| {
                let runs = self.runs_after(&values[..index]);
                runs.iter().any(|run| run.contains(values[index]))
            })
        })
    }

    pub fn count(&self) -> Option<u128> {
        match self.total {
            Some(total) => count::tuples(&self.bounds(), total),
            None => {
                let mut counts = self.slots.iter().map(Slot::count);
                counts.try_fold(1u128, |product, count| product.checked_mul(count))
            }
        }
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

    /// Values for all slots that begin with these: each next one is chosen from those that can be completed.
    pub fn completed(
        &self,
        mut values: Vec<u64>,
        mut choose: impl FnMut(&[Progression]) -> u64,
    ) -> Vec<u64> {
        while values.len() < self.slots.len() {
            let next = choose(&self.runs_after(&values));
            values.push(next);
        }
        values
    }

    /// The numbers that come after these; the last slot changes fastest.
    pub fn following(&self, mut values: Vec<u64>) -> Option<Vec<u64>> {
        while let Some(last) = values.pop() {
            let runs = self.runs_after(&values);
            let current = runs.iter().position(|run| run.contains(last))?;
            if let Some(next) = runs[current]
                .after(last)
                .or_else(|| runs.get(current + 1).map(|run| run.from))
            {
                values.push(next);
                return Some(self.completed(values, least));
            }
        }
        None
    }
}

/// The first number of the first run.
pub fn least(runs: &[Progression]) -> u64 {
    runs[0].from
}

/// A hole's slot and constant if it has a name, and what may stand in it.
type Hole = (Option<(usize, u64)>, Option<(Symbols, Runs)>);

fn read_hole(inside: &str) -> Result<Hole, MalformedFamily> {
    let (name, runs) = match (inside.split_once(':'), read_name(inside)) {
        (Some((name, runs)), _) => {
            let name = read_name(name).ok_or(MALFORMED_HOLE)?;
            (Some(name), Some(runs))
        }
        (None, Some(name)) => (Some(name), None),
        (None, None) => (None, Some(inside)),
    };
    Ok((name, runs.map(read_runs).transpose()?))
}

/// The slot and the constant of `a` or `a+2`.
fn read_name(text: &str) -> Option<(usize, u64)> {
    let (letter, plus) = match text.as_bytes() {
        [letter] => (letter, 0),
        [letter, b'+', ..] => (letter, text[2..].parse().ok()?),
        _ => return None,
    };
    letter
        .is_ascii_lowercase()
        .then(|| (usize::from(letter - b'a'), plus))
}

/// The slot of a hole, which the first hole brings.
fn slot_at(
    slots: &mut SmallVec<[Option<Slot>; 1]>,
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
    let runs = text.split(',').map(|run| read_run(symbols, run));
    let runs: Option<Runs> = runs.collect();
    let ascending = |pair: &[Progression]| {
        pair[0].from < pair[1].from
            && !pair[0].contains(pair[1].from)
            && !pair[1].contains(pair[0].to)
    };
    runs.filter(|runs| runs.windows(2).all(ascending))
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
    // Ends on the last number, so that equal runs have equal texts.
    let beyond = to.checked_sub(from)?.checked_rem(step)?;
    Some(Progression {
        from,
        to: to - beyond,
        step,
    })
}
