//! The embedded engine: one SQLite file, one writer that commits in groups, one reader.
//!
//! SQLite runs one writer at a time anyway. One thread with a queue makes that explicit, and lets all waiting
//! appends share one flush to the disk.

#![expect(
    clippy::disallowed_methods,
    reason = "a thread of its own, outside of any simulation, waits for the disk"
)]

mod backup;
mod check;
mod commit;
mod error;
mod file;
mod flush_time;
mod left_stores;
mod limits;
mod log;
mod log_watch;
mod notes;
mod old_log;
mod private_file;
mod read_only;
mod row;
mod schema;
mod span;
mod writer;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use fibfob_protocol::{MatchId, Record, Version};
use fibfob_store::identity::ServerKey;
use fibfob_store::limits::UPTIME_NOTED_EVERY;
use fibfob_store::sql::{Certainty, ReadRow, SqlEngine, SqlValue};
use fibfob_store::{
    AppendError, Beat, Engine, EngineFuture, Head, IndexRow, MatchChange, Note, NoteKey, NoteKind,
    NotedRuns, Opening, QueueFill, QueuedAppend, Service, Sign, StoreError, StoreMeter, StoreRoom,
};
use rusqlite::config::DbConfig;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, params_from_iter};
use tokio::sync::{Mutex, oneshot};
use uuid::Uuid;

use crate::limits::{UPTIME_NOTED_IDLE_EVERY, WRITER_CACHE_KIB};

pub use backup::{OldFile, Restored, backup_file, restore_file};
pub use check::check_file;
use commit::{Group, OpenLog, Queued, QueuedChange};
pub use error::SqliteError;
use file::StoreFile;
pub use flush_time::log_flush_time;
pub use left_stores::{left_stores, remove_left_store};
use log::LogPlace;
use read_only::open_to_read;
use row::{begin, read_key, read_rows};
use writer::Writer;

/// A store in one SQLite file. Clones are the same store; dropping the last one waits until
/// everything is written and the file is free.
#[derive(Clone)]
pub struct Sqlite(Arc<Connections>);

/// Fields are dropped in this order: the lock goes last, when nothing uses the file any more.
struct Connections {
    reader: Arc<Mutex<Connection>>,
    writer: Writer,
    file: StoreFile,
    /// The runs of servers, and what was written of them.
    signs: parking_lot::Mutex<Signs>,
    _lock: File,
}

#[derive(Default)]
struct Signs {
    runs: NotedRuns,
    /// The newest sign that was written, and the commits by then.
    written: Option<(Instant, u64)>,
}

impl Sqlite {
    /// Opens the store in this file, to serve from it. Blocks, so call it at the start of a program. A store
    /// that cannot be written is opened too: it can be read, and may recover.
    ///
    /// # Errors
    /// If the file is not a store, is in use, or SQLite does not give the durability needed.
    pub fn open(path: &Path) -> Result<Self, SqliteError> {
        Self::open_for(path, Opening::Serve)
    }

    /// [`Self::open`] for this purpose.
    pub fn open_for(path: &Path, opening: Opening<'_>) -> Result<Self, SqliteError> {
        let key = match opening {
            Opening::Serve => None,
            // Refuses a missing or empty file.
            Opening::Move => open_to_read(path).map(|_| None)?,
            Opening::Fill(key) => Some(key),
        };
        Self::open_file(path, key).map_err(|error| error.at(path))
    }

    fn open_file(path: &Path, key: Option<&ServerKey>) -> Result<Self, SqliteError> {
        let (file, lock) = file::prepare(path, key)?;
        let writer = open_writer(&file)?;
        let unchanged = file.check_unchanged();
        let opened = unchanged.and_then(|()| OpenLog::begin_run(writer, &file));
        let reader = connect(&file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        schema::configure(&reader)?;
        reader.pragma_update(None, "query_only", true)?;
        Ok(Self(Arc::new(Connections {
            reader: Arc::new(Mutex::new(reader)),
            writer: Writer::start(file.clone(), opened),
            file,
            signs: parking_lot::Mutex::default(),
            _lock: lock,
        })))
    }

    /// Lets the writer make a change in its next transaction. One that meets damage fails alone.
    async fn write<T: Send + 'static>(
        &self,
        make: impl Fn(&mut Group<'_>) -> Result<T, SqliteError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (committed, commit) = oneshot::channel();
        let made = Arc::new(parking_lot::Mutex::new(Err(StoreError::NotNoted)));
        let outcome = Arc::clone(&made);
        let make = Box::new(move |group: &mut Group<'_>| {
            *outcome.lock() = match make(group) {
                Err(SqliteError::Data(error)) => Err(error.into()),
                made => Ok(made?),
            };
            Ok(())
        });
        let queued = Queued::Change(QueuedChange { make, committed });
        // If the writer has ended, nothing is queued, so nothing is committed.
        let _ = self.0.writer.queue.send(queued).await;
        commit.await.map_err(|_| StoreError::NotNoted)?;
        std::mem::replace(&mut *made.lock(), Err(StoreError::NotNoted))
    }

