//! The messages of a followed match: its events, and who is connected.

use serde::{Deserialize, Serialize};

use crate::change::StateChange;
use crate::event::{Event, Record};
use crate::ids::{Code, MatchId, Timestamp, Version};
use crate::name::PlayerName;
use crate::seat::Seat;
use crate::view::MatchView;

/// An event with its place and time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TimedEvent {
    /// The version this event made.
    pub version: Version,
    /// The instant of the event.
    pub at: Timestamp,
    /// The event.
    #[serde(flatten)]
    pub event: Event,
}

impl From<&Record> for TimedEvent {
    fn from(record: &Record) -> Self {
        Self {
            version: record.version,
            at: record.at,
            event: record.event.clone(),
        }
    }
}

/// An event of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PastEvent {
    /// The event.
    #[serde(flatten)]
    pub timed: TimedEvent,
    /// The position after it, if the event changed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
}

/// One event of a match, and what it changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Frame {
    /// The match.
    #[serde(rename = "match")]
    pub match_id: MatchId,
    /// The event.
    #[serde(flatten)]
    pub timed: TimedEvent,
    /// The change of the public state.
    #[serde(default, skip_serializing_if = "StateChange::is_empty")]
    pub change: StateChange,
}

/// The state of a match, and the events that led to it since a viewer's last version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Snapshot {
    /// The match.
    #[serde(rename = "match")]
    pub match_id: MatchId,
    /// Its short name.
    pub code: Code,
    /// The version of the newest event.
    pub version: Version,
    /// Every event since the viewer's last version, in order, without a gap.
    pub events: Vec<PastEvent>,
    /// The public state of the match after it.
    pub state: MatchView,
}

/// The connections to a match. Not an event: only the newest matters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Presence {
    /// The match.
    #[serde(rename = "match")]
    pub match_id: MatchId,
    /// The seats whose player is connected; a bot always is.
    pub connected: Vec<Seat>,
    /// Players who are not, while the match is to be played.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub away: Vec<Away>,
    /// Players who have taken another name since they took their seat.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub renamed: Vec<RenamedPlayer>,
    /// Connections that only watch.
    pub spectators: usize,
}

/// A player whose name is no longer the one in the state. The events keep the name of their time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RenamedPlayer {
    /// The player's seat.
    pub seat: Seat,
    /// The new name.
    pub name: PlayerName,
}

/// A player who is not connected. After the match's grace the other one may `claim` it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Away {
    /// The player's seat.
    pub seat: Seat,
    /// The start of the absence on the server's clock; a restarted server counts from its start.
    pub since: Timestamp,
}
