//! Reading of client messages, and the refusal of what is none.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use super::{ActFields, ClientMessage, OtherFields, Request, RequestBody};
use crate::action::Action;
use crate::ids::{CommandId, MatchId, Version};
use crate::refusal::Refusal;
use crate::visible::is_hidden;

/// A text that is no client message, with the id to answer under where one could be read.
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
