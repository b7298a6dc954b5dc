//! The contract of a store engine: what a new engine implements.
//!
//! The suite of `store/contract` tests every engine against it. Several processes may write: a lone server is
//! a cluster of one.

use std::ops::Deref;
use std::sync::Arc;

use fibfob_protocol::{Code, GuestId, MatchId, MatchPlace, Record, Timestamp, Version};
use futures_util::future::BoxFuture;
use futures_util::stream::{self, StreamExt};
use tokio::time::timeout;
use uuid::Uuid;

use super::error::{AppendError, StoreError};
use super::index_row::{IndexRow, LobbyRow};
use super::listing::Listing;
use super::meter::{QueueFill, StoreMeter, StoreRoom};
use super::note::{Note, NoteKey, NoteKind};
use super::person::MatchChange;
use super::service::{Beat, Service};
use super::shared::{Head, HeldSeats, Hint, Hints};
use crate::identity::ServerKey;
use crate::limits::OPEN_WITHIN;

/// The future of an engine's operation.
pub type EngineFuture<'a, T, E = StoreError> = BoxFuture<'a, Result<T, E>>;

/// A way to store matches durably, for any number of servers at a time.
///
/// # Contract
/// - **Durable before `Ok`.** A record whose append returned `Ok` is returned by every later
///   [`read`](Self::read), by any process, after any crash that the engine claims to survive.
/// - **Readers see durable records only.** What `read` returns never disappears again. A record
///   that was written and may still be lost is not returned.
/// - **No gaps.** A log holds versions 1, 2, 3, …; `read` returns all of them or an error.
/// - **One transaction.** A record, its match's row in the index and its claim on the code become
///   visible together or not at all.
/// - **Order.** An append that starts after another one returned `Ok` sees its effects.
/// - **Cancellation.** The caller may drop any future. An append that was dropped may become
///   durable later, or never; it must not be undone after it was visible.
///
/// No method may block the thread it is polled on. The caller bounds the time of each operation
/// ([`OPEN_WITHIN`](crate::limits::OPEN_WITHIN), [`APPEND_WITHIN`](crate::limits::APPEND_WITHIN));
/// an engine bounds its queue of appends and what it keeps in memory for each.
///
/// # Errors
/// Every operation returns [`StoreError`] if the store cannot be read. An engine's own error is
/// wrapped in [`StoreError::Engine`] with the [`FailureKind`](super::FailureKind) that tells an
/// operator what to do; stored data that is not what was written is
/// [`StoreError::Data`], which nobody retries.
pub trait Engine: IndexReads + Send + Sync + 'static {
    /// Reads a match's records after a version, with the persons that its row names. A match that does not
    /// exist has none.
    fn read(&self, id: MatchId, after: Version) -> EngineFuture<'_, Vec<Record>>;

    /// Makes `record` durable as the next one of the match's log, and `row` the match's row in the index. Without
    /// `row`, the stored row stays. A record that seats somebody comes with a row, because only the row says who
    /// it is. A compare-and-set: it succeeds only if the log ends with the version before.
    ///
    /// # Errors
    /// - [`AppendError::Conflict`]: the log ends elsewhere. Nothing was stored, also if the
    ///   record that is there is the same one.
    /// - [`AppendError::CodeTaken`]: another match has `row.code`. Nothing was stored.
    /// - [`AppendError::Unknown`]: anything else. The record may be stored, now or later. The
    ///   first read that does not return it and lets another record take its version settles
    ///   that it never will be.
    fn append<'a>(
        &'a self,
        id: MatchId,
        record: &'a Record,
        row: Option<&'a IndexRow>,
    ) -> EngineFuture<'a, (), AppendError>;

    /// Reads the ends of at most [`HEADS_MAX`](crate::limits::HEADS_MAX) logs, each with the number of the
    /// match's newest chat line (zero without one). Servers compare them regularly, so that a lost hint costs
    /// time and no event.
    fn heads(&self, ids: Vec<MatchId>) -> EngineFuture<'_, Vec<(Head, u64)>>;

    /// Stores some notes and removes others, as durably as records. Returns what is stored then under each
    /// name, in the order of `put`: [`NoteKind`] decides what happens where a name is taken.
    ///
    /// # Errors
    /// Also [`StoreError::NotNoted`], if some may be stored and others not.
    fn put_notes(&self, put: Vec<Note>, removed: Vec<NoteKey>) -> EngineFuture<'_, Vec<Note>>;

    /// Reads the notes of a kind whose number is above this one, by subject and number. `about` has at most
    /// [`HEADS_MAX`](crate::limits::HEADS_MAX) subjects.
    fn notes(&self, kind: NoteKind, about: Vec<Uuid>, above: u64) -> EngineFuture<'_, Vec<Note>>;

    /// Changes what is stored about a match beside its events, as durably as an append. Returns whether
    /// anything has changed. The row and its checksums agree at each instant.
    ///
    /// # Errors
    /// Also [`StoreError::NotNoted`], if it may be stored.
    fn change_match(&self, id: MatchId, change: MatchChange) -> EngineFuture<'_, bool>;

    /// Tells all servers that something has changed, after it was stored. A hint is lost rather
    /// than waited for. One that carries a record is sent only after the append of that record has
    /// returned `Ok`; the record may be left out on the way. An engine for a single process keeps the
    /// defaults: no other one listens.
    fn hint(&self, _hint: Hint) {}

    /// Returns the hints of all servers from now on. This server's own may be among them.
    fn hints(&self) -> Hints {
        stream::pending().boxed()
    }

    /// Reads the key that signs tokens. It is made with the store, never changes, and is the same for all
    /// processes.
    fn server_key(&self) -> EngineFuture<'_, ServerKey>;

    /// Makes it durable that a server runs, and returns what all servers on this store have noted.
    ///
    /// A run begins when a server begins while no other one can be running, or after all servers were silent
    /// for more than [`SERVICE_GAP`](crate::limits::SERVICE_GAP). An instant earlier than the newest note or
    /// record counts as that newest instant. An engine for several processes goes by a clock
    /// of its own. One for a single process knows that no other one runs, and need not write a note
    /// while its commits say as much.
    ///
    /// # Errors
    /// If the store cannot be read, or the note cannot be written; a first note that cannot be
    /// written is logged instead, so that a server starts and waits for its store.
    fn beat(&self, beat: Beat) -> EngineFuture<'_, Service>;

    /// Notes that a migration into the store begins: until it is [filled](Self::filled), servers refuse it.
    /// An engine that has no place for that keeps the default: its servers open what is there.
    fn begin_filling(&self) -> EngineFuture<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    /// Notes that a migration into the store is complete: servers may open it from now on.
    fn filled(&self) -> EngineFuture<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    /// Checks that the store can be read, and that writes succeed. After a failed write this returns
    /// [`StoreError::CannotWrite`] until a write has succeeded; the engine keeps trying by itself. Returns,
    /// in words, where an acknowledged event is kept now.
    fn ready(&self) -> EngineFuture<'_, String>;

    /// Returns how much room the store takes, for an operator who watches it. An engine that takes none keeps
    /// the default.
    fn room(&self) -> EngineFuture<'_, StoreRoom> {
        Box::pin(async { Ok(StoreRoom::default()) })
    }

    /// Returns the counters that the engine updates while it writes; the server publishes them.
    fn meter(&self) -> StoreMeter;

    /// Returns how many appends wait to be written, and how many may. Engines without a queue
    /// keep the default, an empty queue.
    fn queue(&self) -> QueueFill {
        QueueFill::default()
    }
}

