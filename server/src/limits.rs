//! The bounds of the server: lengths of queues, waits and sizes.
//!
//! The options of an operator are in [`crate::Config`]; these bounds keep the faults of one
//! connection or match from affecting others under any configuration.

use std::time::Duration;

use fibfob_protocol::{COMMAND_ID_MAX, Limits, MESSAGE_BYTES_MAX, NAME_CHARS_MAX};

/// A sustained rate of messages (or of bytes, where that is said) with a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Messages per second in the long run.
    pub per_second: u32,
    /// Messages at once after a silence.
    pub burst: u32,
}

impl Rate {
    /// The rate multiplied by `factor`.
    #[must_use]
    pub(crate) fn times(self, factor: u32) -> Self {
        Self {
            per_second: self.per_second.saturating_mul(factor),
            burst: self.burst.saturating_mul(factor),
        }
    }
}

// Connections.

/// TCP connections at once; further ones wait unaccepted in the listener's backlog.
pub const CONNECTIONS_MAX: usize = 16_384;
/// Files that the server has open beside its connections: the store, the log, listeners.
pub const OTHER_FILES_MAX: usize = 64;
/// Rejected connections at once that are sent the reason; further ones are only closed.
pub const REJECTIONS_MAX: usize = 64;
/// The time in which a rejected connection must send its request to receive the reason.
pub const REJECTION_WITHIN: Duration = Duration::from_secs(1);
/// The part of the connections, of the untaken bytes and of the requests, as its reciprocal, that is
/// kept for addresses with few of them.
pub const KEPT_PART: usize = 4;
/// The most connections of an address, or of the widest network that it is counted in, that still
/// are few.
pub const CONNECTIONS_FEW: usize = 8;
/// The widths of the networks that an IPv6 address is counted in, in bits, each with its share as a
/// multiple of that of one address. The first is one customer's; a customer may own the others.
pub const IPV6_NETWORKS: [(u32, u32); 3] = [(64, 1), (56, 2), (48, 4)];
/// The new connections of one address at once, as a multiple of its connections.
pub const OPENED_BURST_TIMES: u32 = 2;
/// The part of its connections, as its reciprocal, that an address may open anew each second.
pub const OPENED_PART: u32 = 16;
/// The part of its connections, as its reciprocal, that an address may have served at once anew;
/// further ones wait, so that a burst of one address does not delay others.
pub const STARTED_BURST_PART: u32 = 8;
/// The part of its connections, as its reciprocal, that an address has served anew each second.
pub const STARTED_PART: u32 = 2;
/// The least of both.
pub const STARTED_MIN: u32 = 8;
/// The rejected connections of one address that are told the reason; further ones are only closed.
pub const REJECTED_RATE: Rate = Rate {
    per_second: 4,
    burst: 8,
};
/// The time in which one address may make as many matches as it may have open, in seconds.
pub const CREATED_SECONDS: u32 = 60;
/// The matches that one address may make at once, as a multiple of those it may have open.
pub const CREATED_BURST_TIMES: u32 = 2;
/// The matches that the connections of one address follow together, as a multiple of their number.
pub const FOLLOWED_TIMES: usize = 4;
/// The bytes sent to one address for each message of its spectators' rate. Above them, large
/// answers wait; events of followed matches are sent, and counted.
pub const SENT_BYTES_PER_MESSAGE: u32 = 8 * 1024;
/// The bytes sent to a connection after which they are counted against its address.
pub const SENT_BYTES_COUNTED: usize = 32 * 1024;
/// Networks remembered at once: all with connections, and as many without whose token buckets are
/// not full yet.
pub const ADDRESSES_MAX: usize = (IPV6_NETWORKS.len() + 1) * CONNECTIONS_MAX;
/// The smallest number of remembered addresses at which those with full buckets are removed.
pub const ADDRESSES_SWEPT_FROM: usize = 1_024;
/// The message rate of the players of one address, as a multiple of its spectators'.
pub const PLAYERS_TIMES: u32 = 4;
/// The burst of one address, in seconds of its rate.
pub const ADDRESS_BURST_SECONDS: u32 = 4;
/// The rate at which one connection is read, in bytes: five times that of messages of usual length
/// at the message rate, with room for the longest message.
pub const READ_RATE: Rate = Rate {
    per_second: 64 * 1024,
    burst: 128 * 1024,
};
/// The longest time for the head of an HTTP request.
pub const HTTP_HEAD_WITHIN: Duration = Duration::from_secs(10);
/// The receive buffer of the operating system, in bytes. Its default is some megabytes, which a
/// client that sends faster than it is read would fill.
pub const UNREAD_BYTES_MAX: usize = 64 * 1024;
/// The longest time in which a client accepts no byte before its connection is closed. Longer than
/// all waits of a WebSocket, which end with a reason.
pub const WRITE_WITHIN: Duration = Duration::from_secs(20);
/// The longest head of an HTTP request, in bytes.
pub const HTTP_HEAD_BYTES_MAX: usize = 16 * 1024;
/// The longest time for a whole TLS handshake.
pub const TLS_WITHIN: Duration = Duration::from_secs(10);
/// The largest file with a certificate or a key, in bytes.
pub const PEM_BYTES_MAX: u64 = 1024 * 1024;
/// The pause after an `accept` that failed for lack of descriptors or memory.
pub const ACCEPT_PAUSE: Duration = Duration::from_millis(200);
/// The shortest time between two log lines about that.
pub const ACCEPT_LOGGED_EVERY: Duration = Duration::from_secs(60);

