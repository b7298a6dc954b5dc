//! The events of a client: everything that is new to the program using it.

use std::time::{Duration, Instant};

use fibfob_protocol::{
    Accepted, Chat, Code, GuestId, LobbyList, MatchId, MatchView, MatchesChange, Notice, Player,
    Presence, Refused, RequestBody, Seat, ServerMessage, TimedEvent, Version, Welcome,
};
use thiserror::Error;

/// Something new, in the order in which it happened. The server's texts in it are safe for a terminal: no
/// character controls it, or hides or reorders others. [`Raw`](Self::Raw) is as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the rest is what it is called")]
#[non_exhaustive]
pub enum ClientEvent {
    /// A connection is open and the server knows the guest. The client resumes the followed
    /// matches and sends unanswered requests again by itself.
    Connected {
        /// The server's greeting. Its token proves the guest's identity: keep it secret.
        welcome: Box<Welcome>,
        /// The time at which it was received.
        at: Instant,
    },
    /// The connection was lost, or could not be opened. The client tries again by itself.
    Disconnected {
        /// The cause, for people.
        cause: String,
        /// The time until the next attempt.
        retry_in: Duration,
        /// The number of failed attempts in a row.
        failures: u32,
        /// Requests that may not have been done, such as a move that may not have been played. They are sent
        /// again, under the same ids, on the next connection.
        unanswered: Vec<RequestBody>,
    },
    /// The server closes the connection and asks the client to come back after a while.
    Goodbye {
        /// The server's reason, for people.
        message: String,
        /// The shortest time to stay away.
        retry_after: Duration,
    },
    /// The operator says something to everybody who is connected.
    Notice(Notice),
    /// A request was done.
    Accepted {
        request: RequestBody,
        answer: Accepted,
    },
    /// A request was refused for good, and changed nothing.
    Refused {
        /// The request; none if the server could not tell which one it refuses.
        request: Option<RequestBody>,
        answer: Refused,
    },
    /// A request was refused for now. The client sends it again by itself.
    Postponed {
        request: RequestBody,
        answer: Refused,
    },
    /// The answer to a query. Keep some of them secret: whoever sees the answer to `device-code` can become
    /// this guest, and those to `identity` and `take-identity` hold the guest's token.
    Answer(ServerMessage),
    /// Own matches that have changed, since `matches` was asked with `watch` on this connection.
    MatchesChange(MatchesChange),
    /// New events of a followed match.
    Update(Box<MatchUpdate>),
    /// The server sends a followed match again after a new connection.
    Resumed {
        match_id: MatchId,
        /// The match's version at the server.
        version: Version,
    },
    /// A followed match cannot be followed any more.
    MatchLost { match_id: MatchId, cause: MatchLost },
    /// The connected players and spectators of a followed match.
    Presence(Presence),
    /// Chat beside a followed match.
    Chat(Chat),
    /// The lobby.
    Lobby(LobbyList),
    /// A message, an event or a phase of a newer server, by name; it is skipped.
    Unknown(String),
    /// A message as it was received, before the event made from it; new, and without secrets. Only if
    /// [`raw_messages`](crate::ClientConfig#structfield.raw_messages) is set.
    Raw(String),
    /// The client has stopped. The last event.
    Stopped(StopReason),
}

/// New events of a followed match, and the match after them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct MatchUpdate {
    /// The match.
    pub match_id: MatchId,
    /// The match's short name.
    pub code: Code,
    /// The new events, in order and without a gap except for unknown ones.
    pub events: Vec<TimedEvent>,
    /// The names of events of a newer server, which are not among `events`.
    pub unknown: Vec<String>,
    /// The version of the newest event.
    pub version: Version,
    /// The match after that event.
    pub state: MatchView,
}

impl MatchUpdate {
    /// The seat of this guest; none for a spectator.
    #[must_use]
    pub fn seat_of(&self, guest: GuestId) -> Option<Seat> {
        let sits = |seat: &Seat| {
            let player = self.state.players.get(*seat).and_then(Player::guest);
            player.is_some_and(|(player, _)| player == guest)
        };
        Seat::BOTH.into_iter().find(sits)
    }
}

/// The reason why a match cannot be followed any more.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MatchLost {
    /// The server refused `resume`.
    #[error("the match cannot be followed any more: {}", .0.message)]
    Refused(Refused),
    /// The server has fewer events than it had sent before.
    #[error("the server has lost events of this match: it is at version {now}, it was at {seen}")]
    EventsMissing {
        /// The last version received.
        seen: Version,
        /// The server's version.
        now: Version,
    },
}

/// The reason why a client has stopped.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(
    missing_docs,
    reason = "`at` is the server, and `cause` what it failed by"
)]
#[non_exhaustive]
pub enum StopReason {
    /// No connection ever came about.
    #[error("no server answers at {at} ({cause})")]
    NoServer { at: String, cause: String },
    /// The connection was lost and stayed lost.
    #[error("the connection to {at} has been lost for too long ({cause})")]
    ConnectionLost { at: String, cause: String },
    /// An HTTP server answers, but not a Fib Fob server.
    #[error("{at} is not a Fib Fob server ({cause})")]
    OtherServer { at: String, cause: String },
    /// The server's identity is not proved.
    #[error("{at} is not trusted ({cause})")]
    Untrusted { at: String, cause: String },
    /// The server refused `hello`.
    #[error("the server refused: {0}")]
    HelloRefused(String),
    /// The server does not know the token: it comes from another server, or the server has another store now.
    #[error("the server does not know the identity ({0})")]
    UnknownIdentity(String),
    /// The guest has signed out devices with this token, from another device.
    #[error("signed out ({0})")]
    SignedOut(String),
    /// The server sent a message of a known kind that this client cannot read.
    #[error("the server sent an unreadable message ({0}); is it newer than this client?")]
    Unreadable(String),
    /// The server closed the connection and does not want the client back.
    #[error("the server closed the connection: {0}")]
    Dismissed(String),
}
