//! The store's file and those beside it: their names, their kinds, access for the owner alone, and positioned
//! reads.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use fibfob_store::with_owner;

use super::error::SqliteError;
use crate::limits::PROCESS_DIGITS_MAX;

/// Returns the path of the file beside the store that has this suffix.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Opens or creates a file that only its owner may read.
pub(super) fn open_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Makes a missing file none instead of an error.
pub(super) fn if_there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

/// Reads from a place as many bytes as fit, or as the file has; returns their number.
pub(super) fn read_at(file: &File, at: u64, room: &mut [u8]) -> io::Result<usize> {
    #[cfg(unix)]
    use std::os::unix::fs::FileExt;
    #[cfg(windows)]
    use std::os::windows::fs::FileExt;
    let mut length = 0;
    while length < room.len() {
        let (rest, place) = (&mut room[length..], at + length as u64);
        #[cfg(unix)]
        let read = file.read_at(rest, place)?;
        #[cfg(windows)]
        let read = file.seek_read(rest, place)?;
        if read == 0 {
            break;
        }
        length += read;
    }
    Ok(length)
}

/// The error of the operating system about this file or folder, which names the owner if that is why.
pub(super) fn file_error(path: &Path) -> impl FnOnce(io::Error) -> SqliteError {
    let path = path.to_owned();
    move |source| {
        let source = with_owner(&path, source);
        SqliteError::File(path, source)
    }
}

/// Checks that a store and the files beside it are regular files or missing. A device would be written to,
/// and a pipe waited for.
pub(super) fn check_regular(path: &Path) -> Result<(), SqliteError> {
    for suffix in ["", "-lock", "-wal", "-shm", "-journal"] {
        let path = beside(path, suffix);
        if std::fs::metadata(&path).is_ok_and(|found| !found.is_file()) {
            return Err(SqliteError::NotAFile(path));
        }
    }
    Ok(())
}

/// True if a file has the number of a process, or nothing.
pub(super) fn is_number(file: &File) -> bool {
    let mut found = [0; PROCESS_DIGITS_MAX + 1];
    let read = read_at(file, 0, &mut found);
    let is_number = |length| found[..length].iter().all(u8::is_ascii_digit);
    read.is_ok_and(|length| length <= PROCESS_DIGITS_MAX && is_number(length))
}
