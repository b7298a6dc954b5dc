//! The answer of a solver about a position, as one value.

use crate::move_set::MoveSet;
use crate::nimber::{Nimber, Outcome};

/// The whole truth about a position, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The winner; `None` iff it is not known, for the reason in `nimber`.
    pub outcome: Option<Outcome>,
    /// The nimber, or why there is none.
    pub nimber: Nimber,
    /// Moves that win, whatever the opponent does.
    pub winning: MoveSet,
    /// `true` if `winning` holds all winning moves.
    pub complete: bool,
    /// The number of legal moves; `None` for a number past 2^64 that 128 bits may not hold.
    pub legal_moves: Option<u128>,
}

impl Solution {
    /// Returns `true` if some moves win, and it is known which, and others lose.
    pub(crate) fn is_task(&self) -> bool {
        self.outcome == Some(Outcome::N)
            && self.complete
            && self.winning.count() != self.legal_moves
    }
}
