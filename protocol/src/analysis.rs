//! Values a match's positions, and says why.

use fibfob_games::{
    Budget, Convention, Explanation, GameId, MoveSet, Nimber, Options, Outcome, Position,
    REPLIES_SHOWN_MAX, Reasoner, TooMuchWork, UnknownReason,
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
    /// The fields that are absent or not complete because they would take more work than one answer may cost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub too_much_work: Vec<LeftOut>,
}

/// A part of an analysis that may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LeftOut {
    /// The outcome, the nimber and the winning moves.
    Outcome,
    /// The argument.
    Steps,
    /// The simplest idea and its move.
    Needed,
    /// Some or all values that the moves lead to.
    Options,
}

/// A part of a position's explanation is written at most so many times: before and after each winning move that
/// is shown.
const EXPLAINED: u64 = 2 * REPLIES_SHOWN_MAX as u64;

impl PositionAnalysis {
    /// Analyses a position as far as the budget holds: first the outcome, then the reasons. The rest is left out.
    #[must_use]
    pub fn of(position: &Position, budget: &mut Budget) -> Self {
        let mut analysis = Self {
            position: position.to_string(),
            outcome: None,
            nimber: Nimber::Unknown(UnknownReason::TooMuchWork),
            winning: MoveSet::new(),
            complete: false,
            steps: Explanation::default(),
            options: None,
            needed: None,
            best: None,
            too_much_work: Vec::new(),
        };
        let left_out = &mut analysis.too_much_work;
        match budget.spend(position.table_steps() + position.solve_steps()) {
            Ok(()) => {
                let solution = position.solve();
                analysis.outcome = solution.outcome;
                analysis.nimber = solution.nimber;
                analysis.winning = solution.winning;
                analysis.complete = solution.complete;
            }
            Err(TooMuchWork) => left_out.push(LeftOut::Outcome),
        }
        match budget.spend(2 * position.solve_steps() + EXPLAINED * position.play_steps()) {
            Ok(()) => analysis.steps = position.explain(),
            Err(TooMuchWork) => left_out.push(LeftOut::Steps),
        }
        match Reasoner::simplest(position, &analysis.winning, budget) {
            Ok(Some((idea, found))) => {
                analysis.needed = Some(idea);
                analysis.best = Some(found.to_string());
            }
            Ok(None) => {}
            Err(TooMuchWork) => left_out.push(LeftOut::Needed),
        }
        if position.game().convention() == Convention::Normal {
            analysis.options = Some(position.options(budget));
            if budget.is_short() {
                left_out.push(LeftOut::Options);
            }
        }
        analysis
    }
}

/// The value of every position of a match, and what decided it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Review {
    /// The start, and the position after each move and each takeback.
    pub plies: Vec<ReviewedPly>,
    /// The verdict. Absent while the match is in play, and where no move was made or all were taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
}

/// The verdict on a finished match. It is about the winner and the loser, as the match ended, and about the moves that
/// were not taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Verdict {
    /// For some position it is not known who could win.
    Unknown,
    /// The loser could still win when the match ended.
    StillWinning,
    /// The winner could win from the start to the end.
    Kept,
    /// The loser could win, and gave the win away.
    GivenAway {
        /// The number of the move that gave it away for the last time. The first move has 1.
        ply: usize,
        /// The number of times that the winner had given it away before.
        returned: usize,
    },
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
    /// True if the move was taken back, and where moves were taken back. What is left is the match from its start to
    /// its end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub taken_back: bool,
    /// The seat that can win from here; absent where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub can_win: Option<Seat>,
    /// The seat that wins from here; absent where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// The nimber; absent where there is none or it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nimber: Option<u64>,
    /// True if the outcome is absent because it would take more work than one answer may cost.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub too_much_work: bool,
    /// True if the move gave a won position away.
    pub gave_away: bool,
    /// If so, a move that would have kept it: the one that the simplest idea finds. Absent, as the idea is, where it
    /// would take more work than one answer may cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub better: Option<String>,
    /// If so, that idea.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missed: Option<Reasoner>,
}
