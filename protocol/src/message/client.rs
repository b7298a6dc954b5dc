//! Messages of a client: `hello`, then requests under ids of its own.

use fibfob_games::MoveSet;
use serde::ser::{Error as _, SerializeMap as _};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use strum::{IntoStaticStr, VariantNames};

use crate::action::Action;
use crate::chat::ChatDraft;
use crate::ids::{CommandId, GuestId, MatchId, Version};
use crate::limits::LISTED_MOVES_MAX;
use crate::message::devices::CallAddress;
use crate::message::learning::Mark;
use crate::message::matches::MatchPlace;
use crate::program::{Program, read_new};
use crate::setup::MatchSetup;

mod reading;

pub use reading::Unreadable;

/// A message of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientMessage {
    /// The first message of a connection.
    Hello(Hello),
    /// Everything after it.
    Request(Request),
}

/// The client's identity. Names and tokens are not checked here, so that an invalid one is refused as such.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hello {
    /// The protocol to speak: `fibfob.v1`.
    pub protocol: String,
    /// The name to be shown under in seats taken from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The token of an earlier `welcome`, to be the same guest again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// True to have unknown fields refused in all messages of this connection: for the development of a client.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
    /// The words of a program about itself: its guest is one in every seat that it takes.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "read_new"
    )]
    pub program: Option<Program>,
    /// The form of legal and winning moves in all messages of this connection.
    #[serde(default, skip_serializing_if = "MoveForm::is_list")]
    pub legal: MoveForm,
}

/// The form of several moves in a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MoveForm {
    /// Each move is a text. More than 1024 moves are families, as objects.
    #[default]
    List,
    /// Families, as texts where they can be.
    Families,
}

impl MoveForm {
    /// Converts families into this form.
    pub fn put(self, moves: &mut MoveSet) {
        if self == Self::List {
            *moves = moves.listed(LISTED_MOVES_MAX);
        }
    }

    fn is_list(&self) -> bool {
        *self == Self::List
    }
}

/// A request under an id of the client's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Echoed in the answer. A request sent again with the same id counts once.
    pub id: CommandId,
    /// The request itself.
    pub body: RequestBody,
}

/// One flat object: the body's kind stands in `type`, beside its fields.
impl Serialize for Request {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("type", self.body.kind())?;
        object.serialize_entry("id", &self.id)?;
        let body = match &self.body {
            RequestBody::Act { id, action } => {
                object.serialize_entry("match", id)?;
                serde_json::to_value(action)
            }
            body => serde_json::to_value(body),
        };
        // Under its kind, unless it has no fields.
        if let Value::Object(kind) = body.map_err(S::Error::custom)? {
            for (name, value) in kind.values().filter_map(Value::as_object).flatten() {
                object.serialize_entry(name, value)?;
            }
        }
        object.end()
    }
}

