//! Every bound of the server, in one place: how much may wait, how long, how large.
//!
//! What an operator may want to change is in [`crate::Config`]; these are the bounds that keep
//! one connection's or one match's trouble its own, whatever the configuration.

use std::time::Duration;

use fibfob_protocol::{COMMAND_ID_MAX, JSON_DEPTH_MAX, Limits, MESSAGE_BYTES_MAX, NAME_CHARS_MAX};

use crate::ops::config::Rate;

// Connections.

/// TCP connections at once, whatever they speak; more wait unaccepted in the listener's backlog.
pub const CONNECTIONS_MAX: usize = 16_384;
/// Connections at once that are told that their address has too many; further ones are not told.
pub const TURNED_AWAY_MAX: usize = 64;
/// How long a connection that is turned away may take to send its request, and so to hear why.
pub const TURNED_AWAY_WITHIN: Duration = Duration::from_secs(1);
/// Addresses that are remembered at once: all that somebody is here from, and as many that were here
/// and have not earned all their credits again.
pub const ADDRESSES_MAX: usize = 2 * CONNECTIONS_MAX;
/// The least number of remembered addresses at which those are looked for that tell nothing any more.
pub const ADDRESSES_SWEPT_FROM: usize = 1_024;
/// How many times as much as its spectators the players of one address may send.
pub const PLAYERS_TIMES: u32 = 4;
/// How many seconds' worth of messages may come from one address at once.
pub const ADDRESS_BURST_SECONDS: u32 = 4;
/// How fast one connection is read, in bytes: five times what its messages come to, should each be as
/// long as a usual one, and always room for the longest message.
pub const READ_RATE: Rate = Rate {
    per_second: 64 * 1024,
    burst: 128 * 1024,
};
/// How long a client may take to send the head of an HTTP request.
pub const HTTP_HEAD_WITHIN: Duration = Duration::from_secs(10);
/// What the operating system may hold of what the server has not read yet, in bytes. Its own bound is
/// some megabytes, and whoever sends faster than is read would fill it.
pub const UNREAD_BYTES_MAX: usize = 64 * 1024;
/// How long a client may take nothing of what is written to it, whatever it is, before its line is cut.
/// Longer than all waits of a WebSocket, which end with a reason.
pub const WRITE_WITHIN: Duration = Duration::from_secs(20);
/// The most an HTTP request's head may hold, in bytes.
pub const HTTP_HEAD_BYTES_MAX: usize = 16 * 1024;
/// How long a client may take for the handshake of TLS, from its first byte to its last.
pub const TLS_WITHIN: Duration = Duration::from_secs(10);
/// The most a file with a certificate or a key may hold, in bytes.
pub const PEM_BYTES_MAX: u64 = 1024 * 1024;
/// The pause after an `accept` that failed for want of descriptors or memory.
pub const ACCEPT_PAUSE: Duration = Duration::from_millis(200);

// Sessions.

/// Messages at the beginning of a connection that cost its address no credits: a `hello`, and a
/// `resume` for each match that it can follow. A player whose line broke comes back through any crowd.
pub const FREE_MESSAGES: u32 = 1 + FOLLOWED_MAX as u32;

/// A WebSocket's read and write buffer each, in bytes; the library's default is 128 KiB.
pub const SOCKET_BUFFER_BYTES: usize = 4 * 1024;
/// How long a new connection may take to say `hello` acceptably.
pub const HELLO_WITHIN: Duration = Duration::from_secs(10);
/// Matches one connection may follow at once.
pub const FOLLOWED_MAX: usize = 8;
/// Requests one connection may have unanswered at once.
pub const IN_FLIGHT_MAX: usize = 8;
/// Refusals for speed, since the client last kept to its rate, that end a connection.
pub const STRIKES_MAX: u32 = 200;
/// What the operating system may hold of messages that a client has not taken, in bytes. Its own
/// bound is some megabytes, which would hide a slow client for long and cost that much for each.
pub const UNSENT_BYTES_MAX: usize = 64 * 1024;
/// How long a client may take to accept one message from the server.
pub const SEND_WITHIN: Duration = Duration::from_secs(5);
/// Frames of one match written before other happenings of the connection are looked at.
pub const FRAMES_PER_TURN: usize = 32;
/// How often a connection is pinged.
pub const PING_EVERY: Duration = Duration::from_secs(20);
/// A connection from which nothing came for so long is closed.
pub const SILENT_MAX: Duration = Duration::from_secs(60);
/// How long a closed connection waits for the other side to agree.
pub const CLOSE_WITHIN: Duration = Duration::from_secs(1);
/// How often a connection asks again for a match it lost to a fault of the store.
pub const REFOLLOW_TRIES: u32 = 20;
/// The pause between two such tries.
pub const REFOLLOW_PAUSE: Duration = Duration::from_millis(500);

