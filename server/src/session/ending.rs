//! Why a connection ends, and what the client is told of it. The codes are PROTOCOL.md's.

use std::fmt;

use axum::extract::ws::{CloseFrame, Utf8Bytes, close_code};

use crate::ops::metrics::Cause;

/// The server shuts down; axum's list ends before this code of the IANA registry.
const SERVICE_RESTART: u16 = 1012;
/// The client is to come back later; of the IANA registry too.
const TRY_AGAIN_LATER: u16 = 1013;

/// Why a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The client has closed it, or the line is broken: nobody is left to be told.
    Gone,
    /// Nothing came for too long.
    Silent,
    /// No acceptable `hello` in time.
    LateHello,
    /// Far more messages than allowed.
    Flood,
    /// A message longer than allowed.
    TooBig,
    /// The client broke the WebSocket protocol itself.
    BrokenProtocol,
    /// A text that is none.
    NoText,
    /// A followed match cannot be read any more.
    Fault,
    /// This connection's own task has failed.
    Panic,
    /// The server shuts down.
    Restart,
    /// The client takes nothing.
    Slow,
}

impl Ending {
    /// In a word, for who counts.
    pub(super) fn cause(self) -> Cause {
        Cause(match self {
            Self::Gone => "gone",
            Self::Silent => "silent",
            Self::LateHello => "late-hello",
            Self::Flood => "flood",
            Self::TooBig => "too-big",
            Self::BrokenProtocol => "broken-protocol",
            Self::NoText => "no-text",
            Self::Fault => "fault",
            Self::Panic => "panic",
            Self::Restart => "restart",
            Self::Slow => "slow",
        })
    }

    /// What to close with; none where nobody would hear it.
    pub(super) fn frame(self) -> Option<CloseFrame> {
        let code = match self {
            Self::Gone => return None,
            Self::Silent => close_code::AWAY,
            Self::LateHello | Self::Flood => close_code::POLICY,
            Self::TooBig => close_code::SIZE,
            Self::BrokenProtocol => close_code::PROTOCOL,
            Self::NoText => close_code::INVALID,
            Self::Fault | Self::Panic => close_code::ERROR,
            Self::Restart => SERVICE_RESTART,
            Self::Slow => TRY_AGAIN_LATER,
        };
        let reason = Utf8Bytes::from(self.to_string());
        Some(CloseFrame { code, reason })
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gone => "the client has gone",
            Self::Silent => "nothing was heard for too long",
            Self::LateHello => "no accepted `hello` in time",
            Self::Flood => "far too many messages",
            Self::TooBig => "a message above limits.message_bytes",
            Self::BrokenProtocol => "no valid WebSocket frame",
            Self::NoText => "a text frame that is not UTF-8",
            Self::Fault => "a followed match cannot be read",
            Self::Panic => "a fault of the server; come back and resume",
            Self::Restart => "the server restarts",
            Self::Slow => "messages were not taken in time",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_fit_into_a_close_frame() {
        use Ending::{
            BrokenProtocol, Fault, Flood, Gone, LateHello, NoText, Panic, Restart, Silent, Slow,
            TooBig,
        };
        for ending in [
            Silent,
            LateHello,
            Flood,
            TooBig,
            BrokenProtocol,
            NoText,
            Fault,
            Panic,
            Restart,
            Slow,
        ] {
            let frame = ending.frame().unwrap();
            assert!(frame.reason.len() <= 123, "{ending}");
        }
        assert!(Gone.frame().is_none());
    }
}