/// The body of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr, VariantNames)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(tag = "type")
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum RequestBody {
    /// Create a match and follow it.
    Create(MatchSetup),
    /// Take the free seat of a match and follow it.
    Join {
        /// The match's short name.
        code: String,
    },
    /// Follow a match, whatever its phase.
    Spectate {
        /// The match's short name.
        code: String,
    },
    /// Follow a match again after a reconnection.
    Resume {
        /// The match.
        #[serde(rename = "match")]
        id: MatchId,
        /// The last version seen; 0 for none.
        since: Version,
    },
    /// Follow a match no more; nothing in it changes.
    Leave {
        /// The match.
        #[serde(rename = "match")]
        id: MatchId,
    },
    /// Send a chat line to one's own channel: players to players, spectators to spectators.
    Chat {
        /// The followed match.
        #[serde(rename = "match")]
        id: MatchId,
        /// The content.
        #[serde(flatten)]
        draft: ChatDraft,
    },
    /// Mute or unmute a match's chat, on this connection and on later ones.
    Mute {
        /// The followed match.
        #[serde(rename = "match")]
        id: MatchId,
        /// True to mute.
        muted: bool,
    },
    /// Preview a move without making it.
    Preview {
        /// The match, in play.
        #[serde(rename = "match")]
        id: MatchId,
        /// The move, in notation.
        #[serde(rename = "move")]
        text: String,
    },
    /// Analyse the position after a version.
    Analyse {
        /// The match: finished, or in play for learning.
        #[serde(rename = "match")]
        id: MatchId,
        /// The version after which to look.
        version: Version,
    },
    /// List the legal moves of a match: a player to move is sent them without asking.
    Legal {
        /// The match.
        #[serde(rename = "match")]
        id: MatchId,
    },
    /// Review a match: the value of every position, and the moves that gave a win away.
    Review {
        /// The match: finished, or in play for learning.
        #[serde(rename = "match")]
        id: MatchId,
    },
    /// Study a position of any game, or the one after a move.
    Study {
        /// The game's id.
        game: String,
        /// The position, in the game's notation.
        position: String,
        /// The move to make first.
        #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// Study the position of a puzzle.
    Puzzle {
        /// The game's id.
        game: String,
        /// The simplest idea that finds a winning move; any if it is not said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        grade: Option<String>,
        /// The number that the puzzle is made from, everywhere alike.
        seed: u32,
    },
    /// Receive the client's marks of progress, after some were added and others removed.
    Progress {
        /// Those to add.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        add: Vec<Mark>,
        /// Those to remove.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        remove: Vec<Mark>,
    },
    /// Look at today's flight, and the client's own.
    Today,
    /// Begin today's flight, or go on with it, and follow its match.
    Fly,
    /// List the client's finished matches, newest first, with what became of its won positions.
    Record {
        /// The place after which to go on; none for the newest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<MatchPlace>,
    },
    /// List the client's own matches, newest first: either the unfinished or the finished ones.
    Matches {
        /// True to list the finished ones. A closed match is one of them if somebody had joined it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        finished: bool,
        /// The place after which to go on; none for the newest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<MatchPlace>,
        /// True to receive every change of the client's own matches from now on, as long as the connection lasts.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        watch: bool,
    },
    /// List the lobby, and subscribe to its changes or unsubscribe.
    Lobby {
        /// True to receive every change from now on.
        #[serde(default)]
        watch: bool,
        /// The page to list, from 0. Changes are those of the first page.
        #[serde(default, skip_serializing_if = "crate::message::is_first")]
        page: u32,
    },
    /// List the games and the levels of bots.
    Games,
    /// Make a code by which another device becomes the same guest.
    DeviceCode,
    /// Look whom such a code stands for, or receive that identity.
    TakeIdentity {
        /// The code, as people type it.
        code: String,
        /// True to use the code: whoever asks has seen whose it is.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        agree: bool,
    },
    /// Receive the client's own identity.
    Identity {
        /// True for a new token, whose first use signs out all devices that have an older one.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        renew: bool,
    },
    /// Call this device when a match waits for the client and it has no connection.
    CallMe(CallAddress),
    /// Call a device no more.
    CallMeNot {
        /// Its address at the push service.
        endpoint: String,
    },
    /// Forget the client: its name, its seats, its words and its token, for good.
    ForgetMe {
        /// The client's own guest, so that nobody is forgotten by mistake.
        guest: GuestId,
    },
    /// Act in a match. The action's own `type` and fields stand beside the match's id.
    #[serde(skip)]
    Act {
        /// The match.
        id: MatchId,
        /// The action.
        action: Action,
    },
}

impl RequestBody {
    /// The request's `type` on the wire.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Act { action, .. } => action.kind(),
            other => other.into(),
        }
    }

    /// Every `type` of a request.
    pub fn kinds() -> impl Iterator<Item = &'static str> {
        let own = Self::VARIANTS.iter().filter(|kind| **kind != "act");
        own.copied().chain(Action::kinds())
    }
}

impl Action {
    /// Returns the request for this action in a match.
    #[must_use]
    pub fn in_match(self, id: MatchId) -> RequestBody {
        RequestBody::Act { id, action: self }
    }
}

impl ClientMessage {
    /// The message as a text frame.
    #[must_use]
    pub fn write(&self) -> String {
        match self {
            Self::Hello(hello) => {
                #[derive(Serialize)]
                #[serde(tag = "type", rename_all = "kebab-case")]
                enum Tagged<'a> {
                    Hello(&'a Hello),
                }
                serde_json::to_string(&Tagged::Hello(hello))
            }
            Self::Request(request) => serde_json::to_string(request),
        }
        .expect("messages have string keys and no failing serialiser")
    }
}