// Sessions.

/// The messages of a connection that take no tokens of its address: a `hello`, and a `resume` for
/// each match it can follow. So a player can reconnect while others of the same address use up its
/// rate.
pub const FREE_MESSAGES: u32 = 1 + FOLLOWED_MAX as u32;

/// A WebSocket's read and write buffer each, in bytes; the library's default is 128 KiB.
pub const SOCKET_BUFFER_BYTES: usize = 4 * 1024;
/// The longest time until an acceptable `hello`.
pub const HELLO_WITHIN: Duration = Duration::from_secs(10);
/// Matches one connection may follow at once.
pub const FOLLOWED_MAX: usize = 8;
/// Requests one connection may have unanswered at once.
pub const IN_FLIGHT_MAX: usize = 8;
/// Refusals for rate, since the client last kept to it, after which a connection ends.
pub const RATE_REFUSALS_MAX: u32 = 200;
/// The send buffer of the operating system, in bytes. Its default is some megabytes, which would
/// hide a slow client for long and use that memory for each.
pub const UNSENT_BYTES_MAX: usize = 64 * 1024;
/// The longest time for a client to accept one message.
pub const SEND_WITHIN: Duration = Duration::from_secs(5);
/// The matches of a guest that one answer lists. Each is read from its log.
pub const GUEST_MATCHES_LISTED: usize = 16;
/// Frames of one match sent before other events of the session are handled.
pub const FRAMES_PER_TURN: usize = 32;
/// The bytes sent to a connection and not taken yet that count as its own memory, and no further.
pub const UNTAKEN_FREE: usize = SOCKET_BUFFER_BYTES;
/// Such bytes beyond these, of all connections. A client whose answers find no room is closed as
/// slow.
pub const UNTAKEN_MAX: usize = 128 * 1024 * 1024;
/// Those of one address.
pub const UNTAKEN_OF_ADDRESS_MAX: usize = 16 * 1024 * 1024;
/// The most of them of an address, or of the widest network that it is counted in, that still are
/// few.
pub const UNTAKEN_FEW: usize = 1024 * 1024;
/// Requests of all connections that are unanswered at once.
pub const REQUESTS_MAX: usize = 8_192;
/// Those of one address.
pub const REQUESTS_OF_ADDRESS_MAX: usize = 1_024;
/// The most of them of an address, or of the widest network that it is counted in, that still are
/// few.
pub const REQUESTS_FEW: usize = 64;
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
/// Such codes at once, one for each guest; beyond them the oldest is forgotten.
pub const DEVICE_CODES_MAX: usize = 4_096;
/// Those asked for from one address.
pub const DEVICE_CODES_PER_ADDRESS: usize = 32;
/// The requests about devices of one address, wrong codes among them.
pub const DEVICE_RATE: Rate = Rate {
    per_second: 1,
    burst: 32,
};

// Time.

