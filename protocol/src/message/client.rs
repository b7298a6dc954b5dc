//! Messages of a client: `hello`, then requests under ids of its own.

use std::borrow::Cow;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use strum::{IntoStaticStr, VariantNames};

use crate::action::Action;
use crate::chat::ChatDraft;
use crate::ids::{CommandId, MatchId, Version};
use crate::message::MatchPlace;
use crate::refusal::Refusal;
use crate::setup::MatchSetup;
use crate::visible::is_hidden;

/// A message of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientMessage {
    /// The first message of a connection.
    Hello(Hello),
    /// Everything after it.
    Request(Request),
}

/// The client's identity. Names and tokens are not checked here, so that an invalid one is refused
/// as such.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hello {
    /// The protocol to speak: [`crate::SUBPROTOCOL`].
    pub protocol: String,
    /// The name to be shown under in seats taken from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The token of an earlier `welcome`, to be the same guest again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// A request under an id of the client's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Echoed in the answer. A request sent again with the same id counts once.
    pub id: CommandId,
    /// The request itself.
    pub body: RequestBody,
}

impl Serialize for Request {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let id = &self.id;
        match &self.body {
            RequestBody::Act {
                id: match_id,
                action,
            } => {
                let match_id = *match_id;
                ActFields {
                    id,
                    match_id,
                    action,
                }
                .serialize(serializer)
            }
            body => OtherFields { id, body }.serialize(serializer),
        }
    }
}

/// The JSON of [`RequestBody::Act`]: serde does not flatten a tagged enum into a variant of
/// another one and keep its error messages.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct ActFields<Id, A> {
    id: Id,
    #[serde(rename = "match")]
    match_id: MatchId,
    #[serde(flatten)]
    action: A,
}

/// The JSON of every other request.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct OtherFields<Id, B> {
    id: Id,
    #[serde(flatten)]
    body: B,
}

/// The body of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr, VariantNames)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "kebab-case")]
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
    /// Send a chat line to one's own channel: players to players, spectators to spectators.
    Chat {
        /// The followed match.
        #[serde(rename = "match")]
        id: MatchId,
        /// The content.
        #[serde(flatten)]
        draft: ChatDraft,
    },
    /// Mute or unmute a match's chat on this connection.
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
    /// List the client's own matches, newest first: those not over, or those that are.
    Matches {
        /// True to list those that are over.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        finished: bool,
        /// The place after which to go on; none for the newest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<MatchPlace>,
    },
    /// List the lobby, and subscribe to its changes or unsubscribe.
    Lobby {
        /// True to receive every change from now on.
        #[serde(default)]
        watch: bool,
        /// The page to list, from 0. Changes are those of the first page.
        #[serde(default, skip_serializing_if = "is_first")]
        page: u32,
    },
    /// Make a code by which another device becomes the same guest.
    DeviceCode,
    /// Receive the identity that such a code stands for.
    TakeIdentity {
        /// The code, as people type it.
        code: String,
    },
    /// Receive the client's own identity.
    Identity {
        /// True for a new token, whose first use signs out all devices that have an older one.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        renew: bool,
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

/// A text that is no client message, with the id to answer under where one could be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The command's id, if it had a valid one.
    pub id: Option<CommandId>,
    /// The refusal.
    pub refusal: Refusal,
}

impl Action {
    /// The request to do this in a match.
    #[must_use]
    pub fn in_match(self, id: MatchId) -> RequestBody {
        RequestBody::Act { id, action: self }
    }
}

impl ClientMessage {
    /// Reads one text frame. Unknown fields are ignored, unknown types refused.
    ///
    /// # Errors
    /// `UnknownType` or `Malformed`.
    pub fn read(text: &str) -> Result<Self, Unreadable> {
        match read_move(text) {
            Some(request) => Ok(Self::Request(request)),
            None => Self::read_any(text),
        }
    }

    fn read_any(text: &str) -> Result<Self, Unreadable> {
        #[derive(Deserialize)]
        struct Envelope {
            #[serde(rename = "type", default)]
            kind: Option<Value>,
            #[serde(default)]
            id: Option<Value>,
        }
        let malformed = |id: &Option<CommandId>, error: &dyn std::fmt::Display| Unreadable {
            id: id.clone(),
            refusal: Refusal::Malformed(on_one_line(&error.to_string())),
        };
        // A list of the fields' values would be read as an object by serde.
        if !text.trim_ascii_start().starts_with('{') {
            return Err(malformed(&None, &"a JSON object was expected"));
        }
        let envelope: Envelope =
            serde_json::from_str(text).map_err(|error| malformed(&None, &error))?;
        let id: Option<CommandId> = envelope.id.and_then(|id| serde_json::from_value(id).ok());
        let Some(Value::String(kind)) = envelope.kind else {
            return Err(malformed(&id, &"its `type` is missing or no text"));
        };
        if kind == "hello" {
            return serde_json::from_str(text)
                .map(Self::Hello)
                .map_err(|error| malformed(&None, &error));
        }
        if Action::kinds().any(|known| known == kind) {
            let fields = serde_json::from_str::<ActFields<CommandId, Action>>(text);
            let fields = fields.map_err(|error| malformed(&id, &error))?;
            let (id, body) = (fields.id, fields.action.in_match(fields.match_id));
            return Ok(Self::Request(Request { id, body }));
        }
        if !RequestBody::kinds().any(|known| known == kind) {
            let found = undisturbed(&kind).take(EXCERPT_CHARS).collect();
            let refusal = Refusal::UnknownType {
                found,
                known: RequestBody::kinds().collect::<Vec<_>>().join(", "),
            };
            return Err(Unreadable { id, refusal });
        }
        let fields = serde_json::from_str::<OtherFields<CommandId, RequestBody>>(text);
        let OtherFields { id, body } = fields.map_err(|error| malformed(&id, &error))?;
        Ok(Self::Request(Request { id, body }))
    }

