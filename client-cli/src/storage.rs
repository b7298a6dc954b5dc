//! Files that are kept between runs: the user's identity, seats and configuration.
//!
//! They are secret: every file is readable by its owner only, and is replaced atomically.

mod config;
mod identity;
mod known_games;
mod seats;

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

pub use config::{ConfigurationError, ConfigurationFile};
pub use identity::IdentityFile;
pub use known_games::KnownGames;
pub use seats::{SavedSeat, SavedSeatError, SeatFiles};
use thiserror::Error;

/// The largest file that is read, in bytes.
const FILE_BYTES_MAX: u64 = 64 * 1024;

/// The environment variable that names another folder.
const FOLDER_VARIABLE: &str = "FIBFOB_DATA";

/// The user's folder.
pub fn data_folder() -> PathBuf {
    match std::env::var_os(FOLDER_VARIABLE) {
        Some(folder) if !folder.is_empty() => PathBuf::from(folder),
        _ => match directories::ProjectDirs::from("", "", "fibfob") {
            Some(dirs) => dirs.data_dir().to_owned(),
            // A user without a home folder has the current one.
            None => PathBuf::from(".fibfob"),
        },
    }
}

/// A file that cannot be read or written.
#[derive(Debug, Error)]
pub enum StorageError {
    /// The operating system refused.
    #[error("{}: {error}", path.display())]
    Disk {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        error: io::Error,
    },
    /// The file has other contents.
    #[error("{}: not a file of this program ({error})", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The parser's error.
        error: serde_json::Error,
    },
}

/// Reads a file; none if it does not exist.
fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Result<Option<T>, StorageError> {
    let disk = |error| StorageError::Disk {
        path: path.to_owned(),
        error,
    };
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(disk(error)),
    };
    let mut bytes = Vec::new();
    file.take(FILE_BYTES_MAX)
        .read_to_end(&mut bytes)
        .map_err(disk)?;
    let content = |error| StorageError::Content {
        path: path.to_owned(),
        error,
    };
    serde_json::from_slice(&bytes).map(Some).map_err(content)
}

/// Replaces a file: after a crash either the old or the new one is there, readable by its owner
/// only.
fn write<T: serde::Serialize>(path: &Path, value: &T) -> Result<(), StorageError> {
    replace(
        path,
        &serde_json::to_string(value).expect("stored values have string keys"),
    )
}

/// Replaces a file by a text, as [`write()`] does.
fn replace(path: &Path, text: &str) -> Result<(), StorageError> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let stored = (|| {
        std::fs::create_dir_all(folder)?;
        // Created with mode 0600 where there are modes.
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        writeln!(file, "{text}")?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|refused| refused.error)?;
        Ok(())
    })();
    stored.map_err(|error| StorageError::Disk {
        path: path.to_owned(),
        error,
    })
}
