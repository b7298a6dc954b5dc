//! The embedded engine: one SQLite file, one writer that commits in groups, one reader.
//!
//! SQLite serialises writers anyway; one thread with a queue makes that explicit and lets all
//! appends that wait share one flush to the disk.

#![expect(
    clippy::disallowed_methods,
    reason = "a thread of its own, outside of any simulation, waits for the disk"
)]

mod backup;
mod check;
mod chunk;
mod commit;
mod error;
mod file;
mod flush_time;
mod journal;
mod mover;
mod new_file;
mod private_file;
mod read;
mod read_only;
mod recent;
mod row;
mod schema;
mod seats;
mod service;
mod stamps;
mod unfinished;
mod value;
mod writer;

use std::path::Path;
use std::sync::{Arc, PoisonError};

use fibfob_protocol::{Code, GuestId, MatchId, MatchPlace, Record, Timestamp, Version};
use rusqlite::{Connection, OpenFlags, OptionalExtension, TransactionBehavior};
use tokio::sync::{Mutex, oneshot};

use super::service::NotedRuns;
use super::{
    AppendError, Beat, Durability, Engine, EngineFuture, EngineLog, IndexRow, LobbyRow, Log,
    QueueFill, Service, StoreError, StoreMeter, UnfinishedMatch, WriteCounts, checksum,
};
use crate::identity::{ServerKey, TokenStamp};
use crate::limits::WRITER_CACHE_KIB;

pub use backup::backup_file;
pub use check::check_file;
use commit::{OpenJournal, Queued, QueuedAppend, QueuedNote, QueuedStamp};
pub use error::SqliteError;
use file::StoreFile;
pub(super) use flush_time::log_flush_time;
use journal::Tails;
pub(super) use mover::MoveBounds;
pub(super) use new_file::NewFile;
use read::{read_key, read_lobby_rows, read_log, read_match_ids};
use service::ServiceNote;
use value::match_id;
use writer::Writer;

/// A store in one SQLite file. Clones are the same store; dropping the last one waits until
/// everything is written and the file is free.
#[derive(Clone)]
pub struct Sqlite(Arc<Connections>);

/// Fields are dropped in this order: the lock goes last, when nothing uses the file any more.
struct Connections {
    tails: Arc<Tails>,
    reader: Arc<Mutex<Connection>>,
    writer: Writer,
    /// The runs of servers, as the newest note has them.
    runs: std::sync::Mutex<NotedRuns>,
    _lock: file::FileLock,
}

struct SqliteLog {
    engine: Sqlite,
    id: MatchId,
    version: Version,
}

impl Sqlite {
    /// Opens the store in this file, which is created if it is missing. Blocks; for the start of
    /// a program. A store that cannot be written is opened too: it can be read, and recovers.
    ///
    /// # Errors
    /// If the file is not a store, is in use, or SQLite does not give the durability needed.
    pub fn open(path: &Path) -> Result<Self, SqliteError> {
        Self::open_moving(path, MoveBounds::default())
    }

    /// [`Self::open`] of a store that is there: none is created.
    ///
    /// # Errors
    /// As [`Self::open`], and if the file is missing or empty.
    pub fn open_existing(path: &Path) -> Result<Self, SqliteError> {
        drop(read_only::open_to_read(path)?);
        Self::open(path)
    }