/// The interval at which the server reads its clock, whatever else it does.
pub const HEARTBEAT_EVERY: Duration = Duration::from_millis(250);
/// The time between two readings from which on the process counts as stopped meanwhile.
pub const HEARTBEAT_GAP: Duration = Duration::from_secs(1);
/// The interval at which the store notes that the server runs, while a match is in memory: the
/// most of a player's thinking that a kill gives back, besides the time of a write.
pub const UPTIME_NOTED_EVERY: Duration = Duration::from_secs(2);
/// The same interval while no match is in memory.
pub const UPTIME_NOTED_IDLE_EVERY: Duration = Duration::from_secs(30);
/// The pause before what is due in a match is tried again while the store does not answer.
pub const DUE_RETRY_PAUSE: Duration = Duration::from_secs(1);
/// The difference between the machine's clock and the store's from which it is logged.
pub const CORRECTION_LOGGED_FROM: Duration = Duration::from_secs(1);
/// The interval at which each of several servers on a store notes that it runs.
pub const BEAT_EVERY: Duration = Duration::from_secs(1);
/// The longest time for such a note; a slower one tells the time too badly.
pub const BEAT_WITHIN: Duration = Duration::from_secs(1);
/// The longest silence of all servers on a store that is no downtime, and that of one server after
/// which it is taken for dead. What a deadline ends was confirmed to be due within it.
pub const SERVICE_GAP: Duration = Duration::from_secs(5);
/// The absences that the server remembers of matches that are not in memory.
pub const ABSENCES_MAX: usize = 4_096;
/// The time from `hello` in which a player who does not follow a match yet is not away from it.
pub const RESUME_WITHIN: Duration = Duration::from_secs(60);

/// The times without a server that the store remembers; older ones are joined.
pub const DOWNTIMES_MAX: usize = 256;

// The sweep.

/// The pause between two rounds through all unfinished matches: the least time for which the
/// players of a match must have left it before it ends.
pub const SWEEP_EVERY: Duration = Duration::from_secs(10 * 60);
/// The pause after each log that a round reads.
pub const SWEEP_PAUSE: Duration = Duration::from_millis(50);
/// Unfinished matches that a round reads from the store's index at once.
pub const SWEEP_PAGE: usize = 256;
/// Matches that a round remembers as left by their players; further ones end in a later round.
pub const LEFT_MAX: usize = 65_536;

// Matches.

/// Matches in memory at once.
pub const LIVE_MATCHES_MAX: usize = 32_768;
/// The memory of these matches, in bytes, as estimated from their events and frames.
pub const LIVE_BYTES_MAX: usize = 384 * 1024 * 1024;
/// The part of these two bounds, as its reciprocal, that is kept for addresses that follow few
/// matches.
pub const LIVE_KEPT_PART: usize = 4;
/// The most matches that the connections of an address, or of the widest network that it is counted
/// in, follow together and that still are few.
pub const FOLLOWED_FEW: usize = 8;
/// The estimated memory of a match without its events and frames, in bytes.
pub const MATCH_BYTES: usize = 10 * 1024;
/// The estimated memory of a match's first position, as a multiple of the length of its text: it is
/// kept as terms, in the log and, in numbers, as the position.
pub const START_TIMES: usize = 8;
/// The estimated memory of an event of a match in memory, in bytes.
pub const EVENT_BYTES: usize = 512;
/// The change of a match's memory from which it is counted, in bytes.
pub const LIVE_BYTES_COUNTED: usize = 4 * 1024;
/// The time after its last request in which a match that nobody follows leaves memory.
pub const UNFOLLOWED_FOR: Duration = Duration::from_secs(1);
/// Matches in play between two people that stay in memory for longer although nobody follows them,
/// so that their chat and the time of an absence are kept while both reconnect.
pub const LINGERING_MAX: usize = 256;
/// Connections without a seat that may follow one match at once.
pub const SPECTATORS_MAX: usize = 10_000;
/// Matches, open or in play, that one guest may have created.
pub const MATCHES_MAX: u32 = 64;
/// Seats in open matches or matches in play that one guest may hold.
pub const SEATS_MAX: u32 = 128;
/// The time after its creation in which a match counts against these two bounds. A match that both
/// players have abandoned is never over, and must not keep them from others for ever.
pub const SEAT_COUNTS_FOR: Duration = Duration::from_secs(24 * 60 * 60);
/// The newest matches that count against these two bounds; older ones do not.
pub const SEATS_KNOWN_MAX: usize = 50_000;
/// Requests that may wait for one match.
pub const INBOX_MAX: usize = 64;
/// The longest wait of a request to follow a match for room in its inbox.
pub const FOLLOW_WITHIN: Duration = Duration::from_secs(10);
/// Attempts of a request to reach a match whose task ends at the same time.
pub const LOOKUP_TRIES: u32 = 8;
/// The longest wait of a match task with an empty log for the request that creates the match.
pub const CREATION_WAIT: Duration = Duration::from_secs(1);
/// Draws of a code for a new match until a free one is found.
pub const CODE_TRIES: u32 = 16;
/// The longest time to read a match from the store.
pub const OPEN_WITHIN: Duration = Duration::from_secs(10);
/// The longest time to store an event before it is in doubt.
pub const APPEND_WITHIN: Duration = Duration::from_secs(5);
/// The shortest time between two presence messages of one match.
pub const PRESENCE_EVERY: Duration = Duration::from_millis(500);
/// The longest sleep of a match until its deadline, because the clock may be set meanwhile.
pub const DEADLINE_CHECK_EVERY: Duration = Duration::from_secs(60);

