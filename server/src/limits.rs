//! The bounds of the server: lengths of queues, waits and sizes.
//!
//! The options of an operator are in [`crate::Config`]; these bounds keep the faults of one
//! connection or match from affecting others under any configuration.

mod admin;

use std::time::Duration;

pub use admin::*;
pub use fibfob_server_matches::limits::*;

// Connections.

/// Files that the server has open beside its connections: the store, the log, listeners, push services.
pub const OTHER_FILES_MAX: usize = 64 + CALLS_SENT_AT_ONCE;
/// The bytes sent to a connection after which they are counted against its address.
pub const SENT_BYTES_COUNTED: usize = 32 * 1024;
/// The burst of one address, in seconds of its rate.
pub const ADDRESS_BURST_SECONDS: u32 = 4;
/// The processor time of one address, in microseconds, for all that its connections ask for. A player
/// in a match in play is served also when it is used up.
pub const COMPUTED_RATE: Rate = Rate {
    per_second: 200_000,
    burst: 4_000_000,
};
/// The processor time of an HTTP request beside that of its handler, about: its head is read, and
/// its answer written.
pub const REQUEST_TIME: Duration = Duration::from_micros(20);
/// The part of the runtime's threads, as its reciprocal, that those without a seat in a match in play
/// have turns on at once; one thread at least. The others are free for players.
pub const TURNS_PART: usize = 2;
/// Those of one address that wait for a turn: one for each connection, and as many that have gone.
pub const TURNS_WAITING_MAX: usize = 2 * CONNECTIONS_MAX;
/// The longest wait of an HTTP request for its first turn.
pub const TURN_WITHIN: Duration = Duration::from_secs(10);
/// The longest time for the head of an HTTP request.
pub const HTTP_HEAD_WITHIN: Duration = Duration::from_secs(10);
/// The longest time in which a client accepts no byte before its connection is closed. Longer than
/// all waits of a WebSocket, which end with a reason.
pub const WRITE_WITHIN: Duration = Duration::from_secs(20);

// Sessions.

/// The message rate of a connection, unless the operator raises it.
pub const CONNECTION_RATE: Rate = Rate {
    per_second: 50,
    burst: 100,
};
/// The messages of a connection that take no tokens of its address: a `hello`, and a `resume` for
/// each match it can follow by default. So a player can reconnect while others of the same address use up its
/// rate.
pub const FREE_MESSAGES: u32 = 1 + FOLLOWED_MAX as u32;

/// Matches that are over among those that a connection follows; the oldest further ones are left.
pub const OVER_FOLLOWED_MAX: usize = 32;
/// Such left matches of a connection whose sent chat is remembered.
pub const LEFT_NOTED_MAX: usize = 64;

/// A WebSocket's read buffer, in bytes. The library clears it before each look at the socket, and
/// nearly all messages are shorter; a longer one is given its own length.
pub const SOCKET_READ_BUFFER_BYTES: usize = 512;
/// The longest time until an acceptable `hello`.
pub const HELLO_WITHIN: Duration = Duration::from_secs(10);
/// Refusals for rate, since the client last kept to it, after which a connection ends.
pub const RATE_REFUSALS_MAX: u32 = 200;
/// The longest time for a client to accept one message.
pub const SEND_WITHIN: Duration = Duration::from_secs(5);
/// The matches of a guest that one answer lists. Each is read from its log.
pub const GUEST_MATCHES_LISTED: usize = 16;
/// The matches of a guest that one answer to `record` lists. Each is a question of its own.
pub const RECORDED_LISTED: usize = 20;
/// Attempts to change a guest's marks, which other devices of it change at the same time.
pub const MARKS_TRIES: u32 = 8;
/// Frames of one match sent before other events of the session are handled.
pub const FRAMES_PER_TURN: usize = 32;
/// The interval between pings.
pub const PING_EVERY: Duration = Duration::from_secs(20);
/// The longest silence of a connection before it is closed.
pub const SILENT_MAX: Duration = Duration::from_secs(60);
/// The longest wait for the client's close frame.
pub const CLOSE_WITHIN: Duration = Duration::from_secs(1);
/// Attempts to follow again a match that was lost to a failure of the store.
pub const REFOLLOW_TRIES: u32 = 20;
/// The pause between two such attempts.
pub const REFOLLOW_PAUSE: Duration = Duration::from_millis(500);

// Moving to another device.

/// The letters of a code for another device: 59 bits.
pub const DEVICE_CODE_CHARS: usize = 12;
/// The letters that it shows together.
pub const DEVICE_CODE_GROUP: usize = 4;
/// The time for which such a code is good.
pub const DEVICE_CODE_FOR: Duration = Duration::from_secs(5 * 60);
/// Such codes at once, one for each guest.
pub const DEVICE_CODES_MAX: usize = 4_096;