    /// [`Self::open`], with this key for a store that is created.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_with_key(path: &Path, key: &ServerKey) -> Result<Self, SqliteError> {
        let opened = Self::open_file(path, MoveBounds::default(), Some(key));
        opened.map_err(|error| error.at(path))
    }

    /// [`Self::open`] with other bounds of the moves into chunks.
    pub(super) fn open_moving(path: &Path, bounds: MoveBounds) -> Result<Self, SqliteError> {
        Self::open_file(path, bounds, None).map_err(|error| error.at(path))
    }

    fn open_file(
        path: &Path,
        bounds: MoveBounds,
        key: Option<&ServerKey>,
    ) -> Result<Self, SqliteError> {
        let (file, lock) = file::prepare(path)?;
        let mut writer = open_writer(&file, key)?;
        let tails = Arc::<Tails>::default();
        tails.restore(None);
        let written = file
            .check_unchanged()
            .and_then(|()| schema::write_nothing(&mut writer));
        let opened = OpenJournal::read(writer, &tails, bounds);
        let opened = written.and(opened);
        let reader = connect(&file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        schema::configure(&reader)?;
        reader.pragma_update(None, "query_only", true)?;
        Ok(Self(Arc::new(Connections {
            tails: Arc::clone(&tails),
            reader: Arc::new(Mutex::new(reader)),
            writer: Writer::start(file, tails, bounds, opened),
            runs: std::sync::Mutex::default(),
            _lock: lock,
        })))
    }

    fn runs(&self) -> std::sync::MutexGuard<'_, NotedRuns> {
        // Every change is complete before anything in it can panic.
        self.0.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn note(&self, note: ServiceNote) -> Result<(), AppendError> {
        let (reply, noted) = oneshot::channel();
        let queued = Queued::Note(QueuedNote { note, reply });
        self.0.writer.submit(queued).await?;
        noted.await.unwrap_or(Err(AppendError::Unknown))
    }

    /// Runs `read` off the runtime. Readers queue for the one connection here, where waiting
    /// costs no thread.
    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, SqliteError> + Send + 'static,
    ) -> Result<T, SqliteError> {
        let reader = Arc::clone(&self.0.reader).lock_owned().await;
        tokio::task::spawn_blocking(move || read(&reader))
            .await
            .map_err(|_| SqliteError::Stopped)?
    }

    /// [`Self::read`] as an operation of the contract.
    fn read_boxed<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, SqliteError> + Send + 'static,
    ) -> EngineFuture<'_, T> {
        Box::pin(async move { Ok(self.read(read).await?) })
    }
}

impl Engine for Sqlite {
    fn open(&self, id: MatchId) -> EngineFuture<'_, (Vec<Record>, Log)> {
        Box::pin(async move {
            let tails = Arc::clone(&self.0.tails);
            let read = move |reader: &Connection| read_log(reader, &tails, id);
            let records = self.read(read).await?;
            let log = SqliteLog {
                engine: self.clone(),
                id,
                version: records.last().map_or(Version(0), |record| record.version),
            };
            Ok((records, Log::new(log)))
        })
    }

    fn find(&self, code: Code) -> EngineFuture<'_, Option<MatchId>> {
        self.read_boxed(move |reader| {
            let mut found = reader.prepare_cached("SELECT id FROM match WHERE code = ?1")?;
            let id = found.query_row([code.as_str()], |row| row.get(0));
            Ok(id.optional()?.map(match_id).transpose()?)
        })
    }

    fn lobby_rows(&self, limit: usize) -> EngineFuture<'_, Vec<(MatchId, LobbyRow)>> {
        self.read_boxed(move |reader| {
            let mut rows = read_lobby_rows(reader, "open", limit)?;
            rows.extend(read_lobby_rows(reader, "playing", limit)?);
            rows.reverse();
            Ok(rows)
        })
    }

    fn unfinished_after(
        &self,
        place: (Timestamp, MatchId),
        limit: usize,
    ) -> EngineFuture<'_, Vec<UnfinishedMatch>> {
        self.read_boxed(move |reader| unfinished::read_after(reader, place, limit))
    }

    fn unfinished_matches(
        &self,
        since: Timestamp,
        limit: usize,
    ) -> EngineFuture<'_, Vec<UnfinishedMatch>> {
        self.read_boxed(move |reader| unfinished::read(reader, since, limit))
    }

    fn matches_of(
        &self,
        guest: GuestId,
        finished: bool,
        before: Option<MatchPlace>,
        limit: usize,
    ) -> EngineFuture<'_, Vec<MatchPlace>> {
        self.read_boxed(move |reader| seats::read(reader, guest, finished, before, limit))
    }

    fn match_ids(&self, after: Option<MatchId>, limit: usize) -> EngineFuture<'_, Vec<MatchId>> {
        self.read_boxed(move |reader| read_match_ids(reader, after, limit))
    }

    fn stamps(
        &self,
        after: Option<GuestId>,
        limit: usize,
    ) -> EngineFuture<'_, Vec<(GuestId, TokenStamp)>> {
        self.read_boxed(move |reader| stamps::read_after(reader, after, limit))
    }

    fn server_key(&self) -> EngineFuture<'_, ServerKey> {
        self.read_boxed(read_key)
    }

    fn token_stamp(&self, guest: GuestId) -> EngineFuture<'_, TokenStamp> {
        self.read_boxed(move |reader| stamps::read(reader, guest))
    }

    fn renew_token(&self, guest: GuestId, stamp: TokenStamp) -> EngineFuture<'_, (), AppendError> {
        Box::pin(async move {
            let (reply, renewed) = oneshot::channel();
            let stamp = QueuedStamp {
                guest,
                stamp,
                reply,
            };
            self.0.writer.submit(Queued::Stamp(stamp)).await?;
            renewed.await.unwrap_or(Err(AppendError::Unknown))
        })
    }

    fn beat(&self, beat: Beat) -> EngineFuture<'_, Service> {
        Box::pin(async move {
            let begins = beat.begins;
            let mut noted = Vec::new();
            if begins {
                let (mut runs, absences) = self.read(service::read).await?;
                runs.note(beat.at, true);
                noted = absences;
                *self.runs() = runs;
            } else {
                self.runs().note(beat.at, false);
            }
            let runs = self.runs().clone();
            let note = ServiceNote {
                at: runs.until.unwrap_or(beat.at),
                new_run: begins.then(|| runs.clone()),
                absences: beat.absences,
            };
            match self.note(note).await {
                Ok(()) => {}
                // Then a restart gives some thinking back.
                Err(_) if begins => {
                    tracing::warn!("the store could not note that a server has begun to run");
                }
                Err(_) => return Err(StoreError::NotNoted),
            }
            Ok(runs.service(noted))
        })
    }

    fn ready(&self) -> EngineFuture<'_, Durability> {
        Box::pin(async move {
            self.0.writer.look();
            self.0.writer.check()?;
            // From a table: SQLite returns a constant without a look at the file.
            self.read(|reader| Ok(reader.query_row("SELECT 1 FROM server_key", [], |_| Ok(()))?))
                .await?;
            Ok(Durability::File)
        })
    }

    fn write_counts(&self) -> WriteCounts {
        self.0.writer.write_counts()
    }

    fn meter(&self) -> StoreMeter {
        self.0.writer.meter()
    }

    fn queue(&self) -> QueueFill {
        self.0.writer.queue()
    }
}

