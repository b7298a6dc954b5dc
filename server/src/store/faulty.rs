//! Fault injection for any engine: a decorator whose injector decides what becomes of each append
//! and read.
//!
//! [`ScriptedFaults`] injects chosen faults one after another, for tests; a simulation implements
//! [`FaultInjector`] itself. Several decorators may stand over clones of one engine, each for
//! another server process:
//!
//! ```
//! use fibfob_server::store::faulty::{Faulty, InjectedFault, ScriptedFaults};
//! use fibfob_server::store::{Memory, Store};
//!
//! let memory = Memory::default();
//! let (first, second) = (ScriptedFaults::default(), ScriptedFaults::default());
//! let stores = [&first, &second]
//!     .map(|faults| Store::new(Faulty::new(memory.clone(), faults.clone())));
//! // The next append of the first process is stored, and its answer is lost.
//! first.inject([InjectedFault::AnswerLost]);
//! # drop(stores);
//! ```

use std::collections::VecDeque;
use std::future::{pending, ready};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fibfob_protocol::{Code, CommandId, GuestId, MatchId, MatchPlace, Record, Timestamp};
use futures_util::future::BoxFuture;
use futures_util::stream::{self, StreamExt};

use super::{
    AppendError, Beat, CodeDigest, Durability, Engine, EngineFuture, EngineLog, FailureKind, Head,
    HeldSeats, Hint, Hints, IndexRow, LobbyRow, Log, NewChatLine, NotedPresence, PresenceNote,
    QueueFill, ServerId, Service, SharedEngine, SharedLobbyRow, StoreError, StoreMeter,
    StoredChatLine, StoredDeviceCode, UnfinishedMatch, WriteCounts,
};
use crate::identity::{ServerKey, TokenStamp};

/// Decides what becomes of each append and read of a [`Faulty`] engine.
pub trait FaultInjector: Send + Sync + 'static {
    /// Handles an append: calls [`PendingAppend::store`] now, later or never, and returns the
    /// result that the caller sees. The caller may drop the future; an injector whose appends go
    /// on without their caller moves `append` into a task of its own.
    fn append(&self, append: PendingAppend) -> EngineFuture<'static, (), AppendError>;

    /// Runs after something was read and before the caller receives it, and before a note of a server
    /// or a chat line is stored: delays it, or replaces it by an error.
    fn read(&self) -> EngineFuture<'static, ()> {
        Box::pin(ready(Ok(())))
    }

    /// Runs before a hint of any process reaches this one: delays it, and returns how many times it
    /// comes, zero if it is lost. Later hints wait for it.
    fn hint(&self) -> BoxFuture<'static, usize> {
        Box::pin(ready(1))
    }

    /// Overrides the engine's readiness.
    ///
    /// # Errors
    /// The error that the engine shall report.
    fn ready(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

/// An engine with injected faults in its appends, in [`open`](Engine::open),
/// [`read_on`](EngineLog::read_on) and [`find`](Engine::find), in every [`beat`](Engine::beat) after
/// a server's first, in what servers tell each other, and in [`ready`](Engine::ready). Everything else goes through unchanged.
#[derive(Clone)]
pub struct Faulty<E> {
    engine: E,
    injector: Arc<dyn FaultInjector>,
}

/// An append that was intercepted and is not stored yet.
pub struct PendingAppend {
    log: SharedLog,
    record: Record,
    row: Option<IndexRow>,
}

struct FaultyLog {
    log: SharedLog,
    injector: Arc<dyn FaultInjector>,
}

/// The engine's log, shared with appends that outlive their caller. Waiting for it is waiting for
/// the append before.
type SharedLog = Arc<tokio::sync::Mutex<Log>>;

impl<E: Engine> Faulty<E> {
    /// The engine with this injector.
    pub fn new(engine: E, injector: impl FaultInjector) -> Self {
        Self {
            engine,
            injector: Arc::new(injector),
        }
    }

    fn shared_engine(&self) -> &dyn SharedEngine {
        let shared = self.engine.shared();
        shared.expect("asked of a store that is shared")
    }

    /// Lets the injector delay an operation, or fail it before it has had an effect. An engine may
    /// do what it is asked for when it is asked, and not when the future is polled.
    fn before<'a, T: Send + 'a>(
        &'a self,
        operation: impl FnOnce() -> EngineFuture<'a, T> + Send + 'a,
    ) -> EngineFuture<'a, T> {
        Box::pin(async move {
            self.injector.read().await?;
            operation().await
        })
    }

    /// Lets the injector delay or replace the outcome of an operation that has succeeded.
    fn after_read<'a, T: Send + 'a>(
        &'a self,
        operation: EngineFuture<'a, T>,
    ) -> EngineFuture<'a, T> {
        Box::pin(async move {
            let outcome = operation.await?;
            self.injector.read().await?;
            Ok(outcome)
        })
    }
}

