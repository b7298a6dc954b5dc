//! Durable storage of all matches: an append-only log for each match, and an index over them.
//!
//! [`Store`] is what the server uses; an [`Engine`] stands behind it. What an engine promises is
//! written there and held by one contract test suite that runs against every engine. Knows
//! records as values with a version, not what their events mean.
//!
//! A caller that cannot tell whether an append was stored opens the log again and reads what was;
//! there is no other form of recovery.

mod backup;
mod check;
mod checksum;
#[cfg(test)]
pub(crate) mod contract;
mod durability;
mod engine;
mod error;
mod failure;
pub mod faulty;
mod folder;
mod health;
mod index_row;
mod match_columns;
mod memory;
mod meter;
mod postgres;
mod service;
mod shared;
mod shared_store;
mod sqlite;
mod url;

use std::path::Path;
use std::sync::Arc;

use fibfob_protocol::{Code, GuestId, MatchId, MatchPlace, Record, Timestamp};

use crate::identity::{ServerKey, TokenStamp};

pub use backup::{Backup, BackupError, CopyCounts};
pub use check::{CheckReport, Damage, DamageKind, StorePlace};
pub use durability::Durability;
pub use engine::{
    Engine, EngineFuture, EngineLog, Log, SharedEngine, UnfinishedMatch, WriteCounts,
};
pub use error::{AppendError, DataError, StoreError};
pub use failure::FailureKind;
pub use index_row::{IndexRow, LobbyRow};
pub use memory::Memory;
pub use meter::{QueueFill, StoreMeter};
pub use postgres::{
    InvalidPostgresUrl, NoPrimaryError, Postgres, PostgresError, PostgresUrl, ServerError,
    TrustError, backup_database, check_database,
};
pub use service::{Beat, Downtimes, NotedAbsence, ServerId, Service};
pub use shared::{
    CarriedRecord, CodeDigest, Head, HeldSeats, Hint, Hints, NewChatLine, NotedPresence,
    PresenceNote, SharedLobbyRow, StoredChatLine, StoredDeviceCode,
};
pub use shared_store::SharedStore;
pub use sqlite::{
    Beyond, OldFile, RestoreError, Restored, Sqlite, SqliteError, backup_file, check_file,
    restore_file,
};
pub use url::{InvalidStoreUrl, StoreUrl};

/// A store over any engine. Cheap to clone; clones are the same store.
#[derive(Clone)]
pub struct Store(Arc<dyn Engine>);

impl Store {
    /// A store over this engine.
    #[must_use]
    pub fn new(engine: impl Engine) -> Self {
        Self(Arc::new(engine))
    }

    /// A store in memory, lost when its last clone is dropped.
    #[must_use]
    pub fn memory() -> Self {
        Self::new(Memory::default())
    }

    /// The store in this SQLite file, which is created if it is missing. Blocks; for the start of
    /// a program.
    ///
    /// # Errors
    /// If the file is not a store, is in use, or SQLite does not give the durability needed.
    pub fn sqlite(path: &Path) -> Result<Self, StoreError> {
        Ok(Self::new(Sqlite::open(path)?))
    }

    /// The store in this PostgreSQL database, which is created if there is none yet.
    ///
    /// # Errors
    /// If the database cannot be used, or does not give the durability needed; one without a
    /// synchronous standby only if that is allowed.
    pub async fn postgres(
        url: &PostgresUrl,
        allow_single_database: bool,
    ) -> Result<Self, StoreError> {
        let engine = Postgres::open(url, allow_single_database).await?;
        Ok(Self::new(engine))
    }