    /// Notes that the server runs. Writes nothing if a commit has just shown as much.
    async fn note_sign(&self, beat: Beat) -> Result<Service, StoreError> {
        let (mut runs, noted) = match beat.sign {
            Sign::Begins => self.read_file(notes::read_service).await?,
            Sign::Runs | Sign::Ends => (self.0.signs.lock().runs.clone(), Vec::new()),
        };
        // The file's lock says that no other server runs.
        let begins_run = runs.begins_run(&beat, beat.at, &BTreeMap::new());
        runs.note(beat.at, begins_run);
        let at = runs.until.unwrap_or(beat.at);
        let service = runs.service(beat.sign, noted, BTreeMap::from([(beat.server, at)]));
        let every = match beat.is_idle {
            true => UPTIME_NOTED_IDLE_EVERY,
            false => UPTIME_NOTED_EVERY,
        };
        let commits = self.0.writer.meter.commits.get();
        let written = self.0.signs.lock().written;
        let is_recent = |(at, before): (Instant, u64)| commits > before || at.elapsed() < every;
        let is_written = written.is_some_and(is_recent);
        if beat.sign != Sign::Runs || begins_run || beat.absences.is_some() || !is_written {
            let (new_run, absences) = (begins_run.then(|| runs.clone()), beat.absences);
            let note = move |group: &mut Group<'_>| {
                group.note_sign(at, new_run.as_ref(), absences.as_deref())
            };
            match self.write(note).await {
                // A kill before the next note then gives players some thinking time back.
                Err(error) if beat.sign == Sign::Begins => {
                    tracing::warn!(
                        %error,
                        "cannot store that this server has started: if it is killed soon, players get \
                         some of their thinking time back"
                    );
                }
                written => written?,
            }
        }
        let mut signs = self.0.signs.lock();
        signs.runs = runs;
        if !is_written || written.is_none_or(|(_, before)| commits > before) {
            signs.written = Some((Instant::now(), commits));
        }
        drop(signs);
        Ok(service)
    }

    /// Runs `read` off the runtime.
    async fn read_file<T: Send + 'static>(
        &self,
        read: impl Fn(&Connection) -> Result<T, SqliteError> + Send + 'static,
    ) -> Result<T, SqliteError> {
        // Readers queue for the one connection here, where waiting costs no thread.
        let reader = Arc::clone(&self.0.reader).lock_owned().await;
        let file = self.0.file.clone();
        let reading = tokio::task::spawn_blocking(move || file.certainly(|| read(&reader)));
        reading.await.map_err(|_| SqliteError::Stopped)?
    }

    /// [`Self::read_file`] as an operation of the contract.
    fn reading<T: Send + 'static>(
        &self,
        read: impl Fn(&Connection) -> Result<T, SqliteError> + Send + 'static,
    ) -> EngineFuture<'_, T> {
        Box::pin(async move { Ok(self.read_file(read).await?) })
    }
}

