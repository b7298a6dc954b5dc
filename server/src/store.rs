//! The durable memory of all matches: an append-only log for each, and an index over them.
//!
//! Knows records as values with a place, not what they mean. Every engine keeps the same
//! contract (`contract.rs`): an append is a compare-and-set on the log's end, and what was
//! answered `Ok` is found by every later `open`. A caller in any doubt about an append opens
//! the log again and reads what really happened; there is no other way of recovery.

#[cfg(test)]
mod contract;
mod error;
mod failure;
mod flush;
mod health;
mod index_row;
mod memory;
mod meter;
mod sqlite;
mod url;

use fibfob_protocol::{Code, MatchId, Record, Timestamp};

use crate::identity::ServerKey;

pub use error::{AppendError, StoreError};
pub use failure::FailureKind;
pub use index_row::{IndexRow, LobbyRow};
pub(crate) use meter::{Fill, StoreMeter};
pub use sqlite::{Backup, BackupError, Checked, Damage, Fault, backup, check};
pub use url::{InvalidStoreUrl, StoreUrl};

/// A store. Cheap to clone; clones are the same store.
#[derive(Clone)]
pub struct Store(Engine);

/// The closed set of engines.
#[derive(Clone)]
enum Engine {
    Memory(memory::Memory),
    Sqlite(sqlite::Sqlite),
}

/// The end of one match's log, where the next event goes. Holds whatever the engine needs to
/// recognise that somebody else was there first.
pub struct Log(EngineLog);

enum EngineLog {
    Memory(memory::Log),
    Sqlite(Box<sqlite::Log>),
}

/// How a match that is not over began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnfinishedMatch {
    /// Which match.
    pub id: MatchId,
    /// When it was made.
    pub created_at: Timestamp,
    /// Its first event, and its second one if it has had one.
    pub records: Vec<Record>,
}

/// How much a store has written since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteCounts {
    /// Events made durable.
    pub events: u64,
    /// Transactions in which that was done.
    pub commits: u64,
}

impl Store {
    /// A store that forgets everything when its last clone is dropped.
    #[must_use]
    pub fn memory() -> Self {
        Self(Engine::Memory(memory::Memory::default()))
    }

    /// The store in this file, made if there is none. Blocks; for the start of a program.
    ///
    /// # Errors
    /// If the file is no such store, is in use, or the engine does not promise durability.
    pub fn sqlite(path: &std::path::Path) -> Result<Self, StoreError> {
        Ok(Self(Engine::Sqlite(sqlite::Sqlite::open(path)?)))
    }

