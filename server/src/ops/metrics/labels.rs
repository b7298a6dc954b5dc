//! The labels of metrics: closed sets of values, so that no client decides the number of series.

use std::fmt;
use std::hash::Hash;

use fibfob_protocol::{ClientMessage, Phase, RefusalReason, RequestBody};
use prometheus_client::encoding::{EncodeLabel, EncodeLabelSet, LabelSetEncoder};
use strum::{IntoStaticStr, VariantArray};

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

impl LabelValue for RoleLabel {
    const KEY: &'static str = "role";
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

impl From<PhaseLabel> for &'static str {
    fn from(label: PhaseLabel) -> Self {
        label.0
    }
}

impl LabelValue for PhaseLabel {
    const KEY: &'static str = "state";
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

impl LabelValue for ResumeLabel {
    const KEY: &'static str = "kind";
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

impl LabelValue for DeliveryLabel {
    const KEY: &'static str = "kind";
}

/// The reason for which a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CloseLabel(pub &'static str);

impl From<CloseLabel> for &'static str {
    fn from(label: CloseLabel) -> Self {
        label.0
    }
}

impl LabelValue for CloseLabel {
    const KEY: &'static str = "reason";
}

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

impl LabelValue for QueueLabel {
    const KEY: &'static str = "queue";
}

/// The kind of a client's message: the `type` of a request, or a value in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MessageLabel(&'static str);

impl MessageLabel {
    /// A `hello`.
    pub(crate) const HELLO: Self = Self("hello");
    /// A message that cannot be parsed, or has no known type.
    pub(crate) const UNREADABLE: Self = Self("unreadable");

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

/// The labels of an answered message; no refusal if it was accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct AnswerLabels {
    pub kind: MessageLabel,
    pub refused: Option<RefusalReason>,
}

impl EncodeLabelSet for AnswerLabels {
    fn encode(&self, encoder: &mut LabelSetEncoder<'_>) -> fmt::Result {
        ("kind", self.kind.0).encode(encoder.encode_label())?;
        match self.refused {
            None => ("result", "accepted").encode(encoder.encode_label()),
            Some(reason) => ("result", reason.to_string()).encode(encoder.encode_label()),
        }
    }
}
