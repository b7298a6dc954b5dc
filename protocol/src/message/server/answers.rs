//! Answers to requests.

use std::borrow::Cow;

use fibfob_games::{Catalogue, MoveSet};
use serde::{Deserialize, Serialize};

use crate::event::MatchRef;
use crate::ids::{Code, CommandId, GuestId, MatchId, Timestamp, Version};
use crate::limits::{Limits, SUBPROTOCOL};
use crate::refusal::{Refusal, RefusalReason};
use crate::seat::Seat;

impl Refusal {
    /// Returns the message that refuses the client's command `id`.
    #[must_use]
    pub fn answer(&self, id: Option<CommandId>) -> Refused {
        Refused {
            id,
            reason: self.reason(),
            message: self.to_string(),
            retry: self.retry(),
            retry_after_ms: self.retry_after_ms(),
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
    /// The address that others reach the server at, such as `https://play.example`; absent if nobody has named one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public_url: Option<String>,
    /// The server's public key for push services (RFC 8292), in base64url; absent if it calls nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub push_key: Option<String>,
    /// The operator's texts, each at the path of its name: `contact`, `imprint`, `privacy`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<String>,
    /// The version of the web page that the server sends to browsers: a page of another version is outdated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// The ids of the games that can be played.
    pub games: Vec<String>,
    /// The bounds of this connection.
    pub limits: Limits,
}

/// A request was done. Sent again under the same id, a stored command gets the same answer, marked.
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
    /// True if the command was stored before, and nothing was done now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeated: bool,
    /// The client's own seat in that match; absent for a spectator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<Seat>,
    /// True if the client has muted that match's chat.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub muted: bool,
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
            repeated: false,
            seat: None,
            muted: false,
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

/// The games that can be played, and the levels of the bots that play them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GamesAnswer {
    /// The request's id.
    pub id: CommandId,
    /// The catalogue, whose fields stand beside the id.
    #[serde(flatten)]
    pub catalogue: Cow<'static, Catalogue>,
}

/// A request was not done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Refused {
    /// The request's id, if one could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<CommandId>,
    /// The reason, for programs.
    pub reason: RefusalReason,
    /// The error and what was expected, for people.
    pub message: String,
    /// True if the same request, with the same id, may succeed later.
    pub retry: bool,
    /// The pause before that, in milliseconds, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// For an unsupported protocol: the supported ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supported: Vec<String>,
}
