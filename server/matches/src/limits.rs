//! The bounds of matches: lengths of queues, waits and sizes.

use std::time::Duration;

pub use fibfob_net::limits::*;

// Guests.

/// Absent guests who wait to be notified, each with one entry; 6 MiB if all have many matches. As many as there may
/// be connections.
pub const NOTIFIED_GUESTS_MAX: usize = 16_384;
/// Matches of one guest that its entry names. Of further ones it keeps only since when they have changed.
pub const NEWS_MAX: usize = 16;
/// The wait before a guest is notified, in which a page that is being reloaded connects.
pub const NOTIFY_DELAY: Duration = Duration::from_secs(2);

// Time.

/// The interval at which the server reads its clock, whatever else it does.
pub const HEARTBEAT_EVERY: Duration = Duration::from_millis(250);
/// A gap between two readings from which on the process counts as having stopped.
pub const HEARTBEAT_GAP: Duration = Duration::from_secs(1);
/// The interval at which the server measures how late its tasks are woken.
pub const LATENESS_PROBED_EVERY: Duration = Duration::from_millis(100);
/// Caps the server's own delay that a player's clock is spared per move: until the turn can be shown, and until
/// its answer is read.
pub const SERVER_LATE_MAX: Duration = Duration::from_secs(3);
/// A turn that is this late is not charged to its player. Less is usual.
pub const SERVER_LATE_FROM: Duration = Duration::from_millis(25);
/// The pause before due events are tried again while the store does not answer.
pub const DUE_RETRY_PAUSE: Duration = Duration::from_secs(1);
/// Bounds a heartbeat. The answer to a slower one tells the time too vaguely.
pub const BEAT_WITHIN: Duration = Duration::from_secs(1);
/// Absences that the server remembers for matches out of memory.
pub const ABSENCES_MAX: usize = 4_096;
/// After `hello`, a player who follows no match yet does not count as away for this long.
pub const RESUME_WITHIN: Duration = Duration::from_secs(60);

// The sweep.

/// The pause between two rounds through what may be due. A match ends only if two rounds in a row find
/// it left.
pub const SWEEP_EVERY: Duration = Duration::from_secs(10 * 60);
/// The pause after each log that a round reads.
pub const SWEEP_PAUSE: Duration = Duration::from_millis(50);
/// Unfinished matches that a round reads from the store's index at once.
pub const SWEEP_PAGE: usize = 256;
/// Matches without their players that a round remembers, 40 bytes each. Further ones end some rounds later.
pub const LEFT_MAX: usize = 65_536;
/// The sweep reads a match in play again after this time at the latest: an operator may have set a shorter time
/// until a match counts as abandoned, or a crash may have lost a bot's move.
pub const LOOKED_AT_WITHIN: Duration = Duration::from_secs(24 * 60 * 60);

// Matches.

/// Matches in memory at once. One part in [`KEPT_PART`] of this and of the next bound is kept for addresses
/// that follow few matches.
pub const LIVE_MATCHES_MAX: usize = 32_768;
/// The memory of these matches in bytes, estimated from their events and frames.
pub const LIVE_BYTES_MAX: usize = 384 * 1024 * 1024;
/// The estimated memory of a match without its events and frames, in bytes.
pub const MATCH_BYTES: usize = 10 * 1024;
/// The memory of a match's first position, as a multiple of its text's length. It is kept three times: as
/// terms, in the log, and as the position.
pub const START_TIMES: usize = 8;
/// The estimated memory of an event of a match in memory, in bytes.
pub const EVENT_BYTES: usize = 512;
/// A match's memory is counted again when its estimate changes by this much, in bytes.
pub const LIVE_BYTES_COUNTED: usize = 4 * 1024;
/// A match that nobody follows leaves memory this long after its last request.
pub const UNFOLLOWED_FOR: Duration = Duration::from_secs(1);
/// Matches in play between two people that stay in memory for longer although nobody follows them, so that
/// chat and absences are kept while both reconnect.
pub const LINGERING_MAX: usize = 256;
/// Connections without a seat that may follow one match at once.
pub const SPECTATORS_MAX: usize = 10_000;
/// Matches, open or in play, that one guest may have created.
pub const MATCHES_MAX: u32 = 64;
/// Seats in open matches or matches in play that one guest may hold.
pub const SEATS_MAX: u32 = 128;
/// A match counts against these two bounds for this long after its creation. A match that both players have
/// left is never over, and must not block them for ever.
pub const SEAT_COUNTS_FOR: Duration = Duration::from_secs(24 * 60 * 60);
/// Requests that may wait for one match.
pub const INBOX_MAX: usize = 64;
/// Bounds the wait of a request to follow a match for room in its inbox.
pub const FOLLOW_WITHIN: Duration = Duration::from_secs(10);
/// The times that a request tries to reach a match whose task is ending.
pub const LOOKUP_TRIES: u32 = 8;

