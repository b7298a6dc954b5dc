//! The bounds of the server: lengths of queues, waits and sizes.
//!
//! The options of an operator are in [`crate::Config`]; these bounds keep the faults of one
//! connection or match from affecting others under any configuration.

mod admin;

use std::time::Duration;

pub use admin::*;
pub use fibfob_server_matches::limits::*;

// Connections.

/// Files that the server has open beside its connections: the store, the log, listeners, push services, operators.
pub const OTHER_FILES_MAX: usize = 64 + CALLS_SENT_AT_ONCE + ADMIN_CONNECTIONS_MAX;
/// After this many sent bytes, a connection's traffic is counted against its address.
pub const SENT_BYTES_COUNTED: usize = 32 * 1024;
/// The burst of an address, as seconds of its rate.
pub const ADDRESS_BURST_SECONDS: u32 = 4;
/// The processor time of an address, in microseconds, for everything that its connections ask for. A player
/// in a match in play is served even if it is used up.
pub const COMPUTED_RATE: Rate = Rate {
    per_second: 200_000,
    burst: 4_000_000,
};
/// About how much processor time an HTTP request takes beside its handler, to read its head and write its answer.
pub const REQUEST_TIME: Duration = Duration::from_micros(20);
/// Spectators may use one thread in this many, at least one; the rest stay free for players.
pub const TURNS_PART: usize = 2;
/// Turns of one address that may wait: one for each connection, and as many again whose connections have ended.
pub const TURNS_WAITING_MAX: usize = 2 * CONNECTIONS_MAX;
/// The longest wait of an HTTP request for its first turn.
pub const TURN_WITHIN: Duration = Duration::from_secs(10);
/// The longest time for the head of an HTTP request.
pub const HTTP_HEAD_WITHIN: Duration = Duration::from_secs(10);
/// A client that accepts no byte for this long is disconnected. Longer than all waits of a WebSocket, which
/// end with a reason.
pub const WRITE_WITHIN: Duration = Duration::from_secs(20);

// Sessions.

/// The message rate of a connection, unless the operator raises it.
pub const CONNECTION_RATE: Rate = Rate {
    per_second: 50,
    burst: 100,
};
/// A connection's messages that cost its address nothing: a `hello`, and a `resume` for each match that it
/// can follow by default. So a player can reconnect while others use up the address's rate.
pub const FREE_MESSAGES: u32 = 1 + FOLLOWED_MAX as u32;

/// Finished matches that a connection may keep following. Beyond it, the oldest are left.
pub const OVER_FOLLOWED_MAX: usize = 32;
/// Matches left in this way that are remembered, so that their chat is not sent again.
pub const LEFT_NOTED_MAX: usize = 64;

/// A WebSocket's read buffer, in bytes. The library clears it before each read, and nearly all messages are
/// shorter. A longer one gets a buffer of its own length.
pub const SOCKET_READ_BUFFER_BYTES: usize = 512;
/// The longest time until an acceptable `hello`.
pub const HELLO_WITHIN: Duration = Duration::from_secs(10);
/// A connection ends after this many messages refused for their rate, counted since the client last kept to it.
pub const RATE_REFUSALS_MAX: u32 = 200;
/// The longest time for a client to accept one message.
pub const SEND_WITHIN: Duration = Duration::from_secs(5);
/// The matches of a guest that one answer lists. Each is read from its log.
pub const GUEST_MATCHES_LISTED: usize = 16;
/// The matches of a guest in one answer to `record`. Each is a computation of its own.
pub const RECORDED_LISTED: usize = 20;
/// Attempts to change a guest's marks, which its other devices may change at the same time.
pub const MARKS_TRIES: u32 = 8;
/// Frames of one match sent before other events of the session are handled.
pub const FRAMES_PER_TURN: usize = 32;
/// The interval between pings, except for those who play against a person.
pub const PING_EVERY: Duration = Duration::from_secs(20);
/// The longest silence of a connection before it is closed.
pub const SILENT_MAX: Duration = Duration::from_secs(60);
/// The interval between pings of a player in a match in play against a person. It is short, because the
/// opponent must hear of a dead connection within 15 seconds. Idle phones keep the long one.
pub const PLAYER_PING_EVERY: Duration = Duration::from_secs(5);
/// The longest silence of such a player after a ping. TCP sends a lost packet again several times by then.
pub const PLAYER_ANSWER_WITHIN: Duration = Duration::from_secs(8);
/// The longest wait for the client's close frame.
pub const CLOSE_WITHIN: Duration = Duration::from_secs(1);
/// Attempts to follow a match again after a failure of the store.
pub const REFOLLOW_TRIES: u32 = 20;
/// The pause between two such attempts.
pub const REFOLLOW_PAUSE: Duration = Duration::from_millis(500);

