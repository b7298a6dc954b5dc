//! The lecture's own procedure: what the moves of a position lead to, and the least value that none leads to.

use serde::{Deserialize, Serialize};

use crate::reasoner::{after, listed};
use crate::{Convention, MoveFamily, Position, mex};

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

/// Values while they are gathered: sorted, distinct, some perhaps missing.
struct Gathered {
    values: Vec<u64>,
    is_complete: bool,
}

impl Position {
    /// The values that the moves lead to, as far as they can be told within the bounds. All that is said is exact: where there
    /// are too many moves to value each, the least values are sought instead, and `complete` is false.
    #[must_use]
    pub fn options(&self) -> Options {
        let legal = self.legal_moves();
        if self.game().convention() == Convention::Misere {
            return Options::default();
        }
        let mut left = VALUED_MAX;
        let shown = || legal.families().iter().take(FAMILIES_MAX);
        let mut gathered: Vec<Gathered> = shown()
            .map(|family| self.valued(family, &mut left))
            .collect();
        for value in 0..VALUES_MAX as u64 {
            if gathered.iter().all(|family| family.is_complete) {
                break;
            }
            let reached = self.moves_to(value).unwrap_or_default();
            let texts: Vec<String> = reached.iter().take(VALUES_MAX).collect();
            for (family, gathered) in shown().zip(&mut gathered) {
                if !gathered.is_complete && texts.iter().any(|text| family.contains(text)) {
                    gathered.values.push(value);
                }
            }
        }
        let complete = legal.families().len() <= FAMILIES_MAX
            && gathered.iter().all(|family| family.is_complete);
        let all = gathered
            .iter()
            .flat_map(|family| family.values.iter().copied());
        let mex = complete.then(|| mex(all));
        let families = shown().zip(gathered).map(|(family, mut gathered)| {
            let complete = gathered.is_complete && gathered.values.len() <= VALUES_MAX;
            gathered.values.truncate(VALUES_MAX);
            OptionFamily {
                moves: family.to_string(),
                values: gathered.values,
                complete,
            }
        });
        let families: Vec<OptionFamily> = families.collect();
        let complete = complete && families.iter().all(|family| family.complete);
        Options {
            families,
            mex,
            complete,
        }
    }

    /// The values of all moves of a family, if they are few enough and known; else none.
    fn valued(&self, family: &MoveFamily, left: &mut u128) -> Gathered {
        let none = Gathered {
            values: Vec::new(),
            is_complete: false,
        };
        let Some(rest) = family.count().and_then(|count| left.checked_sub(count)) else {
            return none;
        };
        *left = rest;
        let value = |text: String| after(self, &listed(self, &text)).nimber().known();
        let Some(mut values) = family.iter().map(value).collect::<Option<Vec<u64>>>() else {
            return none;
        };
        values.sort_unstable();
        values.dedup();
        Gathered {
            values,
            is_complete: true,
        }
    }
}
