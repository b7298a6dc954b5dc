//! Backups of store files: a new file gets its name only once it is complete and flushed. A database has
//! PostgreSQL's own tools for that.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use thiserror::Error;

use super::error::StoreError;
use super::folder::{folder_of, place_durably};
use super::owner::{give_to_folder_owner, with_owner};

/// The first bytes of every SQLite file that is not empty.
const DATABASE_HEAD: &[u8] = b"SQLite format 3\0";

/// A number of matches, and of events in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatchCounts {
    /// The matches.
    pub matches: u64,
    /// Their events.
    pub events: u64,
}

/// A reason why a backup was not made, or not restored.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "each is what its text says")]
pub enum BackupError {
    #[error("{0} exists; a backup goes into a new file")]
    Exists(PathBuf),
    #[error(
        "{0} is no copy that an interrupted restore has left, so it stays as it is; move it away and restore \
         again"
    )]
    NotLeft(PathBuf),
    #[error("cannot write {0}: {1}")]
    File(PathBuf, #[source] io::Error),
    #[error(transparent)]
    Store(StoreError),
    #[error("the backup is damaged and was not restored; nothing was changed")]
    Damaged,
}

/// A backup in the making: a file under another name, readable for its owner only. It is removed unless it is
/// finished.
pub struct NewBackup {
    copy: NamedTempFile,
    target: PathBuf,
    replaces: bool,
}

impl NewBackup {
    /// Begins a backup that will be named `target`, unless something is.
    pub fn begin(target: &Path) -> Result<Self, BackupError> {
        // Checked early to spare the work. The rename at the end decides, because it replaces no file.
        if target.symlink_metadata().is_ok() {
            return Err(BackupError::Exists(target.to_owned()));
        }
        let copy = tempfile::Builder::new()
            .prefix(".fibfob-backup-")
            .tempfile_in(folder_of(target));
        Self::of(copy, target, false)
    }

    /// Begins a copy that will replace `target`, whose store the caller has locked. Its name is always the
    /// same, so that copies of killed programs do not pile up.
    pub fn begin_to_replace(target: &Path) -> Result<Self, BackupError> {
        let mut name = target.file_name().unwrap_or_default().to_owned();
        name.push("-restoring");
        remove_left(&folder_of(target).join(&name))?;
        let copy = tempfile::Builder::new()
            .prefix(&name)
            .rand_bytes(0)
            .tempfile_in(folder_of(target));
        let backup = Self::of(copy, target, true)?;
        let given = give_to_folder_owner(backup.copy.as_file(), target);
        given.map_err(|source| BackupError::File(target.to_owned(), source))?;
        Ok(backup)
    }

    fn of(
        copy: io::Result<NamedTempFile>,
        target: &Path,
        replaces: bool,
    ) -> Result<Self, BackupError> {
        Ok(Self {
            copy: copy.map_err(|source| {
                BackupError::File(target.to_owned(), with_owner(folder_of(target), source))
            })?,
            target: target.to_owned(),
            replaces,
        })
    }

    /// Returns the path of the file while it is being made.
    pub fn path(&self) -> &Path {
        self.copy.path()
    }

    /// Makes the file durable, gives it its name, and returns its size in bytes. It replaces a file only if
    /// it was begun to.
    ///
    /// # Errors
    /// If the disk fails, or a file has that name by now.
    pub fn finish(self) -> Result<u64, BackupError> {
        let Self { copy, target, .. } = self;
        let failed = |source: io::Error| match source.kind() {
            io::ErrorKind::AlreadyExists => BackupError::Exists(target.clone()),
            _ => BackupError::File(target.clone(), source),
        };
        let bytes = copy.as_file().metadata().map_err(failed)?.len();
        place_durably(copy, &target, self.replaces).map_err(failed)?;
        Ok(bytes)
    }
}

/// Removes the copy that an interrupted restore has left.
fn remove_left(path: &Path) -> Result<(), BackupError> {
    let failed = |source| BackupError::File(path.to_owned(), source);
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Ok(found) if found.is_file() && begins_as_database(path).map_err(failed)? => {
            std::fs::remove_file(path).map_err(failed)
        }
        Ok(_) => Err(BackupError::NotLeft(path.to_owned())),
        Err(error) => Err(failed(error)),
    }
}

/// True if a file begins as an SQLite file does, or with zeros as one that was not completely written. What else
/// is in its place belongs to somebody else.
pub fn begins_as_database(path: &Path) -> io::Result<bool> {
    let mut head = Vec::new();
    let file = File::open(path)?;
    file.take(DATABASE_HEAD.len() as u64)
        .read_to_end(&mut head)?;
    Ok(head == DATABASE_HEAD || head.iter().all(|byte| *byte == 0))
}