// Moving to another device.

/// The letters of a code for another device: 59 bits.
pub const DEVICE_CODE_CHARS: usize = 12;
/// The letters of each group in which it is shown.
pub const DEVICE_CODE_GROUP: usize = 4;
/// The time for which such a code is good.
pub const DEVICE_CODE_FOR: Duration = Duration::from_secs(5 * 60);
/// Such codes at once, one for each guest.
pub const DEVICE_CODES_MAX: usize = 4_096;

// Calls of guests that have no connection.

/// Browsers of one guest that are called. A further one replaces the one that was renewed longest ago.
pub const CALLED_BROWSERS_MAX: usize = 8;
/// A browser that does not come back is called for this long.
pub const CALLED_FOR: Duration = Duration::from_secs(60 * 24 * 60 * 60);
/// Guests with calls who are counted against their addresses at once.
pub const CALLED_COUNTED_MAX: usize = 16_384;
/// Such a guest is counted for this long.
pub const CALLED_COUNTED_FOR: Duration = Duration::from_secs(24 * 60 * 60);
/// The longest address at a push service, in bytes.
pub const ENDPOINT_BYTES_MAX: usize = 1_024;
/// Absent guests whose browsers are looked up at once. Each look-up reads the store.
pub const NOTIFIED_AT_ONCE: usize = 32;
/// Messages to push services at once.
pub const CALLS_SENT_AT_ONCE: usize = 32;
/// The messages among them to browsers that are new or fail. So half of the places stay free for the others.
pub const UNPROVEN_AT_ONCE: usize = CALLS_SENT_AT_ONCE / 2;
/// The messages among these for the guests of one address. So it takes eight addresses to fill these places.
pub const UNPROVEN_PER_OWNER: usize = 2;
/// The messages to browsers that work for the guests of one address.
pub const PROVEN_PER_OWNER: usize = 8;
/// Browsers for which a notification waits; 3 MiB with their matches. An owner with many of them makes room first.
pub const BROWSERS_WAITING_MAX: usize = 4_096;
/// Matches about which one browser waits to be notified: two pages of a guest's list. The oldest changes are left out
/// beyond it.
pub const BROWSER_NEWS_MAX: usize = 2 * GUEST_MATCHES_LISTED;
/// Browsers whose push services' answers are remembered. Beyond it, those that need no pause are forgotten.
pub const BROWSERS_KNOWN_MAX: usize = 16_384;
/// The pause after the first failure of a browser's push service.
pub const NOTIFY_RETRY_MIN: Duration = Duration::from_secs(5);
/// The factor by which that pause grows after each further failure.
pub const NOTIFY_RETRY_TIMES: u32 = 4;
/// The longest such pause.
pub const NOTIFY_RETRY_MAX: Duration = Duration::from_secs(60 * 60);
/// A browser is forgotten after so much time in which its push service took no message.
pub const FAILING_MAX: Duration = Duration::from_secs(24 * 60 * 60);
/// The longest time for one of them, and for a question whether a server is ready.
pub const CALL_WITHIN: Duration = Duration::from_secs(10);
/// The longest time to get a certificate from an authority.
pub const ACME_WITHIN: Duration = Duration::from_secs(5 * 60);
/// The pause before a certificate is asked for again, after the first failure.
pub const ACME_RETRY_MIN: Duration = Duration::from_secs(60);
/// The factor by which that pause grows after each further failure. An authority allows few in an hour.
pub const ACME_RETRY_TIMES: u32 = 4;
/// The longest such pause.
pub const ACME_RETRY_MAX: Duration = Duration::from_secs(6 * 60 * 60);
/// The longest time between two checks whether a certificate must be renewed, because a machine may sleep.
pub const ACME_LOOKED_EVERY: Duration = Duration::from_secs(60 * 60);
/// The longest answer of an authority, and the largest file of trusted certificates, in bytes.
pub const ACME_ANSWER_BYTES_MAX: usize = 1024 * 1024;
/// A push service keeps a message for this long if it cannot reach the browser.
pub const CALL_KEPT_FOR: Duration = Duration::from_secs(24 * 60 * 60);
/// The server's signature for a push service is valid for this long. They accept a day at most.
pub const CALL_SIGNED_FOR: Duration = Duration::from_secs(12 * 60 * 60);

