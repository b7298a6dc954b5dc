//! The solution of a position as one JSON object, in the words that the wire has for an analysis.

use fibfob_games::{Explanation, GameId, MoveSet, Nimber, Outcome, Position};
use serde::Serialize;

use crate::JSON_LISTED_MAX;

/// The solution of a position; a line of `--batch`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SolutionJson {
    game: GameId,
    /// The position in canonical notation.
    position: String,
    /// Left out where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Outcome>,
    /// The field `nimber`, or `unknown` with the reason, or neither in a misère game.
    #[serde(flatten)]
    nimber: Nimber,
    winning: MoveSet,
    /// False if there may be further winning moves.
    complete: bool,
    /// The number of legal moves; left out if 128 bits may not hold it.
    #[serde(skip_serializing_if = "Option::is_none")]
    legal_count: Option<u128>,
    /// The reason, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<Explanation>,
}

impl SolutionJson {
    /// Solves a position.
    pub fn solve(position: &Position, steps: Option<Explanation>) -> Self {
        let solution = position.solve();
        Self {
            game: position.game(),
            position: position.to_string(),
            outcome: solution.outcome,
            nimber: solution.nimber,
            winning: solution.winning.listed(JSON_LISTED_MAX),
            complete: solution.complete,
            legal_count: solution.legal_moves,
            steps: steps.map(|steps| steps.listed(JSON_LISTED_MAX)),
        }
    }
}
