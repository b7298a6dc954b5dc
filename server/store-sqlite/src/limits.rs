//! The bounds of the engine on SQLite.

use std::time::Duration;

/// The writer lets appends gather for this long, if its last transaction had several.
pub const GROUP_DELAY: Duration = Duration::from_micros(250);
/// The logs whose ends the writer of an SQLite file remembers.
pub const LOG_ENDS_MAX: usize = 4_096;
/// The most finished matches that one transaction packs. As many are packed as soon as nothing waits for the
/// writer.
pub const PACK_MATCHES: usize = 32;
/// With this many finished matches unpacked, the writer packs some although appends wait.
pub const PACK_OVERDUE_MATCHES: usize = 8 * PACK_MATCHES;
/// After this many removed rows, a transaction packs no further match.
pub const PACK_ROWS: i64 = 1_024;
/// The most bytes of records that are packed, and that a packed row may unpack to.
pub const PACKED_BYTES_MAX: usize = 1024 * 1024;
/// A server that ends makes the file smaller if at least one part in this many is free.
pub const FREE_PAGES_PART: i64 = 8;
/// A server that ends leaves a file above this size as large as it is, in bytes.
pub const FREED_BYTES_MAX: i64 = 64 * 1024 * 1024;
/// The time that SQLite waits for another process that has the file locked, such as a backup.
pub const STORE_BUSY_WITHIN: Duration = Duration::from_secs(3);
/// The part of the file that the writer keeps in memory, in KiB: the logs of a busy server's unfinished
/// matches, which it reads again to pack them.
pub const WRITER_CACHE_KIB: i64 = 16 * 1024;
/// The size that SQLite's write-ahead log is truncated to after a burst, in bytes.
pub const WAL_BYTES_KEPT: i64 = 16 * 1024 * 1024;
/// The length of that log from which the server warns: four times what it keeps, so that no burst reaches it.
pub const LOG_BYTES_WARNED: u64 = 4 * WAL_BYTES_KEPT as u64;
/// The interval at which its length is looked at. A log of a busy server takes minutes to grow so long.
pub const LOG_LOOKED_EVERY: Duration = Duration::from_secs(10);
/// The free room, in bytes, from which a full disk counts as recovered: about one batch, so that writes do
/// not fail again at once.
pub const RECOVERY_ROOM_BYTES: usize = 128 * 1024;
/// The most digits of the number of a process, which has 32 bits.
pub const PROCESS_DIGITS_MAX: usize = 10;
/// Attempts to take a lock that another server seems to hold.
pub const LOCK_TRIES: u32 = 10;
/// The pause before each of these tries.
pub const LOCK_PAUSE: Duration = Duration::from_millis(20);
/// The expired notes that a sign of life removes.
pub const NOTES_CLEANED: u32 = 64;
/// The part of SQLite's write-ahead log that is in memory while it is rewritten at the start.
pub const JOURNAL_CHUNK_BYTES: usize = 64 * 1024;
/// Attempts to compare a write-ahead log with its file. A server may be writing both, so only two equal looks
/// are certain.
pub const OLD_LOG_LOOKS: usize = 4;
/// A file that was read to its end counts as readable for this long, so that requests for a damaged match do
/// not read it each time.
pub const READ_WELL_FOR: Duration = Duration::from_secs(10);
/// The number of flushes that are timed at the start.
pub const FLUSH_TRIES: usize = 9;
/// The size of a timed flush, in bytes: as much as a move writes.
pub const FLUSH_TRY_BYTES: usize = 4 * 1024;
/// The time after which no further flush is timed.
pub const FLUSH_TRIES_WITHIN: Duration = Duration::from_secs(2);
/// The time of a flush above which the server logs a warning, because every move waits for one.
pub const FLUSH_SLOW: Duration = Duration::from_millis(30);
/// The most damages of the file itself that `check` names; SQLite stops after so many.
pub const CHECK_FILE_DAMAGES_MAX: usize = 100;
/// The same interval while no match is in memory.
pub const UPTIME_NOTED_IDLE_EVERY: Duration = Duration::from_secs(30);
