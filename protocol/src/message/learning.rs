//! The messages about what a guest has learned: marks of progress, today's flight, and how its won positions went.

use std::fmt;

use fibfob_games::{GameId, Reasoner};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::ids::{Code, CommandId, MatchId, Timestamp};
use crate::limits::MARK_BYTES_MAX;
use crate::message::matches::MatchPlace;

/// A mark of progress, such as `lesson/copycat`; what it means is the clients' affair.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "String")]
#[cfg_attr(
    feature = "schema",
    schemars(with = "String", extend("pattern" = "^[a-z0-9/-]{1,64}$"))
)]
pub struct Mark(String);

/// A text that is no mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a mark has 1 to {MARK_BYTES_MAX} characters of a to z, 0 to 9, `/` and `-`")]
pub struct InvalidMark;

impl TryFrom<String> for Mark {
    type Error = InvalidMark;

    fn try_from(text: String) -> Result<Self, InvalidMark> {
        let fits = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-');
        match (1..=MARK_BYTES_MAX).contains(&text.len()) && text.bytes().all(fits) {
            true => Ok(Self(text)),
            false => Err(InvalidMark),
        }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The answer to `progress`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Progress {
    /// The request's id.
    pub id: CommandId,
    /// The guest's marks, in the order of their texts.
    pub marks: Vec<Mark>,
}

/// The answer to `today`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Today {
    /// The request's id.
    pub id: CommandId,
    /// The number of the flight.
    pub number: u32,
    /// Its day, in UTC.
    pub date: String,
    /// Its game.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub game: GameId,
    /// Its start, which whoever moves first can win.
    pub position: String,
    /// The days in a row, up to today or yesterday, on which this guest has won the flight.
    pub streak: u32,
    /// The guest's own flight, once it has begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<OwnFlight>,
}

/// The guest's own flight of a day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OwnFlight {
    /// The state.
    pub state: FlightState,
    /// The short name of its match.
    pub code: Code,
    /// The guest's own moves so far.
    pub moves: u32,
    /// Those of them that gave the win away; 0 before the end, which alone may tell.
    pub slips: u32,
    /// A character for each own move, empty before the end: `1` kept the win, `0` gave it away, `-` had
    /// none to keep.
    pub line: String,
}

/// The state of a flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FlightState {
    /// It is in play.
    Flying,
    /// It is won.
    Arrived,
    /// It is not won.
    Erased,
}

/// The answer to `record`: finished matches of the guest, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordPage {
    /// The request's id.
    pub id: CommandId,
    /// The matches, by the instant of their creation.
    pub matches: Vec<RecordedMatch>,
    /// The place to go on from, if there are older ones: ask with it as `before`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<MatchPlace>,
}

/// A finished match of the guest, and what became of the positions that it could have won.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordedMatch {
    /// The match.
    #[serde(rename = "match")]
    pub match_id: MatchId,
    /// Its short name.
    pub code: Code,
    /// Its game.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub game: GameId,
    /// The instant of its end.
    pub ended: Timestamp,
    /// True if the guest has won it.
    pub won: bool,
    /// The level of the bot that it was played against, if it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
    /// The won positions by the idea that each needed, the simplest first.
    pub ideas: Vec<IdeaCount>,
}

/// The positions that the guest could have won by an idea.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IdeaCount {
    /// The simplest idea that found a winning move.
    pub idea: Reasoner,
    /// The own moves from such positions.
    pub had: u32,
    /// Those of them that won.
    pub kept: u32,
}
