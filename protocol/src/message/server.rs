//! Messages of a server: answers, and updates of followed matches.

use serde::{Deserialize, Serialize};

use crate::analysis::{Analysis, Review};
use crate::chat::Chat;
use crate::message::{DeviceCode, Identity, MatchesChange, MatchesPage, Offer, ProgramList};

mod answers;
mod followed;
mod lobby;
mod writing;

pub use answers::{Accepted, GamesAnswer, LegalMoves, Preview, QueryResult, Refused, Welcome};
pub use followed::{Away, Frame, PastEvent, Presence, RenamedPlayer, Snapshot, TimedEvent};
pub use lobby::{LobbyChange, LobbyEntry, LobbyList};

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
    /// The answer to `games`.
    Games(GamesAnswer),
    /// A change of the watched own matches.
    MatchesChange(MatchesChange),
    /// The answer to `programs`.
    Programs(ProgramList),
    /// A match is offered to this program.
    Offer(Offer),
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
