//! The bounds of the engine on PostgreSQL.

use std::time::Duration;

use fibfob_store::limits::WRITE_OVERDUE_AFTER;

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
/// The longest notification that a database takes, in bytes.
pub const NOTIFICATION_BYTES_MAX: usize = 7_999;
