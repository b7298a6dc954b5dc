//! The labels of numbers: closed sets of values, so that no client decides how many series there are.

use std::fmt;

use fibfob_protocol::{ClientMessage, Match, RefusalReason, RequestBody, Seat};
use prometheus_client::encoding::{EncodeLabel, EncodeLabelSet, LabelSetEncoder};

/// One of the values that a label can have.
pub(crate) trait Value:
    Copy + Eq + std::hash::Hash + fmt::Debug + Send + Sync + 'static
{
    /// The label's name.
    const KEY: &'static str;
    /// The value's name.
    fn text(self) -> &'static str;
}

/// A label set of one label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Of<V>(pub V);

impl<V: Value> EncodeLabelSet for Of<V> {
    fn encode(&self, encoder: &mut LabelSetEncoder<'_>) -> fmt::Result {
        (V::KEY, self.0.text()).encode(encoder.encode_label())
    }
}

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    /// It has not said an acceptable `hello` yet.
    Greeting,
    /// It follows no match.
    Lobby,
    /// It follows matches, and has a seat in none of them.
    Spectator,
    /// It has a seat in a match it follows.
    Player,
}

impl Role {
    pub(super) const ALL: [Self; 4] = [Self::Greeting, Self::Lobby, Self::Spectator, Self::Player];

    /// Of a connection that has said `hello` and has these seats in what it follows.
    pub(crate) fn in_matches(seats: impl IntoIterator<Item = Option<Seat>>) -> Self {
        let mut role = Self::Lobby;
        for seat in seats {
            if seat.is_some() {
                return Self::Player;
            }
            role = Self::Spectator;
        }
        role
    }
}

impl Value for Role {
    const KEY: &'static str = "role";

    fn text(self) -> &'static str {
        match self {
            Self::Greeting => "greeting",
            Self::Lobby => "lobby",
            Self::Spectator => "spectator",
            Self::Player => "player",
        }
    }
}

/// A match's phase, under its name on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct State(&'static str);

impl State {
    pub(super) const ALL: [Self; 5] = [
        Self("open"),
        Self("choosing"),
        Self("playing"),
        Self("over"),
        Self("closed"),
    ];

    pub(crate) fn of(live: &Match) -> Self {
        Self(live.phase().name())
    }
}

impl Value for State {
    const KEY: &'static str = "state";

    fn text(self) -> &'static str {
        self.0
    }
}

/// What a client that follows a match again was behind by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Resume {
    /// It had seen everything.
    Nothing,
    /// Some events, sent one by one.
    Frames,
    /// So many that they were sent as one snapshot.
    Snapshot,
    /// The client noticed nothing: a followed match left memory and was found again.
    Unnoticed,
}

impl Resume {
    pub(super) const ALL: [Self; 4] =
        [Self::Nothing, Self::Frames, Self::Snapshot, Self::Unnoticed];
}

impl Value for Resume {
    const KEY: &'static str = "kind";

    fn text(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Frames => "frames",
            Self::Snapshot => "snapshot",
            Self::Unnoticed => "unnoticed",
        }
    }
}

/// What tells a viewer of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Telling {
    /// One event.
    Frame,
    /// Everything missed at once.
    Snapshot,
}

impl Telling {
    pub(super) const ALL: [Self; 2] = [Self::Frame, Self::Snapshot];
}

impl Value for Telling {
    const KEY: &'static str = "kind";

    fn text(self) -> &'static str {
        match self {
            Self::Frame => "frame",
            Self::Snapshot => "snapshot",
        }
    }
}

/// Why a connection ended, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Cause(pub &'static str);

impl Value for Cause {
    const KEY: &'static str = "reason";

    fn text(self) -> &'static str {
        self.0
    }
}

/// Somewhere that things wait, with a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Queue {
    /// Events on their way to the disk.
    Append,
    /// Requests to one match: of all matches, the one where most wait.
    FullestInbox,
    /// Bots and questions that use the processor.
    Thinkers,
}

impl Value for Queue {
    const KEY: &'static str = "queue";

    fn text(self) -> &'static str {
        match self {
            Self::Append => "append",
            Self::FullestInbox => "fullest-inbox",
            Self::Thinkers => "thinkers",
        }
    }
}

/// The kind of a client's message: a request's `type`, or what stands in for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Kind(&'static str);

impl Kind {
    /// A `hello`.
    pub(crate) const HELLO: Self = Self("hello");
    /// What is no message at all, or of no known type.
    pub(crate) const UNREADABLE: Self = Self("unreadable");

    pub(crate) fn of(message: &ClientMessage) -> Self {
        match message {
            ClientMessage::Hello(_) => Self::HELLO,
            ClientMessage::Request(request) => Self::of_ask(&request.body),
        }
    }

    pub(crate) fn of_ask(ask: &RequestBody) -> Self {
        Self(ask.kind())
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// A client's message and what became of it; none if it was accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Answered {
    pub kind: Kind,
    pub refused: Option<RefusalReason>,
}

impl EncodeLabelSet for Answered {
    fn encode(&self, encoder: &mut LabelSetEncoder<'_>) -> fmt::Result {
        ("kind", self.kind.0).encode(encoder.encode_label())?;
        match self.refused {
            None => ("result", "accepted").encode(encoder.encode_label()),
            Some(reason) => ("result", reason.to_string()).encode(encoder.encode_label()),
        }
    }
}