impl PendingAppend {
    /// Stores the record, as the engine does without a fault.
    ///
    /// # Errors
    /// As [`EngineLog::append`].
    pub async fn store(self) -> Result<(), AppendError> {
        self.log
            .lock()
            .await
            .append(&self.record, self.row.as_ref())
            .await
    }

    /// Stores the same event without its command id, as if another process had been first.
    ///
    /// # Errors
    /// As [`EngineLog::append`].
    pub async fn store_from_another_writer(mut self) -> Result<(), AppendError> {
        self.record.command = None;
        self.store().await
    }
}

impl<E: Engine> Engine for Faulty<E> {
    fn open(&self, id: MatchId) -> EngineFuture<'_, (Vec<Record>, Log)> {
        Box::pin(async move {
            let (records, log) = self.engine.open(id).await?;
            self.injector.read().await?;
            let log = FaultyLog {
                log: Arc::new(tokio::sync::Mutex::new(log)),
                injector: Arc::clone(&self.injector),
            };
            Ok((records, Log::new(log)))
        })
    }

    fn find(&self, code: Code) -> EngineFuture<'_, Option<MatchId>> {
        Box::pin(async move {
            let found = self.engine.find(code).await?;
            self.injector.read().await?;
            Ok(found)
        })
    }

    fn lobby_rows(&self, limit: usize) -> EngineFuture<'_, Vec<(MatchId, LobbyRow)>> {
        self.engine.lobby_rows(limit)
    }

    fn unfinished_matches(
        &self,
        since: Timestamp,
        limit: usize,
    ) -> EngineFuture<'_, Vec<UnfinishedMatch>> {
        self.engine.unfinished_matches(since, limit)
    }

    fn unfinished_after(
        &self,
        place: (Timestamp, MatchId),
        limit: usize,
    ) -> EngineFuture<'_, Vec<UnfinishedMatch>> {
        self.engine.unfinished_after(place, limit)
    }

    fn matches_of(
        &self,
        guest: GuestId,
        finished: bool,
        before: Option<MatchPlace>,
        limit: usize,
    ) -> EngineFuture<'_, Vec<MatchPlace>> {
        self.engine.matches_of(guest, finished, before, limit)
    }

    fn match_ids(&self, after: Option<MatchId>, limit: usize) -> EngineFuture<'_, Vec<MatchId>> {
        self.engine.match_ids(after, limit)
    }

    fn stamps(
        &self,
        after: Option<GuestId>,
        limit: usize,
    ) -> EngineFuture<'_, Vec<(GuestId, TokenStamp)>> {
        self.engine.stamps(after, limit)
    }

    fn server_key(&self) -> EngineFuture<'_, ServerKey> {
        self.engine.server_key()
    }

    fn token_stamp(&self, guest: GuestId) -> EngineFuture<'_, TokenStamp> {
        self.engine.token_stamp(guest)
    }

    fn renew_token(&self, guest: GuestId, stamp: TokenStamp) -> EngineFuture<'_, (), AppendError> {
        self.engine.renew_token(guest, stamp)
    }

    fn beat(&self, beat: Beat) -> EngineFuture<'_, Service> {
        match beat.begins {
            true => self.engine.beat(beat),
            false => self.before(move || self.engine.beat(beat)),
        }
    }

    fn shared(&self) -> Option<&dyn SharedEngine> {
        self.engine.shared()?;
        Some(self)
    }

    fn ready(&self) -> EngineFuture<'_, Durability> {
        match self.injector.ready() {
            Ok(()) => self.engine.ready(),
            Err(error) => Box::pin(ready(Err(error))),
        }
    }

    fn write_counts(&self) -> WriteCounts {
        self.engine.write_counts()
    }

    fn meter(&self) -> StoreMeter {
        self.engine.meter()
    }

    fn queue(&self) -> QueueFill {
        self.engine.queue()
    }
}

