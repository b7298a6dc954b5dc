//! The embedded engine: one SQLite file, one writer that commits in groups, one reader.
//!
//! SQLite serialises writers anyway; one thread with a queue makes that explicit and lets
//! everything that waits share one flush to the disk.

mod file;
mod schema;
mod writer;

use std::path::Path;
use std::sync::Arc;

use fibfob_protocol::{Code, LobbyEntry, MatchId, Record, Timestamp, Version};
use rusqlite::{Connection, OptionalExtension};
use tokio::sync::{Mutex, oneshot};
use uuid::Uuid;

use crate::identity::ServerKey;
use crate::listing::{Listing, Shown};
use crate::metrics::{Fill, StoreMeter};

use super::{AppendError, StoreError, Written};
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
    listing: Option<Listing>,
}

impl Sqlite {
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let lock = file::prepare(path)?;
        let mut writer = Connection::open(path)?;
        schema::configure(&writer)?;
        schema::ensure(&mut writer, path)?;
        let reader = Connection::open(path)?;
        schema::configure(&reader)?;
        reader.pragma_update(None, "query_only", true)?;
        Ok(Self(Arc::new(Inner {
            reader: Arc::new(Mutex::new(reader)),
            writer: Writer::start(writer),
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

    pub(super) async fn shown(&self, limit: usize) -> Result<Vec<(MatchId, Shown)>, StoreError> {
        self.read(move |reader| {
            let mut found = read_shown(reader, "open", limit)?;
            found.extend(read_shown(reader, "playing", limit)?);
            found.reverse();
            Ok(found)
        })
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
        if self.0.writer.has_stopped() {
            return Err(StoreError::Stopped);
        }
        self.read(|reader| Ok(reader.query_row("SELECT 1", [], |_| Ok(()))?))
            .await
    }

    pub(super) fn written(&self) -> Written {
        self.0.writer.written()
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

impl Log {
    pub(super) async fn append(
        &mut self,
        record: &Record,
        listing: &Listing,
    ) -> Result<(), AppendError> {
        if record.version != self.version.next() {
            return Err(AppendError::Conflict);
        }
        let changed = (self.listing.as_ref() != Some(listing)).then(|| listing.clone());
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
        self.listing = Some(listing.clone());
        Ok(())
    }
}

fn read_log(reader: &Connection, id: MatchId) -> Result<Vec<Record>, StoreError> {
    let mut found =
        reader.prepare_cached("SELECT record FROM event WHERE match_id = ?1 ORDER BY version")?;
    let mut rows = found.query([id.0.as_bytes().as_slice()])?;
    let mut records = Vec::new();
    let mut end = Version(0);
    while let Some(row) = rows.next()? {
        let record: Record = json(
            "a record",
            row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?,
        )?;
        if record.version != end.next() {
            return Err(StoreError::Gap {
                found: record.version,
                expected: end.next(),
            });
        }
        end = record.version;
        records.push(record);
    }
    Ok(records)
}

/// Newest first.
fn read_shown(
    reader: &Connection,
    phase: &str,
    limit: usize,
) -> Result<Vec<(MatchId, Shown)>, StoreError> {
    let mut found = reader.prepare_cached(
        "SELECT id, expires_at, lobby FROM match
         WHERE lobby IS NOT NULL AND phase = ?1 ORDER BY created_at DESC LIMIT ?2",
    )?;
    let mut rows = found.query((phase, i64::try_from(limit).unwrap_or(i64::MAX)))?;
    let mut shown = Vec::new();
    while let Some(row) = rows.next()? {
        let id = match_id(row.get(0)?)?;
        let expires_at: Option<i64> = row.get(1)?;
        let entry: LobbyEntry = json("a lobby entry", &row.get::<_, String>(2)?)?;
        let entry = match expires_at {
            Some(millis) => Shown::Open {
                expires_at: Timestamp(u64::try_from(millis).unwrap_or_default()),
                entry,
            },
            None => Shown::Playing { entry },
        };
        shown.push((id, entry));
    }
    Ok(shown)
}

fn json<T: serde::de::DeserializeOwned>(what: &'static str, text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|fault| StoreError::Unreadable {
        what,
        fault: fault.to_string(),
    })
}

fn match_id(bytes: Vec<u8>) -> Result<MatchId, StoreError> {
    match Uuid::from_slice(&bytes) {
        Ok(id) => Ok(MatchId(id)),
        Err(fault) => Err(StoreError::Unreadable {
            what: "a match id",
            fault: fault.to_string(),
        }),
    }
}
