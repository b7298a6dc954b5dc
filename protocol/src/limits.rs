//! The wire's bounds, in one place; `welcome` tells them to every client.

use serde::{Deserialize, Serialize};

/// The WebSocket subprotocol, and the only value `hello.protocol` may have today.
pub const SUBPROTOCOL: &str = "fibfob.v1";

/// The longest text frame a client may send, in bytes.
pub const MESSAGE_BYTES_MAX: usize = 8 * 1024;

/// How deep the objects and lists of a client's message may be nested; the deepest one that means
/// something has 4.
pub const JSON_DEPTH_MAX: u32 = 8;

/// The longest player name, in Unicode scalar values.
pub const NAME_CHARS_MAX: usize = 24;

/// The longest command id, in ASCII characters (a uuid has 36).
pub const COMMAND_ID_MAX: usize = 64;

/// How many characters a match code has.
pub const CODE_LENGTH: usize = 6;

/// The bounds a connection and its guest live under. A bound of 0 was not told, by an older server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// How deep a client message may be nested.
    #[serde(default)]
    pub json_depth: u32,
    /// Messages a second that one connection may send in the long run.
    #[serde(default)]
    pub per_second: u32,
    /// Messages that it may send at once after a silence.
    #[serde(default)]
    pub burst: u32,
    /// A connection from which nothing comes for so long is closed, in milliseconds. Answering the
    /// server's pings is enough.
    #[serde(default)]
    pub silent_ms: u32,
    /// Matches of its own, open or in play, that one guest may have.
    #[serde(default)]
    pub matches: u32,
    /// Seats in such matches, its own or others', that one guest may hold.
    #[serde(default)]
    pub seats: u32,
}