impl<E: Engine> SharedEngine for Faulty<E> {
    fn hint(&self, hint: Hint) {
        self.shared_engine().hint(hint);
    }

    fn hints(&self) -> Hints {
        let injector = Arc::clone(&self.injector);
        let hints = self.shared_engine().hints().then(move |hint| {
            let times = injector.hint();
            async move { stream::iter(std::iter::repeat_n(hint, times.await)) }
        });
        hints.flatten().boxed()
    }

    fn heads(&self, ids: Vec<MatchId>) -> EngineFuture<'_, Vec<(Head, u64)>> {
        self.shared_engine().heads(ids)
    }

    fn note_presence(&self, server: ServerId, notes: Vec<PresenceNote>) -> EngineFuture<'_, ()> {
        self.before(move || self.shared_engine().note_presence(server, notes))
    }

    fn presence(
        &self,
        server: ServerId,
        ids: Vec<MatchId>,
    ) -> EngineFuture<'_, Vec<NotedPresence>> {
        self.after_read(self.shared_engine().presence(server, ids))
    }

    fn note_guests(&self, server: ServerId, guests: Vec<(GuestId, bool)>) -> EngineFuture<'_, ()> {
        self.before(move || self.shared_engine().note_guests(server, guests))
    }

    fn is_any_connected(&self, guests: Vec<GuestId>) -> EngineFuture<'_, bool> {
        self.after_read(self.shared_engine().is_any_connected(guests))
    }

    fn shared_lobby(&self, limit: usize) -> EngineFuture<'_, Vec<SharedLobbyRow>> {
        self.after_read(self.shared_engine().shared_lobby(limit))
    }

    fn add_chat_line(&self, line: NewChatLine) -> EngineFuture<'_, StoredChatLine> {
        self.before(move || self.shared_engine().add_chat_line(line))
    }

    fn chat_lines(&self, id: MatchId, after: u64) -> EngineFuture<'_, Vec<StoredChatLine>> {
        self.after_read(self.shared_engine().chat_lines(id, after))
    }

    fn put_device_code(&self, code: StoredDeviceCode) -> EngineFuture<'_, ()> {
        self.before(move || self.shared_engine().put_device_code(code))
    }

    fn take_device_code(
        &self,
        digest: CodeDigest,
        by: Option<(GuestId, CommandId)>,
        now: Timestamp,
    ) -> EngineFuture<'_, Option<StoredDeviceCode>> {
        self.before(move || self.shared_engine().take_device_code(digest, by, now))
    }

    fn generations(&self, guests: Vec<GuestId>) -> EngineFuture<'_, Vec<(GuestId, u32)>> {
        self.after_read(self.shared_engine().generations(guests))
    }

    fn held_seats(
        &self,
        guest: GuestId,
        since: Timestamp,
        now: Timestamp,
    ) -> EngineFuture<'_, HeldSeats> {
        self.after_read(self.shared_engine().held_seats(guest, since, now))
    }
}

