//! What the program keeps on disk between runs: who the user is, and the seats they have taken.
//!
//! All of it is secret, so every file is readable by its owner only, and written whole or not
//! at all.

mod identity;
mod seats;

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

pub use identity::IdentityFile;
pub use seats::{SavedSeat, SavedSeatError, SeatFiles};
use thiserror::Error;

/// The largest file that is read back.
const FILE_BYTES_MAX: u64 = 64 * 1024;

/// A file could not be read or written.
#[derive(Debug, Error)]
pub enum StorageError {
    /// The disk said no.
    #[error("{}: {error}", path.display())]
    Disk {
        /// The file.
        path: PathBuf,
        /// What it said.
        error: io::Error,
    },
    /// The file holds something else.
    #[error("{}: not a file of this program ({error})", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: serde_json::Error,
    },
}

/// Reads a file; none if it is not there.
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

/// Writes a file so that a crash leaves the old one or the new one, and only its owner can read
/// either.
fn write<T: serde::Serialize>(path: &Path, value: &T) -> Result<(), StorageError> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let text = serde_json::to_string(value).expect("kept values have string keys");
    let stored = (|| {
        std::fs::create_dir_all(folder)?;
        // Made with mode 0600 where there are modes.
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