    /// Reads the log of a match, empty for one that does not exist, and returns its end too.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn open(&self, id: MatchId) -> Result<(Vec<Record>, Log), StoreError> {
        self.0.open(id).await
    }

    /// Finds the match that has this code.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn find(&self, code: Code) -> Result<Option<MatchId>, StoreError> {
        self.0.find(code).await
    }

    /// Reads the lobby's rows, oldest first: the newest `limit` open matches and the newest
    /// `limit` in play.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn lobby_rows(&self, limit: usize) -> Result<Vec<(MatchId, LobbyRow)>, StoreError> {
        self.0.lobby_rows(limit).await
    }

    /// Reads the seats of the newest `limit` unfinished matches created at `since` or later,
    /// oldest first. Reads no log.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn unfinished_matches(
        &self,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<UnfinishedMatch>, StoreError> {
        self.0.unfinished_matches(since, limit).await
    }

    /// Reads the seats of the oldest `limit` unfinished matches after this place in the order of
    /// creation and id, oldest first. Reads no log.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn unfinished_after(
        &self,
        place: (Timestamp, MatchId),
        limit: usize,
    ) -> Result<Vec<UnfinishedMatch>, StoreError> {
        self.0.unfinished_after(place, limit).await
    }

    /// Reads the newest `limit` matches in which a guest has a seat and that are over, or are open or
    /// in play, newest first; those before a place, if there is one. Reads no log.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn matches_of(
        &self,
        guest: GuestId,
        finished: bool,
        before: Option<MatchPlace>,
        limit: usize,
    ) -> Result<Vec<MatchPlace>, StoreError> {
        self.0.matches_of(guest, finished, before, limit).await
    }

    /// Reads the first `limit` matches after this one in the order of ids, or of all.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn match_ids(
        &self,
        after: Option<MatchId>,
        limit: usize,
    ) -> Result<Vec<MatchId>, StoreError> {
        self.0.match_ids(after, limit).await
    }

    /// Reads the stamps of the first `limit` guests after this one in the order of ids, or of all,
    /// whose tokens were renewed.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn stamps(
        &self,
        after: Option<GuestId>,
        limit: usize,
    ) -> Result<Vec<(GuestId, TokenStamp)>, StoreError> {
        self.0.stamps(after, limit).await
    }

    /// Reads the key that signs tokens. It is created with the store and never changes.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn server_key(&self) -> Result<ServerKey, StoreError> {
        self.0.server_key().await
    }

    /// Reads the stamp of the tokens of a guest that are good.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn token_stamp(&self, guest: GuestId) -> Result<TokenStamp, StoreError> {
        self.0.token_stamp(guest).await
    }

    /// Makes the stamp of a guest's tokens durable in place of one of an earlier generation.
    ///
    /// # Errors
    /// [`AppendError::Conflict`] if another one is stored that is not earlier,
    /// [`AppendError::Unknown`] if it may be stored.
    pub async fn renew_token(&self, guest: GuestId, stamp: TokenStamp) -> Result<(), AppendError> {
        self.0.renew_token(guest, stamp).await
    }

    /// Notes that a server runs, and returns what all servers on the store have noted.
    ///
    /// # Errors
    /// If the store cannot be read, or a note after the first cannot be written.
    pub async fn beat(&self, beat: Beat) -> Result<Service, StoreError> {
        self.0.beat(beat).await
    }

    /// Notes that a migration into the store has ended. A database is refused to servers before.
    ///
    /// # Errors
    /// If it cannot be noted.
    pub async fn filled(&self) -> Result<(), StoreError> {
        self.0.filled().await
    }

    /// Returns the store as several servers use it; none if only one does at a time.
    #[must_use]
    pub fn shared(&self) -> Option<SharedStore> {
        SharedStore::of(&self.0)
    }

    /// Checks that the store can be read and that its last write succeeded. After a failure the
    /// store tries by itself whether it can write again. Returns where an acknowledged event is kept.
    ///
    /// # Errors
    /// The failure of the read, or the reason why the store does not write.
    pub async fn ready(&self) -> Result<Durability, StoreError> {
        self.0.ready().await
    }

    /// Returns how much this store has written since it was opened.
    #[must_use]
    pub fn write_counts(&self) -> WriteCounts {
        self.0.write_counts()
    }

    /// Returns the counters that the engine updates while it writes.
    pub(crate) fn meter(&self) -> StoreMeter {
        self.0.meter()
    }

    /// Returns the length and capacity of the engine's queue of appends.
    pub(crate) fn queue(&self) -> QueueFill {
        self.0.queue()
    }
}
