//! What the file holds, and the settings without which nothing in it could be promised.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use crate::identity::ServerKey;
use crate::limits::{STORE_BUSY_WITHIN, WAL_BYTES_KEPT};
use crate::store::StoreError;

/// Marks a file as ours: `FbFb`.
const APPLICATION_ID: i64 = 0x4662_4662;

/// The format below. A newer one is refused; an older one is brought up to date.
const FORMAT: i64 = 2;

/// From format 1, which had no sums: what it has written stays without.
const FROM_1: &str = "ALTER TABLE event ADD COLUMN sum INTEGER";

/// `event` is the truth, `match` an index that follows from it. `sum` is the record's checksum,
/// which SQLite does not have.
const TABLES: &str = "
    CREATE TABLE event (
        match_id BLOB NOT NULL,
        version INTEGER NOT NULL CHECK (version > 0),
        record TEXT NOT NULL,
        sum INTEGER,
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

/// Sets what durability needs and reads it back: a setting that SQLite was built without, or
/// that the file system cannot give, must end the start and not the promise.
pub(super) fn configure(connection: &Connection) -> Result<(), StoreError> {
    connection.busy_timeout(STORE_BUSY_WITHIN)?;
    require(connection, "journal_mode", "WAL", "wal")?;
    require(connection, "synchronous", "FULL", "2")?;
    // macOS alone has a flush that stops short of the disk; elsewhere this changes nothing.
    require(connection, "fullfsync", "ON", "1")?;
    connection.pragma_update_and_check(None, "journal_size_limit", WAL_BYTES_KEPT, |_| Ok(()))?;
    Ok(())
}

fn require(
    connection: &Connection,
    setting: &'static str,
    value: &str,
    expected: &'static str,
) -> Result<(), StoreError> {
    // Some settings answer with their value, some with nothing; only asking again is sure.
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
        Err(StoreError::NotDurable {
            setting,
            found,
            expected,
        })
    }
}

/// Makes sure, without changing anything, that the file is a store of a known format.
pub(super) fn recognise(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let number = |setting| connection.pragma_query_value(None, setting, |row| row.get::<_, i64>(0));
    match (number("application_id")?, number("user_version")?) {
        (APPLICATION_ID, FORMAT) => Ok(()),
        (APPLICATION_ID, found) if found > FORMAT => Err(StoreError::TooNew {
            path: path.to_owned(),
            found,
            known: FORMAT,
        }),
        (APPLICATION_ID, found) => Err(StoreError::TooOld {
            path: path.to_owned(),
            found,
        }),
        _ => Err(StoreError::NotAStore(path.to_owned())),
    }
}

/// A write that changes nothing, made durable like any other.
pub(super) fn write_nothing(connection: &mut Connection) -> Result<(), StoreError> {
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    change.pragma_update(None, "user_version", FORMAT)?;
    Ok(change.commit()?)
}

/// Makes the tables and the key in a new file; recognises an old one.
pub(super) fn ensure(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let number = |setting| change.pragma_query_value(None, setting, |row| row.get::<_, i64>(0));
    let (application, format) = (number("application_id")?, number("user_version")?);
    let tables: i64 =
        change.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    match (application, format) {
        (APPLICATION_ID, FORMAT) => return Ok(()),
        (APPLICATION_ID, 1) => {
            change.execute_batch(FROM_1)?;
            change.pragma_update(None, "user_version", FORMAT)?;
            return Ok(change.commit()?);
        }
        (APPLICATION_ID, found) => {
            return Err(StoreError::TooNew {
                path: path.to_owned(),
                found,
                known: FORMAT,
            });
        }
        (0, 0) if tables == 0 => {}
        _ => return Err(StoreError::NotAStore(path.to_owned())),
    }
    change.execute_batch(TABLES)?;
    change.execute(
        "INSERT INTO server_key (only, key) VALUES (1, ?1)",
        [ServerKey::draw().as_bytes().as_slice()],
    )?;
    change.pragma_update(None, "application_id", APPLICATION_ID)?;
    change.pragma_update(None, "user_version", FORMAT)?;
    Ok(change.commit()?)
}
