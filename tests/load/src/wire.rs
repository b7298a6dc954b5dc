//! The reader of the server's messages, which checks each: the only file that knows the contents
//! of a frame.
//!
//! Every message is read by a few fields; reading all of a typed message costs several times the
//! processor time, so that is done for one in [`WHOLE_EVERY`] only.

use std::borrow::Cow;
use std::sync::Arc;

use fibfob_protocol::{CommandId, MatchId, ServerMessage};
use serde::Deserialize;

use crate::error::LoadError;
use crate::sequence::MoveSequence;

/// One message in so many is also read whole, as its type of the protocol.
pub const WHOLE_EVERY: u64 = 32;

/// The version of a match that both players have joined, before the first move.
pub const JOINED_VERSION: u64 = 2;

/// The fields that are read of any message.
#[derive(Deserialize)]
struct MessageText<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(rename = "match", borrow)]
    match_id: Option<Cow<'a, str>>,
    version: Option<u64>,
    #[serde(borrow)]
    event: Option<Cow<'a, str>>,
    #[serde(borrow)]
    seat: Option<Cow<'a, str>>,
    #[serde(rename = "move", borrow)]
    move_text: Option<Cow<'a, str>>,
    #[serde(borrow)]
    message: Option<Cow<'a, str>>,
    #[serde(borrow)]
    state: Option<StateText<'a>>,
    #[serde(borrow)]
    change: Option<StateText<'a>>,
    #[serde(default, borrow)]
    events: Vec<EventText<'a>>,
}

/// The state of a match in a snapshot, or its change in a frame.
#[derive(Deserialize)]
struct StateText<'a> {
    #[serde(borrow)]
    position: Option<Cow<'a, str>>,
}

/// An event of a snapshot.
#[derive(Deserialize)]
struct EventText<'a> {
    version: u64,
    #[serde(borrow)]
    event: Cow<'a, str>,
    #[serde(borrow)]
    seat: Option<Cow<'a, str>>,
    #[serde(rename = "move", borrow)]
    move_text: Option<Cow<'a, str>>,
}

/// A message that was read, checked, and has news for the load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The match has reached this version; so many events came at once.
    Version {
        /// The version.
        version: u64,
        /// The number of events.
        events: u64,
    },
    /// The pending request was accepted.
    Accepted,
    /// Presence, chat, lobby: not followed by the load.
    Other,
}

/// The reader of one connection to one match, which checks everything against what it must be:
/// versions without a gap, the moves of the sequence in their order, the positions after them, and
/// each request answered as the version that it made.
#[derive(Debug)]
pub struct MatchReader {
    /// The match's id as messages name it.
    name: String,
    sequence: Arc<MoveSequence>,
    version: u64,
    /// The request without an answer, and the version that it makes, if it makes one.
    pending: Option<(CommandId, Option<u64>)>,
    messages: u64,
    bytes: u64,
}

impl MatchReader {
    /// A reader of this match, which has seen nothing of it.
    #[must_use]
    pub fn new(match_id: MatchId, sequence: Arc<MoveSequence>) -> Self {
        Self {
            name: match_id.to_string(),
            sequence,
            version: 0,
            pending: None,
            messages: 0,
            bytes: 0,
        }
    }

    /// The newest version seen.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The bytes of all messages read.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// True while a request has no answer.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    /// Notes a request that was sent, and the version that its event makes.
    pub fn expect(&mut self, command: CommandId, makes: Option<u64>) {
        self.pending = Some((command, makes));
    }

    /// Reads and checks one message.
    ///
    /// # Errors
    /// [`LoadError::WrongAnswer`] for anything that is not as it must be, [`LoadError::Refused`]
    /// for a refusal.
    pub fn read(&mut self, text: &str) -> Result<Seen, LoadError> {
        self.bytes += text.len() as u64;
        self.messages += 1;
        let message: MessageText<'_> = serde_json::from_str(text)
            .map_err(|error| wrong(text, &format!("it is unreadable: {error}")))?;
        if self.messages % WHOLE_EVERY == 1 {
            let read = ServerMessage::read(text);
            read.map_err(|error| wrong(text, &format!("it is no message: {error}")))?;
        }
        match message.kind.as_ref() {
            "frame" => self.frame(&message, text),
            "snapshot" => self.snapshot(&message, text),
            "accepted" => self.accepted(&message, text),
            "presence" | "chat" | "lobby" => Ok(Seen::Other),
            "refused" | "goodbye" => Err(LoadError::Refused(
                message.message.map_or_else(String::new, Cow::into_owned),
            )),
            _ => Err(wrong(text, "the load asked for nothing of the kind")),
        }
    }