impl EngineLog for FaultyLog {
    fn append<'a>(
        &'a mut self,
        record: &'a Record,
        row: Option<&'a IndexRow>,
    ) -> EngineFuture<'a, (), AppendError> {
        self.injector.append(PendingAppend {
            log: Arc::clone(&self.log),
            record: record.clone(),
            row: row.cloned(),
        })
    }

    fn read_on(&mut self) -> EngineFuture<'_, Vec<Record>> {
        Box::pin(async move {
            // First, because what was read must reach the caller.
            self.injector.read().await?;
            self.log.lock().await.read_on().await
        })
    }

    fn advance(&mut self, stored: &Record) -> bool {
        // An append under way has the log; the caller then reads on.
        self.log.try_lock().is_ok_and(|mut log| log.advance(stored))
    }

    fn abandon(&self) {
        // An append under way has the log; the engine then learns of it from `ready`.
        if let Ok(log) = self.log.try_lock() {
            log.abandon();
        }
    }
}

/// A fault of one append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InjectedFault {
    /// No fault this time.
    None,
    /// The event is stored, but the answer is lost.
    AnswerLost,
    /// The event is not stored, and the engine cannot tell.
    EventLost,
    /// Another writer is first, and then stores nothing more: its event is this one without the
    /// command id.
    Overtaken,
    /// The event is not stored, and no answer ever comes.
    Silence,
    /// The event is written, and the flush after it fails. No reader sees it before the
    /// [crash](ScriptedFaults::crash); afterwards it is there if it `survives` and nothing was
    /// stored in its place.
    Unflushed {
        /// Whether the disk has it in spite of the failed flush.
        survives: bool,
    },
}

/// An injector of chosen faults. Clones are the same injector: a test keeps one.
#[derive(Clone, Default)]
pub struct ScriptedFaults(Arc<Mutex<FaultScript>>);

#[derive(Default)]
struct FaultScript {
    next: VecDeque<InjectedFault>,
    outage: Option<FailureKind>,
    /// Appends that a crash makes durable if nothing was stored in their place.
    unflushed: Vec<PendingAppend>,
}

impl ScriptedFaults {
    /// Injects these faults into the next appends, one each. Appends after them succeed.
    pub fn inject(&self, faults: impl IntoIterator<Item = InjectedFault>) {
        self.lock().next.extend(faults);
    }

    /// Makes every append fail and the engine not ready, or ends that with `None`. Reads go on.
    pub fn set_outage(&self, outage: Option<FailureKind>) {
        self.lock().outage = outage;
    }

    /// Settles what became of unflushed events, as a crash of the machine does.
    pub async fn crash(&self) {
        let unflushed = std::mem::take(&mut self.lock().unflushed);
        for append in unflushed {
            // A conflict: something else was stored in its place.
            let _ = append.store().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, FaultScript> {
        // Every change above is complete before anything in it can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FaultInjector for ScriptedFaults {
    fn append(&self, append: PendingAppend) -> EngineFuture<'static, (), AppendError> {
        let mut script = self.lock();
        if script.outage.is_some() {
            return Box::pin(ready(Err(AppendError::Unknown)));
        }
        match script.next.pop_front().unwrap_or(InjectedFault::None) {
            InjectedFault::None => Box::pin(append.store()),
            InjectedFault::AnswerLost => Box::pin(async move {
                append.store().await?;
                Err(AppendError::Unknown)
            }),
            InjectedFault::Overtaken => Box::pin(async move {
                append.store_from_another_writer().await?;
                Err(AppendError::Conflict)
            }),
            InjectedFault::Silence => Box::pin(pending()),
            InjectedFault::EventLost | InjectedFault::Unflushed { survives: false } => {
                Box::pin(ready(Err(AppendError::Unknown)))
            }
            InjectedFault::Unflushed { survives: true } => {
                script.unflushed.push(append);
                Box::pin(ready(Err(AppendError::Unknown)))
            }
        }
    }

    fn ready(&self) -> Result<(), StoreError> {
        match self.lock().outage {
            Some(kind) => Err(StoreError::CannotWrite(kind)),
            None => Ok(()),
        }
    }
}