/// Bounds the wait of a match task with an empty log for the request that creates the match.
pub const CREATION_WAIT: Duration = Duration::from_secs(1);
/// The codes drawn for a new match before giving up.
pub const CODE_TRIES: u32 = 16;
/// The shortest time between two presence messages of one match.
pub const PRESENCE_EVERY: Duration = Duration::from_millis(500);
/// The longest sleep of a match before its deadline. The clock may be corrected meanwhile.
pub const DEADLINE_CHECK_EVERY: Duration = Duration::from_secs(60);

/// The rate of chat lines of one guest, on all its connections.
pub const TALK_RATE: Rate = Rate {
    per_second: 1,
    burst: 5,
};
/// The rate of chat lines of all spectators of a match who share an address.
pub const SPECTATORS_TALK_RATE: Rate = Rate {
    per_second: 2,
    burst: 10,
};
/// Chat rates that are remembered, of guests and of a match's spectators at one address. Beyond it, those silent
/// for a while are forgotten; if there are none, further ones have to wait.
pub const TALKERS_MAX: usize = 16_384;
/// Guests whose muting of its chat a match remembers.
pub const MUTED_MAX: usize = 64;

// Computations, and bots.

/// Bots have one place for a whole job for this many of the runtime's threads, at least one, and all other jobs have as
/// many. So half of the processors stay free for people who play each other. There are as many places for first
/// tries, which take little. On two processors the system shares them between the jobs and the runtime.
pub const THREADS_PER_PLACE: usize = 4;
/// The most places of each: enough for thousands of matches against bots.
pub const JOB_PLACES_MAX: usize = 4;
/// The nice value of a whole job's thread. The system gives such a thread about a tenth of a busy processor. So the job
/// hardly delays who plays, and still ends.
#[cfg(target_os = "linux")]
pub const LONG_JOB_NICE: i32 = 10;
/// The most processor time of a first try (`fibfob_games::TRIAL_STEPS`). A queue counts with it until the try has run.
pub const TRIAL_TIME: Duration = Duration::from_millis(1);
/// The most processor time of a bot's move. Its owner is charged this until the bot has chosen.
pub const MOVE_TIME: Duration = Duration::from_millis(50);
/// The most processor time of a solver's answer. Its owner is charged this until the solver has answered. So an address
/// may have some 40 unanswered questions.
pub const QUESTION_TIME: Duration = Duration::from_millis(100);
/// The same for a page, a picture, or a random start. All pages of a class that opens its links at once are let
/// in.
pub const PAGE_TIME: Duration = Duration::from_millis(5);
/// Reviews that are kept, so that each is computed once.
pub const REVIEWS_KEPT: usize = 16;
/// Flights that are kept: today's, and yesterday's around midnight.
pub const FLIGHTS_KEPT: usize = 2;
/// The pause before a bot repeats a command that was refused temporarily.
pub const BOT_RETRY_PAUSE: Duration = Duration::from_millis(200);