    /// The log of a match, empty for one that does not exist, and its end.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn open(&self, id: MatchId) -> Result<(Vec<Record>, Log), StoreError> {
        match &self.0 {
            Engine::Memory(engine) => {
                let (records, log) = engine.open(id);
                #[cfg(test)]
                engine.endure_reading().await?;
                Ok((records, Log(EngineLog::Memory(log))))
            }
            Engine::Sqlite(engine) => {
                let (records, log) = engine.open_log(id).await?;
                Ok((records, Log(EngineLog::Sqlite(Box::new(log)))))
            }
        }
    }

    /// The match of this short name.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn find(&self, code: Code) -> Result<Option<MatchId>, StoreError> {
        match &self.0 {
            Engine::Memory(engine) => {
                let found = engine.find(code);
                #[cfg(test)]
                engine.endure_reading().await?;
                Ok(found)
            }
            Engine::Sqlite(engine) => engine.find(code).await,
        }
    }

    /// All matches that the lobby shows, oldest first: the newest `limit` open ones and the
    /// newest `limit` in play.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn lobby_rows(&self, limit: usize) -> Result<Vec<(MatchId, LobbyRow)>, StoreError> {
        match &self.0 {
            Engine::Memory(engine) => Ok(engine.lobby_rows(limit)),
            Engine::Sqlite(engine) => engine.lobby_rows(limit).await,
        }
    }

    /// How the newest `limit` matches began that were made at `since` or later and are not over,
    /// oldest first. Looks through the whole index; for a start.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn unfinished_matches(
        &self,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<UnfinishedMatch>, StoreError> {
        match &self.0 {
            Engine::Memory(engine) => Ok(engine.unfinished_matches(since, limit)),
            Engine::Sqlite(engine) => engine.unfinished_matches(since, limit).await,
        }
    }

    /// The key that signs tokens: made once for a store, the same ever after.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn server_key(&self) -> Result<ServerKey, StoreError> {
        match &self.0 {
            Engine::Memory(engine) => Ok(engine.server_key()),
            Engine::Sqlite(engine) => engine.server_key().await,
        }
    }

    /// Whether the store can be read, and its last write succeeded. After a failure it tries by
    /// itself whether it can write again.
    ///
    /// # Errors
    /// What it fails with, or what keeps it from writing.
    pub async fn ready(&self) -> Result<(), StoreError> {
        match &self.0 {
            Engine::Memory(engine) => engine.ready(),
            Engine::Sqlite(engine) => engine.ready().await,
        }
    }

    /// How much was written, and in how many transactions.
    #[must_use]
    pub fn write_counts(&self) -> WriteCounts {
        match &self.0 {
            Engine::Memory(engine) => engine.write_counts(),
            Engine::Sqlite(engine) => engine.write_counts(),
        }
    }

    /// A store in memory whose tokens are signed with this key, in this weather.
    #[cfg(test)]
    pub(crate) fn simulated(
        key: crate::identity::ServerKey,
        weather: std::sync::Arc<dyn memory::Weather>,
    ) -> Self {
        Self(Engine::Memory(memory::Memory::simulated(key, weather)))
    }

    /// Every log of a store in memory, as it is durable now.
    #[cfg(test)]
    pub(crate) fn logs(&self) -> std::collections::BTreeMap<MatchId, Vec<Record>> {
        match &self.0 {
            Engine::Memory(engine) => engine.logs(),
            Engine::Sqlite(_) => panic!("only the memory engine shows its logs"),
        }
    }

    /// What it counts while it writes.
    pub(crate) fn meter(&self) -> StoreMeter {
        match &self.0 {
            Engine::Memory(engine) => engine.meter(),
            Engine::Sqlite(engine) => engine.meter(),
        }
    }

    /// How many events wait to be written.
    pub(crate) fn waiting(&self) -> Fill {
        match &self.0 {
            Engine::Memory(_) => Fill::default(),
            Engine::Sqlite(engine) => engine.waiting(),
        }
    }

    /// Makes the next appends fail in a chosen way.
    #[cfg(test)]
    pub(crate) fn trouble(&self, trouble: impl IntoIterator<Item = memory::Trouble>) {
        match &self.0 {
            Engine::Memory(engine) => engine.trouble(trouble),
            Engine::Sqlite(_) => panic!("only the memory engine can be troubled"),
        }
    }

    /// Makes every append fail, until there is nothing more that ails the store.
    #[cfg(test)]
    pub(crate) fn outage(&self, kind: Option<FailureKind>) {
        match &self.0 {
            Engine::Memory(engine) => engine.outage(kind),
            Engine::Sqlite(_) => panic!("only the memory engine can be troubled"),
        }
    }

    /// What a crash of the machine does: decides what became of unflushed events.
    #[cfg(test)]
    pub(crate) fn crash(&self) {
        match &self.0 {
            Engine::Memory(engine) => engine.crash(),
            Engine::Sqlite(_) => panic!("only the memory engine can be crashed"),
        }
    }
}

impl Log {
    /// Makes `record` durable as the next event of this log, and `listing` the match's row.
    ///
    /// # Errors
    /// [`AppendError`]; after `Conflict` and `Unknown` this log's end is not known any more.
    pub async fn append(&mut self, record: &Record, listing: &IndexRow) -> Result<(), AppendError> {
        match &mut self.0 {
            EngineLog::Memory(log) => log.append(record, listing).await,
            EngineLog::Sqlite(log) => log.append(record, listing).await,
        }
    }

    /// Says that the caller waits for its append no longer, so that a disk that hangs is
    /// noticed.
    pub fn gave_up(&self) {
        match &self.0 {
            EngineLog::Memory(_) => {}
            EngineLog::Sqlite(log) => log.gave_up(),
        }
    }
}

#[cfg(test)]
pub(crate) use memory::{Trouble, Weather, Write};
