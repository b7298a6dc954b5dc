//! The lecture's own procedure: what the moves of a position lead to, and the least value that none leads to.

use serde::{Deserialize, Serialize};

use crate::budget::Budget;
use crate::catalogue::Position;
use crate::game_info::Convention;
use crate::move_set::MoveFamily;
use crate::nimber::mex;
use crate::reasoner::{after, listed};

/// The most families of moves that are shown.
pub const FAMILIES_MAX: usize = 256;
/// The most moves of a position that are valued one by one.
pub const VALUED_MAX: u128 = 1_024;
/// The most values that are shown of a family.
pub const VALUES_MAX: usize = 64;

/// The values that the moves of a position lead to. Empty and not complete in misère games, which have no nimbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Options {
    /// The families of legal moves.
    pub families: Vec<OptionFamily>,
    /// The least value that no move leads to, which is the nimber; only where all moves were valued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mex: Option<u64>,
    /// `true` if these are the values of all moves.
    pub complete: bool,
}

/// A family of moves and what it leads to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OptionFamily {
    /// The moves, as their family is written.
    pub moves: String,
    /// Distinct nimbers that the moves lead to, ascending, at most 64.
    pub values: Vec<u64>,
    /// `true` if the moves lead to no other value.
    pub complete: bool,
}

impl Position {
    /// The values that the moves lead to, as far as they can be told within the bounds. All that is said is exact: where there
    /// are too many moves to value each, the least values are sought instead, and `complete` is false, as it is where
    /// the budget ends the search.
    #[must_use]
    pub fn options(&self, budget: &mut Budget) -> Options {
        let legal = self.legal_moves();
        if self.game().convention() == Convention::Misere {
            return Options::default();
        }
        let mut left = VALUED_MAX;
        let shown = || legal.families().iter().take(FAMILIES_MAX);
        let mut families: Vec<OptionFamily> = shown()
            .map(|family| self.valued(family, &mut left, budget))
            .collect();
        for value in 0..VALUES_MAX as u64 {
            if families.iter().all(|family| family.complete)
                || budget.spend(self.solve_steps()).is_err()
            {
                break;
            }
            let reached = self.moves_to(value).unwrap_or_default();
            let texts: Vec<String> = reached.iter().take(VALUES_MAX).collect();
            // Each family is asked whether it holds each of them.
            if budget
                .spend(2 * (texts.len() * families.len()) as u64)
                .is_err()
            {
                break;
            }
            for (family, valued) in shown().zip(&mut families) {
                if !valued.complete && texts.iter().any(|text| family.contains(text)) {
                    valued.values.push(value);
                }
            }
        }
        let has_all =
            legal.families().len() <= FAMILIES_MAX && families.iter().all(|family| family.complete);
        let all = families.iter().flat_map(|family| &family.values);
        let mex = has_all.then(|| mex(all.copied()));
        for family in &mut families {
            family.complete &= family.values.len() <= VALUES_MAX;
            family.values.truncate(VALUES_MAX);
        }
        let complete = has_all && families.iter().all(|family| family.complete);
        Options {
            families,
            mex,
            complete,
        }
    }

    /// A family with the values of all its moves, if they are few enough and known; else with none.
    fn valued(&self, family: &MoveFamily, left: &mut u128, budget: &mut Budget) -> OptionFamily {
        let value = |text: String| {
            let after = after(self, &listed(self, &text), budget).ok()?;
            after.nimber().known()
        };
        let values = family.count().and_then(|count| {
            *left = left.checked_sub(count)?;
            family.iter().map(value).collect::<Option<Vec<u64>>>()
        });
        let complete = values.is_some();
        let mut values = values.unwrap_or_default();
        values.sort_unstable();
        values.dedup();
        OptionFamily {
            moves: family.to_string(),
            values,
            complete,
        }
    }
}