impl Engine for Sqlite {
    fn read(&self, id: MatchId, after: Version) -> EngineFuture<'_, Vec<Record>> {
        self.reading(move |reader| {
            // It only reads; nothing is lost whether it commits or not.
            let _transaction = reader.unchecked_transaction()?;
            let place = LogPlace::read(reader, id)?;
            place.map_or(Ok(Vec::new()), |place| place.records(reader, id, after))
        })
    }

    fn append<'a>(
        &'a self,
        id: MatchId,
        record: &'a Record,
        row: Option<&'a IndexRow>,
    ) -> EngineFuture<'a, (), AppendError> {
        Box::pin(QueuedAppend::send(&self.0.writer.queue, id, record, row))
    }

    fn heads(&self, ids: Vec<MatchId>) -> EngineFuture<'_, Vec<(Head, u64)>> {
        self.reading(move |reader| {
            // In one transaction: a log may be packed meanwhile.
            let _transaction = reader.unchecked_transaction()?;
            let mut heads = Vec::with_capacity(ids.len());
            for &id in &ids {
                let Some(place) = LogPlace::read(reader, id)? else {
                    continue;
                };
                let version = place.end(reader)?;
                let chat = notes::newest_number(reader, NoteKind::Chat, id.0)?;
                heads.push((Head { id, version }, chat));
            }
            Ok(heads)
        })
    }

    fn put_notes(&self, put: Vec<Note>, removed: Vec<NoteKey>) -> EngineFuture<'_, Vec<Note>> {
        Box::pin(self.write(move |group| {
            let ends = |key: &NoteKey| key.kind == NoteKind::Forgetting;
            group.ends_erasure |= removed.iter().any(ends);
            notes::put(group.connection, &put, &removed)
        }))
    }

    fn change_match(&self, id: MatchId, change: MatchChange) -> EngineFuture<'_, bool> {
        Box::pin(self.write(move |group| group.change(id, &change)))
    }

    fn notes(&self, kind: NoteKind, about: Vec<Uuid>, above: u64) -> EngineFuture<'_, Vec<Note>> {
        self.reading(move |reader| {
            let mut found = Vec::new();
            for &about in &about {
                found.extend(notes::read(reader, kind, about, above)?);
            }
            Ok(found)
        })
    }

    fn server_key(&self) -> EngineFuture<'_, ServerKey> {
        self.reading(read_key)
    }

    fn beat(&self, beat: Beat) -> EngineFuture<'_, Service> {
        Box::pin(self.note_sign(beat))
    }

    fn ready(&self) -> EngineFuture<'_, String> {
        Box::pin(async move {
            self.0.writer.look();
            self.0.writer.check()?;
            // Read from a table, because SQLite answers a constant without touching the file.
            let look = |reader: &Connection| {
                Ok(reader.query_row("SELECT 1 FROM server_key", [], |_| Ok(()))?)
            };
            self.read_file(look).await?;
            Ok("SQLite, on this machine's disk".to_owned())
        })
    }

    fn room(&self) -> EngineFuture<'_, StoreRoom> {
        let file = self.0.file.clone();
        Box::pin(async move {
            let looked = tokio::task::spawn_blocking(move || file.room());
            Ok(looked.await.map_err(|_| SqliteError::Stopped)??)
        })
    }

    fn meter(&self) -> StoreMeter {
        self.0.writer.meter.clone()
    }

    fn queue(&self) -> QueueFill {
        QueueFill::of(&self.0.writer.queue)
    }
}

impl SqlEngine for Sqlite {
    type Error = SqliteError;

    fn rows<T: Send + 'static>(
        &self,
        _: Certainty,
        sql: &'static str,
        values: Vec<SqlValue>,
        read: ReadRow<T, SqliteError>,
    ) -> EngineFuture<'_, Vec<T>> {
        let value = |value| match value {
            SqlValue::Number(number) => Value::from(number),
            SqlValue::Id(id) => id.into(),
            SqlValue::Text(text) => text.into(),
        };
        let values: Vec<Value> = values.into_iter().map(value).collect();
        // SQLite numbers a parameter `$1` by its first appearance.
        let sql = sql.replace('$', "?");
        self.reading(move |reader| {
            read_rows(reader, &sql, params_from_iter(&values), |row| read(row))
        })
    }
}

/// Opens a prepared file for writing: at a start, and again after each failure.
fn open_writer(file: &StoreFile) -> Result<Connection, SqliteError> {
    // Without the right to create the file, so that a vanished store does not become an empty one.
    let mut connection = connect(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    schema::configure(&connection)?;
    // A negative size is one in KiB.
    connection.pragma_update(None, "cache_size", -WRITER_CACHE_KIB)?;
    // The transaction writes nothing; it keeps other programs from writing.
    let exclusive = begin(&mut connection)?;
    file.rewrite_journal()?;
    exclusive.rollback()?;
    schema::recognise(&connection, &file.path)?;
    Ok(connection)
}

/// Opens a connection that leaves the write-ahead log alone when it closes, because another file may be in
/// the store's place by then.
fn connect(file: &StoreFile, flags: OpenFlags) -> Result<Connection, SqliteError> {
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(&file.path, flags)?;
    keep_log_at_close(&connection, true)?;
    Ok(connection)
}

fn keep_log_at_close(connection: &Connection, keep: bool) -> rusqlite::Result<bool> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep)
}

#[cfg(test)]
mod tests;