/// Reads in the order of an index. All engines over SQL share the statements: see
/// [`SqlEngine`](super::sql::SqlEngine).
pub trait IndexReads {
    /// Reads the lobby's rows, oldest first: the newest `limit` open matches and the newest
    /// `limit` in play, by [`IndexRow::created_at`].
    fn lobby_rows(&self, limit: usize) -> EngineFuture<'_, Vec<(MatchId, LobbyRow)>>;

    /// Reads the first `limit` matches of a query, in the query's order.
    fn list(&self, query: Listing, limit: usize) -> EngineFuture<'_, Vec<MatchPlace>>;

    /// Counts the seats of a guest in matches that are neither over nor closed, were created at
    /// `since` or later, and have not expired at `now`.
    fn held_seats(
        &self,
        guest: GuestId,
        since: Timestamp,
        now: Timestamp,
    ) -> EngineFuture<'_, HeldSeats>;

    /// Reads the first `limit` notes of a kind whose subjects come after this id, by subject and number. No id is
    /// nil, so nil begins with the first.
    fn notes_of(&self, kind: NoteKind, after: Uuid, limit: usize) -> EngineFuture<'_, Vec<Note>>;
}

/// The purpose of opening a store.
#[derive(Clone, Copy, Debug)]
pub enum Opening<'a> {
    /// To serve players; it is created if it is missing.
    Serve,
    /// To move it into another store: it must be there, and no server may use it.
    Move,
    /// To move another store into it, whose key is given. It must be unused. It is created with that key if it is
    /// missing, and is then as after [`Engine::begin_filling`]. One that is there stays as it is, whatever its
    /// key.
    Fill(&'a ServerKey),
}

