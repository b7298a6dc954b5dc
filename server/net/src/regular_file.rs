//! Opens files that options name.

use std::fs::File;
use std::io;
use std::path::Path;

/// Opens a regular file to read it. Opening a pipe would wait for a writer, and a start that waits for one tells
/// nobody why.
///
/// # Errors
/// If it is a folder, a pipe, a socket or a device, or cannot be opened.
pub fn open_regular(path: &Path) -> io::Result<File> {
    match path.metadata()?.is_file() {
        true => File::open(path),
        false => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "expected a regular file, not a folder, a pipe, a socket or a device",
        )),
    }
}
