//! Writes server messages as text. The two of each ply, a move's frame and its answer, do without serde's
//! serialiser, which takes several times as long.

use fibfob_games::MoveSet;
use itoa::Buffer;
use serde::Deserialize;
use serde_json::Value;
use uuid::fmt::Hyphenated;

use super::ServerMessage;
use super::answers::Accepted;
use super::followed::Frame;
use crate::analysis::PositionAnalysis;
use crate::event::Event;
use crate::limits::LISTED_MOVES_MAX;
use crate::message::client::MoveForm;
use crate::view::PhaseView;

/// The bytes of an encoded message before its text needs to grow. Nearly all frames are shorter.
const USUAL_BYTES: usize = 512;

impl ServerMessage {
    /// The message as a text frame.
    #[must_use]
    pub fn write(&self) -> String {
        match self {
            Self::Frame(frame) => write_move(frame),
            Self::Accepted(accepted) => write_accepted(accepted),
            _ => None,
        }
        .unwrap_or_else(|| {
            serde_json::to_string(self)
                .expect("messages have string keys and no failing serialiser")
        })
    }

    /// Puts the message's moves into this form; the machine leaves them as families.
    #[must_use]
    pub fn in_form(mut self, form: MoveForm) -> Self {
        match &mut self {
            Self::Snapshot(snapshot) => {
                if let PhaseView::Playing { legal, .. } = &mut snapshot.state.phase {
                    legal.iter_mut().for_each(|legal| form.put(legal));
                }
            }
            Self::Frame(frame) => {
                if let Some(legal) = frame.change.0.get_mut("legal")
                    && let Ok(mut moves) = MoveSet::deserialize(&*legal)
                {
                    form.put(&mut moves);
                    *legal = serde_json::to_value(moves).expect("moves have no failing serialiser");
                }
            }
            Self::Legal(legal) => form.put(&mut legal.answer.legal),
            Self::Analysis(analysis) => put(form, &mut analysis.answer.of),
            Self::Study(study) => {
                form.put(&mut study.legal);
                put(form, &mut study.of);
            }
            _ => {}
        }
        self
    }

    /// Reads the text of a message.
    ///
    /// # Errors
    /// A text that is no message of this protocol.
    pub fn read(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }
}

impl Frame {
    /// Writes the legal moves as [`Frame::with_legal`] adds them to a frame's text.
    #[must_use]
    pub fn write_legal(legal: &MoveSet) -> Box<str> {
        let mut json = String::with_capacity(USUAL_BYTES);
        json.push('[');
        for (index, family) in legal.families().iter().enumerate() {
            if index > 0 {
                json.push(',');
            }
            match family.is_object() {
                false => push_text(&mut json, |json| json.push_str(family.text())),
                true => {
                    let text = serde_json::to_string(family);
                    json.push_str(&text.expect("a family has no failing serialiser"));
                }
            }
        }
        json.push(']');
        json.into()
    }

    /// Rewrites families as a plain list of moves, for clients that asked for one.
    #[must_use]
    pub fn list_legal(families: &str) -> Box<str> {
        let legal = serde_json::from_str::<MoveSet>(families);
        let legal = legal.expect("it was written by `write_legal`");
        Self::write_legal(&legal.listed(LISTED_MOVES_MAX))
    }

    /// Adds legal moves to the text of a frame that was `encoded` without any. So the rest is not encoded
    /// again for the player to move.
    #[must_use]
    pub fn with_legal(encoded: &str, legal: &str) -> String {
        let before = encoded
            .strip_suffix("}}")
            .expect("a frame that changes the legal moves ends with its change");
        let before = before.strip_suffix(",\"legal\":null").unwrap_or(before);
        [before, ",\"legal\":", legal, "}}"].concat()
    }
}

/// Converts an analysis's moves to this form.
fn put(form: MoveForm, of: &mut PositionAnalysis) {
    if form == MoveForm::List {
        form.put(&mut of.winning);
        let steps = std::mem::take(&mut of.steps);
        of.steps = steps.listed(LISTED_MOVES_MAX);
    }
}

/// Writes the frame of a move that only passes the turn; none for any other frame.
fn write_move(frame: &Frame) -> Option<String> {
    let Event::Moved {
        seat,
        text,
        charged_until: None,
    } = &frame.timed.event
    else {
        return None;
    };
    let (mut position, mut clocks, mut turn, mut legal) = (None, None, None, None);
    for (field, value) in &frame.change.0 {
        match (field.as_str(), value) {
            ("position", Value::String(after)) => position = Some(after),
            ("clocks", after) => clocks = Some(after),
            ("turn", Value::String(after)) => turn = Some(after),
            ("legal", Value::Null) => legal = Some(()),
            _ => return None,
        }
    }
    let (position, turn, ()) = (position?, turn?, legal?);
    let mut json = String::with_capacity(USUAL_BYTES);
    json.push_str(r#"{"type":"frame","match":""#);
    let mut id = [0; Hyphenated::LENGTH];
    json.push_str(frame.match_id.0.as_hyphenated().encode_lower(&mut id));
    json.push_str(r#"","version":"#);
    json.push_str(Buffer::new().format(frame.timed.version.0));
    json.push_str(r#","at":"#);
    json.push_str(Buffer::new().format(frame.timed.at.0));
    json.push_str(r#","event":"moved","seat":""#);
    json.push_str(seat.into());
    json.push_str(r#"","move":"#);
    push_text(&mut json, |json| json.push_str(text));
    json.push_str(r#","change":{"position":"#);
    push_text(&mut json, |json| json.push_str(position));
    if let Some(clocks) = clocks {
        json.push_str(r#","clocks":"#);
        json.push_str(&clocks.to_string());
    }
    json.push_str(r#","turn":""#);
    json.push_str(turn);
    json.push_str(r#"","legal":null}}"#);
    Some(json)
}

/// Writes the answer to a request that does not begin to follow a match; none for any other answer.
fn write_accepted(accepted: &Accepted) -> Option<String> {
    let Accepted {
        id,
        match_id: None,
        code: None,
        version: Some(version),
        repeated: false,
        seat: None,
        muted: false,
        next: None,
    } = accepted
    else {
        return None;
    };
    let mut json = String::with_capacity(USUAL_BYTES);
    json.push_str(r#"{"type":"accepted","id":"#);
    push_text(&mut json, |json| json.push_str(id.as_str()));
    json.push_str(r#","version":"#);
    json.push_str(Buffer::new().format(version.0));
    json.push('}');
    Some(json)
}

/// Appends a text as JSON, after `push` has appended it as it is.
fn push_text(json: &mut String, push: impl FnOnce(&mut String)) {
    let from = json.len();
    json.push('"');
    push(json);
    // Looks at every byte, because that takes fewer steps than stopping early.
    let has_escapes = |found, byte| found | (byte < 0x20) | (byte == b'"') | (byte == b'\\');
    match json.as_bytes()[from + 1..]
        .iter()
        .copied()
        .fold(false, has_escapes)
    {
        false => json.push('"'),
        true => {
            let escaped = serde_json::to_string(&json[from + 1..]);
            json.truncate(from);
            json.push_str(&escaped.expect("a text has no failing serialiser"));
        }
    }
}
