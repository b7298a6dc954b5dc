//! The wire's bounds, in one place; `welcome` tells clients those they need.

use std::ops::RangeInclusive;

use fibfob_games::PLIES_MAX;
use serde::{Deserialize, Serialize};

/// The WebSocket subprotocol, and the only value that `hello.protocol` may have.
pub const SUBPROTOCOL: &str = "fibfob.v1";

/// The longest text frame a client may send, in bytes.
pub const MESSAGE_BYTES_MAX: usize = 8 * 1024;

/// The longest player name, in Unicode scalar values.
pub const NAME_CHARS_MAX: usize = 24;

/// The longest author of a program, in Unicode scalar values.
pub const AUTHOR_CHARS_MAX: usize = 40;

/// The longest address of a program, in ASCII characters.
pub const PROGRAM_URL_CHARS_MAX: usize = 120;

/// The longest free text of a talk, in Unicode scalar values.
pub const CHAT_CHARS_MAX: usize = 140;

/// The longest command id, in ASCII characters (a uuid has 36).
pub const COMMAND_ID_MAX: usize = 64;

/// The number of characters of a match code.
pub const CODE_LENGTH: usize = 6;

/// The most moves that a message lists one by one; beyond, it has families.
pub const LISTED_MOVES_MAX: u128 = 1_024;

/// The pause before a command that was refused as `busy` is sent again, in milliseconds.
pub const BUSY_RETRY_MS: u64 = 250;

/// The initial time of a clock, in milliseconds: five seconds to a week.
pub const CLOCK_MS: RangeInclusive<u64> = 5_000..=7 * 24 * 60 * 60 * 1_000;

/// The greatest increment for a move, in milliseconds: ten minutes.
pub const INCREMENT_MS_MAX: u64 = 10 * 60 * 1_000;

/// The time that a player may be away before the other one may claim the match, in milliseconds:
/// ten seconds to a week.
pub const GRACE_MS: RangeInclusive<u64> = 10_000..=7 * 24 * 60 * 60 * 1_000;

/// The time for a player's first move in a match with clocks, in milliseconds. A match with a longer time for each move
/// gives that time instead. A minute is enough to read the rules. Waiting longer for an absent player helps nobody.
pub const FIRST_MOVE_MS: u64 = 60 * 1_000;

/// The time to choose the order of moves, in milliseconds.
pub const CHOOSE_WITHIN_MS: u64 = 2 * 60 * 1_000;

/// The number of takeback offers of each player in a match.
pub const TAKEBACK_OFFERS_MAX: u64 = 32;

/// The most bytes of positions that a review lists.
pub const REVIEW_BYTES_MAX: usize = 512 * 1024;

/// The longest position that is studied, in bytes.
pub const STUDY_BYTES_MAX: usize = 1_024;

/// The longest mark of progress, in bytes.
pub const MARK_BYTES_MAX: usize = 64;

/// The most marks of progress of a guest.
pub const MARKS_MAX: usize = 256;

/// The most restarts that a match's log notes. Later ones are not noted, and players are charged for the time
/// they take.
pub const RESUMES_MAX: u64 = 256;

/// The most events a match can have. It follows from the other bounds: the beginning, the moves with those
/// taken back, the offers and their answers, the restarts, the end and the rematch.
// 4: created, joined, chosen, and `begun` in old logs. Each takeback: offer and answer, and three undone moves. 3: the
// end, an offered rematch, its acceptance.
pub const EVENTS_MAX: u64 =
    4 + PLIES_MAX as u64 + (2 + 3) * 2 * TAKEBACK_OFFERS_MAX + RESUMES_MAX + 3;

/// The bounds a connection and its guest live under.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Limits {
    /// Longest client message, in bytes.
    pub message_bytes: usize,
    /// Longest player name, in Unicode scalar values.
    pub name_chars: usize,
    /// Longest command id, in ASCII characters.
    pub command_id_chars: usize,
    /// Longest free text of a chat line, in characters.
    pub chat_chars: usize,
    /// Matches one connection may follow at once, without those that are over.
    pub following: usize,
    /// Matches that are over among those it follows; those that ended first are left for further ones.
    pub following_over: usize,
    /// Events that it may be behind before one `snapshot` replaces their frames.
    pub behind: usize,
    /// Commands one connection may have unanswered at once.
    pub in_flight: usize,
    /// Messages a second that one connection may send in the long run.
    pub per_second: u32,
    /// Messages that it may send at once after a silence.
    pub burst: u32,
    /// Bytes a second that are read of one connection in the long run; the rest is read later.
    pub read_per_second: u32,
    /// Bytes that are read at once after a silence.
    pub read_burst: u32,
    /// Chat lines a second of one guest in the long run.
    pub chat_per_second: u32,
    /// Chat lines that it may send at once after a silence.
    pub chat_burst: u32,
    /// A connection from which nothing comes for so long is closed, in milliseconds. Answering the
    /// server's pings is enough.
    pub silent_ms: u32,
    /// Matches of its own, open or in play, that one guest may have.
    pub matches: u32,
    /// Seats in such matches, its own or others', that one guest may hold.
    pub seats: u32,
    /// Offers to take back a move that one player may make in a match.
    pub takebacks: u64,
}
