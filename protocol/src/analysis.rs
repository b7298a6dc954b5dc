//! Values a match's positions, and says why.

use fibfob_games::{
    Convention, Explanation, GameId, MoveSet, Nimber, Options, Outcome, Position, Reasoner,
};
use serde::{Deserialize, Serialize};

use crate::ids::{CommandId, Version};
use crate::seat::Seat;

/// The analysis of a match's position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Analysis {
    /// The version after which the match had this position.
    pub version: Version,
    /// The value of the position, and the reasons.
    #[serde(flatten)]
    pub of: PositionAnalysis,
}

/// The analysis of any position of any game: the answer to `study` and `puzzle`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Study {
    /// The request's id.
    pub id: CommandId,
    /// The game.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub game: GameId,
    /// The legal moves.
    pub legal: MoveSet,
    /// The value of the position, and the reasons.
    #[serde(flatten)]
    pub of: PositionAnalysis,
}

/// The analysis of one position: its outcome and the reasons.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PositionAnalysis {
    /// The position.
    pub position: String,
    /// The outcome; absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// The field `nimber`, or `unknown` with the reason, or neither in a misère game.
    #[serde(flatten)]
    pub nimber: Nimber,
    /// The moves that win, as families.
    pub winning: MoveSet,
    /// True if `winning` holds all of them.
    pub complete: bool,
    /// The argument, step by step.
    pub steps: Explanation,
    /// The values that the moves lead to; absent in a misère game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Options>,
    /// The simplest idea that finds a winning move; absent where none is known to win.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needed: Option<Reasoner>,
    /// The winning move that this idea finds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<String>,
}

impl PositionAnalysis {
    /// Analyses a position. Slow for some games.
    #[must_use]
    pub fn of(position: &Position) -> Self {
        let solution = position.solve();
        let best = Reasoner::simplest(position);
        Self {
            position: position.to_string(),
            outcome: solution.outcome,
            nimber: solution.nimber,
            winning: solution.winning,
            complete: solution.complete,
            steps: position.explain(),
            options: (position.game().convention() == Convention::Normal)
                .then(|| position.options()),
            needed: best.as_ref().map(|(idea, _)| *idea),
            best: best.map(|(_, found)| found.to_string()),
        }
    }
}

/// The value of every position of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Review {
    /// The start, and the position after each move and each takeback.
    pub plies: Vec<ReviewedPly>,
}

/// A position of a match, and the move that led to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReviewedPly {
    /// The version of the event that led here.
    pub version: Version,
    /// The position.
    pub position: String,
    /// The move that led here; absent for the start, and where moves were taken back.
    #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The seat that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<Seat>,
    /// The seat that wins from here; absent where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// The nimber; absent where there is none or it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nimber: Option<u64>,
    /// True if the move gave a won position away.
    pub gave_away: bool,
    /// If so, a move that would have kept it: the one that the simplest idea finds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub better: Option<String>,
    /// If so, that idea.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missed: Option<Reasoner>,
}
