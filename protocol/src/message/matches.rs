//! The list of a guest's own matches.

use serde::{Deserialize, Serialize};

use crate::ids::{Code, CommandId, MatchId, Timestamp, Version};
use crate::seat::{Player, Seat};
use crate::time::ClocksView;
use crate::view::PhaseView;

/// A page of the asking guest's matches, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatchesPage {
    /// The request's id.
    pub id: CommandId,
    /// The matches, by the instant of their creation.
    pub matches: Vec<GuestMatch>,
    /// The place before which there are older matches, if there are any: ask with it as `before`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more: Option<MatchPlace>,
}

/// The watched matches that have changed, with new and ended ones among them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatchesChange {
    /// The matches as they are now, each in place of the one that the client had.
    pub matches: Vec<GuestMatch>,
}

/// A match in which the asking guest has a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GuestMatch {
    /// Its place in the list.
    #[serde(flatten)]
    pub place: MatchPlace,
    /// Its short name.
    pub code: Code,
    /// The game's id.
    pub game: String,
    /// The guest's seat.
    pub seat: Seat,
    /// The other player, once there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opponent: Option<Player>,
    /// The newest version.
    pub version: Version,
    /// The instant of the newest event.
    pub at: Timestamp,
    /// The moves so far.
    pub plies: u64,
    /// The clocks, once the match is in play, if there is a time control.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocks: Option<ClocksView>,
    /// The phase, as in a state, without the legal moves.
    #[serde(flatten)]
    pub phase: PhaseView,
}

/// The place of a match in a list by creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatchPlace {
    /// The instant of its creation.
    pub created_at: Timestamp,
    /// The match.
    #[serde(rename = "match")]
    pub match_id: MatchId,
}
