//! Injects faults into any engine: a decorator that asks an injector what happens to each append and read.
//!
//! [`ScriptedFaults`] injects chosen faults one after another, for tests; a simulation implements
//! [`FaultInjector`] itself. Several decorators may stand over clones of one engine, each for
//! another server process:
//!
//! ```
//! use fibfob_store::{Memory, Store};
//! use fibfob_store_contract::faulty::{Faulty, InjectedFault, ScriptedFaults};
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
use std::sync::Arc;

use fibfob_protocol::{GuestId, MatchId, MatchPlace, Record, Timestamp, Version};
use fibfob_store::identity::ServerKey;
use fibfob_store::{
    AppendError, Beat, Engine, EngineFuture, FailureKind, Head, HeldSeats, Hint, Hints, IndexReads,
    IndexRow, Listing, LobbyRow, MatchChange, Note, NoteKey, NoteKind, QueueFill, Service, Sign,
    StoreError, StoreMeter, StoreRoom,
};
use futures_util::future::BoxFuture;
use futures_util::stream::{self, StreamExt};
use parking_lot::Mutex;
use uuid::Uuid;

/// Decides what happens to each append and read of a [`Faulty`] engine.
pub trait FaultInjector: Send + Sync + 'static {
    /// Handles an append: calls [`PendingAppend::store`] now, later or never, and returns the result that the
    /// caller sees. The caller may drop the future. An injector whose appends go on without their caller
    /// moves `append` into a task of its own.
    fn append(&self, append: PendingAppend) -> EngineFuture<'static, (), AppendError>;

    /// Runs after a read, before the caller gets the result, and before notes are stored. It may delay the
    /// operation, or make it fail.
    fn read(&self) -> EngineFuture<'static, ()> {
        Box::pin(ready(Ok(())))
    }

    /// Runs before a hint of any process reaches this one. It may delay the hint, and returns how often the
    /// hint comes; zero loses it. Later hints wait for it.
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

/// An engine with injected faults: in its appends, in reads of logs and notes, in every
/// [`beat`](Engine::beat) after a server's first, in hints, and in [`ready`](Engine::ready). Lists go through
/// unchanged.
pub struct Faulty<E> {
    engine: Arc<E>,
    injector: Arc<dyn FaultInjector>,
}

/// An append that was intercepted and is not stored yet.
pub struct PendingAppend {
    engine: Arc<dyn Engine>,
    /// The match.
    pub id: MatchId,
    record: Record,
    row: Option<IndexRow>,
}

impl<E: Engine> Faulty<E> {
    /// The engine with this injector.
    pub fn new(engine: E, injector: impl FaultInjector) -> Self {
        Self {
            engine: Arc::new(engine),
            injector: Arc::new(injector),
        }
    }

    /// Lets the injector delay an operation, or fail it, before it has an effect. The operation is called
    /// only then, because an engine may act when it is called and not when the future is polled.
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
    fn after<'a, T: Send + 'a>(&'a self, operation: EngineFuture<'a, T>) -> EngineFuture<'a, T> {
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
    /// As [`Engine::append`].
    pub async fn store(self) -> Result<(), AppendError> {
        let row = self.row.as_ref();
        self.engine.append(self.id, &self.record, row).await
    }

    /// Stores the same event without its command id, as if another process had been first.
    ///
    /// # Errors
    /// As [`Engine::append`].
    pub async fn store_from_another_writer(mut self) -> Result<(), AppendError> {
        self.record.command = None;
        self.store().await
    }
}

impl<E: Engine> IndexReads for Faulty<E> {
    fn lobby_rows(&self, limit: usize) -> EngineFuture<'_, Vec<(MatchId, LobbyRow)>> {
        self.engine.lobby_rows(limit)
    }

    fn list(&self, query: Listing, limit: usize) -> EngineFuture<'_, Vec<MatchPlace>> {
        let is_lookup = matches!(query, Listing::OfCode(_));
        let listed = self.engine.list(query, limit);
        match is_lookup {
            true => self.after(listed),
            false => listed,
        }
    }

    fn held_seats(
        &self,
        guest: GuestId,
        since: Timestamp,
        now: Timestamp,
    ) -> EngineFuture<'_, HeldSeats> {
        self.after(self.engine.held_seats(guest, since, now))
    }

    fn notes_of(&self, kind: NoteKind, after: Uuid, limit: usize) -> EngineFuture<'_, Vec<Note>> {
        self.engine.notes_of(kind, after, limit)
    }
}

