//! Files beside the store: their names, and the rights of the owner alone.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

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
