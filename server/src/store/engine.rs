//! The contract of a store engine, and what a new engine implements.
//!
//! `contract.rs` tests every engine against it. Written for engines with one process on one file
//! and for engines that many server processes share: nothing here assumes one writer.

use fibfob_protocol::{Code, CommandId, GuestId, MatchId, MatchPlace, Record, Seat, Timestamp};
use futures_util::future::BoxFuture;

use super::{
    AppendError, Beat, CodeDigest, Durability, Head, HeldSeats, Hint, Hints, IndexRow, LobbyRow,
    NewChatLine, NotedPresence, PresenceNote, QueueFill, ServerId, Service, SharedLobbyRow,
    StoreError, StoreMeter, StoredChatLine, StoredDeviceCode,
};
use crate::identity::{ServerKey, TokenStamp};

/// The future of an engine's operation.
pub type EngineFuture<'a, T, E = StoreError> = BoxFuture<'a, Result<T, E>>;

/// A way to store matches durably.
///
/// # Contract
/// - **Durable before `Ok`.** A record whose append returned `Ok` is returned by every later
///   [`open`](Self::open), by any process, after any crash that the engine claims to survive.
/// - **Readers see durable records only.** What `open` returns never disappears again. A record
///   that was written and may still be lost is not returned.
/// - **No gaps.** A log holds versions 1, 2, 3, …; `open` returns all of them or an error.
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
/// [`StoreError::Data`](super::StoreError::Data), which nobody retries.
pub trait Engine: Send + Sync + 'static {
    /// Reads the whole log of a match, empty for one that does not exist, and returns the end of
    /// it for appends.
    fn open(&self, id: MatchId) -> EngineFuture<'_, (Vec<Record>, Log)>;

    /// Finds the match that has this code.
    fn find(&self, code: Code) -> EngineFuture<'_, Option<MatchId>>;

    /// Reads the lobby's rows, oldest first: the newest `limit` open matches and the newest
    /// `limit` in play, by [`IndexRow::created_at`].
    fn lobby_rows(&self, limit: usize) -> EngineFuture<'_, Vec<(MatchId, LobbyRow)>>;

    /// Reads the seats of the newest `limit` matches that are neither over nor closed and were
    /// created at `since` or later, oldest first, as their index rows have them.
    fn unfinished_matches(
        &self,
        since: Timestamp,
        limit: usize,
    ) -> EngineFuture<'_, Vec<UnfinishedMatch>>;

    /// Reads the seats of the oldest `limit` matches that are neither over nor closed and come after
    /// this place in the order of creation and id, oldest first, as their index rows have them.
    fn unfinished_after(
        &self,
        place: (Timestamp, MatchId),
        limit: usize,
    ) -> EngineFuture<'_, Vec<UnfinishedMatch>>;

    /// Reads the newest `limit` matches in which a guest has a seat and that are over, or are open or
    /// in play, newest first; those before a place in the order of creation and id, if there is
    /// one. Matches that were closed without play are neither.
    fn matches_of(
        &self,
        guest: GuestId,
        finished: bool,
        before: Option<MatchPlace>,
        limit: usize,
    ) -> EngineFuture<'_, Vec<MatchPlace>>;

    /// Reads the first `limit` matches after this one in the order of ids, or of all.
    fn match_ids(&self, after: Option<MatchId>, limit: usize) -> EngineFuture<'_, Vec<MatchId>>;

    /// Reads the stamps of the first `limit` guests after this one in the order of ids, or of all,
    /// whose tokens were renewed.
    fn stamps(
        &self,
        after: Option<GuestId>,
        limit: usize,
    ) -> EngineFuture<'_, Vec<(GuestId, TokenStamp)>>;

    /// Reads the key that signs tokens: one for all processes on this store, created with the
    /// store and the same ever after.
    fn server_key(&self) -> EngineFuture<'_, ServerKey>;

    /// Reads the stamp of the tokens of a guest that are good; the default one for a guest whose
    /// token was never renewed.
    fn token_stamp(&self, guest: GuestId) -> EngineFuture<'_, TokenStamp>;

    /// Makes the stamp of a guest's tokens durable in place of an older one. A compare-and-set: it
    /// succeeds if the stored stamp is of an earlier generation, or is this one already.
    ///
    /// # Errors
    /// - [`AppendError::Conflict`]: another stamp of this generation or a later one is stored.
    /// - [`AppendError::Unknown`]: the stamp may be stored, now or later.
    fn renew_token(&self, guest: GuestId, stamp: TokenStamp) -> EngineFuture<'_, (), AppendError>;

    /// Makes it durable that a server runs, and returns what all servers on this store have noted.
    ///
    /// For an engine of one process the first note of a server begins a run, and an instant earlier
    /// than the newest note or record counts as that. An engine that several servers share goes by
    /// its own clock, and a run begins after a silence of all servers of more than
    /// [`SERVICE_GAP`](crate::limits::SERVICE_GAP).
    ///
    /// # Errors
    /// If the store cannot be read, or the note cannot be written; a first note that cannot be
    /// written is logged instead, so that a server starts and waits for its store.
    fn beat(&self, beat: Beat) -> EngineFuture<'_, Service>;

    /// Notes that a migration into the store has ended, which others may use from now on.
    fn filled(&self) -> EngineFuture<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    /// Returns the engine as several servers use it at a time; none if only one does. Stays the
    /// same for as long as the engine is open.
    fn shared(&self) -> Option<&dyn SharedEngine> {
        None
    }

    /// Checks that the store can be read and that writes succeed. After a failed write it returns
    /// [`StoreError::CannotWrite`] until a write has succeeded again; the engine tries that by
    /// itself, without any append. Returns where an acknowledged event is kept at this moment.
    fn ready(&self) -> EngineFuture<'_, Durability>;

    /// Returns how much this engine has written since it was opened.
    fn write_counts(&self) -> WriteCounts;

    /// Returns the counters that the engine updates while it writes; the server publishes them.
    fn meter(&self) -> StoreMeter;

    /// Returns how many appends wait to be written, and how many may. Engines without a queue
    /// keep the default, an empty queue.
    fn queue(&self) -> QueueFill {
        QueueFill::default()
    }
}

