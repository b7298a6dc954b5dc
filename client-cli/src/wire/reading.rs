//! A text from the server, read: also where the server is newer than this client.
//!
//! Kinds of messages and events that are not known are passed over by name; a text that no
//! server of this protocol would send is a fault.

use std::borrow::Cow;

use fibfob_protocol::{
    Code, Frame, MatchId, MatchView, ServerMessage, Snapshot, TimedEvent, Version,
};
use serde::Deserialize;
use serde_json::Value;

use super::news::Fault;

/// What a text is.
#[derive(Debug, PartialEq, Eq)]
pub enum Read {
    /// A message that tells no events.
    Message(ServerMessage),
    /// Events of a match.
    Told(Box<Told>),
    /// Of a kind that this client does not know.
    Unknown(String),
}

/// What a frame or a snapshot tells.
#[derive(Debug, PartialEq, Eq)]
pub struct Told {
    /// The match.
    pub id: MatchId,
    /// Its short name.
    pub code: Code,
    /// The version of the newest event.
    pub version: Version,
    /// The versions of all events that are told.
    pub versions: Vec<Version>,
    /// Those that this client knows.
    pub events: Vec<TimedEvent>,
    /// The names of the others.
    pub unknown: Vec<String>,
    /// The match after them; or the name of a state that this client does not know.
    pub state: Result<MatchView, String>,
}

/// The `type` of every message of [`ServerMessage`].
pub const KINDS: [&str; 12] = [
    "welcome", "accepted", "refused", "preview", "analysis", "review", "frame", "snapshot",
    "presence", "chat", "lobby", "goodbye",
];

/// Reads a message.
///
/// # Errors
/// [`Fault::Unreadable`].
pub fn read(text: &str) -> Result<Read, Fault> {
    #[derive(Deserialize)]
    struct Envelope<'a> {
        #[serde(rename = "type", borrow)]
        kind: Cow<'a, str>,
    }
    let Envelope { kind } = serde_json::from_str(text).map_err(unreadable)?;
    if !KINDS.contains(&kind.as_ref()) {
        return Ok(Read::Unknown(kind.into_owned()));
    }
    match (serde_json::from_str(text), kind.as_ref()) {
        (Ok(ServerMessage::Frame(frame)), _) => Ok(Read::Told(Box::new((*frame).into()))),
        (Ok(ServerMessage::Snapshot(snapshot)), _) => Ok(Read::Told(Box::new((*snapshot).into()))),
        (Ok(message), _) => Ok(Read::Message(message)),
        (Err(_), "frame" | "snapshot") => {
            let newer: Newer = serde_json::from_str(text).map_err(unreadable)?;
            Ok(Read::Told(Box::new(newer.try_into()?)))
        }
        (Err(error), _) => Err(unreadable(error)),
    }
}

fn unreadable(error: serde_json::Error) -> Fault {
    Fault::Unreadable(error.to_string())
}

/// A frame or a snapshot in which something is unknown.
#[derive(Deserialize)]
struct Newer {
    #[serde(rename = "match")]
    id: MatchId,
    code: Code,
    version: Version,
    state: Value,
    /// Of a snapshot.
    events: Option<Vec<Value>>,
    /// Of a frame, whose event it is.
    #[serde(flatten)]
    rest: serde_json::Map<String, Value>,
}

/// What every event has, known or not.
#[derive(Deserialize)]
struct AnyEvent {
    version: Version,
    event: String,
}

impl TryFrom<Newer> for Told {
    type Error = Fault;

    fn try_from(newer: Newer) -> Result<Self, Fault> {
        let Newer {
            id,
            code,
            version,
            state,
            events,
            mut rest,
        } = newer;
        let told = events.unwrap_or_else(|| {
            rest.insert("version".to_owned(), version.0.into());
            vec![Value::Object(rest)]
        });
        let (mut versions, mut events, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
        for event in told {
            let AnyEvent {
                version,
                event: name,
            } = AnyEvent::deserialize(&event).map_err(unreadable)?;
            versions.push(version);
            match TimedEvent::deserialize(event) {
                Ok(event) => events.push(event),
                Err(_) => unknown.push(name),
            }
        }
        let phase = state["phase"].as_str().unwrap_or("state").to_owned();
        Ok(Self {
            id,
            code,
            version,
            versions,
            events,
            unknown,
            state: MatchView::deserialize(state).map_err(|_| phase),
        })
    }
}

impl From<Frame> for Told {
    fn from(frame: Frame) -> Self {
        let version = frame.timed.version;
        Self {
            id: frame.match_id,
            code: frame.code,
            version,
            versions: vec![version],
            events: vec![frame.timed],
            unknown: Vec::new(),
            state: Ok(frame.state),
        }
    }
}

impl From<Snapshot> for Told {
    fn from(snapshot: Snapshot) -> Self {
        Self {
            id: snapshot.match_id,
            code: snapshot.code,
            version: snapshot.version,
            versions: snapshot.events.iter().map(|event| event.version).collect(),
            events: snapshot.events,
            unknown: Vec::new(),
            state: Ok(snapshot.state),
        }
    }
}
