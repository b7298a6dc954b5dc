//! A file opened for reading only: nothing in it is changed, whatever it is.

use std::fs::File;
use std::path::Path;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::error::SqliteError;
use super::old_log::OldLog;
use super::private_file::{beside, check_regular, file_error};
use super::schema;
use crate::limits::STORE_BUSY_WITHIN;

/// Opens a store for reading, whether or not a server has it open, and changes nothing in it.
pub(super) fn open_to_read(path: &Path) -> Result<Connection, SqliteError> {
    // SQLite itself reports only that it cannot open the file.
    check_regular(path)?;
    let file = File::open(path).map_err(file_error(path))?;
    if file.metadata().map_err(file_error(path))?.len() > 0 {
        OldLog::check(path)?;
    }
    let open = |options| {
        let connection = connect_read_only(path, options)?;
        schema::recognise(&connection, path)?;
        Ok(connection)
    };
    match open("") {
        // SQLite keeps an index of its write-ahead log beside the file, which a read-only folder refuses.
        // Without a log, no program writes the file, and no index is needed.
        Err(SqliteError::Sqlite(error))
            if error.sqlite_error_code() == Some(ErrorCode::CannotOpen)
                && !beside(path, "-wal").exists() =>
        {
            open("&immutable=1")
        }
        opened => opened,
    }
    .map_err(|error| error.at(path))
}

fn connect_read_only(path: &Path, options: &str) -> Result<Connection, SqliteError> {
    let Some(name) = path.to_str() else {
        return Err(rusqlite::Error::InvalidPath(path.to_owned()).into());
    };
    let name = name
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    // An absolute path needs an empty host before it.
    let host = if name.starts_with('/') { "//" } else { "" };
    let connection =
        Connection::open_with_flags(format!("file:{host}{name}?mode=ro{options}"), flags)?;
    connection.busy_timeout(STORE_BUSY_WITHIN)?;
    Ok(connection)
}

/// Checks that a file may be used as a store, and changes nothing of it.
pub(super) fn recognise_unchanged(path: &Path) -> Result<(), SqliteError> {
    // SQLite would create a missing write-ahead log, and would apply another file's.
    let file = File::open(path).map_err(file_error(path))?;
    let log = OldLog::of(path, Some(&file));
    let options = match log {
        Ok(OldLog::Own) => "",
        Ok(_) | Err(_) => "&immutable=1",
    };
    let recognised = connect_read_only(path, options)
        .and_then(|connection| schema::recognise(&connection, path));
    recognised.map_err(|error| error.at(path))
}
