//! Parses a server's messages, even a newer server's.
//!
//! Unknown kinds of messages and events are reported by name and skipped. A text that no server of this
//! protocol would send is an error.

use std::borrow::Cow;

use fibfob_protocol::{
    Code, MatchId, MatchView, ServerMessage, TimedEvent, Version, apply_frame, made_visible,
};
use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Incoming {
    Message(ServerMessage),
    Events(Box<EventBatch>),
    Unknown(String),
}

/// The events of a frame or a snapshot.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct EventBatch {
    pub(crate) match_id: MatchId,
    pub(crate) version: Version,
    /// The versions of all events, unknown ones included.
    pub(crate) versions: Vec<Version>,
    /// The events of known kinds.
    pub(crate) events: Vec<TimedEvent>,
    /// The names of the other events.
    pub(crate) unknown: Vec<String>,
    pub(crate) state: BatchState,
}

/// The state in a frame or a snapshot. Kept as JSON, so that a newer server's fields are neither lost nor in
/// the way.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum BatchState {
    Whole(JsonState),
    /// The fields of an event, and its merge patch.
    Change {
        event: Map<String, Value>,
        change: Map<String, Value>,
    },
}

pub(crate) fn parse(text: &str) -> Result<Incoming, serde_json::Error> {
    #[derive(Deserialize)]
    struct TypeTag<'a> {
        #[serde(rename = "type", borrow)]
        kind: Cow<'a, str>,
    }
    let text = &clean_text(text);
    let TypeTag { kind } = serde_json::from_str(text)?;
    Ok(match kind.as_ref() {
        "frame" => {
            let AnyFrame {
                match_id,
                version,
                change,
                mut event,
            } = serde_json::from_str(text)?;
            event.insert("version".to_owned(), version.0.into());
            let events = vec![Value::Object(event.clone())];
            let state = BatchState::Change { event, change };
            Incoming::Events(Box::new(EventBatch::of(match_id, version, events, state)?))
        }
        "snapshot" => {
            let AnySnapshot {
                match_id,
                code,
                version,
                events,
                state,
            } = serde_json::from_str(text)?;
            let state = BatchState::Whole(JsonState { code, state });
            Incoming::Events(Box::new(EventBatch::of(match_id, version, events, state)?))
        }
        kind if ServerMessage::kinds().contains(&kind) => {
            Incoming::Message(serde_json::from_str(text)?)
        }
        _ => Incoming::Unknown(kind.into_owned()),
    })
}

/// Makes all texts of a message visible, because they may be shown on a terminal.
fn clean_text(text: &str) -> Cow<'_, str> {
    let may_hide = |byte: u8| byte == b'\\' || byte >= 0x7f;
    if !text.bytes().any(may_hide) {
        return Cow::Borrowed(text);
    }
    let Ok(mut value) = serde_json::from_str(text) else {
        return Cow::Borrowed(text);
    };
    clean(&mut value);
    Cow::Owned(value.to_string())
}

fn clean(value: &mut Value) {
    match value {
        Value::String(text) => *text = made_visible(text),
        Value::Array(all) => all.iter_mut().for_each(clean),
        Value::Object(fields) => {
            let cleaned = std::mem::take(fields).into_iter().map(|(name, mut value)| {
                clean(&mut value);
                (made_visible(&name), value)
            });
            *fields = cleaned.collect();
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[derive(Deserialize)]
struct AnyFrame {
    #[serde(rename = "match")]
    match_id: MatchId,
    version: Version,
    #[serde(default)]
    change: Map<String, Value>,
    #[serde(flatten)]
    event: Map<String, Value>,
}

#[derive(Deserialize)]
struct AnySnapshot {
    #[serde(rename = "match")]
    match_id: MatchId,
    code: Code,
    version: Version,
    events: Vec<Value>,
    state: Value,
}

/// The fields of every event, known or not.
#[derive(Deserialize)]
struct AnyEvent {
    version: Version,
    event: String,
}

impl EventBatch {
    fn of(
        match_id: MatchId,
        version: Version,
        all: Vec<Value>,
        state: BatchState,
    ) -> Result<Self, serde_json::Error> {
        let (mut versions, mut events, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
        for event in all {
            let any = AnyEvent::deserialize(&event)?;
            versions.push(any.version);
            match TimedEvent::deserialize(event) {
                Ok(event) => events.push(event),
                Err(_) => unknown.push(any.event),
            }
        }
        Ok(Self {
            match_id,
            version,
            versions,
            events,
            unknown,
            state,
        })
    }
}

/// The JSON state of a followed match, and the match's short name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JsonState {
    pub(crate) code: Code,
    state: Value,
}

impl JsonState {
    /// The state, or the name of an unknown phase.
    pub(crate) fn view(&self) -> Result<MatchView, String> {
        let phase = || self.state["phase"].as_str().unwrap_or("state").to_owned();
        MatchView::deserialize(&self.state).map_err(|_| phase())
    }
}

impl BatchState {
    /// Applies this to the state before it. A change without a state before it gives none.
    pub(crate) fn apply(self, before: Option<JsonState>) -> Option<JsonState> {
        match self {
            Self::Whole(state) => Some(state),
            Self::Change { event, change } => {
                let mut before = before?;
                if let Value::Object(state) = &mut before.state {
                    apply_frame(state, &event, change);
                }
                Some(before)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text with which a hostile server would command a terminal: a title, a colour, another direction, another line.
    const POISON: &str = "\u{1b}]0;EVIL\u{7}\u{9b}31m\u{7f}\u{202e}\u{2066}\n\r\u{85}\u{2028}";

    /// The places of all texts in a message.
    fn texts(value: &Value, place: &str, found: &mut Vec<String>) {
        match value {
            Value::String(_) => found.push(place.to_owned()),
            Value::Array(all) => {
                for (index, one) in all.iter().enumerate() {
                    texts(one, &format!("{place}/{index}"), found);
                }
            }
            Value::Object(fields) => {
                for (name, one) in fields {
                    texts(one, &format!("{place}/{name}"), found);
                }
            }
            _ => {}
        }
    }

    #[test]
    fn control_characters_are_stripped_from_every_text_of_every_message() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../protocol/golden");
        let mut tried = 0;
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if !name.starts_with("server-") {
                continue;
            }
            let golden: Value =
                serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
            let mut places = Vec::new();
            texts(&golden, "", &mut places);
            for place in places {
                let mut poisoned = golden.clone();
                *poisoned.pointer_mut(&place).unwrap() = POISON.into();
                let read = parse(&poisoned.to_string());
                let said = read.map_or_else(|error| error.to_string(), |read| format!("{read:?}"));
                for letter in POISON.chars().filter(|letter| !letter.is_ascii_graphic()) {
                    let escaped = letter.escape_debug().to_string();
                    let is_there = said.contains(letter) || said.contains(&escaped);
                    assert!(!is_there, "{escaped} at {place} of {name}: {said:?}");
                }
                tried += 1;
            }
        }
        assert!(tried > 100, "{tried}");
    }
}
