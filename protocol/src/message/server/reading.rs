//! Reading of server messages. A frame names its match only after one of another match, so that
//! they are read in their order.

use std::borrow::Cow;

use serde::de::{Error as _, IgnoredAny};
use serde::{Deserialize, Serialize};

use super::{Frame, ServerMessage, TimedEvent};
use crate::change::StateChange;
use crate::ids::MatchId;

/// The reader of the messages of one connection, in the order in which they are received.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageReader {
    newest: Option<MatchId>,
}

/// A frame without its match, as it is sent after a frame or a snapshot of the same match.
#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename = "frame")]
pub(super) struct UnnamedFrame {
    #[serde(flatten)]
    timed: TimedEvent,
    #[serde(default, skip_serializing_if = "StateChange::is_empty")]
    change: StateChange,
}

impl From<&Frame> for UnnamedFrame {
    fn from(frame: &Frame) -> Self {
        Self {
            timed: frame.timed.clone(),
            change: frame.change.clone(),
        }
    }
}

impl MessageReader {
    /// Reads the text of the next message.
    ///
    /// # Errors
    /// A text that is no message of this protocol, or a first frame that names no match.
    pub fn read(&mut self, text: &str) -> Result<ServerMessage, serde_json::Error> {
        #[derive(Deserialize)]
        struct Head<'a> {
            #[serde(rename = "type", borrow)]
            kind: Cow<'a, str>,
            #[serde(rename = "match")]
            match_id: Option<IgnoredAny>,
        }
        let head: Head<'_> = serde_json::from_str(text)?;
        let message = match (head.kind.as_ref(), head.match_id) {
            ("frame", None) => {
                let UnnamedFrame { timed, change } = serde_json::from_str(text)?;
                ServerMessage::Frame(Box::new(Frame {
                    match_id: self.frame_of(None)?,
                    timed,
                    change,
                }))
            }
            _ => serde_json::from_str(text)?,
        };
        self.passed(&message);
        Ok(message)
    }

    /// Notes a message that was read elsewhere.
    pub fn passed(&mut self, message: &ServerMessage) {
        match message {
            ServerMessage::Frame(frame) => self.newest = Some(frame.match_id),
            ServerMessage::Snapshot(snapshot) => self.newest = Some(snapshot.match_id),
            _ => {}
        }
    }

    /// Notes a frame or a snapshot, and returns its match: the one that it names, or that of the
    /// one before.
    ///
    /// # Errors
    /// There was none before, and it names none.
    pub fn frame_of(&mut self, named: Option<MatchId>) -> Result<MatchId, serde_json::Error> {
        let newest = named.or(self.newest);
        self.newest = newest;
        newest.ok_or_else(|| serde_json::Error::custom("the first frame names no match"))
    }

    /// The match of the newest frame or snapshot: that of a next frame that names none.
    #[must_use]
    pub fn newest(&self) -> Option<MatchId> {
        self.newest
    }
}
