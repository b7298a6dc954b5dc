//! The store's file: its folder, its permissions, and the lock that lets one server use it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::private_file::{beside, open_private};
use super::{SqliteError, flush_time};
use crate::limits::{JOURNAL_CHUNK_BYTES, RECOVERY_ROOM_BYTES};

/// The path of a store, and the identity of the file found there first.
#[derive(Clone, Debug)]
pub(super) struct StoreFile {
    path: PathBuf,
    /// Device and inode.
    identity: Option<(u64, u64)>,
}

/// A lock held while a server uses the file. The operating system releases it when the process
/// ends, even after a crash.
pub(super) struct FileLock(#[expect(dead_code, reason = "locked as long as it is open")] File);

/// Creates the folder and the file where they are missing, and locks the file.
///
/// The lock is a file beside the store: opening and closing the store's own file would release
/// the locks that SQLite holds on it.
pub(super) fn prepare(path: &Path) -> Result<(StoreFile, FileLock), SqliteError> {
    let file_error = |path: &Path| {
        let path = path.to_owned();
        move |source| SqliteError::File { path, source }
    };
    let folder = folder_of(path);
    create_folder(folder).map_err(file_error(folder))?;
    let lock_path = beside(path, "-lock");
    let lock = open_private(&lock_path).map_err(file_error(&lock_path))?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(SqliteError::InUse(path.to_owned())),
        Err(TryLockError::Error(source)) => return Err(file_error(&lock_path)(source)),
    }
    let existed = path.exists();
    let file = open_private(path).map_err(file_error(path))?;
    make_private(&file).map_err(file_error(path))?;
    if !existed {
        // A new file is only as durable as its folder's entry for it.
        sync_folder(folder).map_err(file_error(folder))?;
    }
    let metadata = file.metadata().map_err(file_error(path))?;
    let file = StoreFile {
        path: path.to_owned(),
        identity: identity(&metadata),
    };
    Ok((file, FileLock(lock)))
}

impl StoreFile {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that the file in the store's place is the one that was prepared.
    pub(super) fn check_place(&self) -> Result<(), SqliteError> {
        let metadata = std::fs::metadata(&self.path).map_err(|source| SqliteError::File {
            path: self.path.clone(),
            source,
        })?;
        if identity(&metadata) == self.identity {
            Ok(())
        } else {
            Err(SqliteError::Replaced(self.path.clone()))
        }
    }

    /// [`Self::check_place`], and checks that there is room beside it.
    pub(super) fn check_unchanged(&self) -> Result<(), SqliteError> {
        self.check_place()?;
        let file_error = |source| SqliteError::File {
            path: self.path.clone(),
            source,
        };
        flush_time::measure(&self.path, RECOVERY_ROOM_BYTES)
            .map(drop)
            .map_err(file_error)
    }

    /// Writes SQLite's write-ahead log again with the same content, and flushes it. No other
    /// program may write it meanwhile.
    ///
    /// A server that ended may have written records that it did not flush, or that the disk
    /// failed to take. They would be read, and shown, before anything flushes them. A flush alone
    /// is not enough: after a flush that failed, Linux counts the lost pages as clean, and the
    /// next flush succeeds without them. Pages that are written again are flushed again.
    pub(super) fn rewrite_journal(&self) -> Result<(), SqliteError> {
        let path = beside(&self.path, "-wal");
        rewrite(&path).map_err(|source| SqliteError::File { path, source })
    }
}

fn rewrite(path: &Path) -> io::Result<()> {
    let mut file = match OpenOptions::new().read(true).write(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let mut chunk = vec![0; JOURNAL_CHUNK_BYTES];
    let mut at = 0;
    loop {
        file.seek(SeekFrom::Start(at))?;
        let length = file.read(&mut chunk)?;
        if length == 0 {
            return file.sync_all();
        }
        file.seek(SeekFrom::Start(at))?;
        file.write_all(&chunk[..length])?;
        at += length as u64;
    }
}

#[cfg(unix)]
#[expect(
    clippy::unnecessary_wraps,
    reason = "other systems have no such numbers"
)]
fn identity(metadata: &std::fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(_: &std::fs::Metadata) -> Option<(u64, u64)> {
    None
}

/// Returns the folder of a file.
pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Lets only the owner read the file, because it holds the key that signs tokens. SQLite gives
/// its other files the same mode.
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
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
pub(super) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, SystemTime};

    use tempfile::TempDir;

    use super::super::{Sqlite, open_writer};
    use super::*;

    #[test]
    fn the_journal_of_a_killed_server_is_rewritten_before_it_is_read() {
        let folder = TempDir::new().unwrap();
        let (path, left) = (
            folder.path().join("a.sqlite"),
            folder.path().join("b.sqlite"),
        );
        let store = Sqlite::open(&path).unwrap();
        for suffix in ["", "-wal"] {
            fs::copy(beside(&path, suffix), beside(&left, suffix)).unwrap();
        }
        drop(store);
        let journal = beside(&left, "-wal");
        let content = fs::read(&journal).unwrap();
        assert!(!content.is_empty());
        let long_ago = SystemTime::now() - Duration::from_secs(86_400);
        let file = File::options().write(true).open(&journal).unwrap();
        file.set_modified(long_ago).unwrap();
        drop(file);
        let (file, _lock) = prepare(&left).unwrap();
        let opened = open_writer(&file).unwrap();
        let written = fs::metadata(&journal).unwrap().modified().unwrap();
        assert!(
            written > long_ago,
            "a flush alone does not bring back pages that the disk failed to take"
        );
        assert!(
            fs::read(&journal).unwrap() == content,
            "with the same content"
        );
        drop(opened);
    }
}
