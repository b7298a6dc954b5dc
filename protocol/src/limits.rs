//! The wire's bounds, in one place; `welcome` tells them to every client.

use serde::{Deserialize, Serialize};

/// The WebSocket subprotocol, and the only value `hello.protocol` may have today.
pub const SUBPROTOCOL: &str = "fibfob.v1";

/// The longest text frame a client may send, in bytes.
pub const MESSAGE_BYTES_MAX: usize = 8 * 1024;

/// The longest player name, in Unicode scalar values.
pub const NAME_CHARS_MAX: usize = 24;

/// The longest command id, in ASCII characters (a uuid has 36).
pub const COMMAND_ID_MAX: usize = 64;

/// How many characters a match code has.
pub const CODE_LENGTH: usize = 6;

/// The bounds a connection lives under.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Longest client message, in bytes.
    pub message_bytes: usize,
    /// Longest player name, in Unicode scalar values.
    pub name_chars: usize,
    /// Longest command id, in ASCII characters.
    pub command_id_chars: usize,
    /// Matches one connection may follow at once.
    pub following: usize,
    /// Commands one connection may have unanswered at once.
    pub in_flight: usize,
}
