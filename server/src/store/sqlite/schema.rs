//! The tables of the file, and the settings that durability needs.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use super::SqliteError;
use crate::identity::ServerKey;
use crate::limits::{STORE_BUSY_WITHIN, WAL_BYTES_KEPT};

/// Marks a file as a store of this program: `FbFb`.
const APPLICATION_ID: i64 = 0x4662_4662;

/// The format of the tables below and of the records in them. Any other one is refused: no server
/// that wrote an older format was ever released.
const FORMAT: i64 = 3;

/// The tables. `match` is an index that follows from `event`; `sum` is the record's checksum,
/// because SQLite has none.
const TABLES: &str = "
    CREATE TABLE event (
        match_id BLOB NOT NULL,
        version INTEGER NOT NULL CHECK (version > 0),
        record TEXT NOT NULL,
        sum INTEGER NOT NULL,
        PRIMARY KEY (match_id, version)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE match (
        id BLOB NOT NULL PRIMARY KEY,
        code TEXT NOT NULL UNIQUE,
        phase TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        expires_at INTEGER,
        lobby TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX match_shown ON match (phase, created_at) WHERE lobby IS NOT NULL;
    CREATE TABLE server_key (
        only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
        key BLOB NOT NULL CHECK (length(key) = 32)
    ) STRICT;
";

/// Sets what durability needs and reads it back: if SQLite was built without a setting, or the
/// file system cannot give it, the start fails instead of the promise.
pub(super) fn configure(connection: &Connection) -> Result<(), SqliteError> {
    connection.busy_timeout(STORE_BUSY_WITHIN)?;
    require(connection, "journal_mode", "WAL", "wal")?;
    require(connection, "synchronous", "FULL", "2")?;
    // Only macOS has a flush that stops before the disk; elsewhere this changes nothing.
    require(connection, "fullfsync", "ON", "1")?;
    connection.pragma_update_and_check(None, "journal_size_limit", WAL_BYTES_KEPT, |_| Ok(()))?;
    Ok(())
}

fn require(
    connection: &Connection,
    setting: &'static str,
    value: &str,
    expected: &'static str,
) -> Result<(), SqliteError> {
    // Some settings answer with their value, some with nothing; only a query is certain.
    connection.execute_batch(&format!("PRAGMA {setting} = {value}"))?;
    let found: rusqlite::types::Value =
        connection.pragma_query_value(None, setting, |row| row.get(0))?;
    let found = match found {
        rusqlite::types::Value::Text(text) => text,
        rusqlite::types::Value::Integer(number) => number.to_string(),
        other => format!("{other:?}"),
    };
    if found == expected {
        Ok(())
    } else {
        Err(SqliteError::NotDurable {
            setting,
            found,
            expected,
        })
    }
}

/// Checks, without changing anything, that the file is a store of the current format.
pub(super) fn recognise(connection: &Connection, path: &Path) -> Result<(), SqliteError> {
    let path = || path.to_owned();
    match marks(connection)? {
        (APPLICATION_ID, FORMAT) => Ok(()),
        (APPLICATION_ID, found) if found > FORMAT => Err(SqliteError::TooNew {
            path: path(),
            found,
            known: FORMAT,
        }),
        (APPLICATION_ID, found) => Err(SqliteError::TooOld {
            path: path(),
            found,
        }),
        _ => Err(SqliteError::NotAStore(path())),
    }
}

/// Reads the application id and the format.
fn marks(connection: &Connection) -> Result<(i64, i64), SqliteError> {
    let number = |setting| connection.pragma_query_value(None, setting, |row| row.get(0));
    Ok((number("application_id")?, number("user_version")?))
}

/// Makes a write durable that changes nothing.
pub(super) fn write_nothing(connection: &mut Connection) -> Result<(), SqliteError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.pragma_update(None, "user_version", FORMAT)?;
    Ok(transaction.commit()?)
}

/// Creates the tables and the key in a new file; recognises an old one.
pub(super) fn ensure(connection: &mut Connection, path: &Path) -> Result<(), SqliteError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let tables: i64 =
        transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if marks(&transaction)? != (0, 0) || tables > 0 {
        return recognise(&transaction, path);
    }
    transaction.execute_batch(TABLES)?;
    transaction.execute(
        "INSERT INTO server_key (only, key) VALUES (1, ?1)",
        [ServerKey::draw().as_bytes().as_slice()],
    )?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", FORMAT)?;
    Ok(transaction.commit()?)
}