    fn frame(&mut self, message: &MessageText<'_>, text: &str) -> Result<Seen, LoadError> {
        let event = EventText {
            version: message.version.unwrap_or_default(),
            event: message.event.clone().unwrap_or_default(),
            seat: message.seat.clone(),
            move_text: message.move_text.clone(),
        };
        self.own_match(message, text)?;
        self.event(&event, text)?;
        // Other events leave the position as it is.
        if self.version > JOINED_VERSION {
            self.position(message.change.as_ref(), text)?;
        }
        Ok(Seen::Version {
            version: self.version,
            events: 1,
        })
    }

    fn snapshot(&mut self, message: &MessageText<'_>, text: &str) -> Result<Seen, LoadError> {
        self.own_match(message, text)?;
        for event in &message.events {
            self.event(event, text)?;
        }
        if message.version != Some(self.version) {
            return Err(wrong(text, &format!("its events end at {}", self.version)));
        }
        self.position(message.state.as_ref(), text)?;
        Ok(Seen::Version {
            version: self.version,
            events: message.events.len() as u64,
        })
    }

    fn accepted(&mut self, message: &MessageText<'_>, text: &str) -> Result<Seen, LoadError> {
        let Some((command, makes)) = self.pending.take() else {
            return Err(wrong(text, "nothing was requested"));
        };
        if message.id.as_deref() != Some(command.as_str()) {
            return Err(wrong(text, &format!("{} was requested", command.as_str())));
        }
        if makes.is_some() && message.version != makes {
            return Err(wrong(text, &format!("its event makes version {makes:?}")));
        }
        Ok(Seen::Accepted)
    }

    fn own_match(&mut self, message: &MessageText<'_>, text: &str) -> Result<(), LoadError> {
        if message.match_id.as_deref() == Some(self.name.as_str()) {
            return Ok(());
        }
        Err(wrong(text, "it is of a match that is not followed"))
    }

    /// Checks the next event: creator and joiner move in turn, the creator first.
    fn event(&mut self, event: &EventText<'_>, text: &str) -> Result<(), LoadError> {
        let version = self.version + 1;
        if event.version != version {
            return Err(wrong(text, &format!("version {version} is the next one")));
        }
        let played = version.checked_sub(JOINED_VERSION + 1);
        let expected = match (version, played) {
            (1, _) => ("created", None),
            (2, _) => ("joined", None),
            (_, played) => ("moved", played),
        };
        if event.event != expected.0 {
            return Err(wrong(text, &format!("its event must be {}", expected.0)));
        }
        if let Some(number) = expected.1 {
            let ply = usize::try_from(number).ok();
            let ply = ply.and_then(|number| self.sequence.plies().get(number));
            let ply = ply.ok_or_else(|| wrong(text, "no such move was made"))?;
            let seat = ["creator", "joiner"][usize::from(number % 2 == 1)];
            if event.move_text.as_deref() != Some(&ply.move_text)
                || event.seat.as_deref() != Some(seat)
            {
                let made = format!("{seat} has made the move `{}`", ply.move_text);
                return Err(wrong(text, &made));
            }
        }
        self.version = version;
        Ok(())
    }

    /// Checks the position after the newest version.
    fn position(&self, state: Option<&StateText<'_>>, text: &str) -> Result<(), LoadError> {
        let plies = self.version.saturating_sub(JOINED_VERSION);
        let expected = usize::try_from(plies).ok();
        let expected = expected.and_then(|plies| self.sequence.position_after(plies));
        let position = state.and_then(|state| state.position.as_deref());
        match position.is_some() && position == expected {
            true => Ok(()),
            false => Err(wrong(text, &format!("the position is {expected:?}"))),
        }
    }
}

/// The characters of a wrong message that are reported.
const EXCERPT_CHARS: usize = 600;

fn wrong(text: &str, why: &str) -> LoadError {
    let excerpt: String = text.chars().take(EXCERPT_CHARS).collect();
    LoadError::WrongAnswer(format!("{why}; received: {excerpt}"))
}

#[cfg(test)]
mod tests;
