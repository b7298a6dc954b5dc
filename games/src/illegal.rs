//! The error of a text that is a move but not legal here: why not, and what would be legal.

use std::fmt;

use thiserror::Error;

use crate::move_set::MoveSet;
use crate::notation::excerpt;

/// The most families of legal moves that the error spells out.
const LEGAL_SHOWN_MAX: usize = 8;

/// The most characters of one family that the error spells out, because a family may have thousands of runs.
const FAMILY_SHOWN_MAX: usize = 200;

/// Counts things in words. The name gets an `s` if there are several.
fn counted(count: u64, several: &str) -> String {
    let name = match count {
        1 => several.strip_suffix('s').unwrap_or(several),
        _ => several,
    };
    format!("{count} {name}")
}

fn are(count: u64) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// The rule that a move breaks.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the text of each says what it is about")]
pub enum IllegalReason {
    #[error("it is a move of another game")]
    OtherGame,
    #[error("a move takes at least one")]
    Nothing,
    #[error("it takes {}, and there {} {there}", counted(*asked, what), are(*there))]
    TooMany {
        /// The thing taken, such as "nuggets".
        what: &'static str,
        asked: u64,
        there: u64,
    },
    #[error("no amount of {what} may pass {}", crate::AMOUNT_MAX)]
    PastAmount { what: &'static str },
    #[error("there is no {what} {number}: they are numbered 1 to {last}")]
    NoSuch {
        /// The numbered thing, such as "heap".
        what: &'static str,
        number: u64,
        last: u64,
    },
    #[error("it takes {}, and the quota is {quota}", counted(*asked, "coins"))]
    PastQuota { asked: u64, quota: u64 },
    #[error("{asked} is no Fibonacci number")]
    NotFibonacci { asked: u64 },
    #[error("coins are taken from one heap, or as many from both")]
    UnequalTakes,
    #[error("the coins on step 0, the floor, stay there")]
    Floor,
    #[error("there is no head at place {place}")]
    NoHead { place: u64 },
    #[error("the second turtle must be to the left of the first")]
    NotLeft,
    #[error("there is no pin at place {place}")]
    NoPin { place: u64 },
    #[error("two pins are knocked down only if they are neighbours")]
    NotNeighbours,
    #[error("it takes {} {from}, and the most is {most}", counted(*asked, "coins"))]
    TooManyAtOnce {
        /// From where, such as "from one heap".
        from: &'static str,
        asked: u64,
        most: u64,
    },
    #[error("it takes from {}, and there {} {there}", counted(*asked, "heaps"), are(*there))]
    HeapCount { asked: u64, there: u64 },
    #[error("the pass is used up")]
    Passed,
    #[error("without coins the game is over")]
    NothingToPass,
    #[error("there is no edge {edge}")]
    NoEdge { edge: String },
    #[error("the ship lowers exactly one of file, rank and board")]
    NotOneLower,
    #[error("the {tank} tank is empty")]
    Empty { tank: &'static str },
}

/// Returns the thing that a move names by its number, counted from 1.
///
/// # Errors
/// [`IllegalReason::NoSuch`].
pub(crate) fn numbered<'t, T>(
    things: &'t mut [T],
    what: &'static str,
    number: u64,
) -> Result<&'t mut T, IllegalReason> {
    let last = things.len() as u64;
    let index = usize::try_from(number)
        .ok()
        .and_then(|it| it.checked_sub(1));
    index
        .and_then(|index| things.get_mut(index))
        .ok_or(IllegalReason::NoSuch { what, number, last })
}

/// Returns the coins that are left after a take.
///
/// # Errors
/// [`IllegalReason::TooMany`].
pub(crate) fn less_coins(there: u64, asked: u64) -> Result<u64, IllegalReason> {
    let what = "coins";
    there
        .checked_sub(asked)
        .ok_or(IllegalReason::TooMany { what, asked, there })
}

/// A move is notation, but not legal in this position.
///
/// Displayed as one bounded line: the move, the rule it breaks, and the moves that would be legal.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("\"{played}\" is not legal here: {reason}; {}", shown(legal))]
pub struct IllegalMove {
    played: String,
    reason: IllegalReason,
    legal: MoveSet,
}

impl IllegalMove {
    /// `legal` are moves to offer instead.
    pub fn new(played: &impl fmt::Display, reason: IllegalReason, legal: MoveSet) -> Self {
        Self {
            played: excerpt(&played.to_string()),
            reason,
            legal,
        }
    }

    /// The rule that the move breaks.
    #[must_use]
    pub const fn reason(&self) -> &IllegalReason {
        &self.reason
    }

    /// Moves that would be legal, not always all of them.
    #[must_use]
    pub const fn legal(&self) -> &MoveSet {
        &self.legal
    }
}

/// The moves that would be legal, as far as they are spelled out.
fn shown(legal: &MoveSet) -> String {
    let families = legal.families();
    let shown = families.iter().take(LEGAL_SHOWN_MAX).map(|family| {
        let text = family.to_string();
        match text.char_indices().nth(FAMILY_SHOWN_MAX) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    });
    let more = (families.len() > LEGAL_SHOWN_MAX).then(|| "…".to_owned());
    match &shown.chain(more).collect::<Vec<_>>()[..] {
        [] => "the game is finished".to_owned(),
        shown => format!("legal: {}", shown.join("; ")),
    }
}
