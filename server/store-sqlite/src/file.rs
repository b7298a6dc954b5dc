//! The store's file: its folder, its permissions, and the lock that lets one server use it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use fibfob_store::identity::ServerKey;
use fibfob_store::{FailureKind, StoreRoom, folder_of, give_to_folder_owner, place_durably};
use parking_lot::Mutex;
use rusqlite::Connection;

use super::error::SqliteError;
use super::flush_time;
use super::old_log::{OldLog, link_aside, unlink_beside};
use super::private_file::{
    beside, check_regular, file_error, if_there, is_number, open_private, read_at,
};
use super::read_only::recognise_unchanged;
use super::schema;
use super::span::FileMark;
use crate::limits::{
    JOURNAL_CHUNK_BYTES, LOCK_PAUSE, LOCK_TRIES, READ_WELL_FOR, RECOVERY_ROOM_BYTES,
};

/// The path of a store, and the file found there first.
#[derive(Clone, Debug)]
pub(super) struct StoreFile {
    pub(super) path: PathBuf,
    /// Device and inode.
    identity: Option<(u64, u64)>,
    /// The locked file. It is closed after SQLite's connections: closing it earlier would release their locks
    /// too.
    own: Arc<File>,
    /// The instant at which all of the file was last read without an error.
    read_well: Arc<Mutex<Option<Instant>>>,
}

/// Opens and locks the store's file, and creates it if needed, with this key or one of its own. Two locks, one on
/// a file beside it and one on the file itself, because a hard link gives it a second path. The operating system
/// releases them when the process ends, even after a crash. A file that is not a store is left as it is; another
/// store's write-ahead log beside it is set aside.
pub(super) fn prepare(
    path: &Path,
    key: Option<&ServerKey>,
) -> Result<(StoreFile, File), SqliteError> {
    let (path, beside) = lock_place(path, recognise_file)?;
    let path = &path;
    let found = if_there(File::open(path)).map_err(file_error(path))?;
    let log = OldLog::of(path, found.as_ref()).map_err(file_error(path))?;
    if let OldLog::Gap = log {
        return Err(SqliteError::ForeignLog(path.to_owned()));
    }
    if length_of(path) == 0 {
        check_no_journal(path)?;
        create(path, key, found.is_some())?;
    }
    let opened = File::options().read(true).write(true).open(path);
    let file = opened.map_err(file_error(path))?;
    give_to_folder_owner(&file, path).map_err(file_error(path))?;
    lock_file(&file, path, path)?;
    // Only its owner may read it, because it holds the key that signs tokens. SQLite gives its other files
    // the same mode.
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))
        .map_err(file_error(path))?;
    if log == OldLog::OfAnother {
        set_log_aside(path).map_err(file_error(path))?;
    }
    let metadata = file.metadata().map_err(file_error(path))?;
    let store = StoreFile {
        path: path.to_owned(),
        identity: identity(&metadata),
        own: Arc::new(file),
        read_well: Arc::default(),
    };
    Ok((store, beside))
}

/// Makes a new store in the place of a missing or empty file. It gets its name once it is complete, because a power
/// cut may leave anything in a file that was not flushed, and nobody could tell that from another program's file.
fn create(path: &Path, key: Option<&ServerKey>, replaces: bool) -> Result<(), SqliteError> {
    let folder = folder_of(path);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let prefix = format!(".{name}-new-");
    for other in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = other.file_name();
        if name.to_string_lossy().starts_with(&prefix) {
            tracing::warn!(
                ?name,
                "an interrupted start has left this file beside the store; nothing needs it, so you can remove it"
            );
        }
    }
    let new = tempfile::Builder::new().prefix(&prefix).tempfile_in(folder);
    let new = new.map_err(file_error(path))?;
    let mut connection = Connection::open(new.path())?;
    // A file that is not finished is of no use.
    connection.pragma_update_and_check(None, "journal_mode", "OFF", |_| Ok(()))?;
    schema::create(&mut connection, key)?;
    connection.close().map_err(|(_, error)| error)?;
    let given = give_to_folder_owner(new.as_file(), path);
    let placed = given.and_then(|()| place_durably(new, path, replaces));
    placed.map_err(file_error(path))
}

