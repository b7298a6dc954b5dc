//! The bounds of matches: lengths of queues, waits and sizes.

use std::time::Duration;

pub use fibfob_net::limits::*;

// Guests.

/// The fewest days between two missed ones that both are forgiven.
pub const GRACE_DAYS_APART: u32 = 7;
/// Calls of guests without a connection that wait or are being made; as many may wait for these, and further
/// ones are not made.
pub const CALLS_MAX: usize = 1_024;

// Time.

/// The interval at which the server reads its clock, whatever else it does.
pub const HEARTBEAT_EVERY: Duration = Duration::from_millis(250);
/// The time between two readings from which on the process counts as stopped meanwhile.
pub const HEARTBEAT_GAP: Duration = Duration::from_secs(1);
/// The interval at which the server measures how late its tasks are woken.
pub const LATENESS_PROBED_EVERY: Duration = Duration::from_millis(100);
/// The most that is charged to nobody of each delay by the server itself: until a turn can be shown,
/// and until its answer is read.
pub const SERVER_LATE_MAX: Duration = Duration::from_secs(3);
/// The lateness of a turn from which it is charged to nobody. Less than that is usual.
pub const SERVER_LATE_FROM: Duration = Duration::from_millis(25);
/// The pause before what is due in a match is tried again while the store does not answer.
pub const DUE_RETRY_PAUSE: Duration = Duration::from_secs(1);
/// The longest time for a note that this server runs; a slower one tells the time too badly.
pub const BEAT_WITHIN: Duration = Duration::from_secs(1);
/// The absences that the server remembers of matches that are not in memory.
pub const ABSENCES_MAX: usize = 4_096;
/// The time from `hello` in which a player who does not follow a match yet is not away from it.
pub const RESUME_WITHIN: Duration = Duration::from_secs(60);

// The sweep.

/// The pause between two rounds through all unfinished matches: the least time for which the
/// players of a match must have left it before it ends.
pub const SWEEP_EVERY: Duration = Duration::from_secs(10 * 60);
/// The pause after each log that a round reads.
pub const SWEEP_PAUSE: Duration = Duration::from_millis(50);
/// Unfinished matches that a round reads from the store's index at once.
pub const SWEEP_PAGE: usize = 256;
/// Matches whose players were gone that a round remembers, 40 bytes each. Further ones end some rounds later.
pub const LEFT_MAX: usize = 65_536;
/// The longest time for which the index leaves out a match in play. After it the match is read again, because an
/// operator may have chosen a shorter time for what is abandoned, or a crash may have taken a bot's move.
pub const LOOKED_AT_WITHIN: Duration = Duration::from_secs(24 * 60 * 60);

// Matches.

/// Matches in memory at once; of this and the next bound one part in [`KEPT_PART`] is kept for addresses
/// that follow few matches.
pub const LIVE_MATCHES_MAX: usize = 32_768;
/// The memory of these matches, in bytes, as estimated from their events and frames.
pub const LIVE_BYTES_MAX: usize = 384 * 1024 * 1024;
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
/// The shortest time between two presence messages of one match.
pub const PRESENCE_EVERY: Duration = Duration::from_millis(500);
/// The longest sleep of a match until its deadline, because the clock may be set meanwhile.
pub const DEADLINE_CHECK_EVERY: Duration = Duration::from_secs(60);

/// The rate of chat lines of one guest, on all its connections.
pub const TALK_RATE: Rate = Rate {
    per_second: 1,
    burst: 5,
};
/// That of the spectators of a match who have one address.
pub const SPECTATORS_TALK_RATE: Rate = Rate {
    per_second: 2,
    burst: 10,
};
/// Guests, and the spectators of a match who have one address, whose rates are remembered; beyond them those are forgotten who have been
/// silent for a while, and if there is none, further ones wait.
pub const TALKERS_MAX: usize = 16_384;
/// Guests of whom a match remembers that they have muted its chat.
pub const MUTED_MAX: usize = 64;

// Bots.

/// Computations of bots at once; further ones wait.
pub const COMPUTATIONS_MAX: usize = 4;
/// Computations for questions at once; further ones wait, in turn by address. Few, because bots are
/// thought for first.
pub const QUESTIONS_MAX: usize = 1;
/// Questions of one address, or of the widest network that it is counted in, that may wait.
pub const QUESTIONS_WAITING_MAX: usize = 64;
/// Reviews that are kept, so that each is computed once.
pub const REVIEWS_KEPT: usize = 16;
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
/// The time between two reads of the whole lobby while other servers change it.
pub const LOBBY_UNWATCHED_EVERY: Duration = Duration::from_secs(2);
/// The matches of a guest whose newest change is kept for its connections that watch them.
pub const OWN_CHANGES_KEPT: usize = 128;
/// The shortest time between two messages of the lobby, or of one's own matches, to the same connection.
pub const LOBBY_EVERY: Duration = Duration::from_millis(250);

// A server among others on one store.

/// The shortest time between two notes of who is connected to this server's matches.
pub const PRESENCE_NOTED_EVERY: Duration = Duration::from_millis(200);
/// The pause after such a note could not be written, or those of other servers not be read.
pub const PRESENCE_RETRY_PAUSE: Duration = Duration::from_millis(500);
/// Notes of matches, or of guests, that a server keeps until its store has them; one beyond that of
/// somebody who has left is dropped, and the store then has the older one, which says that they are
/// connected: nobody loses by it.
pub const UNSTORED_NOTES_MAX: usize = 4 * CONNECTIONS_MAX;
/// Notes of other servers about one match that wait for its task; more of them are read.
pub const PRESENCE_HINTS_MAX: usize = 16;
/// The time for which a bot leaves its answer to the server that stored the newest event.
pub const BOT_ELSEWHERE_PAUSE: Duration = Duration::from_secs(5);
/// The time between two looks at all matches in memory that other servers may append to.
pub const HEADS_EVERY: Duration = Duration::from_secs(5);
/// The same time while no other server lives: a database may have lost events.
pub const HEADS_ALONE_EVERY: Duration = Duration::from_secs(60);
/// The times that a request is decided again because other processes appended first.
pub const CONFLICT_TRIES: usize = 16;
/// The records carried by hints that a match keeps until it looks; it reads the others.
pub const CARRIED_RECORDS_MAX: usize = 16;
