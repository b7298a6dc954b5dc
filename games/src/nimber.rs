//! The values of impartial games: nimbers, outcomes, and the minimal excludant that ties them to the options.
//!
//! Sprague (1935) and Grundy (1939): under normal play every position is equivalent to a Nim heap, whose size, the
//! nimber, is the mex of its options' nimbers. This file knows no game.

use std::fmt;

use thiserror::Error;

/// The minimal excludant: the smallest number that is missing from `values`.
///
/// Takes time and memory linear in the number of values, however large they are.
///
/// ```
/// # use fibfob_games::mex;
/// assert_eq!(mex([0, 1, 3, 1]), 2);
/// assert_eq!(mex([]), 0);
/// ```
pub fn mex(values: impl IntoIterator<Item = u64>) -> u64 {
    let values: Vec<u64> = values.into_iter().collect();
    // n values cannot fill more than 0..n, so n and larger ones do not matter.
    let mut seen = vec![false; values.len()];
    for value in values {
        if let Some(slot) = usize::try_from(value)
            .ok()
            .and_then(|index| seen.get_mut(index))
        {
            *slot = true;
        }
    }
    seen.iter().take_while(|&&seen| seen).count() as u64
}

/// The nimber of a position, if there is one and it is known.
///
/// Serialised, it is an object: `{"nimber": 3}`, `{"unknown": {"reason": …}}`, or `{}` in misère games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "serial::NimberObject", into = "serial::NimberObject")]
pub enum Nimber {
    /// The position is worth a Nim heap of this size.
    Known(u64),
    /// There is a nimber, but it is not known here.
    Unknown(UnknownReason),
    /// The position belongs to a misère game, and misère positions have no nimber.
    None,
}

impl Nimber {
    /// The number, if it is known.
    #[must_use]
    pub const fn known(self) -> Option<u64> {
        match self {
            Self::Known(value) => Some(value),
            Self::Unknown(_) | Self::None => None,
        }
    }

    /// The winner of a position of this nimber, if the nimber is known: P iff it is 0.
    #[must_use]
    pub fn outcome(self) -> Option<Outcome> {
        self.known().map(|value| Outcome::lost(value == 0))
    }
}

impl From<Result<u64, UnknownReason>> for Nimber {
    fn from(value: Result<u64, UnknownReason>) -> Self {
        value.map_or_else(Self::Unknown, Self::Known)
    }
}

/// Writes the number, `unknown`, or `none`.
impl fmt::Display for Nimber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(value) => write!(f, "{value}"),
            Self::Unknown(_) => f.write_str("unknown"),
            Self::None => f.write_str("none"),
        }
    }
}

/// The reason for which a value is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum UnknownReason {
    /// No formula is known, and the table that would answer passes its bound.
    #[error("no formula is known, and a table of {index} up to {size} passes the bound of {bound}")]
    PastTable {
        /// The number by which the table is indexed.
        index: TableIndex,
        /// The index that would be needed.
        size: u64,
        /// The largest index that is tabled.
        bound: u64,
    },
    /// To find it would take more work than one answer may cost.
    #[error("to find it would take too much work")]
    TooMuchWork,
    /// The question has no meaning under misère play.
    #[error("a misère position has no nimber")]
    Misere,
}

/// The number by which a table is indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TableIndex {
    /// The coins of the position.
    Coins,
    /// The coins in one heap.
    CoinsInAHeap,
}

impl fmt::Display for TableIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Coins => "coins",
            Self::CoinsInAHeap => "coins in a heap",
        })
    }
}

/// The winner of a position when both players play perfectly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Outcome {
    /// The next player, whose turn it is, wins.
    N,
    /// The previous player, who has just moved, wins.
    P,
}

impl Outcome {
    /// The outcome where the player to move loses, or else wins.
    #[must_use]
    pub const fn lost(is_lost: bool) -> Self {
        if is_lost { Self::P } else { Self::N }
    }
}

/// Writes `N` or `P`.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::N => "N",
            Self::P => "P",
        })
    }
}

mod serial {
    use serde::{Deserialize, Serialize};

    use super::{Nimber, UnknownReason};

    /// The serialised form of a nimber.
    #[derive(Clone, Copy, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct NimberObject {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        nimber: Option<u64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unknown: Option<UnknownReason>,
    }

    impl From<Nimber> for NimberObject {
        fn from(nimber: Nimber) -> Self {
            Self {
                nimber: nimber.known(),
                unknown: match nimber {
                    Nimber::Unknown(reason) => Some(reason),
                    Nimber::Known(_) | Nimber::None => None,
                },
            }
        }
    }

    impl From<NimberObject> for Nimber {
        fn from(object: NimberObject) -> Self {
            match (object.nimber, object.unknown) {
                (Some(nimber), _) => Self::Known(nimber),
                (None, Some(reason)) => Self::Unknown(reason),
                (None, None) => Self::None,
            }
        }
    }
}