impl<E: Engine> Engine for Faulty<E> {
    fn read(&self, id: MatchId, after: Version) -> EngineFuture<'_, Vec<Record>> {
        self.after(self.engine.read(id, after))
    }

    fn append<'a>(
        &'a self,
        id: MatchId,
        record: &'a Record,
        row: Option<&'a IndexRow>,
    ) -> EngineFuture<'a, (), AppendError> {
        self.injector.append(PendingAppend {
            engine: Arc::<E>::clone(&self.engine),
            id,
            record: record.clone(),
            row: row.cloned(),
        })
    }

    fn heads(&self, ids: Vec<MatchId>) -> EngineFuture<'_, Vec<(Head, u64)>> {
        self.engine.heads(ids)
    }

    fn put_notes(&self, put: Vec<Note>, removed: Vec<NoteKey>) -> EngineFuture<'_, Vec<Note>> {
        self.before(move || self.engine.put_notes(put, removed))
    }

    fn change_match(&self, id: MatchId, change: MatchChange) -> EngineFuture<'_, bool> {
        self.before(move || self.engine.change_match(id, change))
    }

    fn notes(&self, kind: NoteKind, about: Vec<Uuid>, above: u64) -> EngineFuture<'_, Vec<Note>> {
        self.after(self.engine.notes(kind, about, above))
    }

    fn hint(&self, hint: Hint) {
        self.engine.hint(hint);
    }

    fn hints(&self) -> Hints {
        let injector = Arc::clone(&self.injector);
        let hints = self.engine.hints().then(move |hint| {
            let times = injector.hint();
            async move { stream::iter(std::iter::repeat_n(hint, times.await)) }
        });
        hints.flatten().boxed()
    }

    fn server_key(&self) -> EngineFuture<'_, ServerKey> {
        self.engine.server_key()
    }

    fn beat(&self, beat: Beat) -> EngineFuture<'_, Service> {
        match beat.sign {
            Sign::Begins => self.engine.beat(beat),
            Sign::Runs | Sign::Ends => self.before(move || self.engine.beat(beat)),
        }
    }

    fn begin_filling(&self) -> EngineFuture<'_, ()> {
        self.engine.begin_filling()
    }

    fn filled(&self) -> EngineFuture<'_, ()> {
        self.engine.filled()
    }

    fn ready(&self) -> EngineFuture<'_, String> {
        match self.injector.ready() {
            Ok(()) => self.engine.ready(),
            Err(error) => Box::pin(ready(Err(error))),
        }
    }

    fn room(&self) -> EngineFuture<'_, StoreRoom> {
        self.engine.room()
    }

    fn meter(&self) -> StoreMeter {
        self.engine.meter()
    }

    fn queue(&self) -> QueueFill {
        self.engine.queue()
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
    /// [crash](ScriptedFaults::crash). After that it is there if it `survives` and nothing was stored in its
    /// place.
    Unflushed {
        /// Whether the disk has the event in spite of the failed flush.
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
        self.0.lock().next.extend(faults);
    }

    /// Makes every append fail and the engine not ready, or ends that with `None`. Reads go on.
    pub fn set_outage(&self, outage: Option<FailureKind>) {
        self.0.lock().outage = outage;
    }

    /// Settles, as a crash of the machine does, whether unflushed events are stored.
    pub async fn crash(&self) {
        let unflushed = std::mem::take(&mut self.0.lock().unflushed);
        for append in unflushed {
            // A conflict: something else was stored in its place.
            let _ = append.store().await;
        }
    }
}

impl FaultInjector for ScriptedFaults {
    fn append(&self, append: PendingAppend) -> EngineFuture<'static, (), AppendError> {
        let mut script = self.0.lock();
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
        match self.0.lock().outage {
            Some(kind) => Err(StoreError::CannotWrite(kind)),
            None => Ok(()),
        }
    }
}