// Persons.

/// Index rows that pruning or forgetting reads at once.
pub const INDEX_PAGE: usize = 256;
/// The longest time until a server looks for guests to forget.
pub const FORGET_EVERY: Duration = Duration::from_secs(20);
/// The time in which a forgotten guest's matches are looked for again. After it, every server has closed the
/// guest's connections.
pub const FORGET_FOR: Duration = Duration::from_secs(60);
/// The most bytes of a text of the operator's.
pub const OPERATOR_TEXT_BYTES_MAX: u64 = 64 * 1024;
/// Unreadable lines of that list that an error names; further ones are many, so the operator looks at the file.
pub const LINES_NAMED_MAX: usize = 8;
/// The most bytes of a list of forgotten guests: 2 million of them.
pub const FORGOTTEN_LIST_BYTES_MAX: u64 = 33 * 2_000_000;

// The page.

/// Pages, pictures and documents that are kept as they are sent; some ten KiB each.
pub const FILES_KEPT: usize = 256;

/// Puzzles that are kept with their solutions, some KiB each: those of a class, and what others ask meanwhile.
pub const PUZZLES_KEPT: usize = 1_024;

// Shutdown.

/// The longest time for sessions to finish their pending requests.
pub const DRAIN_WITHIN: Duration = Duration::from_secs(8);
/// The longest time for matches and HTTP connections to end after that.
pub const STOP_WITHIN: Duration = Duration::from_secs(6);
/// The shortest pause that clients are asked to make before they reconnect, in milliseconds: about as long as
/// a restart takes.
pub const RETRY_AFTER_MS: u64 = 200;
/// Clients that are asked to reconnect in the same millisecond after that pause. So few clients are back at
/// once, and many are spread out.
pub const RECONNECTS_PER_MS: usize = 5;
/// The same pause where another server may serve them, in milliseconds.
pub const ELSEWHERE_AFTER_MS: std::ops::RangeInclusive<u64> = 50..=500;

// The store.

/// Match ids that a migration between stores reads at once.
pub const MIGRATION_PAGE: usize = 512;
/// Matches that it copies, or compares, at once.
pub const MIGRATED_AT_ONCE: usize = 128;
/// The time that the store may take to answer a readiness check.
pub const READY_WITHIN: Duration = Duration::from_secs(2);
/// The interval at which the server checks its own readiness.
pub const READY_EVERY: Duration = Duration::from_millis(500);

/// The rate at which a connection with this message rate is read, in bytes.
#[must_use]
pub fn read_rate(messages: Rate) -> Rate {
    READ_RATE.times(messages.per_second.div_ceil(CONNECTION_RATE.per_second))
}

#[cfg(test)]
mod tests;
