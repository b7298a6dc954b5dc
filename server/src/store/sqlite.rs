//! The embedded engine: one SQLite file, one writer that commits in groups, one reader.
//!
//! SQLite serialises writers anyway; one thread with a queue makes that explicit and lets
//! everything that waits share one flush to the disk.

mod backup;
mod check;
mod commit;
mod file;
mod read;
mod row;
mod schema;
mod unfinished;
mod writer;

use std::path::Path;
use std::sync::Arc;

use fibfob_protocol::{Code, MatchId, Record, Timestamp, Version};
use rusqlite::{Connection, OpenFlags, OptionalExtension, TransactionBehavior};
use tokio::sync::{Mutex, oneshot};

use crate::identity::ServerKey;
use crate::store::{Fill, StoreMeter};
use crate::store::{IndexRow, LobbyRow};

use super::{AppendError, StoreError, UnfinishedMatch, WriteCounts};
pub use backup::{Backup, BackupError, backup};
pub use check::{Checked, Damage, Fault, check};
use file::Place;
pub(super) use file::{beside, open_private};
use read::{match_id, read_log, read_shown};
use writer::{Append, Writer};

/// The store; dropping its last clone waits until everything is written and the file is free.
#[derive(Clone)]
pub(super) struct Sqlite(Arc<Inner>);

/// Fields are dropped in this order: the lock goes last, when nobody uses the file any more.
struct Inner {
    reader: Arc<Mutex<Connection>>,
    writer: Writer,
    _lock: file::Lock,
}

pub(super) struct Log {
    engine: Sqlite,
    id: MatchId,
    version: Version,
    /// The row this log has written last: an unchanged one is not written again.
    listing: Option<Box<IndexRow>>,
}

impl Sqlite {
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_it(path).map_err(|error| error.at(path))
    }

    fn open_it(path: &Path) -> Result<Self, StoreError> {
        let (place, lock) = file::prepare(path)?;
        let mut writer = open(&place)?;
        // A store that cannot be written can still be read, and may mend.
        let able = place
            .is_as_it_was()
            .and_then(|()| schema::write_nothing(&mut writer));
        let reader = connect(&place, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        schema::configure(&reader)?;
        reader.pragma_update(None, "query_only", true)?;
        Ok(Self(Arc::new(Inner {
            reader: Arc::new(Mutex::new(reader)),
            writer: Writer::start(place, able.map(|()| writer)),
            _lock: lock,
        })))
    }

    pub(super) async fn open_log(&self, id: MatchId) -> Result<(Vec<Record>, Log), StoreError> {
        let records = self.read(move |reader| read_log(reader, id)).await?;
        let log = Log {
            engine: self.clone(),
            id,
            version: records.last().map_or(Version(0), |record| record.version),
            listing: None,
        };
        Ok((records, log))
    }

    pub(super) async fn find(&self, code: Code) -> Result<Option<MatchId>, StoreError> {
        self.read(move |reader| {
            let mut found = reader.prepare_cached("SELECT id FROM match WHERE code = ?1")?;
            let id = found.query_row([code.as_str()], |row| row.get(0));
            id.optional()?.map(match_id).transpose()
        })
        .await
    }

    pub(super) async fn lobby_rows(
        &self,
        limit: usize,
    ) -> Result<Vec<(MatchId, LobbyRow)>, StoreError> {
        self.read(move |reader| {
            let mut found = read_shown(reader, "open", limit)?;
            found.extend(read_shown(reader, "playing", limit)?);
            found.reverse();
            Ok(found)
        })
        .await
    }

    pub(super) async fn unfinished_matches(
        &self,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<UnfinishedMatch>, StoreError> {
        self.read(move |reader| unfinished::read(reader, since, limit))
            .await
    }

    pub(super) async fn server_key(&self) -> Result<ServerKey, StoreError> {
        self.read(|reader| {
            let key: Vec<u8> =
                reader.query_row("SELECT key FROM server_key", [], |row| row.get(0))?;
            ServerKey::from_bytes(&key).ok_or_else(|| StoreError::Unreadable {
                what: "the server's key",
                fault: format!("it has {} bytes", key.len()),
            })
        })
        .await
    }

    pub(super) async fn ready(&self) -> Result<(), StoreError> {
        self.0.writer.check()?;
        // Of a table: a constant would come without a look at the file.
        self.read(|reader| Ok(reader.query_row("SELECT 1 FROM server_key", [], |_| Ok(()))?))
            .await
    }

    pub(super) fn write_counts(&self) -> WriteCounts {
        self.0.writer.write_counts()
    }

    pub(super) fn meter(&self) -> StoreMeter {
        self.0.writer.meter()
    }

    pub(super) fn waiting(&self) -> Fill {
        self.0.writer.waiting()
    }

    /// Runs `read` off the runtime. Readers queue for the one connection here, where waiting
    /// costs no thread.
    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let reader = Arc::clone(&self.0.reader).lock_owned().await;
        tokio::task::spawn_blocking(move || read(&reader))
            .await
            .map_err(|_| StoreError::Stopped)?
    }
}

/// Opens a prepared file for writing: as a start does, and after a failure once more.
fn open(place: &Place) -> Result<Connection, StoreError> {
    // Without leave to make the file: a store that has vanished must not become an empty one.
    let mut connection = connect(place, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    schema::configure(&connection)?;
    // The transaction writes nothing; it keeps others from writing.
    let alone = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    place.flush_journal_anew()?;
    alone.rollback()?;
    schema::ensure(&mut connection, place.path())?;
    Ok(connection)
}

fn connect(place: &Place, flags: OpenFlags) -> Result<Connection, StoreError> {
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Ok(Connection::open_with_flags(place.path(), flags)?)
}

impl Log {
    /// Says that nobody waits for the append any longer.
    pub(super) fn gave_up(&self) {
        // The log says it if the disk hangs; the answer is for whoever asks.
        let _ = self.engine.0.writer.check();
    }

    pub(super) async fn append(
        &mut self,
        record: &Record,
        listing: &IndexRow,
    ) -> Result<(), AppendError> {
        if record.version != self.version.next() {
            return Err(AppendError::Conflict);
        }
        let changed = (self.listing.as_deref() != Some(listing)).then(|| listing.clone());
        let (reply, stored) = oneshot::channel();
        let append = Append {
            id: self.id,
            version: record.version,
            record: serde_json::to_string(record).expect("records have string keys"),
            listing: changed,
            reply,
        };
        self.engine.0.writer.submit(append).await?;
        stored.await.unwrap_or(Err(AppendError::Unknown))?;
        self.version = record.version;
        self.listing = Some(Box::new(listing.clone()));
        Ok(())
    }
}
