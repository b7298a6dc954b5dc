//! The bounds of every store, and of several servers on one.

use std::time::Duration;

/// The hints of other processes that wait for a slow reader; more are lost.
pub const HINTS_MAX: usize = 4_096;
/// The time without an answer of the store after which a server sends the players whom it has to refuse
/// to the other servers.
pub const STORE_LOST_AFTER: Duration = Duration::from_secs(2);
/// The most logs whose ends are read at once, and notes about as many subjects.
pub const HEADS_MAX: usize = 1_024;
/// The most appends that wait for the writer.
pub const APPEND_QUEUE_MAX: usize = 1_024;
/// The most appends in one transaction.
pub const BATCH_MAX: usize = 256;
/// The times that a writer which lets appends gather lets the tasks go first that are ready to run.
pub const GROUP_YIELDS: u32 = 2;
/// The time after which an unfinished write makes the store not ready: soon no caller waits for it.
pub const WRITE_OVERDUE_AFTER: Duration = Duration::from_secs(4);
/// The pause before each attempt to recover a store that cannot write.
pub const RECOVERY_PAUSE: Duration = Duration::from_millis(250);
/// The time that a server which starts waits for a database that cannot be reached.
pub const START_WITHIN: Duration = Duration::from_secs(30);
/// The time for which a chat line is kept.
pub const CHAT_KEPT_FOR: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// The time for which the marks of a guest are kept after they have last changed.
pub const MARKS_KEPT_FOR: Duration = Duration::from_secs(365 * 24 * 60 * 60);
/// The time for which it is kept that a flight has arrived; it is counted on its day.
pub const ARRIVALS_KEPT_FOR: Duration = Duration::from_secs(2 * 24 * 60 * 60);
/// The time for which a guest's days in a row are kept. They are over some days after the last of them.
pub const STREAKS_KEPT_FOR: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// The number of match ids that `check` reads at once.
pub const CHECK_PAGE: usize = 1_000;
/// The longest time to store an event before it is in doubt.
pub const APPEND_WITHIN: Duration = Duration::from_secs(5);
/// The interval at which each server notes that it runs.
pub const BEAT_EVERY: Duration = Duration::from_secs(1);
/// The times without a server that the store remembers; older ones are joined.
pub const DOWNTIMES_MAX: usize = 256;
/// The longest time to read a match from the store.
pub const OPEN_WITHIN: Duration = Duration::from_secs(10);
/// The longest silence of all servers on a store that is no downtime, and that of one server after
/// which it is taken for dead. What a deadline ends was confirmed to be due within it.
pub const SERVICE_GAP: Duration = Duration::from_secs(5);
/// Chat lines that a match remembers in each of its two channels.
pub const TALK_KEPT: usize = 50;
/// The shortest time between two lines of a log that could come many times a second.
pub const SELDOM_LOGGED_EVERY: Duration = Duration::from_secs(60);
/// The interval at which the store notes that the server runs, while a match is in memory: the
/// most of a player's thinking that a kill gives back, besides the time of a write.
pub const UPTIME_NOTED_EVERY: Duration = Duration::from_secs(2);
/// The difference between the machine's clock and the store's from which it is logged.
pub const CORRECTION_LOGGED_FROM: Duration = Duration::from_secs(1);