// Matches.

/// Matches in memory at once.
pub const LIVE_MATCHES_MAX: usize = 100_000;
/// Connections without a seat that may follow one match at once.
pub const SPECTATORS_MAX: usize = 10_000;
/// Matches of its own, open or in play, that one guest may have.
pub const MATCHES_MAX: u32 = 64;
/// Seats in matches that are open or in play, its own or others', that one guest may hold.
pub const SEATS_MAX: u32 = 128;
/// A match counts towards these two bounds for so long after it was made. A match that everybody has
/// abandoned is never over, and must not keep its players from another one for ever.
pub const SEAT_COUNTS_FOR: Duration = Duration::from_secs(24 * 60 * 60);
/// Matches, the newest, whose seats are known for these two bounds; older ones do not count.
pub const SEATS_KNOWN_MAX: usize = 50_000;
/// Requests that may wait for one match.
pub const INBOX_MAX: usize = 64;
/// How long a request to follow a match may wait for room in its inbox.
pub const FOLLOW_WITHIN: Duration = Duration::from_secs(10);
/// How often a request looks a match up again when it left memory just then.
pub const LOOKUP_TRIES: u32 = 8;
/// How long a match that does not exist waits for the request that makes it.
pub const UNBORN_WAIT: Duration = Duration::from_secs(1);
/// How often another code is drawn for a new match whose code is taken.
pub const CODE_TRIES: u32 = 16;
/// How long reading a match from the store may take.
pub const OPEN_WITHIN: Duration = Duration::from_secs(10);
/// How long storing an event may take until it counts as in doubt.
pub const APPEND_WITHIN: Duration = Duration::from_secs(5);
/// The shortest time between two presence messages of one match.
pub const PRESENCE_EVERY: Duration = Duration::from_millis(500);
/// The longest a match sleeps towards its deadline: the system's clock may be set meanwhile.
pub const DEADLINE_CHECK_EVERY: Duration = Duration::from_secs(60);

/// Things said that a match remembers, in each of its two rooms.
pub const TALK_KEPT: usize = 50;
/// How much one connection may say.
pub const TALK_RATE: Rate = Rate {
    per_second: 1,
    burst: 5,
};

// Bots.

/// Bots thinking at once; further ones wait their turn.
pub const THINKERS_MAX: usize = 4;
/// The pause after which a bot sends a move again that the match had no room for.
pub const BOT_RETRY_PAUSE: Duration = Duration::from_millis(200);

// The lobby.

/// Open matches, and matches in play, that one lobby message lists: the newest of each.
pub const LOBBY_LISTED_MAX: usize = 50;
/// Open matches, and matches in play, that are kept to take the place of listed ones.
pub const LOBBY_KEPT_MAX: usize = 2_000;
/// The shortest time between two lobby messages to the same connection.
pub const LOBBY_EVERY: Duration = Duration::from_millis(250);

// The store.

/// The most appends that wait for the writer.
pub const APPEND_QUEUE_MAX: usize = 1_024;
/// The most appends in one transaction.
pub const BATCH_MAX: usize = 256;
/// The time that SQLite waits for another process that has the file locked, such as a backup.
pub const STORE_BUSY_WITHIN: Duration = Duration::from_secs(3);
/// The size that SQLite's write-ahead log is truncated to after a burst, in bytes.
pub const WAL_BYTES_KEPT: i64 = 16 * 1024 * 1024;
/// The time after which an unfinished write makes the store not ready: soon no caller waits for it.
pub const WRITE_OVERDUE_AFTER: Duration = Duration::from_secs(4);
/// The pause before each attempt to recover a store that cannot write.
pub const RECOVERY_PAUSE: Duration = Duration::from_millis(250);
/// The room that a store needs on the disk to count as recovered, in bytes: about a batch's worth,
/// so that it does not fail again at once.
pub const RECOVERY_ROOM_BYTES: usize = 128 * 1024;
/// The part of SQLite's write-ahead log that is in memory while it is rewritten at the start.
pub const JOURNAL_CHUNK_BYTES: usize = 64 * 1024;
/// The number of flushes that are timed at the start.
pub const FLUSH_TRIES: usize = 9;
/// The size of a timed flush, in bytes: as much as a move writes.
pub const FLUSH_TRY_BYTES: usize = 4 * 1024;
/// The time after which no further flush is timed.
pub const FLUSH_TRIES_WITHIN: Duration = Duration::from_secs(2);
/// The time of a flush above which the server logs a warning, because every move waits for one.
pub const FLUSH_SLOW: Duration = Duration::from_millis(30);
/// The number of match ids that `check` reads at once.
pub const CHECK_PAGE: usize = 1_000;
/// The most damages of the file itself that `check` names; SQLite stops after so many.
pub const CHECK_FILE_DAMAGES_MAX: usize = 100;
/// The time that the store may take to answer a readiness check.
pub const READY_WITHIN: Duration = Duration::from_secs(2);