/// The part of the contract for engines that several servers use at a time: what each of them tells
/// the others beside the logs.
///
/// # Errors
/// Every operation returns [`StoreError`] if the store cannot be read or written.
pub trait SharedEngine: Engine {
    /// Tells all servers that something has changed, after it was stored. A hint is lost rather
    /// than waited for. One that carries a record is sent only after the append of that record has
    /// returned `Ok`; the record may be left out on the way.
    fn hint(&self, hint: Hint);

    /// Returns the hints of all servers from now on, with or without this one's.
    fn hints(&self) -> Hints;

    /// Reads the ends of these logs, at most [`HEADS_MAX`](crate::limits::HEADS_MAX) of them, each
    /// with the number of the match's newest chat line, zero without one, so that a lost hint costs
    /// time and no event.
    fn heads(&self, ids: Vec<MatchId>) -> EngineFuture<'_, Vec<(Head, u64)>>;

    /// Replaces what a server has noted of these matches, at most
    /// [`HEADS_MAX`](crate::limits::HEADS_MAX) of them. An empty note is none.
    fn note_presence(&self, server: ServerId, notes: Vec<PresenceNote>) -> EngineFuture<'_, ()>;

    /// Reads what the servers other than this one have noted of these matches, at most
    /// [`HEADS_MAX`](crate::limits::HEADS_MAX) of them. The notes of a server count from its first
    /// [`beat`](Engine::beat).
    fn presence(&self, server: ServerId, ids: Vec<MatchId>)
    -> EngineFuture<'_, Vec<NotedPresence>>;

    /// Notes of these guests whether they are connected to a server, whatever they follow; at most
    /// [`HEADS_MAX`](crate::limits::HEADS_MAX) of them.
    fn note_guests(&self, server: ServerId, guests: Vec<(GuestId, bool)>) -> EngineFuture<'_, ()>;

    /// Returns true if any of these guests is connected to a server that gives signs of life.
    fn is_any_connected(&self, guests: Vec<GuestId>) -> EngineFuture<'_, bool>;

    /// Reads the lobby as [`Engine::lobby_rows`] does, with the connections to each match.
    fn shared_lobby(&self, limit: usize) -> EngineFuture<'_, Vec<SharedLobbyRow>>;

    /// Stores a chat line under the next number of the match, and returns it; if this author's
    /// command has stored one that is still kept, returns that. Lines become visible in the order
    /// of their numbers, and at least the newest [`TALK_KEPT`](crate::limits::TALK_KEPT) of each
    /// channel are kept.
    fn add_chat_line(&self, line: NewChatLine) -> EngineFuture<'_, StoredChatLine>;

    /// Reads the kept chat lines of a match after this number, oldest first.
    fn chat_lines(&self, id: MatchId, after: u64) -> EngineFuture<'_, Vec<StoredChatLine>>;

