//! The value of a match's positions, and the explanation of it.

use fibfob_games::{Explanation, MoveSet, Nimber, Outcome};
use serde::{Deserialize, Serialize};

use crate::ids::Version;
use crate::seat::Seat;

/// The analysis of one position: its outcome and the reasons.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Analysis {
    /// The version after which the match had this position.
    pub version: Version,
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
}

/// The value of every position of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Review {
    /// The start, and the position after each move and after each taking back.
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
}
