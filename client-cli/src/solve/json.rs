//! What the solver says about a position, as one JSON object for programs.

use fibfob_games::{Nimber, Position};
use fibfob_protocol::ExplanationView;
use serde::Serialize;

/// The most winning moves that are listed one by one.
pub const WINNING_LISTED_MAX: usize = 4096;

/// One answer; a line of `--batch`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SolutionJson {
    game: String,
    /// In canonical notation.
    position: String,
    /// Null in misère games, and where it is not known.
    nimber: Option<u64>,
    /// Why it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<String>,
    /// `N` or `P`; null where it is not known.
    outcome: Option<String>,
    /// Sorted; null past the bound.
    winning_moves: Option<Vec<String>>,
    /// In place of a list past the bound.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    winning: Option<WinningFamilies>,
    /// Said only if there may be more winning moves than those.
    #[serde(skip_serializing_if = "is_true")]
    complete: bool,
    /// Null past 2^128 − 1.
    legal_moves: Option<u128>,
    /// Why, step by step, where it is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<ExplanationView>,
}

/// Winning moves that are too many to be listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct WinningFamilies {
    /// Such as `take {a} from 2 (a=1..7)`.
    winning_families: Vec<String>,
    /// Null past 2^128 − 1.
    winning_count: Option<u128>,
}

/// As serde asks it, with a reference.
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
            game: position.game().to_string(),
            position: position.to_string(),
            nimber: solution.nimber.known(),
            unknown: match solution.nimber {
                Nimber::Unknown(why) => Some(why.to_string()),
                Nimber::Known(_) | Nimber::None => None,
            },
            outcome: solution.outcome.map(|outcome| outcome.to_string()),
            winning_moves: listed.then(list),
            winning: (!listed).then(families),
            complete: solution.complete,
            legal_moves: solution.legal_moves,
            explanation: None,
        }
    }

    /// The answer with the reasons for it.
    pub fn explained(mut self, position: &Position) -> Self {
        self.explanation = Some((&position.explain()).into());
        self
    }

    /// The answer as one line, without its end.
    pub fn line(&self) -> String {
        serde_json::to_string(self).expect("answers have string keys and finite numbers")
    }
}
