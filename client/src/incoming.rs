//! Parses a server's message, also one of a newer server.
//!
//! Unknown kinds of messages and events are reported by name and skipped; a text that no server
//! of this protocol would send is an error.

use std::borrow::Cow;

use fibfob_protocol::{
    Code, Frame, MatchId, MatchView, ServerMessage, Snapshot, TimedEvent, Version,
};
use serde::Deserialize;
use serde_json::Value;

/// A parsed message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Incoming {
    /// A message without events.
    Message(ServerMessage),
    /// Events of a match.
    Events(Box<EventBatch>),
    /// A message of an unknown kind.
    Unknown(String),
}

/// The events of a frame or a snapshot.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct EventBatch {
    /// The match.
    pub(crate) match_id: MatchId,
    /// The match's short name.
    pub(crate) code: Code,
    /// The version of the newest event.
    pub(crate) version: Version,
    /// The versions of all events, unknown ones included.
    pub(crate) versions: Vec<Version>,
    /// The events of known kinds.
    pub(crate) events: Vec<TimedEvent>,
    /// The names of the other events.
    pub(crate) unknown: Vec<String>,
    /// The match after the events, or the name of an unknown phase.
    pub(crate) state: Result<MatchView, String>,
}

/// The `type` of every message of [`ServerMessage`].
pub(crate) const KINDS: [&str; 12] = [
    "welcome", "accepted", "refused", "preview", "analysis", "review", "frame", "snapshot",
    "presence", "chat", "lobby", "goodbye",
];

/// Parses a message.
///
/// # Errors
/// What is wrong with the text.
pub(crate) fn parse(text: &str) -> Result<Incoming, serde_json::Error> {
    #[derive(Deserialize)]
    struct TypeTag<'a> {
        #[serde(rename = "type", borrow)]
        kind: Cow<'a, str>,
    }
    let TypeTag { kind } = serde_json::from_str(text)?;
    if !KINDS.contains(&kind.as_ref()) {
        return Ok(Incoming::Unknown(kind.into_owned()));
    }
    let batch = match (serde_json::from_str(text), kind.as_ref()) {
        (Ok(ServerMessage::Frame(frame)), _) => (*frame).into(),
        (Ok(ServerMessage::Snapshot(snapshot)), _) => (*snapshot).into(),
        (Ok(message), _) => return Ok(Incoming::Message(message)),
        (Err(_), "frame" | "snapshot") => serde_json::from_str::<NewerBatch>(text)?.try_into()?,
        (Err(error), _) => return Err(error),
    };
    Ok(Incoming::Events(Box::new(batch)))
}

/// A frame or a snapshot with an unknown event or phase.
#[derive(Deserialize)]
struct NewerBatch {
    #[serde(rename = "match")]
    match_id: MatchId,
    code: Code,
    version: Version,
    state: Value,
    /// The events of a snapshot.
    events: Option<Vec<Value>>,
    /// The event of a frame.
    #[serde(flatten)]
    rest: serde_json::Map<String, Value>,
}

/// The fields of every event, known or not.
#[derive(Deserialize)]
struct AnyEvent {
    version: Version,
    event: String,
}

impl TryFrom<NewerBatch> for EventBatch {
    type Error = serde_json::Error;

    fn try_from(newer: NewerBatch) -> Result<Self, serde_json::Error> {
        let NewerBatch {
            match_id,
            code,
            version,
            state,
            events,
            mut rest,
        } = newer;
        let all = events.unwrap_or_else(|| {
            rest.insert("version".to_owned(), version.0.into());
            vec![Value::Object(rest)]
        });
        let (mut versions, mut events, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
        for event in all {
            let AnyEvent {
                version,
                event: name,
            } = AnyEvent::deserialize(&event)?;
            versions.push(version);
            match TimedEvent::deserialize(event) {
                Ok(event) => events.push(event),
                Err(_) => unknown.push(name),
            }
        }
        let phase = state["phase"].as_str().unwrap_or("state").to_owned();
        Ok(Self {
            match_id,
            code,
            version,
            versions,
            events,
            unknown,
            state: MatchView::deserialize(state).map_err(|_| phase),
        })
    }
}

impl From<Frame> for EventBatch {
    fn from(frame: Frame) -> Self {
        let version = frame.timed.version;
        Self {
            match_id: frame.match_id,
            code: frame.code,
            version,
            versions: vec![version],
            events: vec![frame.timed],
            unknown: Vec::new(),
            state: Ok(frame.state),
        }
    }
}

impl From<Snapshot> for EventBatch {
    fn from(snapshot: Snapshot) -> Self {
        Self {
            match_id: snapshot.match_id,
            code: snapshot.code,
            version: snapshot.version,
            versions: snapshot.events.iter().map(|event| event.version).collect(),
            events: snapshot.events,
            unknown: Vec::new(),
            state: Ok(snapshot.state),
        }
    }
}
