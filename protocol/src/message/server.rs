//! Messages of a server: answers, and updates of followed matches.

use fibfob_games::MoveSet;
use serde::{Deserialize, Serialize};

use crate::analysis::{Analysis, Review};
use crate::change::StateChange;
use crate::chat::Chat;
use crate::event::{Event, MatchRef, Record};
use crate::ids::{Code, CommandId, GuestId, MatchId, Timestamp, Version};
use crate::limits::{Limits, SUBPROTOCOL};
use crate::message::{DeviceCode, Identity, MatchesPage};
use crate::name::PlayerName;
use crate::refusal::{Refusal, RefusalReason};
use crate::seat::{FirstMove, Player, Seat};
use crate::time::TimeControl;
use crate::view::MatchView;

mod reading;
mod writing;

pub use reading::MessageReader;

/// A message of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum ServerMessage {
    /// The answer to `hello`.
    Welcome(Box<Welcome>),
    /// A request was done, durably where it changed something.
    Accepted(Accepted),
    /// A request was not done and changed nothing.
    Refused(Refused),
    /// The answer to `preview`.
    Preview(Preview),
    /// The answer to `analyse`.
    Analysis(Box<QueryResult<Analysis>>),
    /// The answer to `review`.
    Review(QueryResult<Review>),
    /// The answer to `legal`.
    Legal(QueryResult<LegalMoves>),
    /// The answer to `matches`.
    Matches(MatchesPage),
    /// The answer to `device-code`.
    DeviceCode(DeviceCode),
    /// The answer to `take-identity` and `identity`.
    Identity(Identity),
    /// One event of a followed match and what it changes.
    Frame(Box<Frame>),
    /// A followed match as it is: when following begins, and for a viewer far behind.
    Snapshot(Box<Snapshot>),
    /// The connected players and spectators of a followed match.
    Presence(Presence),
    /// New chat lines of a followed match.
    Chat(Chat),
    /// The lobby as it is now.
    Lobby(LobbyList),
    /// A change of the watched lobby.
    LobbyChange(LobbyChange),
    /// The server is about to close the connection.
    Goodbye(Goodbye),
}

impl Refusal {
    /// The message that tells it to the client whose command `id` it answers.
    #[must_use]
    pub fn answer(&self, id: Option<CommandId>) -> Refused {
        Refused {
            id,
            reason: self.reason(),
            message: self.to_string(),
            retry: self.retry(),
            supported: match self {
                Self::UnsupportedVersion { .. } => vec![SUBPROTOCOL.to_owned()],
                _ => Vec::new(),
            },
        }
    }
}

/// The answer to `hello`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Welcome {
    /// The protocol spoken on this connection.
    pub protocol: String,
    /// Name and version of the server.
    pub server: String,
    /// The client's identity.
    pub guest: GuestId,
    /// The name it is shown under.
    pub name: String,
    /// The secret that makes it the same guest next time. Never shown to anybody else.
    pub token: String,
    /// The time on the server's clock, by which all others are told.
    pub now: Timestamp,
    /// The address that others reach the server at, such as `https://play.example`; absent if
    /// nobody has named one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public_url: Option<String>,
    /// The ids of the games that can be played.
    pub games: Vec<String>,
    /// The bounds of this connection.
    pub limits: Limits,
}

/// A request was done. Sent again under the same id, a stored command gets the same answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Accepted {
    /// The request's id.
    pub id: CommandId,
    /// The match it was about.
    #[serde(rename = "match", default, skip_serializing_if = "Option::is_none")]
    pub match_id: Option<MatchId>,
    /// That match's short name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Code>,
    /// The version its event made; for requests without an event, the match's version now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
    /// The client's own seat in that match; absent for a spectator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<Seat>,
    /// After `accept-rematch`: the match to go to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<MatchRef>,
}

impl Accepted {
    /// The answer to a request that was about no match.
    #[must_use]
    pub fn of(id: CommandId) -> Self {
        Self {
            id,
            match_id: None,
            code: None,
            version: None,
            seat: None,
            next: None,
        }
    }
}

/// The result of a preview.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Preview {
    /// The request's id.
    pub id: CommandId,
    /// The match it was about.
    #[serde(rename = "match")]
    pub match_id: MatchId,
    /// The version on which the move would be made.
    pub version: Version,
    /// The move, in canonical notation.
    #[serde(rename = "move")]
    pub text: String,
    /// The position it would lead to.
    pub position: String,
    /// True if the match would be over.
    pub over: bool,
}

