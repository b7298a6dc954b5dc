//! The file itself: its folder, who may read it, and that only one server uses it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::limits::{JOURNAL_CHUNK_BYTES, MEND_ROOM_BYTES};
use crate::store::{StoreError, flush};

/// Where a store is, and which file was found there first.
#[derive(Clone, Debug)]
pub(super) struct Place {
    path: PathBuf,
    inode: Option<(u64, u64)>,
}

/// Held while a server uses the file. The operating system lets it go when the process ends,
/// however it ends.
pub(super) struct Lock(#[expect(dead_code, reason = "locked as long as it is open")] File);

/// Makes the folder and the file where they are missing, and locks the file.
///
/// The lock is a file beside the store: opening and closing the store's own file would let go
/// of the locks that SQLite holds on it.
pub(super) fn prepare(path: &Path) -> Result<(Place, Lock), StoreError> {
    let fault = |path: &Path| {
        let path = path.to_owned();
        move |source| StoreError::File { path, source }
    };
    let folder = folder_of(path);
    make_folder(folder).map_err(fault(folder))?;
    let lock_path = beside(path, "-lock");
    let lock = open_private(&lock_path).map_err(fault(&lock_path))?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(StoreError::InUse(path.to_owned())),
        Err(TryLockError::Error(source)) => return Err(fault(&lock_path)(source)),
    }
    let existed = path.exists();
    let file = open_private(path).map_err(fault(path))?;
    make_private(&file).map_err(fault(path))?;
    if !existed {
        // A new file is only as durable as its folder's entry for it.
        sync_folder(folder).map_err(fault(folder))?;
    }
    let metadata = file.metadata().map_err(fault(path))?;
    let place = Place {
        path: path.to_owned(),
        inode: inode(&metadata),
    };
    Ok((place, Lock(lock)))
}

impl Place {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes sure that the file is the one that was prepared, and that there is room beside it.
    pub(super) fn is_as_it_was(&self) -> Result<(), StoreError> {
        let fault = |source| StoreError::File {
            path: self.path.clone(),
            source,
        };
        let metadata = std::fs::metadata(&self.path).map_err(fault)?;
        if inode(&metadata) != self.inode {
            return Err(StoreError::Replaced(self.path.clone()));
        }
        flush::time(&self.path, MEND_ROOM_BYTES)
            .map(drop)
            .map_err(fault)
    }

    /// Writes SQLite's log of changes once more, as it is, and flushes it. Nobody may write it
    /// meanwhile.
    ///
    /// A server that ended may have written what it had no time to flush, or what the disk
    /// failed to take. That would be read, and shown, before anything flushes it. Flushing
    /// alone is not enough: after a flush that failed, Linux counts the lost pages as clean,
    /// and the next flush succeeds without them. What is written anew is flushed anew.
    pub(super) fn flush_journal_anew(&self) -> Result<(), StoreError> {
        let path = beside(&self.path, "-wal");
        rewrite(&path).map_err(|source| StoreError::File { path, source })
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
fn inode(metadata: &std::fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn inode(_: &std::fs::Metadata) -> Option<(u64, u64)> {
    None
}

/// The folder that a file is in.
pub(in crate::store) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

pub(in crate::store) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

pub(in crate::store) fn open_private(path: &Path) -> io::Result<File> {
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
pub(in crate::store) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
pub(in crate::store) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, SystemTime};

    use rusqlite::Connection;
    use tempfile::TempDir;

    use super::*;
    use crate::store::Store;

    #[test]
    fn what_a_dead_server_left_is_written_anew_before_it_is_read() {
        let folder = TempDir::new().unwrap();
        let (path, left) = (
            folder.path().join("a.sqlite"),
            folder.path().join("b.sqlite"),
        );
        let store = Store::sqlite(&path).unwrap();
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
        let (place, _lock) = prepare(&left).unwrap();
        let opened: Connection = super::super::open(&place).unwrap();
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