    /// The message as a text frame.
    #[must_use]
    pub fn write(&self) -> String {
        match self {
            Self::Hello(hello) => {
                #[derive(Serialize)]
                struct Tagged<'a> {
                    r#type: &'static str,
                    #[serde(flatten)]
                    hello: &'a Hello,
                }
                let r#type = "hello";
                serde_json::to_string(&Tagged { r#type, hello })
            }
            Self::Request(request) => serde_json::to_string(request),
        }
        .expect("messages have string keys and no failing serialiser")
    }
}

/// Reads the most frequent request, a move, in one pass instead of its type first and then the
/// fields of any request. None for every other text, and for a move with an error.
fn read_move(text: &str) -> Option<Request> {
    #[derive(Deserialize)]
    struct MoveFields<'a> {
        #[serde(rename = "type", borrow)]
        kind: Cow<'a, str>,
        id: CommandId,
        #[serde(rename = "match")]
        match_id: MatchId,
        expecting: Version,
        #[serde(rename = "move")]
        text: String,
    }
    // A list of the fields' values would be read as an object by serde.
    if !text.trim_ascii_start().starts_with('{') {
        return None;
    }
    let fields: MoveFields<'_> = serde_json::from_str(text).ok()?;
    let MoveFields {
        kind,
        id,
        match_id,
        expecting,
        text,
    } = fields;
    let action = Action::Play { expecting, text };
    let body = action.in_match(match_id);
    (kind == body.kind()).then_some(Request { id, body })
}

/// The length of the excerpt of an unknown type in a refusal, in characters.
const EXCERPT_CHARS: usize = 40;

/// The part of a JSON error that a refusal repeats, in characters: the beginning, with what was
/// found, and the end, with what was expected.
const FAULT_CHARS: (usize, usize) = (80, 200);

/// The letters of a foreign text, with a placeholder for those that would disturb a screen.
fn undisturbed(text: &str) -> impl Iterator<Item = char> {
    let shown = |letter| match is_hidden(letter) {
        true => char::REPLACEMENT_CHARACTER,
        false => letter,
    };
    text.chars().map(shown)
}

/// A parser's error on one line, without the middle of a long one: it repeats what was sent.
fn on_one_line(fault: &str) -> String {
    let (first, last) = FAULT_CHARS;
    let length = fault.chars().count();
    if length <= first + last {
        return undisturbed(fault).collect();
    }
    let beginning: String = undisturbed(fault).take(first).collect();
    let end: String = undisturbed(fault).skip(length - last).collect();
    format!("{beginning}…{end}")
}

fn is_first(page: &u32) -> bool {
    *page == 0
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    const MUTATIONS: usize = 40_000;
    const MOVE: &str = r#"{"type":"play","id":"a1","match":"67e55044-10b1-426f-9247-bb680e5fe0c8","expecting":3,"move":"take 2 from 1"}"#;
    /// The texts that are put into that of a move.
    const INSERTED: [&str; 16] = [
        "\"", "{", "}", "[", "]", ":", ",", "\\", "\\u0070", "0", "-", ".5", "null", " ",
        "\"a\":{}", "é",
    ];

    #[test]
    fn a_move_is_read_in_one_pass_as_it_is_among_all_requests() {
        let mut rng = StdRng::seed_from_u64(53);
        let (mut moves, mut others) = (0, 0);
        let fields: Vec<&str> = MOVE[1..MOVE.len() - 1].split(',').collect();
        for _ in 0..MUTATIONS {
            // Fields in any order, some missing and some twice.
            let mut drawn = fields.clone();
            for _ in 0..rng.random_range(0..3) {
                let (from, to) = (rng.random_range(0..5), rng.random_range(0..drawn.len()));
                drawn.insert(to, fields[from]);
                drawn.remove(rng.random_range(0..drawn.len()));
            }
            let mut text = format!("{{{}}}", drawn.join(","));
            for _ in 0..rng.random_range(0..3) {
                let at = rng.random_range(0..=text.len());
                if text.is_char_boundary(at) {
                    let end = (at + rng.random_range(0..2)).min(text.len());
                    if text.is_char_boundary(end) {
                        let inserted = INSERTED[rng.random_range(0..INSERTED.len())];
                        text.replace_range(at..end, inserted);
                    }
                }
            }
            match read_move(&text) {
                Some(request) => {
                    moves += 1;
                    assert_eq!(
                        ClientMessage::read_any(&text),
                        Ok(ClientMessage::Request(request)),
                        "{text}"
                    );
                }
                None => others += 1,
            }
        }
        assert!(
            moves > MUTATIONS / 10 && others > MUTATIONS / 10,
            "{moves} and {others}"
        );
    }

    #[test]
    fn a_move_with_every_field_takes_the_one_pass() {
        assert!(read_move(MOVE).is_some());
        let other = MOVE.replace("play", "analyse");
        assert_eq!(read_move(&other), None);
    }
}