// Shutdown.

/// How long WebSocket connections may take to finish what they have begun.
pub const DRAIN_WITHIN: Duration = Duration::from_secs(8);
/// How long matches and HTTP connections may take to end after that.
pub const STOP_WITHIN: Duration = Duration::from_secs(6);
/// The least and most a client is told to wait before it comes back; spread, so that not all
/// come at once.
pub const RETRY_AFTER_MS: std::ops::RangeInclusive<u64> = 500..=2_000;

/// The bounds of one connection that may send at this rate, as `welcome` tells them.
#[must_use]
pub fn of_a_connection(rate: Rate, silent_max: Duration) -> Limits {
    Limits {
        message_bytes: MESSAGE_BYTES_MAX,
        name_chars: NAME_CHARS_MAX,
        command_id_chars: COMMAND_ID_MAX,
        following: FOLLOWED_MAX,
        in_flight: IN_FLIGHT_MAX,
        json_depth: JSON_DEPTH_MAX,
        per_second: rate.per_second,
        burst: rate.burst,
        silent_ms: u32::try_from(silent_max.as_millis()).unwrap_or(u32::MAX),
        matches: MATCHES_MAX,
        seats: SEATS_MAX,
    }
}

#[cfg(test)]
mod tests {
    use fibfob_protocol::{CHAT_CHARS_MAX, TAKEBACK_OFFERS_MAX};

    use super::*;
    use crate::ops::config::Config;

    /// Who writes a client reads these numbers in `PROTOCOL.md`.
    #[test]
    fn the_protocols_text_has_these_numbers() {
        let text = include_str!("../../protocol/PROTOCOL.md");
        let config = Config::default();
        let rate = |rate: Rate| format!("| {} at once, {} a second |", rate.burst, rate.per_second);
        let kib = |bytes: u32| bytes / 1024;
        for (what, row) in [
            ("spectators of one address", rate(config.address_rate)),
            (
                "players of one address",
                rate(config.address_rate.times(PLAYERS_TIMES)),
            ),
            (
                "`per_second` in the long run",
                format!("the {}st in a row", STRIKES_MAX + 1),
            ),
            (
                "spectators of a match",
                format!("| {SPECTATORS_MAX} connections |"),
            ),
            (
                "what you say",
                format!(
                    "| {} at once, {} a second",
                    TALK_RATE.burst, TALK_RATE.per_second
                ),
            ),
            ("free text", format!("| {CHAT_CHARS_MAX} |")),
            ("for a move back", format!("| {TAKEBACK_OFFERS_MAX} |")),
            ("wait for one match", format!("| {INBOX_MAX} |")),
            (
                "connections of one address",
                format!("| {} |", config.connections_per_address),
            ),
            (
                "connections of the server",
                format!("| {CONNECTIONS_MAX} |"),
            ),
            (
                "bytes read from a connection",
                format!(
                    "{} KiB at once, {} KiB a second",
                    kib(READ_RATE.burst),
                    kib(READ_RATE.per_second)
                ),
            ),
            (
                "the handshake of TLS",
                format!("| {} s |", TLS_WITHIN.as_secs()),
            ),
            (
                "head of an HTTP request",
                format!(
                    "| {} s, {} KiB |",
                    HTTP_HEAD_WITHIN.as_secs(),
                    HTTP_HEAD_BYTES_MAX / 1024
                ),
            ),
            (
                "an acceptable `hello`",
                format!("| {} s |", HELLO_WITHIN.as_secs()),
            ),
            (
                "you take a message",
                format!("| {} s |", SEND_WITHIN.as_secs()),
            ),
            (
                "an HTTP answer is taken",
                format!("| {} s |", WRITE_WITHIN.as_secs()),
            ),
            ("you are behind", format!("| {} |", config.snapshot_after)),
        ] {
            let found = text
                .lines()
                .any(|line| line.contains(what) && line.contains(&row));
            assert!(found, "{what}: {row}");
        }
        assert!(text.contains(&format!("The first {FREE_MESSAGES} messages")));
        assert!(text.contains(&format!("{} hours after", SEAT_COUNTS_FOR.as_secs() / 3600)));
    }
}
