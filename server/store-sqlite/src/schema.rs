//! The tables of the file, and the settings that durability needs.

use std::collections::BTreeMap;
use std::path::Path;

use fibfob_store::identity::ServerKey;
use fibfob_store::{NotedRuns, checksum};
use rusqlite::Connection;

use super::error::SqliteError;
use super::row::begin;
use super::span::Span;
use crate::limits::{FREE_PAGES_PART, FREED_BYTES_MAX, STORE_BUSY_WITHIN, WAL_BYTES_KEPT};

/// Marks a file as a store of this program: `FbFb`.
const APPLICATION_ID: i64 = 0x4662_4662;

/// The format of the tables below and of the records in them. Any other one is refused: no released server
/// wrote an older one.
pub(super) const FORMAT: i64 = 1;

/// The tables. `sum` is a checksum, because SQLite has none.
///
/// - `span` says which rows the log has, so that a missing one is noticed; in `at` the newest
///   instant at which a server is known to have run; and in `key_sum` another checksum of the
///   server's key, which a new key beside a right checksum would not have. In `mark` it has the mark
///   of the content, which each transaction changes: see `span`. That module finds it because the table
///   is the first one, and the mark its first value.
/// - `log` has the records in the order of their arrival, those of all matches side by side. An append
///   writes to the end of the table, and of its match's part of the index.
/// - `packed` has the records of finished matches, all those of a match in one row: their number, and
///   their texts joined and compressed. Their rows in the log are removed by the same transaction.
/// - `uptime` has the runs of servers, and the players who were away at the last note of them.
/// - `match` is an index that follows from the logs. `version` is one that the log has reached: that
///   of the record with which the row changed, or of the last one that is packed. `packed` says where
///   the records are. Its columns `creator`, `creator_name`, `joiner` and `joiner_name`, with a checksum
///   of their own, alone say who has played.
/// - `note` has what servers keep beside the logs.
const TABLES: &str = "
    CREATE TABLE span (
        only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
        mark BLOB NOT NULL CHECK (length(mark) = 24),
        last INTEGER NOT NULL,
        newest INTEGER NOT NULL,
        rows INTEGER NOT NULL,
        at INTEGER NOT NULL,
        key_sum INTEGER NOT NULL,
        sum INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE log (
        seq INTEGER NOT NULL PRIMARY KEY,
        number INTEGER NOT NULL,
        version INTEGER NOT NULL CHECK (version > 0),
        record TEXT NOT NULL,
        sum INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX log_of_match ON log (number, version);
    CREATE TABLE packed (
        number INTEGER NOT NULL PRIMARY KEY,
        events INTEGER NOT NULL CHECK (events > 0),
        records BLOB NOT NULL,
        sum INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE uptime (
        only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
        runs TEXT NOT NULL,
        absences TEXT NOT NULL DEFAULT '[]'
    ) STRICT;
    CREATE TABLE match (
        number INTEGER NOT NULL PRIMARY KEY,
        id BLOB NOT NULL UNIQUE,
        code TEXT NOT NULL UNIQUE,
        phase TEXT NOT NULL,
        version INTEGER NOT NULL,
        packed INTEGER NOT NULL DEFAULT 0,
        created_at INTEGER NOT NULL,
        expires_at INTEGER,
        creator BLOB,
        creator_name TEXT,
        joiner BLOB,
        joiner_name TEXT,
        persons_sum INTEGER NOT NULL,
        lobby TEXT
    ) STRICT;
    CREATE INDEX match_shown ON match (phase, created_at) WHERE lobby IS NOT NULL;
    CREATE INDEX match_unfinished ON match (created_at) WHERE phase NOT IN ('over', 'closed');
    CREATE INDEX match_unpacked ON match (number)
        WHERE packed = 0 AND phase IN ('over', 'closed');
    CREATE INDEX match_of_creator ON match (creator, phase, created_at, id)
        WHERE creator IS NOT NULL;
    CREATE INDEX match_of_joiner ON match (joiner, phase, created_at, id) WHERE joiner IS NOT NULL;
    CREATE TABLE note (
        about BLOB NOT NULL,
        kind INTEGER NOT NULL,
        name TEXT NOT NULL,
        number INTEGER NOT NULL CHECK (number > 0),
        until INTEGER,
        text TEXT NOT NULL,
        sum INTEGER NOT NULL,
        PRIMARY KEY (about, kind, name)
    ) STRICT;
    CREATE INDEX note_until ON note (until) WHERE until IS NOT NULL;
    CREATE TABLE server_key (
        only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
        key BLOB NOT NULL CHECK (length(key) = 32),
        sum INTEGER NOT NULL
    ) STRICT;
";

/// Sets what durability needs, and reads it back. If SQLite was built without a setting, or the file system
/// lacks it, the server does not start.
pub(super) fn configure(connection: &Connection) -> Result<(), SqliteError> {
    connection.busy_timeout(STORE_BUSY_WITHIN)?;
    require(connection, "journal_mode", "WAL", "wal")?;
    require(connection, "synchronous", "FULL", "2")?;
    // Only macOS has a flush that does not reach the disk; elsewhere this changes nothing.
    require(connection, "fullfsync", "ON", "1")?;
    // What is removed is overwritten, because a person may have been erased with it.
    require(connection, "secure_delete", "ON", "1")?;
    connection.pragma_update_and_check(None, "journal_size_limit", WAL_BYTES_KEPT, |_| Ok(()))?;
    Ok(())
}

fn require(
    connection: &Connection,
    setting: &'static str,
    value: &str,
    expected: &'static str,
) -> Result<(), SqliteError> {
    // Some settings answer with their value, others with nothing; only a query is certain.
    connection.execute_batch(&format!("PRAGMA {setting} = {value}"))?;
    let sql = format!("SELECT CAST({setting} AS TEXT) FROM pragma_{setting}");
    let found: String = connection.query_row(&sql, [], |row| row.get(0))?;
    match found == expected {
        true => Ok(()),
        false => Err(SqliteError::NotDurable(setting, found, expected)),
    }
}

/// Checks, without changing anything, that the file is a store of the current format.
pub(super) fn recognise(connection: &Connection, path: &Path) -> Result<(), SqliteError> {
    let number = |setting| connection.pragma_query_value(None, setting, |row| row.get(0));
    match (number("application_id")?, number("user_version")?) {
        (APPLICATION_ID, FORMAT) => Ok(()),
        (APPLICATION_ID, found) => Err(SqliteError::OtherFormat(path.to_owned(), found, FORMAT)),
        _ => Err(SqliteError::NotAStore(path.to_owned())),
    }
}

/// Returns the names of tables and indices whose definitions are not those above.
pub(super) fn changed_definitions(connection: &Connection) -> Result<Vec<String>, SqliteError> {
    let own = Connection::open_in_memory()?;
    own.execute_batch(TABLES)?;
    let (found, expected) = (definitions(connection)?, definitions(&own)?);
    let differ = |(name, sql): &(&String, &Option<String>)| found.get(*name) != Some(*sql);
    let changed = expected.iter().filter(differ).map(|(name, _)| name);
    let foreign = found.keys().filter(|name| !expected.contains_key(*name));
    Ok(changed.chain(foreign).cloned().collect())
}

fn definitions(connection: &Connection) -> rusqlite::Result<BTreeMap<String, Option<String>>> {
    let mut found = connection.prepare("SELECT name, sql FROM sqlite_schema")?;
    let rows = found.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

/// Makes the file smaller, if much of it is free and the file is small enough to do it quickly.
pub(super) fn free_room(connection: &Connection) -> Result<(), SqliteError> {
    let number = |setting| -> rusqlite::Result<i64> {
        connection.pragma_query_value(None, setting, |row| row.get(0))
    };
    let (free, all) = (number("freelist_count")?, number("page_count")?);
    let bytes = all.saturating_mul(number("page_size")?);
    if free.saturating_mul(FREE_PAGES_PART) > all && bytes <= FREED_BYTES_MAX {
        connection.execute_batch("VACUUM")?;
    }
    Ok(())
}

/// Creates the tables in a new file, with this key or a new one.
pub(super) fn create(
    connection: &mut Connection,
    key: Option<&ServerKey>,
) -> Result<(), SqliteError> {
    let transaction = begin(connection)?;
    transaction.execute_batch(TABLES)?;
    let key = key.cloned().unwrap_or_else(ServerKey::draw);
    transaction.execute(
        "INSERT INTO server_key (only, key, sum) VALUES (1, ?1, ?2)",
        (key.as_bytes().as_slice(), checksum::of_key(&key)),
    )?;
    let runs = serde_json::to_string(&NotedRuns::default()).expect("runs have string keys");
    transaction.execute("INSERT INTO uptime (only, runs) VALUES (1, ?1)", [runs])?;
    let sql = "INSERT INTO span (only, mark, last, newest, rows, at, key_sum, sum)
               VALUES (1, zeroblob(24), 0, 0, 0, 0, 0, 0)";
    transaction.execute(sql, [])?;
    Span::empty(checksum::of_key(&key)).write(&transaction)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", FORMAT)?;
    Ok(transaction.commit()?)
}
