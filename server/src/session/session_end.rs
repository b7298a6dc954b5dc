//! The reasons for which a session ends. PROTOCOL.md lists their close codes.

use std::fmt;

use crate::ops::metrics::CloseLabel;

/// The reason for which a session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SessionEnd {
    /// The client has closed the connection, or it broke.
    Gone,
    /// Nothing was received for too long.
    Silent,
    /// No `hello` was accepted in time.
    LateHello,
    /// The guest has signed out the devices with this connection's token.
    SignedOut,
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
    /// The label in the metrics.
    pub(super) fn label(self) -> CloseLabel {
        CloseLabel(match self {
            Self::Gone => "gone",
            Self::Silent => "silent",
            Self::LateHello => "late-hello",
            Self::SignedOut => "signed-out",
            Self::Flood => "flood",
            Self::TooBig => "too-big",
            Self::ProtocolError => "broken-protocol",
            Self::InvalidText => "no-text",
            Self::MatchLost => "fault",
            Self::Panic => "panic",
            Self::Restart => "restart",
            Self::StoreLost => "store-lost",
            Self::Slow => "slow",
        })
    }
}

impl fmt::Display for SessionEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gone => "the client has gone",
            Self::Silent => "nothing was received for too long",
            Self::LateHello => "no accepted `hello` in time",
            Self::SignedOut => "signed out from another device",
            Self::Flood => "far too many messages",
            Self::TooBig => "a message above limits.message_bytes",
            Self::ProtocolError => "no valid WebSocket frame",
            Self::InvalidText => "a text frame that is not UTF-8",
            Self::MatchLost => "a followed match cannot be read",
            Self::Panic => "an internal error of the server; reconnect and resume",
            Self::Restart => "the server restarts",
            Self::StoreLost => "the server does not reach its store",
            Self::Slow => "messages were not accepted in time",
        })
    }
}
