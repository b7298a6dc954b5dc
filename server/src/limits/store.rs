//! The bounds of the stores, and of several servers on one.

use std::time::Duration;

use super::CONNECTIONS_MAX;

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
/// Notes of matches, or of guests, that a server keeps until its store has them; one beyond that of
/// somebody who has left is dropped, and the store then has the older one, which says that they are
/// connected: nobody loses by it.
pub const UNSTORED_NOTES_MAX: usize = 4 * CONNECTIONS_MAX;
/// Notes of other servers about one match that wait for its task; more of them are read.
pub const PRESENCE_HINTS_MAX: usize = 16;
/// The time without an answer of the store after which a server sends the players whom it has to refuse
/// to the other servers.
pub const STORE_LOST_AFTER: Duration = Duration::from_secs(2);
/// The time for which a bot leaves its answer to the server that stored the newest event.
pub const BOT_ELSEWHERE_PAUSE: Duration = Duration::from_secs(5);
/// The time between two looks at all matches in memory that other servers may append to.
pub const HEADS_EVERY: Duration = Duration::from_secs(5);
/// The same time while no other server lives: a database may have lost events.
pub const HEADS_ALONE_EVERY: Duration = Duration::from_secs(60);
/// The most logs of one such look.
pub const HEADS_MAX: usize = 1_024;
/// The times that a request is decided again because other processes appended first.
pub const CONFLICT_TRIES: usize = 16;

/// The most appends that wait for the writer.
pub const APPEND_QUEUE_MAX: usize = 1_024;
/// The most appends in one transaction.
pub const BATCH_MAX: usize = 256;
/// The time for which the writer lets appends gather, if its last transaction had several.
pub const GROUP_DELAY: Duration = Duration::from_micros(250);
/// The times it then lets the tasks go first that are ready to run.
pub const GROUP_YIELDS: u32 = 2;
/// The logs whose ends the writer of an SQLite file remembers.
pub const LOG_ENDS_MAX: usize = 4_096;
/// The finished matches that one transaction packs at most; so many are packed as soon as nothing waits
/// for the writer.
pub const PACK_MATCHES: usize = 32;
/// The finished matches with which the writer packs some although appends wait.
pub const PACK_OVERDUE_MATCHES: usize = 8 * PACK_MATCHES;
/// The removed rows after which a transaction packs no further match.
pub const PACK_ROWS: i64 = 1_024;
/// The most bytes of records that are packed, and that a packed row is read with.
pub const PACKED_BYTES_MAX: usize = 1024 * 1024;
/// The part of the file, as its reciprocal, that must be free before a server that ends makes the
/// file smaller.
pub const FREE_PAGES_PART: i64 = 8;
/// The size of a file above which a server that ends leaves it as large as it is, in bytes.
pub const FREED_BYTES_MAX: i64 = 64 * 1024 * 1024;
/// The time that SQLite waits for another process that has the file locked, such as a backup.
pub const STORE_BUSY_WITHIN: Duration = Duration::from_secs(3);
/// The pages that the writer of an SQLite file keeps in memory, in KiB: those with the logs of a busy
/// server's unfinished matches, which are read again when they are packed.
pub const WRITER_CACHE_KIB: i64 = 16 * 1024;
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
/// The time after which a statement is given up: soon no caller waits for it.
pub const STATEMENT_WITHIN: Duration = WRITE_OVERDUE_AFTER;
/// The times that a batch is written which the database undoes because of others.
pub const RIVALRY_TRIES: u32 = 4;
/// The time between two looks for a database server that was promoted while the primary lives.
pub const PRIMARY_LOOK_EVERY: Duration = Duration::from_secs(5);
/// The longest pause before a server connects to its database again.
pub const RECONNECT_PAUSE_MAX: Duration = Duration::from_secs(1);
/// The writes that a server gives up and that still wait for the standby, above which it begins no
/// further one: each keeps a connection of the database until it ends.
pub const ABANDONED_WRITES_MAX: usize = 4;
/// The time that a server which starts waits for a database that cannot be reached.
pub const START_WITHIN: Duration = Duration::from_secs(30);
/// The times that a note is written which other servers change at the same time.
pub const NOTE_TRIES: u32 = 8;
/// The pages of a table that are cleaned of old rows at once, each of 8 KiB.
pub const CLEANED_PAGES: i64 = 32;
/// The pause before the next ones.
pub const CLEANING_PAUSE: Duration = Duration::from_millis(20);
/// The pause before a database is cleaned again.
pub const CLEANED_EVERY: Duration = Duration::from_secs(24 * 60 * 60);
/// The time after its last sign of life in which a server's notes are kept in a database.
pub const SERVER_FORGOTTEN_AFTER: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// The times that a lock is tried again which another server seems to hold, and the pause before each.
pub const LOCK_TRIES: u32 = 10;
/// See [`LOCK_TRIES`].
pub const LOCK_PAUSE: Duration = Duration::from_millis(20);
/// The notes that have ended which a sign of life removes.
pub const NOTES_CLEANED: u32 = 64;
/// The time for which a chat line is kept.
pub const CHAT_KEPT_FOR: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// The longest notification that a database takes, in bytes.
pub const NOTIFICATION_BYTES_MAX: usize = 7_999;
/// The records carried by hints that a match keeps until it looks; it reads the others.
pub const CARRIED_RECORDS_MAX: usize = 16;
/// The part of SQLite's write-ahead log that is in memory while it is rewritten at the start.
pub const JOURNAL_CHUNK_BYTES: usize = 64 * 1024;
/// The times that a write-ahead log is compared with its file, which a server may be writing: twice
/// alike is certain.
pub const OLD_LOG_LOOKS: usize = 4;
/// The time for which a file counts as readable that was read to its end, so that a damaged match does not
/// cost that at each request for it.
pub const READ_WELL_FOR: Duration = Duration::from_secs(10);
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
