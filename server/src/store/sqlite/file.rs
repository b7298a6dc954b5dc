//! The file itself: its folder, who may read it, and that only one server uses it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::store::StoreError;

/// Held while a server uses the file. The operating system lets it go when the process ends,
/// however it ends.
pub(super) struct Lock(#[expect(dead_code, reason = "locked as long as it is open")] File);

/// Makes the folder and the file where they are missing, locks the file, and makes sure that
/// everything in it is on the disk.
///
/// The lock is a file beside the store: opening and closing the store's own file would let go
/// of the locks that SQLite holds on it.
pub(super) fn prepare(path: &Path) -> Result<Lock, StoreError> {
    let fault = |path: &Path| {
        let path = path.to_owned();
        move |source| StoreError::File { path, source }
    };
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    make_folder(folder).map_err(fault(folder))?;
    let lock_path = beside(path, "-lock");
    let lock = open_private(&lock_path).map_err(fault(&lock_path))?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(StoreError::InUse(path.to_owned())),
        Err(TryLockError::Error(source)) => return Err(fault(&lock_path)(source)),
    }
    // A killed server may have written what it had no time to flush. That would be read, and
    // shown, before anything flushes it.
    let journal = beside(path, "-wal");
    match File::open(&journal) {
        Ok(journal_file) => journal_file.sync_all().map_err(fault(&journal))?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(source) => return Err(fault(&journal)(source)),
    }
    let existed = path.exists();
    let file = open_private(path).map_err(fault(path))?;
    make_private(&file).map_err(fault(path))?;
    if !existed {
        // A new file is only as durable as its folder's entry for it.
        sync_folder(folder).map_err(fault(folder))?;
    }
    Ok(Lock(lock))
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn open_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// The file holds the key that signs tokens; SQLite gives its other files the same mode.
#[cfg(unix)]
fn make_private(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn make_private(_: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