// Calls of guests that have no connection.

/// Browsers of one guest that are called; the one that was not renewed for longest is forgotten for a further one.
pub const CALLED_BROWSERS_MAX: usize = 8;
/// The time for which a browser that does not come back is called.
pub const CALLED_FOR: Duration = Duration::from_secs(60 * 24 * 60 * 60);
/// Guests that ask to be called and are counted against their addresses at once.
pub const CALLED_COUNTED_MAX: usize = 16_384;
/// The time for which they are.
pub const CALLED_COUNTED_FOR: Duration = Duration::from_secs(24 * 60 * 60);
/// The longest address at a push service, in bytes.
pub const ENDPOINT_BYTES_MAX: usize = 1_024;
/// The wait before a call, in which a page that is loaded anew connects.
pub const CALL_AFTER: Duration = Duration::from_secs(2);
/// Messages to push services at once.
pub const CALLS_SENT_AT_ONCE: usize = 32;
/// The longest time for one of them, and for a question whether a server is ready.
pub const CALL_WITHIN: Duration = Duration::from_secs(10);
/// The longest time to get a certificate from an authority.
pub const ACME_WITHIN: Duration = Duration::from_secs(5 * 60);
/// The pause before a certificate is asked for again, after the first failure.
pub const ACME_RETRY_MIN: Duration = Duration::from_secs(60);
/// The factor of the pause after each further failure: an authority bears few in an hour.
pub const ACME_RETRY_TIMES: u32 = 4;
/// The longest such pause.
pub const ACME_RETRY_MAX: Duration = Duration::from_secs(6 * 60 * 60);
/// The longest time between two looks at whether a certificate is to be renewed: a machine may sleep.
pub const ACME_LOOKED_EVERY: Duration = Duration::from_secs(60 * 60);
/// The longest answer of an authority, and the largest file with what it is trusted by, in bytes.
pub const ACME_ANSWER_BYTES_MAX: usize = 1024 * 1024;
/// Attempts for a message that a push service did not answer, or puts off.
pub const CALL_TRIES: u32 = 3;
/// The pause between them.
pub const CALL_RETRY_PAUSE: Duration = Duration::from_secs(5);
/// The time for which a push service keeps a message for a browser that it does not reach.
pub const CALL_KEPT_FOR: Duration = Duration::from_secs(24 * 60 * 60);
/// The time for which the server's word to a push service is good; a day is the most that they take.
pub const CALL_SIGNED_FOR: Duration = Duration::from_secs(12 * 60 * 60);

// Persons.

/// Matches that an operator's act, or that of forgetting, reads from the store's index at once.
pub const INDEX_PAGE: usize = 256;
/// The longest time until a server looks whether somebody is to be forgotten.
pub const FORGET_EVERY: Duration = Duration::from_secs(20);
/// The time for which a guest is looked for again: by then every server has ended its connections.
pub const FORGET_FOR: Duration = Duration::from_secs(60);
/// The most bytes of a text of the operator's.
pub const OPERATOR_TEXT_BYTES_MAX: u64 = 64 * 1024;
/// The most bytes of a list of forgotten guests: 2 million of them.
pub const FORGOTTEN_LIST_BYTES_MAX: u64 = 33 * 2_000_000;

// The page.

/// Pages, pictures and documents that are kept as they are sent; some ten KiB each.
pub const FILES_KEPT: usize = 256;

// Programs.

/// Programs that can be chosen as opponents at once.
pub const PROGRAMS_MAX: usize = 256;
/// Offers to one program without an answer yet.
pub const OFFERS_MAX: usize = 8;
/// Those of them whose creators have one address; the networks around it have their shares.
pub const OFFERS_PER_ADDRESS: usize = 2;
/// The longest wait for the answer to an offer.
pub const OFFER_WITHIN: Duration = Duration::from_secs(10);

// Shutdown.

/// The longest time for sessions to finish their pending requests.
pub const DRAIN_WITHIN: Duration = Duration::from_secs(8);
/// The longest time for matches and HTTP connections to end after that.
pub const STOP_WITHIN: Duration = Duration::from_secs(6);
/// The shortest wait that clients are asked for before they reconnect, in milliseconds: about as long as a
/// restart takes.
pub const RETRY_AFTER_MS: u64 = 200;
/// The clients that reconnect in a millisecond after that wait. Few are back at once, and many do not come
/// together.
pub const RECONNECTS_PER_MS: usize = 5;
/// The range of that wait where another server may serve them, in milliseconds.
pub const ELSEWHERE_AFTER_MS: std::ops::RangeInclusive<u64> = 50..=500;

// The store.

/// Matches that a migration between stores reads the ids of at once.
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
