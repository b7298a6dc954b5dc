//! Files that are kept between runs: the user's identity, seats and configuration.
//!
//! They are secret: every file is readable by its owner only, and is replaced atomically.

mod seats;
mod user;

use std::error::Error;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use directories::ProjectDirs;
use thiserror::Error;

use crate::args::path_in;

pub use seats::{SavedSeat, SavedSeatError, SeatFiles};
pub use user::{ConfigurationFile, IdentityFile, KnownGames};

/// The largest file that is read, in bytes.
const FILE_BYTES_MAX: u64 = 64 * 1024;

/// The environment variable that names another folder.
const FOLDER_VARIABLE: &str = "FIBFOB_DATA";

pub fn data_folder() -> PathBuf {
    path_in(FOLDER_VARIABLE).unwrap_or_else(|| match project_folders() {
        Some(dirs) => dirs.data_dir().to_owned(),
        // A user without a home folder has the current one.
        None => PathBuf::from(".fibfob"),
    })
}

fn project_folders() -> Option<ProjectDirs> {
    ProjectDirs::from("", "", "fibfob")
}

/// A file that cannot be used, and why: the operating system's error, or what is wrong with its content.
#[derive(Debug, Error)]
#[error("{}: {fault}", path.display())]
pub struct StorageError {
    path: PathBuf,
    fault: Box<dyn Error + Send + Sync>,
}

impl StorageError {
    fn at<F: Into<Box<dyn Error + Send + Sync>>>(path: &Path) -> impl Fn(F) -> Self {
        move |fault| Self {
            path: path.to_owned(),
            fault: fault.into(),
        }
    }
}

/// Reads a text. Returns `None` if the file does not exist. Refuses anything but a regular file, because a pipe could
/// keep the program waiting.
fn read_text(path: &Path) -> Result<Option<String>, StorageError> {
    if path.metadata().is_ok_and(|found| !found.is_file()) {
        return Err(StorageError::at(path)("not a regular file"));
    }
    let text = File::open(path).and_then(|file| io::read_to_string(file.take(FILE_BYTES_MAX)));
    match text {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StorageError::at(path)(error)),
    }
}

/// Reads a value; none if the file does not exist.
fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Result<Option<T>, StorageError> {
    let text = read_text(path)?;
    let value = text.map(|text| serde_json::from_str(&text)).transpose();
    let fault = |error: serde_json::Error| format!("not a file of this program ({error})");
    value.map_err(fault).map_err(StorageError::at(path))
}

/// Replaces a file: after a crash either the old or the new one is there, readable by its owner only.
fn write<T: serde::Serialize>(path: &Path, value: &T) -> Result<(), StorageError> {
    let text = serde_json::to_string(value).expect("stored values have string keys");
    replace(path, &text)
}

/// Replaces a file by a text, as [`write()`] does. A symbolic link stays, and the file that it names is replaced.
fn replace(path: &Path, text: &str) -> Result<(), StorageError> {
    let resolved = path.canonicalize();
    let path = resolved.as_deref().unwrap_or(path);
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let stored = (|| -> io::Result<()> {
        std::fs::create_dir_all(folder)?;
        // Created with mode 0600 where there are modes.
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        writeln!(file, "{text}")?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|refused| refused.error)?;
        Ok(())
    })();
    stored.map_err(StorageError::at(path))
}