/// A store over any engine. Cheap to clone; clones are the same store.
#[derive(Clone)]
pub struct Store(Arc<dyn Engine>);

impl Deref for Store {
    type Target = dyn Engine;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl Store {
    /// Makes a store over this engine.
    #[must_use]
    pub fn new(engine: impl Engine) -> Self {
        Self(Arc::new(engine))
    }

    /// Reads a match's log and its end. A match that does not exist has an empty log.
    pub async fn open(&self, id: MatchId) -> Result<(Vec<Record>, Log), StoreError> {
        let records = self.read(id, Version(0)).await?;
        let log = Log {
            engine: Arc::clone(&self.0),
            id,
            end: records.last().map_or(Version(0), |record| record.version),
        };
        Ok((records, log))
    }

    /// Finds the match that has this code.
    pub async fn find(&self, code: Code) -> Result<Option<MatchId>, StoreError> {
        let found = self.list(Listing::OfCode(code), 1).await?;
        Ok(found.first().map(|found| found.match_id))
    }
}

/// Returns the store's answer, or an error after [`OPEN_WITHIN`].
pub async fn in_time<T>(
    asking: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    let answered = timeout(OPEN_WITHIN, asking).await;
    answered.unwrap_or(Err(StoreError::NoAnswer))
}

/// The end of one match's log, where the next event goes.
pub struct Log {
    engine: Arc<dyn Engine>,
    id: MatchId,
    end: Version,
}

impl Log {
    /// Makes `record` durable as the next event of this log, and `row` the match's row in the
    /// index, if the event changes it.
    ///
    /// # Errors
    /// [`AppendError`]; after `Conflict` the log must be [read on](Self::read_on), and after
    /// `Unknown` opened again, because its end is no longer known.
    pub async fn append<'a>(
        &'a mut self,
        record: &'a Record,
        row: impl Into<Option<&'a IndexRow>>,
    ) -> Result<(), AppendError> {
        if record.version != self.end.next() {
            return Err(AppendError::Conflict);
        }
        self.engine.append(self.id, record, row.into()).await?;
        self.end = record.version;
        Ok(())
    }

    /// Reads the records after this end, oldest first, and moves the end behind them: after a conflict, or
    /// when another server may have appended. Cancel safe; after an error the end is where it was.
    pub async fn read_on(&mut self) -> Result<Vec<Record>, StoreError> {
        let records = self.engine.read(self.id, self.end).await?;
        if let Some(newest) = records.last() {
            self.end = newest.version;
        }
        Ok(records)
    }

    /// Moves this end behind a record that another server has stored, if it is the next one. Returns false if
    /// it is not; then the log must be read on.
    #[must_use]
    pub fn advance(&mut self, stored: &Record) -> bool {
        let is_next = stored.version == self.end.next();
        if is_next {
            self.end = stored.version;
        }
        is_next
    }
}
