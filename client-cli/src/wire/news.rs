//! What a server says, as far as it is news to this client.

use std::time::{Duration, Instant};

use fibfob_protocol::{
    Accepted, Chat, Code, Goodbye, LobbyList, MatchId, MatchView, Presence, Refused, RequestBody,
    TimedEvent, Version, Welcome,
};
use thiserror::Error;

/// Why there is nothing more to say to this server.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// `hello` was refused.
    #[error("the server refused: {0}")]
    NotWelcome(String),
    /// The token is from elsewhere, or the server's store is another one now.
    #[error(
        "the server does not know who you were ({0}); without --identity, or with another file, you are somebody new"
    )]
    UnknownIdentity(String),
    /// The match cannot be followed any more.
    #[error("the match cannot be followed any more: {0}")]
    MatchLost(String),
    /// The server shows fewer events than it had shown before.
    #[error("the server has lost events of this match: it is at version {now}, it was at {seen}")]
    HistoryLost {
        /// The last version seen.
        seen: Version,
        /// The version the server is at.
        now: Version,
    },
    /// A message of a known kind that this client cannot read.
    #[error(
        "the server said something this client does not understand ({0}); is it newer than this client?"
    )]
    Unreadable(String),
    /// The server closes and wants nobody back.
    #[error("the server closed the connection: {0}")]
    SentAway(String),
}

/// Something the server said that was not known before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// The line stands; this is who we are.
    Welcome {
        /// What the server said.
        welcome: Box<Welcome>,
        /// When it was heard.
        at: Instant,
    },
    /// The followed match is sent to us again; it is at this version now.
    Resumed(Version),
    /// A command was done.
    Accepted {
        /// The command.
        ask: RequestBody,
        /// What came of it.
        answer: Accepted,
    },
    /// A command was not done.
    Refused {
        /// The command; none for what the server could not tell which it was.
        ask: Option<RequestBody>,
        /// Why.
        answer: Refused,
    },
    /// A command will be sent again in a moment.
    Postponed {
        /// The command.
        ask: RequestBody,
        /// Why.
        answer: Refused,
    },
    /// The followed match went on.
    Update(Box<Update>),
    /// Who is connected to the followed match.
    Presence(Presence),
    /// Something was said beside the followed match.
    Chat(Chat),
    /// The lobby.
    Lobby(LobbyList),
    /// Something of a newer server that is passed over: this is its name.
    Unknown(String),
    /// The server will close the line and says when to come back.
    Goodbye(String, Duration),
    /// It is over.
    Fault(Fault),
}

/// New events of the followed match, and the match after them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// The match.
    pub id: MatchId,
    /// Its short name.
    pub code: Code,
    /// The new events, in order and, but for unknown ones, without a gap; none if only the state
    /// is told anew.
    pub events: Vec<TimedEvent>,
    /// What of a newer server is not among them.
    pub unknown: Vec<String>,
    /// The version of the newest event.
    pub version: Version,
    /// The match now.
    pub state: MatchView,
}

/// What a text from the server comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heard {
    /// Whether a program that reads the protocol's own messages should have it: it holds no
    /// secret and was not there before.
    pub public: bool,
    /// What it says.
    pub news: Option<News>,
}

impl Heard {
    /// News for everybody.
    pub fn public(news: News) -> Self {
        Self {
            public: true,
            news: Some(news),
        }
    }
}

pub fn sent_away(goodbye: Goodbye) -> News {
    match goodbye.retry_after_ms {
        Some(millis) => News::Goodbye(goodbye.message, Duration::from_millis(millis)),
        None => News::Fault(Fault::SentAway(goodbye.message)),
    }
}