// The disk.

/// A day, by which stored bytes are counted.
pub const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Addresses and networks for which stored bytes are counted at once: some 2 MB of memory. Beyond it, those that have
/// stored the least are forgotten.
pub const DISK_OWNERS_MAX: usize = 16_384;
/// Room is scarce if it would be used up in this many days like the last one. So an operator who reads the alert on a
/// Monday after a long weekend is in time.
pub const DISK_RESERVE_DAYS: u64 = 7;
/// The bytes that a stored record or note takes beside its text: its key, its checksum and its place in an index.
pub const ROW_BYTES: u64 = 64;
/// The bytes of a match's row in the index, with the names of its players.
pub const INDEX_ROW_BYTES: u64 = 512;
/// The interval between two looks at the free room. The fastest writers of a full network take some 20 MB meanwhile.
pub const ROOM_LOOKED_EVERY: Duration = Duration::from_secs(10);

// The lobby.

/// Open matches, and matches in play, that one page of the lobby lists.
pub const LOBBY_LISTED_MAX: usize = 50;
/// Open matches and matches in play that are kept to fill its pages.
pub const LOBBY_KEPT_MAX: usize = 4_000;
/// The lobby lists one part in this many of an address's open matches.
pub const LOBBY_PART: usize = 8;
/// A match stays listed for this long after its last connection.
pub const LOBBY_GRACE: Duration = Duration::from_secs(10);
/// The longest start in the lobby, in characters.
pub const LOBBY_START_CHARS: usize = 64;
/// Changes of the lobby that are kept for watchers who have not seen them.
pub const LOBBY_CHANGES_KEPT: usize = 16;
/// The time between two reads of the whole lobby, which other servers change too.
pub const LOBBY_UNWATCHED_EVERY: Duration = Duration::from_secs(2);
/// Matches of one guest whose newest change is kept for connections that watch them.
pub const OWN_CHANGES_KEPT: usize = 128;
/// The shortest time between two messages of the lobby, or of one's own matches, to the same connection.
pub const LOBBY_EVERY: Duration = Duration::from_millis(250);

/// Matches that are hidden at once.
pub const HIDDEN_MAX: usize = 4_096;
/// While so many are hidden, a hidden match has no rematch, because that would be hidden too. So two players cannot
/// use up the places that operators need.
pub const HIDDEN_REMATCHES_MAX: usize = HIDDEN_MAX / 2;
/// The time for which a match stays hidden.
pub const HIDDEN_FOR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

// A server among others on one store.

/// The shortest time between two notes of who is connected to this server's matches.
pub const PRESENCE_NOTED_EVERY: Duration = Duration::from_millis(200);
/// The pause after a failed attempt to write such a note, or to read those of other servers.
pub const PRESENCE_RETRY_PAUSE: Duration = Duration::from_millis(500);
/// Bounds the presence notes that wait for the store. Beyond it, notes of players who left are dropped: the
/// store shows them as connected for longer, which harms nobody.
pub const UNSTORED_NOTES_MAX: usize = 4 * CONNECTIONS_MAX;
/// Other servers' notes about one match that wait for its task. Beyond it, the task reads them from the
/// store.
pub const PRESENCE_HINTS_MAX: usize = 16;
/// A bot waits this long for the bot of the server that stored the newest event.
pub const BOT_ELSEWHERE_PAUSE: Duration = Duration::from_secs(5);
/// The time between two looks at all matches in memory that other servers may append to.
pub const HEADS_EVERY: Duration = Duration::from_secs(5);
/// The same, while no other server lives. A database may still have lost events.
pub const HEADS_ALONE_EVERY: Duration = Duration::from_secs(60);
/// Attempts to decide a request again after other processes appended first.
pub const CONFLICT_TRIES: usize = 16;
/// Records from hints that a match keeps until it looks. It reads further ones from the store.
pub const CARRIED_RECORDS_MAX: usize = 16;
