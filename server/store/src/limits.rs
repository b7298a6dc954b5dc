//! The bounds of every store, and of several servers on one.

use std::time::Duration;

/// Hints of other processes that wait for a slow reader. Further ones are lost.
pub const HINTS_MAX: usize = 4_096;
/// After this long without an answer from the store, a server sends players on to the other servers.
pub const STORE_LOST_AFTER: Duration = Duration::from_secs(2);
/// The most logs whose ends are read at once, and the most subjects whose notes are.
pub const HEADS_MAX: usize = 1_024;
/// The most appends that wait for the writer.
pub const APPEND_QUEUE_MAX: usize = 1_024;
/// The most appends in one transaction.
pub const BATCH_MAX: usize = 256;
/// A writer that gathers appends lets other ready tasks run first, this many times.
pub const GROUP_YIELDS: u32 = 2;
/// After this long, an unfinished write makes the store not ready, because its callers are about to give up.
pub const WRITE_OVERDUE_AFTER: Duration = Duration::from_secs(4);
/// The pause before each attempt to recover a store that cannot write.
pub const RECOVERY_PAUSE: Duration = Duration::from_millis(250);
/// A starting server waits this long for a database that cannot be reached.
pub const START_WITHIN: Duration = Duration::from_secs(30);
/// A chat line is kept for this long.
pub const CHAT_KEPT_FOR: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// A guest's marks are kept for this long after their last change.
pub const MARKS_KEPT_FOR: Duration = Duration::from_secs(365 * 24 * 60 * 60);
/// The server keeps a guest's streak for this long. It ends earlier, once the guest misses a day.
pub const STREAKS_KEPT_FOR: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// The number of match ids that `check` reads at once.
pub const CHECK_PAGE: usize = 1_000;
/// The longest time to store an event before it is in doubt.
pub const APPEND_WITHIN: Duration = Duration::from_secs(5);
/// The interval at which each server notes that it runs.
pub const BEAT_EVERY: Duration = Duration::from_secs(1);
/// Times without a server that the store remembers. Beyond it, the oldest ones are joined.
pub const DOWNTIMES_MAX: usize = 256;
/// The longest time to read a match from the store.
pub const OPEN_WITHIN: Duration = Duration::from_secs(10);
/// Silence after which a server counts as dead; if all are silent this long, players' clocks stop. A deadline
/// is applied only if the store has confirmed within this time that it is due.
pub const SERVICE_GAP: Duration = Duration::from_secs(5);
/// Chat lines that a match remembers in each of its two channels.
pub const TALK_KEPT: usize = 50;
/// The shortest time between two lines of a log that could come many times a second.
pub const SELDOM_LOGGED_EVERY: Duration = Duration::from_secs(60);
/// While a match is in memory, the store notes at this interval that the server runs. A kill gives players back
/// at most this much thinking time, and the time of a write.
pub const UPTIME_NOTED_EVERY: Duration = Duration::from_secs(2);
/// From this difference on, the machine's clock against the store's is logged.
pub const CORRECTION_LOGGED_FROM: Duration = Duration::from_secs(1);
