//! The messages and notes that servers on one store exchange beside the logs.
//!
//! A hint is a reason to read the store. The hint of a new record may carry it, because a stored record never
//! changes. Hints may be lost; notes, such as presence and chat, are stored as durably as records.

use fibfob_protocol::{
    ChatChannel, ChatLine, CommandId, GuestId, MatchId, Notice, PlayerName, Record, RenamedPlayer,
    Seat, Version,
};
use futures_util::stream::{self, BoxStream, StreamExt};
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::service::{NotedAbsence, ServerId};

/// The end of the log of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The match.
    pub id: MatchId,
    /// The version of its newest record.
    pub version: Version,
}

/// Tells that something about a match or a guest has changed. A hint may be lost, come late or come twice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Hint {
    /// The log has a record of this version, which may come with the hint. These guests have a seat.
    Log(Head, Option<CarriedRecord>, Vec<GuestId>),
    /// A server has noted other connections to a match.
    Presence(ServerId, PresenceNote),
    /// A match has a chat line of this number.
    Chat(MatchId, u64),
    /// A guest has renewed its tokens. Only those of this generation and later are valid.
    SignedOut(GuestId, u32),
    /// An operator has changed what is banned or hidden.
    Moderation,
    /// A match's persons have changed, its chat has lost lines, or it was removed: whoever has it in memory
    /// reads it again.
    Rewritten(MatchId),
    /// A guest has another name from now on.
    Renamed(GuestId, PlayerName),
    /// The operator says something to everybody who is connected.
    Says(Notice),
}

/// A stored record as a hint carries it: a text that only a server in need of it parses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CarriedRecord(String);

impl CarriedRecord {
    /// A record whose append has returned `Ok`.
    #[must_use]
    pub fn of(record: &Record) -> Self {
        Self(serde_json::to_string(record).expect("records have string keys"))
    }

    /// The length of its text, in bytes.
    pub fn bytes(&self) -> usize {
        self.0.len()
    }

    /// Reads the record; none if this version of the program does not know it.
    #[must_use]
    pub fn read(&self) -> Option<Record> {
        serde_json::from_str(&self.0).ok()
    }
}

/// The hints that reach one server.
pub type Hints = BoxStream<'static, Hint>;

/// Returns the hints that reach a receiver. A receiver that is too slow loses some.
pub fn hints_of(receiver: broadcast::Receiver<Hint>) -> Hints {
    let hints = stream::unfold(receiver, |mut receiver| async {
        loop {
            match receiver.recv().await {
                Ok(hint) => return Some((hint, receiver)),
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return None,
            }
        }
    });
    hints.boxed()
}

/// The connections to one match at one server, and how long its absent players have been away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PresenceNote {
    /// The match.
    #[serde(rename = "match")]
    pub id: MatchId,
    /// The seats whose players are connected.
    pub connected: Vec<Seat>,
    /// The number of spectators.
    pub spectators: usize,
    /// The players who have a newer name than in the log.
    pub renamed: Vec<RenamedPlayer>,
    /// The absences of players, as this server counts them.
    pub absences: Vec<NotedAbsence>,
}

impl PresenceNote {
    /// The note that nobody is connected, or away.
    #[must_use]
    pub fn nobody(id: MatchId) -> Self {
        Self {
            id,
            connected: Vec::new(),
            spectators: 0,
            renamed: Vec::new(),
            absences: Vec::new(),
        }
    }

    /// Returns true if the note says nothing and need not be kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.has_anybody() && self.absences.is_empty()
    }

    /// Returns true if anybody is connected.
    #[must_use]
    pub fn has_anybody(&self) -> bool {
        !self.connected.is_empty() || self.spectators > 0
    }
}

/// A chat line as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredChatLine {
    /// The channel.
    pub channel: ChatChannel,
    /// The command that sent it; with the author it names the line.
    pub command: CommandId,
    /// The line.
    #[serde(flatten)]
    pub line: ChatLine,
}

/// The seats that a guest holds in matches that are not over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeldSeats {
    /// Matches that the guest has made.
    pub made: u32,
    /// All seats.
    pub held: u32,
}
