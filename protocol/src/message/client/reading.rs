//! Reads client messages, and refuses texts that are none.

mod fields;

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use self::fields::{ObjectFields, checked, malformed, tagged, taken};
use super::{ClientMessage, Hello, Request, RequestBody};
use crate::action::Action;
use crate::chat::{ChatDraft, ChatPhrase};
use crate::ids::{CommandId, MatchId, Version};
use crate::refusal::Refusal;
use crate::visible::is_hidden;

/// A text that is no client message, with the id to answer under if one could be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The command's id, if it had a valid one.
    pub id: Option<CommandId>,
    /// The refusal.
    pub refusal: Refusal,
}

impl ClientMessage {
    /// Reads one text frame. Unknown fields are ignored, unknown types refused.
    ///
    /// # Errors
    /// `UnknownType` or `Malformed`.
    pub fn read(text: &str) -> Result<Self, Unreadable> {
        Self::read_as(text, false)
    }

    /// Reads one text frame as [`ClientMessage::read`] does, but refuses unknown fields.
    ///
    /// # Errors
    /// `UnknownType` or `Malformed`.
    pub fn read_strictly(text: &str) -> Result<Self, Unreadable> {
        Self::read_as(text, true)
    }

    fn read_as(text: &str, is_strict: bool) -> Result<Self, Unreadable> {
        match read_move(text) {
            Some(request) => Ok(Self::Request(request)),
            None => Self::read_any(text, is_strict).map_err(|refusal| Unreadable {
                id: read_id(text),
                refusal,
            }),
        }
    }

    fn read_any(text: &str, is_strict: bool) -> Result<Self, Refusal> {
        if !is_object(text) {
            return Err(malformed(&"a JSON object was expected"));
        }
        let ObjectFields(mut fields) =
            serde_json::from_str(text).map_err(|error| malformed(&error))?;
        let Some(Value::String(kind)) = fields.remove("type") else {
            return Err(malformed(&"its `type` is missing or no text"));
        };
        if kind == "hello" {
            let hello: Hello = checked(&kind, fields.clone().into(), is_strict)?;
            if hello.strict {
                checked::<Hello>(&kind, fields.into(), true)?;
            }
            return Ok(Self::Hello(hello));
        }
        if !RequestBody::kinds().any(|known| known == kind) {
            return Err(Refusal::UnknownType {
                found: undisturbed(&kind).take(EXCERPT_CHARS).collect(),
                known: RequestBody::kinds().collect::<Vec<_>>().join(", "),
            });
        }
        let id = taken(&mut fields, "id")?;
        let body = if Action::kinds().any(|known| known == kind) {
            let match_id = taken(&mut fields, "match")?;
            tagged::<Action>(&kind, fields, is_strict)?.in_match(match_id)
        } else if kind == "chat" {
            let id = taken(&mut fields, "match")?;
            let draft = checked::<DraftFields>(&kind, fields.into(), is_strict)?.draft()?;
            RequestBody::Chat { id, draft }
        } else {
            tagged(&kind, fields, is_strict)?
        };
        Ok(Self::Request(Request { id, body }))
    }
}

/// The id of a message that cannot be read, if that has a valid one.
fn read_id(text: &str) -> Option<CommandId> {
    #[derive(Deserialize)]
    struct Envelope {
        id: Value,
    }
    let envelope: Envelope = read_object(text)?;
    serde_json::from_value(envelope.id).ok()
}

fn read_object<'a, T: Deserialize<'a>>(text: &'a str) -> Option<T> {
    let fields = is_object(text).then(|| serde_json::from_str(text))?;
    fields.ok()
}

/// Returns true for a JSON object. Serde would also read a list of the values as one.
fn is_object(text: &str) -> bool {
    text.trim_ascii_start().starts_with('{')
}

/// The content of `chat`.
#[derive(Deserialize)]
struct DraftFields {
    phrase: Option<ChatPhrase>,
    text: Option<String>,
}

impl DraftFields {
    fn draft(self) -> Result<ChatDraft, Refusal> {
        match (self.phrase, self.text) {
            (Some(phrase), None) => Ok(ChatDraft::Phrase(phrase)),
            (None, Some(text)) => Ok(ChatDraft::Text(text)),
            _ => Err(malformed(&"it has either a `phrase` or a `text`")),
        }
    }
}

/// Reads a move, the most frequent request, in one pass. Other requests need a pass for the type and one for
/// its fields. None for any other text, and for a move with an error or unknown fields.
fn read_move(text: &str) -> Option<Request> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
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
    let MoveFields {
        kind,
        id,
        match_id,
        expecting,
        text,
    } = read_object(text)?;
    let action = Action::Play { expecting, text };
    let body = action.in_match(match_id);
    (kind == body.kind()).then_some(Request { id, body })
}

/// The length of the excerpt of an unknown type in a refusal, in characters.
const EXCERPT_CHARS: usize = 16;

/// Yields the letters of a foreign text, with a placeholder for those that would disturb a screen.
fn undisturbed(text: &str) -> impl Iterator<Item = char> {
    let shown = |letter| match is_hidden(letter) {
        true => char::REPLACEMENT_CHARACTER,
        false => letter,
    };
    text.chars().map(shown)
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
                        ClientMessage::read_any(&text, true),
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