impl EngineLog for SqliteLog {
    fn append<'a>(
        &'a mut self,
        record: &'a Record,
        row: Option<&'a IndexRow>,
    ) -> EngineFuture<'a, (), AppendError> {
        Box::pin(async move {
            if record.version != self.version.next() {
                return Err(AppendError::Conflict);
            }
            let (reply, stored) = oneshot::channel();
            let append = QueuedAppend {
                id: self.id,
                version: record.version,
                at: record.at,
                record: serde_json::to_string(record).expect("records have string keys"),
                row: row.cloned(),
                reply,
            };
            self.engine.0.writer.submit(Queued::Append(append)).await?;
            stored.await.unwrap_or(Err(AppendError::Unknown))?;
            self.version = record.version;
            Ok(())
        })
    }

    fn read_on(&mut self) -> EngineFuture<'_, Vec<Record>> {
        Box::pin(async move {
            let (tails, id) = (Arc::clone(&self.engine.0.tails), self.id);
            let read = move |reader: &Connection| read_log(reader, &tails, id);
            let mut records = self.engine.read(read).await?;
            records.retain(|record| record.version > self.version);
            if let Some(newest) = records.last() {
                self.version = newest.version;
            }
            Ok(records)
        })
    }

    fn advance(&mut self, stored: &Record) -> bool {
        let is_next = stored.version == self.version.next();
        if is_next {
            self.version = stored.version;
        }
        is_next
    }

    fn abandon(&self) {
        // The check logs a disk that hangs; its result is for readiness checks.
        let _ = self.engine.0.writer.check();
    }
}

/// Opens a prepared file for writing: at a start, and again after each failure. A new store has this
/// key, or one of its own.
fn open_writer(file: &StoreFile, key: Option<&ServerKey>) -> Result<Connection, SqliteError> {
    // Without permission to create the file: a store that vanished must not become an empty one.
    let mut connection = connect(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    schema::configure(&connection)?;
    // A negative size is one in KiB.
    connection.pragma_update(None, "cache_size", -WRITER_CACHE_KIB)?;
    // The transaction writes nothing; it keeps other programs from writing.
    let exclusive = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    file.rewrite_journal()?;
    exclusive.rollback()?;
    schema::ensure(&mut connection, file.path(), key)?;
    Ok(connection)
}

fn connect(file: &StoreFile, flags: OpenFlags) -> Result<Connection, SqliteError> {
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Ok(Connection::open_with_flags(file.path(), flags)?)
}

#[cfg(test)]
mod tests;
