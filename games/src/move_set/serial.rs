//! The serialised form of move families. What is read is checked, because a family's methods rely on its invariants.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{
    MoveFamily, Progression, SUMMED_SLOTS_MAX, SumConstraint,
    pattern::{self, Piece},
};

/// The most slots a family can have: one for each letter.
const SLOTS_MAX: usize = 26;

/// The serialised form of a family.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FamilyObject {
    pattern: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    slots: Vec<SlotObject>,
    /// Least sum, greatest sum, and the least number of slots above 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    total: Option<(u64, u64, u8)>,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SlotObject {
    name: char,
    /// First number, last number, step.
    runs: Vec<(u64, u64, u64)>,
}

/// The error of data that does not describe a family.
#[derive(Debug, Error)]
#[error("this is no family of moves: {0}")]
pub struct MalformedFamily(&'static str);

impl From<MoveFamily> for FamilyObject {
    fn from(family: MoveFamily) -> Self {
        let run = |run: &Progression| (run.from, run.to, run.step);
        let slots = family.slots().iter().map(|slot| SlotObject {
            name: slot.name(),
            runs: slot.runs().iter().map(run).collect(),
        });
        let total = |total: SumConstraint| (total.least, total.most, total.nonzero);
        Self {
            slots: slots.collect(),
            total: family.total().map(total),
            pattern: family.pattern().to_owned(),
        }
    }
}

impl TryFrom<FamilyObject> for MoveFamily {
    type Error = MalformedFamily;

    fn try_from(object: FamilyObject) -> Result<Self, MalformedFamily> {
        let slots = checked_slots(&object.slots)?;
        check_pattern(&object.pattern, &slots)?;
        let Some((least, most, nonzero)) = object.total else {
            return Ok(if slots.is_empty() {
                Self::one(object.pattern)
            } else {
                Self::new(object.pattern, slots)
            });
        };
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
            .and_then(|bounds| Self::summing(object.pattern, &bounds, constraint))
            .ok_or(MalformedFamily("no move obeys its total"))
    }
}

fn checked_slots(slots: &[SlotObject]) -> Result<Vec<Vec<Progression>>, MalformedFamily> {
    if slots.len() > SLOTS_MAX {
        return Err(MalformedFamily("it has too many slots"));
    }
    let slot = |(index, slot): (usize, &SlotObject)| {
        let runs = slot.runs.iter();
        let runs: Option<Vec<Progression>> = runs
            .map(|&(from, to, step)| {
                let beyond = to.checked_sub(from)?.checked_rem(step)?;
                let to = to - beyond;
                Some(Progression { from, to, step })
            })
            .collect();
        let ascending = |pair: &[Progression]| {
            pair[0].from < pair[1].from
                && !pair[0].contains(pair[1].from)
                && !pair[1].contains(pair[0].to)
        };
        runs.filter(|runs| !runs.is_empty() && runs.windows(2).all(ascending))
            .filter(|_| slot.name == pattern::name(index))
            .ok_or(MalformedFamily("a slot has no ascending, disjoint runs"))
    };
    slots.iter().enumerate().map(slot).collect()
}

/// Checks that the holes are those of the slots, and that no number in them exceeds 64 bits.
fn check_pattern(text: &str, slots: &[Vec<Progression>]) -> Result<(), MalformedFamily> {
    let mut named = vec![false; slots.len()];
    for piece in pattern::pieces(text) {
        if let Piece::Hole { slot, plus } = piece {
            let fits = slots
                .get(slot)
                .is_some_and(|runs| runs.iter().all(|run| run.to.checked_add(plus).is_some()));
            if !fits {
                return Err(MalformedFamily("a hole has no slot"));
            }
            named[slot] = true;
        }
    }
    if named.contains(&false) {
        return Err(MalformedFamily("a slot has no hole"));
    }
    Ok(())
}