/// Chat lines that a match remembers in each of its two channels.
pub const TALK_KEPT: usize = 50;
/// The rate of chat messages of one connection.
pub const TALK_RATE: Rate = Rate {
    per_second: 1,
    burst: 5,
};

// Bots.

/// Computations of bots at once; further ones wait.
pub const COMPUTATIONS_MAX: usize = 4;
/// Computations for questions at once; further ones wait, in turn by address. Few, because bots are
/// thought for first.
pub const QUESTIONS_MAX: usize = 1;
/// Questions of one address, or of the widest network that it is counted in, that may wait.
pub const QUESTIONS_WAITING_MAX: usize = 64;
/// The processor time for the questions of one address, in microseconds.
pub const COMPUTED_RATE: Rate = Rate {
    per_second: 200_000,
    burst: 4_000_000,
};
/// Reviews that are kept, so that each is computed once.
pub const REVIEWS_KEPT: usize = 16;
/// Pictures of positions that are kept, each for one version of a match; some ten KiB each.
pub const PREVIEWS_KEPT: usize = 64;
/// The pause before a bot repeats a command that was refused temporarily.
pub const BOT_RETRY_PAUSE: Duration = Duration::from_millis(200);

// The lobby.

/// Open matches, and matches in play, that one page of the lobby lists.
pub const LOBBY_LISTED_MAX: usize = 50;
/// Open matches and matches in play that are kept to fill its pages.
pub const LOBBY_KEPT_MAX: usize = 4_000;
/// The part of the open matches of one address, as its reciprocal, that the lobby lists.
pub const LOBBY_PART: usize = 8;
/// The time for which a match is listed after the last connection that it is listed for.
pub const LOBBY_GRACE: Duration = Duration::from_secs(10);
/// The longest start in the lobby, in characters.
pub const LOBBY_START_CHARS: usize = 64;
/// The changes of the lobby that are kept for watchers that have not seen them.
pub const LOBBY_CHANGES_KEPT: usize = 16;
/// The time between two reads of the lobby of all servers on a store while nobody watches it.
pub const LOBBY_UNWATCHED_EVERY: Duration = Duration::from_secs(2);
/// The shortest time between two lobby messages to the same connection.
pub const LOBBY_EVERY: Duration = Duration::from_millis(250);

// The store.

/// The number of times a log is read whose newest record the writer may be about to note.
pub const TAIL_TRIES: u32 = 50;
/// The pause between these tries.
pub const TAIL_PAUSE: Duration = Duration::from_millis(5);

/// Matches that a migration between stores reads the ids of at once.
pub const MIGRATION_PAGE: usize = 512;
/// Matches that it copies, or compares, at once.
pub const MIGRATED_AT_ONCE: usize = 128;
/// The hints of other processes that wait for a slow reader; more are lost.
pub const HINTS_MAX: usize = 4_096;
/// The shortest time between two notes of who is connected to this server's matches.
pub const PRESENCE_NOTED_EVERY: Duration = Duration::from_millis(200);
/// The pause after such a note could not be written, or those of other servers not be read.
pub const PRESENCE_RETRY_PAUSE: Duration = Duration::from_millis(500);
/// Guests whose coming or going the store has not been told yet, as long as it cannot be told: all
/// that are connected, and as many that have left as came meanwhile. Of further ones who leave it
/// keeps the older note, which says that they are connected: nobody loses by it.
pub const GUESTS_UNWRITTEN_MAX: usize = 4 * CONNECTIONS_MAX;
/// The time for which a bot leaves its answer to the server that stored the newest event.
pub const BOT_ELSEWHERE_PAUSE: Duration = Duration::from_secs(5);
/// The time between two looks at all matches in memory that other servers may append to.
pub const HEADS_EVERY: Duration = Duration::from_secs(5);
/// The most logs of one such look.
pub const HEADS_MAX: usize = 1_024;
/// The times that a request is decided again because other processes appended first.
pub const CONFLICT_TRIES: usize = 16;