    /// Keeps a code for another device in place of the guest's one before, for as long as it is good.
    fn put_device_code(&self, code: StoredDeviceCode) -> EngineFuture<'_, ()>;

    /// Uses a code that is good at `now`: returns it once, and again to the same request. By nobody
    /// it is only looked at, for as long as nobody has used it.
    fn take_device_code(
        &self,
        digest: CodeDigest,
        by: Option<(GuestId, CommandId)>,
        now: Timestamp,
    ) -> EngineFuture<'_, Option<StoredDeviceCode>>;

    /// Reads the generations of the good tokens of those of these guests, at most
    /// [`HEADS_MAX`](crate::limits::HEADS_MAX), who have renewed theirs.
    fn generations(&self, guests: Vec<GuestId>) -> EngineFuture<'_, Vec<(GuestId, u32)>>;

    /// Counts the seats of a guest in matches that are neither over nor closed, were created at
    /// `since` or later, and have not expired at `now`.
    fn held_seats(
        &self,
        guest: GuestId,
        since: Timestamp,
        now: Timestamp,
    ) -> EngineFuture<'_, HeldSeats>;
}

/// The end of one match's log in an engine.
pub trait EngineLog: Send + Sync + 'static {
    /// Makes `record` durable as the next record of this log, and `row` the match's row in the
    /// index, which stays as it is without one. A match's first record comes with a row. A
    /// compare-and-set: it succeeds only if `record.version` follows the last version in
    /// the store, and then this log ends with `record`.
    ///
    /// # Errors
    /// - [`AppendError::Conflict`]: the log ends elsewhere. Nothing was stored, also if the
    ///   record that is there is the same one.
    /// - [`AppendError::CodeTaken`]: another match has `row.code`. Nothing was stored, and this
    ///   log is still good for another append.
    /// - [`AppendError::Unknown`]: anything else. The record may be stored, now or later. The
    ///   first open that does not return it and lets another record take its version settles
    ///   that it never will be.
    fn append<'a>(
        &'a mut self,
        record: &'a Record,
        row: Option<&'a IndexRow>,
    ) -> EngineFuture<'a, (), AppendError>;

    /// Reads the records after the end of this log, oldest first, and moves the end behind them:
    /// after a conflict, or when another process may have appended. If the future is dropped, or
    /// returns an error, the end stays where it is.
    fn read_on(&mut self) -> EngineFuture<'_, Vec<Record>>;

    /// Moves the end of this log behind a record that another server has stored, if it is the next
    /// one. Returns false if it is not: then the log must be read on.
    fn advance(&mut self, stored: &Record) -> bool;

    /// Notes that the caller gave up waiting for the last append; a reason to look whether the
    /// disk hangs. Changes nothing in the store.
    fn abandon(&self) {}
}

/// The end of one match's log, where the next event goes.
///
/// The engine keeps in it what recognises that another writer was first: a version, a row
/// version or a stream sequence.
pub struct Log(Box<dyn EngineLog>);

impl Log {
    /// The end of a log of some engine.
    #[must_use]
    pub fn new(log: impl EngineLog) -> Self {
        Self(Box::new(log))
    }

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
        self.0.append(record, row.into()).await
    }

    /// Reads the records after the end of this log, and moves the end behind them.
    ///
    /// # Errors
    /// If the store cannot be read; the end is then where it was.
    pub async fn read_on(&mut self) -> Result<Vec<Record>, StoreError> {
        self.0.read_on().await
    }

    /// Moves the end of this log behind a record that another server has stored, if it is the next
    /// one. Returns false if it is not: then the log must be read on.
    #[must_use]
    pub fn advance(&mut self, stored: &Record) -> bool {
        self.0.advance(stored)
    }

    /// Notes that the caller no longer waits for its last append, so that the engine can log a
    /// disk that hangs.
    pub fn abandon(&self) {
        self.0.abandon();
    }
}

/// The seats of a match that is not over, from its index row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnfinishedMatch {
    /// The match.
    pub id: MatchId,
    /// The time of its first record.
    pub created_at: Timestamp,
    /// The time at which it closes by itself, if it is open.
    pub open_until: Option<Timestamp>,
    /// The guests in its seats, the creator first.
    pub seated: Vec<(Seat, GuestId)>,
}

/// Counts of what a store has written since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteCounts {
    /// Events made durable.
    pub events: u64,
    /// Transactions that made them durable.
    pub commits: u64,
}
