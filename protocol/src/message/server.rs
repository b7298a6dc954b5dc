//! Messages of a server: answers, and updates of followed matches.

use serde::{Deserialize, Serialize};
use strum::VariantNames;

use crate::analysis::{Analysis, Review, Study};
use crate::chat::{Chat, ChatText};
use crate::ids::{CommandId, Timestamp};
use crate::message::devices::{DeviceCode, Identity};
use crate::message::learning::{Progress, RecordPage, Today};
use crate::message::matches::{MatchesChange, MatchesPage};

mod answers;
mod followed;
mod lobby;
mod writing;

pub use answers::*;
pub use followed::*;
pub use lobby::*;

/// A message of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, VariantNames)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
#[non_exhaustive]
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
    /// The answer to `study` and `puzzle`.
    Study(Box<Study>),
    /// The answer to `matches`.
    Matches(MatchesPage),
    /// The answer to `progress`.
    Progress(Progress),
    /// The answer to `today`.
    Today(Box<Today>),
    /// The answer to `record`.
    Record(RecordPage),
    /// The answer to `games`.
    Games(GamesAnswer),
    /// A change of the watched own matches.
    MatchesChange(MatchesChange),
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
    /// The operator says something to everybody who is connected.
    Notice(Notice),
    /// The server is about to close the connection.
    Goodbye(Goodbye),
}

impl ServerMessage {
    /// Every `type` of a server's message.
    #[must_use]
    pub fn kinds() -> &'static [&'static str] {
        Self::VARIANTS
    }

    /// The id of the request that this answers.
    #[must_use]
    pub fn answers(&self) -> Option<&CommandId> {
        Some(match self {
            Self::Accepted(answer) => &answer.id,
            Self::Refused(answer) => return answer.id.as_ref(),
            Self::Preview(answer) => &answer.id,
            Self::Analysis(answer) => &answer.id,
            Self::Review(answer) => &answer.id,
            Self::Legal(answer) => &answer.id,
            Self::Study(answer) => &answer.id,
            Self::Matches(answer) => &answer.id,
            Self::Progress(answer) => &answer.id,
            Self::Today(answer) => &answer.id,
            Self::Record(answer) => &answer.id,
            Self::Games(answer) => &answer.id,
            Self::DeviceCode(answer) => &answer.id,
            Self::Identity(answer) => &answer.id,
            Self::Welcome(_)
            | Self::Frame(_)
            | Self::Snapshot(_)
            | Self::Presence(_)
            | Self::Chat(_)
            | Self::Lobby(_)
            | Self::LobbyChange(_)
            | Self::MatchesChange(_)
            | Self::Notice(_)
            | Self::Goodbye(_) => return None,
        })
    }
}

/// The operator's words to everybody who is connected, such as that the server restarts soon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Notice {
    /// The words.
    pub text: ChatText,
    /// The instant at which they were said.
    pub at: Timestamp,
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
