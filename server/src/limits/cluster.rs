//! The bounds of a server among others on one store.

use std::time::Duration;

use super::CONNECTIONS_MAX;

/// Matches that a migration between stores reads the ids of at once.
pub const MIGRATION_PAGE: usize = 512;
/// Matches that it copies, or compares, at once.
pub const MIGRATED_AT_ONCE: usize = 128;
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
/// The time that the store may take to answer a readiness check.
pub const READY_WITHIN: Duration = Duration::from_secs(2);
/// The interval at which the server checks its own readiness.
pub const READY_EVERY: Duration = Duration::from_millis(500);