/// The most appends that wait for the writer.
pub const APPEND_QUEUE_MAX: usize = 1_024;
/// The most appends in one transaction.
pub const BATCH_MAX: usize = 256;
/// The time for which the writer lets appends gather, if its last transaction had several.
pub const GROUP_DELAY: Duration = Duration::from_micros(500);
/// The times it then lets the tasks go first that are ready to run.
pub const GROUP_YIELDS: u32 = 2;
/// The length of the journal, in records, above which they are moved into chunks. Each needs some
/// bytes of memory.
pub const JOURNAL_ROWS_MAX: i64 = 32_768;
/// The most records of one chunk.
pub const CHUNK_RECORDS_MAX: u64 = 32;
/// The size of the records in a chunk after which it takes no further one, in bytes.
pub const CHUNK_TEXT_BYTES: usize = 16 * 1024;
/// The most bytes of records that a chunk is read with.
pub const CHUNK_BYTES_MAX: usize = 1024 * 1024;
/// The fewest records that a transaction of appends moves into chunks, once it moves any.
pub const MOVE_ROWS_MIN: usize = 64;
/// The records that a transaction moves, as a multiple of those it appends.
pub const MOVE_TIMES: usize = 2;
/// The moved records that a transaction removes from the journal, as a multiple of those it could
/// move instead.
pub const REMOVE_TIMES: usize = 4;
/// The appends that a transaction counts for when a server that ends moves the journal.
pub const FINISH_ROWS: usize = 1_024;
/// The part of the file, as its reciprocal, that must be free before a server that ends makes the
/// file smaller.
pub const FREE_PAGES_PART: i64 = 8;
/// The size of a file above which a server that ends leaves it as large as it is, in bytes.
pub const FREED_BYTES_MAX: i64 = 64 * 1024 * 1024;
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
/// The connections on which a server writes to a database, so that one batch gathers and travels
/// while another one waits for the standby.
pub const WRITE_CONNECTIONS: usize = 2;
/// The connections on which it reads.
pub const READ_CONNECTIONS: usize = 3;
/// The longest time for one server of a database to connect and to tell its settings.
pub const HANDSHAKE_WITHIN: Duration = Duration::from_millis(1_500);
/// The addresses of one host name that are tried.
pub const DATABASE_ADDRESSES_MAX: usize = 4;
/// The time after which a statement is given up: soon no caller waits for it.
pub const STATEMENT_WITHIN: Duration = WRITE_OVERDUE_AFTER;
/// The times that a batch is written which the database undoes because of others.
pub const RIVALRY_TRIES: u32 = 4;
/// The longest pause before a server connects to its database again.
pub const RECONNECT_PAUSE_MAX: Duration = Duration::from_secs(1);
/// The writes that a server gives up and that still wait for the standby, above which it begins no
/// further one: each keeps a connection of the database until it ends.
pub const ABANDONED_WRITES_MAX: usize = 4;
/// The time that a server which starts waits for a database that cannot be reached.
pub const START_WITHIN: Duration = Duration::from_secs(30);
/// The times that a note is written which other servers change at the same time.
pub const NOTE_TRIES: u32 = 8;
/// The time after its last sign of life in which a server's notes are kept in a database, and after
/// which chat lines are removed from it at the latest.
pub const SERVER_FORGOTTEN_AFTER: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// The hints in one notification of the database, which takes fewer than 8 000 bytes.
pub const HINTS_PER_NOTICE: usize = 128;
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
/// The interval at which the server checks its own readiness.
pub const READY_EVERY: Duration = Duration::from_millis(500);

// Shutdown.

/// The longest time for sessions to finish their pending requests.
pub const DRAIN_WITHIN: Duration = Duration::from_secs(8);
/// The longest time for matches and HTTP connections to end after that.
pub const STOP_WITHIN: Duration = Duration::from_secs(6);
/// The range of the wait that clients are asked for before they reconnect, in milliseconds; spread,
/// so that they do not all return at once.
pub const RETRY_AFTER_MS: std::ops::RangeInclusive<u64> = 500..=2_000;

/// The limits in the `welcome` of a connection with this message rate.
#[must_use]
pub fn of_a_connection(rate: Rate, silent_max: Duration) -> Limits {
    Limits {
        message_bytes: MESSAGE_BYTES_MAX,
        name_chars: NAME_CHARS_MAX,
        command_id_chars: COMMAND_ID_MAX,
        following: FOLLOWED_MAX,
        in_flight: IN_FLIGHT_MAX,
        per_second: rate.per_second,
        burst: rate.burst,
        silent_ms: u32::try_from(silent_max.as_millis()).unwrap_or(u32::MAX),
        matches: MATCHES_MAX,
        seats: SEATS_MAX,
    }
}

#[cfg(test)]
mod tests;