/// Creates the folder if needed, and locks the place of a store by a file beside it, unless `recognise`
/// refuses what is there. Returns the path without symbolic links.
pub(super) fn lock_place(
    path: &Path,
    recognise: impl FnOnce(&Path) -> Result<(), SqliteError>,
) -> Result<(PathBuf, File), SqliteError> {
    let folder = folder_of(path);
    create_folder(folder).map_err(file_error(folder))?;
    let path = resolve(path).map_err(file_error(path))?;
    check_regular(&path)?;
    recognise(&path)?;
    let lock_path = beside(&path, "-lock");
    let mut lock = open_private(&lock_path).map_err(file_error(&lock_path))?;
    lock_file(&lock, &lock_path, &path)?;
    // Other content may be another program's, or what a power cut has left. It stays, because any file can be locked.
    if is_number(&lock) {
        give_to_folder_owner(&lock, &lock_path).map_err(file_error(&lock_path))?;
        // Only the text of an error needs it.
        let _ = lock
            .set_len(0)
            .and_then(|()| write!(lock, "{}", std::process::id()));
    }
    Ok((path, lock))
}

/// SQLite removes what lies in the place of a new file's journals, whatever it is.
pub(super) fn check_no_journal(path: &Path) -> Result<(), SqliteError> {
    for suffix in ["-wal", "-journal"] {
        let journal = beside(path, suffix);
        if length_of(&journal) > 0 {
            return Err(SqliteError::NotOurs(journal));
        }
    }
    Ok(())
}

pub(super) fn lock_file(file: &File, named: &Path, path: &Path) -> Result<(), SqliteError> {
    // On other systems, a lock on the store itself would keep SQLite out.
    if !cfg!(unix) && named == path {
        return Ok(());
    }
    // A child process that this program has just started holds inherited files for a moment.
    let mut locked = file.try_lock();
    for _ in 0..LOCK_TRIES {
        if !matches!(locked, Err(TryLockError::WouldBlock)) {
            break;
        }
        std::thread::sleep(LOCK_PAUSE);
        locked = file.try_lock();
    }
    match locked {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            let process = std::fs::read_to_string(beside(path, "-lock")).unwrap_or_default();
            let process = process.parse::<u32>();
            let by = process.map_or_else(|_| String::new(), |id| format!(" (process {id})"));
            Err(SqliteError::InUse(path.to_owned(), by))
        }
        Err(TryLockError::Error(source)) => Err(file_error(named)(source)),
    }
}

fn set_log_aside(path: &Path) -> io::Result<()> {
    let log = link_aside(path, &["-wal"])?.map(|aside| beside(&aside, "-wal"));
    unlink_beside(path, &["-wal", "-shm"])?;
    tracing::warn!(
        log = %log.unwrap_or_default().display(),
        "found the write-ahead log (-wal) of a replaced store file; it was renamed, not applied"
    );
    Ok(())
}

/// Returns the path without symbolic links, so that two servers that name one file differently meet
/// at one lock.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    match path.canonicalize() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if path.is_symlink() {
                return Err(error);
            }
            let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
            Ok(folder_of(path).canonicalize()?.join(name))
        }
        resolved => resolved,
    }
}

/// Checks that a file is a store or empty, before anything of it is changed.
fn recognise_file(path: &Path) -> Result<(), SqliteError> {
    match length_of(path) {
        // An empty or missing file has nothing to lose. If it is unusable, its use fails below with the operating
        // system's error.
        0 => Ok(()),
        _ => recognise_unchanged(path),
    }
}

/// Returns the bytes of a file, or none if it cannot be seen.
fn length_of(path: &Path) -> u64 {
    path.metadata().map_or(0, |found| found.len())
}