/// The result of a query about a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QueryResult<T> {
    /// The request's id.
    pub id: CommandId,
    /// The match it was about.
    #[serde(rename = "match")]
    pub match_id: MatchId,
    /// The result.
    #[serde(flatten)]
    pub answer: T,
}

/// The legal moves of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LegalMoves {
    /// The version of the match.
    pub version: Version,
    /// The legal moves; none unless it is in play.
    pub legal: MoveSet,
}

/// A request was not done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Refused {
    /// The request's id, if one could be read.
    pub id: Option<CommandId>,
    /// The reason, for programs.
    pub reason: RefusalReason,
    /// The error and what was expected, for people.
    pub message: String,
    /// True if the same request, with the same id, may succeed later.
    pub retry: bool,
    /// For an unsupported protocol: the supported ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supported: Vec<String>,
}

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
    /// The match. Absent if the frame or snapshot before it on the connection is of the same one.
    #[serde(rename = "match")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<MatchId>"))]
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

/// A page of the lobby.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LobbyList {
    /// Public matches with a free seat for anybody, whose creators are connected; newest first.
    pub open: Vec<LobbyEntry>,
    /// Public matches in play that somebody follows: those between people first, each newest
    /// first.
    pub playing: Vec<LobbyEntry>,
    /// The number of the page, from 0.
    #[serde(default, skip_serializing_if = "is_first")]
    pub page: u32,
    /// True if there was a next page when this one was written.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
}

/// A change of the first page of the lobby.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LobbyChange {
    /// The matches to remove, from either list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<Code>,
    /// Entries to add to the matches with a free seat.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<LobbyEntry>,
    /// Entries to add to the matches in play.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub playing: Vec<LobbyEntry>,
}

fn is_first(page: &u32) -> bool {
    *page == 0
}

impl LobbyList {
    /// Applies a change, and orders both lists.
    pub fn apply(&mut self, change: &LobbyChange) {
        for (list, added) in [
            (&mut self.open, &change.open),
            (&mut self.playing, &change.playing),
        ] {
            let is_gone = |entry: &LobbyEntry| {
                let code = entry.code;
                change.gone.contains(&code) || added.iter().any(|new| new.code == code)
            };
            list.retain(|entry| !is_gone(entry));
            list.extend(added.iter().cloned());
            list.sort_by_key(LobbyEntry::rank);
        }
    }

    /// The change that leads from this page to `next`.
    #[must_use]
    pub fn change_to(&self, next: &Self) -> LobbyChange {
        let stays = |entry: &&LobbyEntry| next.open.contains(entry) || next.playing.contains(entry);
        let before = self.open.iter().chain(&self.playing);
        let gone = before.filter(|entry| !stays(entry)).map(|entry| entry.code);
        let new = |before: &[LobbyEntry], list: &[LobbyEntry]| {
            let new = list.iter().filter(|entry| !before.contains(entry));
            new.cloned().collect()
        };
        LobbyChange {
            gone: gone.collect(),
            open: new(&self.open, &next.open),
            playing: new(&self.playing, &next.playing),
        }
    }
}

impl LobbyChange {
    /// Returns true if it changes nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.gone.is_empty() && self.open.is_empty() && self.playing.is_empty()
    }
}

impl LobbyEntry {
    /// The place in its list, least first: matches between people, then by age, then by code.
    #[must_use]
    pub fn rank(&self) -> (bool, std::cmp::Reverse<Timestamp>, Code) {
        let players = [Some(&self.creator), self.joiner.as_ref()];
        let bots = players.into_iter().flatten();
        let has_bot = bots
            .into_iter()
            .any(|player| matches!(player, Player::Bot { .. }));
        (has_bot, std::cmp::Reverse(self.created_at), self.code)
    }
}

/// A match in the lobby.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LobbyEntry {
    /// The match's short name.
    pub code: Code,
    /// The game's id.
    pub game: String,
    /// The first position.
    pub start: String,
    /// Its author.
    pub creator: Player,
    /// The opponent, once there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joiner: Option<Player>,
    /// The seat that moves first, or the one that chooses it.
    pub first: FirstMove,
    /// The time control.
    #[serde(default, skip_serializing_if = "TimeControl::is_none")]
    pub time: TimeControl,
    /// True if analysis is open during play; a joining player agrees to it.
    pub learning: bool,
    /// The instant of its creation.
    pub created_at: Timestamp,
}

/// The server closes the connection after this.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Goodbye {
    /// The reason, for people.
    pub message: String,
    /// The pause before reconnecting, in milliseconds; absent: do not reconnect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}
