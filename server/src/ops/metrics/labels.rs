//! The labels of metrics: closed sets of values, so that no client decides the number of series.

use std::fmt;
use std::hash::Hash;

use fibfob_net::refusals::RefusedFor;
use fibfob_protocol::{ClientMessage, CloseReason, EndReason, Phase, RefusalReason, RequestBody};
use prometheus_client::encoding::{EncodeLabel, EncodeLabelSet, LabelSetEncoder};
use strum::{IntoStaticStr, VariantArray, VariantNames};

/// A label, as the closed set of its values, each with its name.
pub(crate) trait LabelValue:
    Copy + Eq + Hash + fmt::Debug + Into<&'static str> + Send + Sync + 'static
{
    /// The name of the label.
    const KEY: &'static str;

    /// The name of the value.
    fn text(self) -> &'static str {
        self.into()
    }
}

/// The names of the labels.
macro_rules! label_keys {
    ($($value:ty: $key:literal),* $(,)?) => {
        $(impl LabelValue for $value {
            const KEY: &'static str = $key;
        })*
    };
}

/// Values that are their own name.
macro_rules! named {
    ($($value:ty),*) => {
        $(impl From<$value> for &'static str {
            fn from(label: $value) -> Self {
                label.0
            }
        })*
    };
}

label_keys! {
    CloseLabel: "reason",
    DeliveryLabel: "kind",
    FinishLabel: "reason",
    MessageLabel: "kind",
    PhaseLabel: "state",
    QueueLabel: "queue",
    RefusalReason: "reason",
    RefusedFor: "reason",
    ResumeLabel: "kind",
    RoleLabel: "role",
}

named!(CloseLabel, FinishLabel, MessageLabel, PhaseLabel);

/// A set of one label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct OneLabel<V>(pub V);

impl<V: LabelValue> EncodeLabelSet for OneLabel<V> {
    fn encode(&self, encoder: &mut LabelSetEncoder<'_>) -> fmt::Result {
        (V::KEY, self.0.text()).encode(encoder.encode_label())
    }
}

/// The role of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum RoleLabel {
    /// No `hello` has been accepted yet.
    Greeting,
    /// It follows no match.
    Lobby,
    /// It follows matches, and has a seat in none of them.
    Spectator,
    /// It has a seat in a match it follows.
    Player,
}

/// The phase of a match, under its name on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PhaseLabel(&'static str);

impl PhaseLabel {
    pub(super) const ALL: [Self; 5] = [
        Self("open"),
        Self("choosing"),
        Self("playing"),
        Self("over"),
        Self("closed"),
    ];

    pub(crate) fn of(phase: &Phase) -> Self {
        Self(phase.name())
    }
}

/// The backlog of a client that resumes a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum ResumeLabel {
    /// No event was missed.
    Nothing,
    /// Events that were sent with the state.
    Events,
    /// The server itself resumed a followed match that had left memory.
    Unnoticed,
}

/// The form in which events are sent to a viewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum DeliveryLabel {
    /// One event.
    Frame,
    /// All missed events at once.
    Snapshot,
}

/// The reason for which a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FinishLabel(&'static str);

impl FinishLabel {
    pub(super) fn all() -> Vec<Self> {
        let names = EndReason::VARIANTS.iter().chain(CloseReason::VARIANTS);
        names.map(|name| Self(name)).collect()
    }

    /// The reason of this phase; none if the match goes on in it.
    pub(crate) fn of(phase: &Phase) -> Option<Self> {
        match phase {
            Phase::Over { reason, .. } => Some(Self(reason.into())),
            Phase::Closed { reason, .. } => Some(Self(reason.into())),
            Phase::Open | Phase::Choosing { .. } | Phase::Playing { .. } => None,
        }
    }
}

/// The reason for which a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CloseLabel(pub &'static str);

/// A bounded queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum QueueLabel {
    /// Events that wait to be stored.
    Append,
    /// Requests that wait for one match: the longest of all inboxes.
    FullestInbox,
    /// Computations of bots and queries.
    Thinkers,
}

/// The kind of a client's message: the `type` of a request, or a value in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MessageLabel(&'static str);

impl MessageLabel {
    /// A `hello`.
    pub(crate) const HELLO: Self = Self("hello");
    /// A move.
    pub(crate) const PLAY: Self = Self("play");
    /// A message that cannot be parsed, or has no known type.
    pub(crate) const UNREADABLE: Self = Self("unreadable");

    /// Those that can be accepted.
    pub(super) fn all() -> Vec<Self> {
        let requests = RequestBody::kinds().map(Self);
        [Self::HELLO].into_iter().chain(requests).collect()
    }

    pub(crate) fn of(message: &ClientMessage) -> Self {
        match message {
            ClientMessage::Hello(_) => Self::HELLO,
            ClientMessage::Request(request) => Self::of_request(&request.body),
        }
    }

    pub(crate) fn of_request(body: &RequestBody) -> Self {
        Self(body.kind())
    }
}

impl fmt::Display for MessageLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
