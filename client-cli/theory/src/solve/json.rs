//! The solution of a position as one JSON object.

use fibfob_games::{Explanation, GameId, Nimber, Outcome, Position, UnknownReason};
use serde::Serialize;

/// The maximum number of winning moves listed one by one.
pub const WINNING_LISTED_MAX: usize = 4096;

/// The solution of a position; a line of `--batch`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SolutionJson {
    game: GameId,
    /// The position in canonical notation.
    position: String,
    /// Null in misère games and where the nimber is not known.
    nimber: Option<u64>,
    /// The reason why the nimber is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<UnknownReason>,
    /// Null where it is not known.
    outcome: Option<Outcome>,
    /// The winning moves, sorted; null above [`WINNING_LISTED_MAX`].
    winning_moves: Option<Vec<String>>,
    /// The winning moves above that bound.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    winning: Option<WinningFamilies>,
    /// False if there may be further winning moves; left out if not.
    #[serde(skip_serializing_if = "is_true")]
    complete: bool,
    /// The number of legal moves; null for a number past 2^64 that 128 bits may not hold.
    legal_moves: Option<u128>,
    /// The reason, step by step, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<Explanation>,
}

/// Winning moves that are too many to be listed one by one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct WinningFamilies {
    /// Move families such as `take {1..7} from 2`.
    winning_families: Vec<String>,
    /// The number of winning moves; null if 128 bits may not hold it.
    winning_count: Option<u128>,
}

/// The condition of `skip_serializing_if`, which passes a reference.
fn is_true(value: &bool) -> bool {
    *value
}

impl SolutionJson {
    /// Solves a position.
    pub fn solve(position: &Position) -> Self {
        let solution = position.solve();
        let count = solution.winning.count();
        let listed = count.is_some_and(|count| count <= WINNING_LISTED_MAX as u128);
        let families = || WinningFamilies {
            winning_families: solution
                .winning
                .families()
                .iter()
                .map(ToString::to_string)
                .collect(),
            winning_count: count,
        };
        let list = || {
            let mut moves: Vec<String> = solution.winning.iter().collect();
            moves.sort_unstable();
            moves
        };
        Self {
            game: position.game(),
            position: position.to_string(),
            nimber: solution.nimber.known(),
            unknown: match solution.nimber {
                Nimber::Unknown(reason) => Some(reason),
                Nimber::Known(_) | Nimber::None => None,
            },
            outcome: solution.outcome,
            winning_moves: listed.then(list),
            winning: (!listed).then(families),
            complete: solution.complete,
            legal_moves: solution.legal_moves,
            explanation: None,
        }
    }

    /// Adds the explanation.
    pub fn explained(mut self, position: &Position) -> Self {
        self.explanation = Some(position.explain());
        self
    }
}
