//! The reasons why a session ends. PROTOCOL.md lists the close codes.

use std::fmt;

use fibfob_net::refusals::RefusedFor;
use fibfob_server_matches::metrics::CloseLabel;
use strum::VariantArray;
use tokio_tungstenite::tungstenite::Utf8Bytes;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

/// A reason why a session ends.
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
    /// Returns the metrics' label, the reason that the client is told, and the close code.
    fn facts(self) -> (&'static str, &'static str, CloseCode) {
        use CloseCode::{Again, Away, Error, Invalid, Normal, Policy, Protocol, Restart, Size};
        match self {
            Self::Gone => ("gone", "the client has gone", Normal),
            Self::Silent => ("silent", "nothing was received for too long", Away),
            Self::LateHello => ("late-hello", "no accepted `hello` in time", Policy),
            Self::SignedOut => ("signed-out", "signed out from another device", Policy),
            Self::Banned => ("banned", "banned by the operator", Policy),
            Self::Forgotten => ("forgotten", "forgotten for good", Policy),
            Self::Flood => ("flood", "far too many messages", Policy),
            Self::TooBig => ("too-big", "a message above limits.message_bytes", Size),
            Self::ProtocolError => ("broken-protocol", "no valid WebSocket frame", Protocol),
            Self::InvalidText => ("no-text", "a text frame that is not UTF-8", Invalid),
            Self::MatchLost => ("fault", "a followed match cannot be read", Error),
            Self::Panic => {
                let why = "an internal error of the server; reconnect and resume";
                ("panic", why, Error)
            }
            Self::Restart => ("restart", "the server restarts", Restart),
            Self::StoreLost => ("store-lost", "the server does not reach its store", Restart),
            Self::Slow => ("slow", "messages were not accepted in time", Again),
        }
    }

    /// Returns the frame to close with; none if the client has gone.
    pub(super) fn close_frame(self) -> Option<CloseFrame> {
        let (_, reason, code) = self.facts();
        let reason = Utf8Bytes::from_static(reason);
        (self != Self::Gone).then_some(CloseFrame { code, reason })
    }

    /// Returns why the client is refused anything more, if that is the client's doing.
    pub(super) fn refused_for(self) -> Option<RefusedFor> {
        match self {
            Self::LateHello => Some(RefusedFor::Late),
            Self::Flood => Some(RefusedFor::TooFast),
            Self::TooBig | Self::ProtocolError | Self::InvalidText => Some(RefusedFor::Malformed),
            _ => None,
        }
    }

    /// Lists the metrics' labels of all reasons.
    pub(crate) fn labels() -> Vec<CloseLabel> {
        Self::VARIANTS.iter().map(|end| end.label()).collect()
    }

    /// The label in the metrics.
    pub(super) fn label(self) -> CloseLabel {
        CloseLabel(self.facts().0)
    }
}

impl fmt::Display for SessionEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.facts().1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_fit_into_a_close_frame() {
        for reason in SessionEnd::VARIANTS {
            let frame = reason.close_frame();
            assert_eq!(frame.is_none(), *reason == SessionEnd::Gone);
            assert!(
                frame.is_none_or(|frame| frame.reason.len() <= 123),
                "{reason}"
            );
        }
    }
}
