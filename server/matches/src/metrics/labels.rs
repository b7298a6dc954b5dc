//! The labels of metrics: closed sets of values, so that no client decides the number of series.

use std::fmt;

use fibfob_protocol::{ClientMessage, CloseReason, EndReason, Phase, RequestBody};
use prometheus_client::metrics::family::Family;
use strum::{IntoStaticStr, VariantArray, VariantNames};

/// A metric with a label: one series for each of its values.
#[derive(Clone, Debug)]
pub(crate) struct Labelled<M> {
    label: &'static str,
    pub(super) series: Family<[(&'static str, &'static str); 1], M>,
}

impl<M: Default + Clone> Labelled<M> {
    /// Makes all series at once, so that one reads 0 before its first count instead of being absent.
    pub(super) fn new(
        label: &'static str,
        values: impl IntoIterator<Item: Into<&'static str>>,
    ) -> Self {
        let series = Family::default();
        let labelled = Self { label, series };
        for value in values {
            labelled.of(value);
        }
        labelled
    }

    pub(super) fn of(&self, value: impl Into<&'static str>) -> M {
        let labels = [(self.label, value.into())];
        self.series.get_or_create(&labels).clone()
    }
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

named!(CloseLabel, FinishLabel, MessageLabel, PhaseLabel);

/// The purpose of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum RoleLabel {
    /// No `hello` has been accepted yet.
    Greeting,
    /// It follows no match.
    Lobby,
    /// It follows matches, and has a seat in none of them.
    Spectator,
    /// It has a seat in a match it follows.
    Player,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PhaseLabel(&'static str);

impl PhaseLabel {
    pub(super) const ALL: [&str; 5] = ["open", "choosing", "playing", "over", "closed"];

    pub(crate) fn of(phase: &Phase) -> Self {
        Self(phase.name())
    }
}

/// The backlog of a client that resumes a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum ResumeLabel {
    /// No event was missed.
    Nothing,
    /// Some events were missed, and were sent with the state.
    Events,
    /// A followed match had left memory, and the server resumed it itself.
    Unnoticed,
}

/// The form in which events are sent to a viewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum DeliveryLabel {
    /// One event.
    Frame,
    /// Many at once.
    Snapshot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FinishLabel(&'static str);

impl FinishLabel {
    pub(super) fn all() -> impl Iterator<Item = &'static str> {
        EndReason::VARIANTS
            .iter()
            .chain(CloseReason::VARIANTS)
            .copied()
    }

    /// Returns the reason why a match ended in this phase; none if it goes on.
    pub(crate) fn of(phase: &Phase) -> Option<Self> {
        match phase {
            Phase::Over { reason, .. } => Some(Self(reason.into())),
            Phase::Closed { reason, .. } => Some(Self(reason.into())),
            Phase::Open | Phase::Choosing { .. } | Phase::Playing { .. } => None,
        }
    }
}

/// The reason why a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CloseLabel(pub &'static str);

/// A queue with a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum QueueLabel {
    /// Events that wait to be stored.
    Append,
    /// Requests that wait for one match: the longest of all inboxes.
    FullestInbox,
    /// Notes of who is connected here, which other servers read.
    Notes,
    /// Moves of bots that wait to be computed.
    Bots,
    /// Answers, pages and pictures that wait to be computed.
    Questions,
}

/// The reason why a computation was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum JobRefusedLabel {
    /// Its address has used up its processor time.
    Debt,
    /// As many computations wait as may, of its address or of all.
    QueueFull,
}

/// The kind of a client's message: a request's `type`, or a word for what is no request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageLabel(&'static str);

impl MessageLabel {
    /// The first message of a connection.
    pub const HELLO: Self = Self("hello");
    /// A move.
    pub const PLAY: Self = Self("play");
    /// A message that cannot be parsed, or has no known type.
    pub const UNREADABLE: Self = Self("unreadable");

    /// Lists the kinds that can be accepted.
    pub(super) fn all() -> impl Iterator<Item = &'static str> {
        [Self::HELLO.0].into_iter().chain(RequestBody::kinds())
    }

    /// The kind of this message.
    #[must_use]
    pub fn of(message: &ClientMessage) -> Self {
        match message {
            ClientMessage::Hello(_) => Self::HELLO,
            ClientMessage::Request(request) => Self::of_request(&request.body),
        }
    }

    /// The kind of this request.
    #[must_use]
    pub fn of_request(body: &RequestBody) -> Self {
        Self(body.kind())
    }
}

impl fmt::Display for MessageLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
