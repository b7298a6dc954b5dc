//! The reasons for which a session ends. PROTOCOL.md lists their close codes.

use std::fmt;

use fibfob_net::refusals::RefusedFor;
use strum::VariantArray;

use crate::ops::metrics::CloseLabel;

/// The reason for which a session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
pub(crate) enum SessionEnd {
    /// The client has closed the connection, or it broke.
    Gone,
    /// Nothing was received for too long.
    Silent,
    /// No `hello` was accepted in time.
    LateHello,
    /// The guest has signed out the devices with this connection's token.
    SignedOut,
    /// The operator has banned the guest or its address.
    Banned,
    /// The guest is forgotten.
    Forgotten,
    /// Far more messages than the rate allows.
    Flood,
    /// A message above the size limit.
    TooBig,
    /// A violation of the WebSocket protocol.
    ProtocolError,
    /// A text frame that is not UTF-8.
    InvalidText,
    /// A followed match cannot be read any more.
    MatchLost,
    /// The session's own task panicked.
    Panic,
    /// The server shuts down.
    Restart,
    /// A request was refused because this server does not reach the store that it shares.
    StoreLost,
    /// The client does not accept messages.
    Slow,
}

impl SessionEnd {
    /// The label in the metrics, and the reason as the client is told it.
    fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::Gone => ("gone", "the client has gone"),
            Self::Silent => ("silent", "nothing was received for too long"),
            Self::LateHello => ("late-hello", "no accepted `hello` in time"),
            Self::SignedOut => ("signed-out", "signed out from another device"),
            Self::Banned => ("banned", "banned by the operator"),
            Self::Forgotten => ("forgotten", "forgotten for good"),
            Self::Flood => ("flood", "far too many messages"),
            Self::TooBig => ("too-big", "a message above limits.message_bytes"),
            Self::ProtocolError => ("broken-protocol", "no valid WebSocket frame"),
            Self::InvalidText => ("no-text", "a text frame that is not UTF-8"),
            Self::MatchLost => ("fault", "a followed match cannot be read"),
            Self::Panic => (
                "panic",
                "an internal error of the server; reconnect and resume",
            ),
            Self::Restart => ("restart", "the server restarts"),
            Self::StoreLost => ("store-lost", "the server does not reach its store"),
            Self::Slow => ("slow", "messages were not accepted in time"),
        }
    }

    /// The reason for refusing the client anything more, if what it did is the reason.
    pub(super) fn refused_for(self) -> Option<RefusedFor> {
        match self {
            Self::LateHello => Some(RefusedFor::Late),
            Self::Flood => Some(RefusedFor::TooFast),
            Self::TooBig | Self::ProtocolError | Self::InvalidText => Some(RefusedFor::Malformed),
            _ => None,
        }
    }

    /// The label of each in the metrics.
    pub(crate) fn labels() -> Vec<CloseLabel> {
        Self::VARIANTS.iter().map(|end| end.label()).collect()
    }

    /// The label in the metrics.
    pub(super) fn label(self) -> CloseLabel {
        CloseLabel(self.texts().0)
    }
}

impl fmt::Display for SessionEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.texts().1)
    }
}