impl StoreFile {
    /// Checks that the file in the store's place is the one that was prepared.
    pub(super) fn check_place(&self) -> Result<(), SqliteError> {
        let metadata = std::fs::metadata(&self.path).map_err(file_error(&self.path))?;
        if identity(&metadata) == self.identity {
            Ok(())
        } else {
            Err(SqliteError::Replaced(self.path.clone()))
        }
    }

    pub(super) fn mark(&self) -> Result<Option<FileMark>, SqliteError> {
        FileMark::of_file(&self.own).map_err(file_error(&self.path))
    }

    /// Checks the place, that the write-ahead log beside it is its own, and that there is room.
    pub(super) fn check_unchanged(&self) -> Result<(), SqliteError> {
        self.check_content()?;
        flush_time::measure(&self.path, RECOVERY_ROOM_BYTES)
            .map(drop)
            .map_err(file_error(&self.path))
    }

    fn check_content(&self) -> Result<(), SqliteError> {
        self.check_place()?;
        match OldLog::of(&self.path, Some(&self.own)).map_err(file_error(&self.path))? {
            OldLog::Empty | OldLog::Own => Ok(()),
            OldLog::OfAnother | OldLog::Gap => Err(SqliteError::Replaced(self.path.clone())),
        }
    }

    /// Uses the file. If that meets damage although all of the file can be read, uses it again, because
    /// SQLite takes a failed read for damage.
    pub(super) fn certainly<T>(
        &self,
        mut act: impl FnMut() -> Result<T, SqliteError>,
    ) -> Result<T, SqliteError> {
        match act() {
            Err(error) if error.kind() == FailureKind::Damaged => {
                self.read_through()?;
                act()
            }
            done => done,
        }
    }

    /// Checks that all of the file and its log can be read, unless that was done just now.
    fn read_through(&self) -> Result<(), SqliteError> {
        let mut read_well = self.read_well.lock();
        if read_well.is_some_and(|at| at.elapsed() < READ_WELL_FOR) {
            return Ok(());
        }
        self.check_content()?;
        let mut chunk = vec![0; JOURNAL_CHUNK_BYTES];
        let mut at = 0;
        loop {
            let read = read_at(&self.own, at, &mut chunk).map_err(file_error(&self.path))?;
            at += read as u64;
            if read < chunk.len() {
                *read_well = Some(Instant::now());
                return Ok(());
            }
        }
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
        rewrite(&path).map_err(file_error(&path))
    }

    /// The room that the file takes with its journal, and what is left on its disk.
    pub(super) fn room(&self) -> Result<StoreRoom, SqliteError> {
        #[cfg(unix)]
        let free = rustix::fs::statvfs(&self.path).map(|disk| Some(disk.f_bavail * disk.f_frsize));
        #[cfg(not(unix))]
        let free = Ok::<_, io::Error>(None);
        Ok(StoreRoom {
            bytes: length_of(&self.path) + length_of(&beside(&self.path, "-wal")),
            free: free.map_err(|error| file_error(&self.path)(error.into()))?,
            database: None,
        })
    }
}

fn rewrite(path: &Path) -> io::Result<()> {
    let file = OpenOptions::new().read(true).write(true).open(path);
    let Some(mut file) = if_there(file)? else {
        return Ok(());
    };
    let mut chunk = vec![0; JOURNAL_CHUNK_BYTES];
    let mut at = 0;
    loop {
        let length = read_at(&file, at, &mut chunk)?;
        if length == 0 {
            return file.sync_all();
        }
        file.seek(SeekFrom::Start(at))?;
        file.write_all(&chunk[..length])?;
        at += length as u64;
    }
}

#[cfg(unix)]
fn identity(metadata: &std::fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

/// Other systems have no such numbers.
#[cfg(not(unix))]
fn identity(_: &std::fs::Metadata) -> Option<(u64, u64)> {
    None
}

fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
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
        let (file, _lock) = prepare(&left, None).unwrap();
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
