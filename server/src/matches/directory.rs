//! Where a match is found: one task for each match in memory, made when somebody asks.
//!
//! Two tasks for one match may live for a moment, when one leaves as the other comes. That is
//! harmless, because an append is a compare-and-set: the directory only saves work.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use dashmap::DashMap;
use dashmap::mapref::entry::Entry;
use fibfob_protocol::{
    Actor, ChatDraft, Code, CommandId, Event, GuestId, MatchId, Refusal, Seat, Terms, Timestamp,
    Version,
};
use futures_util::FutureExt;
use tokio::sync::mpsc::error::{SendTimeoutError, TrySendError};
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;
use tracing::field::Empty;

use super::request::{Answer, Following, Looked, Reply, Request, Wish};
use super::talk::Speaker;
use super::task;
use crate::chance::Chance;
use crate::clock::Clock;
use crate::limits::{
    FOLLOW_WITHIN, INBOX_MAX, LIVE_MATCHES_MAX, LOOKUP_TRIES, OPEN_WITHIN, THINKERS_MAX,
};
use crate::lobby::Lobby;
use crate::matches::seat_limits::{Claim, Seats};
use crate::ops::metrics::Metrics;
use crate::ops::panics::panic_text;
use crate::store::IndexRow;
use crate::store::{QueueFill, Store, StoreError};
use crate::tasks::Tasks;

/// What every match needs.
pub(crate) struct Setting {
    pub store: Store,
    pub lobby: Arc<Lobby>,
    pub seats: Arc<Seats>,
    pub metrics: Arc<Metrics>,
    pub clock: Clock,
    pub chance: Chance,
    pub tasks: Tasks,
    /// When this server began to run.
    pub started_at: Timestamp,
    pub bot_pause: Duration,
    pub idle_after: Duration,
    pub snapshot_after: usize,
}

impl Setting {
    /// Notes how a match stands, for everybody who has not followed it.
    pub(super) fn note(&self, id: MatchId, row: &IndexRow) {
        self.seats.note(id, row);
        self.lobby.note(id, row);
    }

    /// Claims the seat that `event` takes, or will lead to, for a guest; none where there is none.
    pub(super) fn claim(&self, actor: Actor, event: &Event) -> Result<Option<Claim<'_>>, Refusal> {
        match event {
            Event::Joined { .. } => self.claim_seat(actor, Seat::Joiner),
            Event::RematchOffered { seat } => self.claim_seat(actor, *seat),
            _ => Ok(None),
        }
    }

    /// Claims a seat for a guest; a bot has as many as it is given.
    pub(super) fn claim_seat(
        &self,
        actor: Actor,
        seat: Seat,
    ) -> Result<Option<Claim<'_>>, Refusal> {
        match actor {
            Actor::Guest(guest) => self.seats.claim(guest, seat).map(Some),
            Actor::Bot => Ok(None),
        }
    }
}

/// All matches, in memory or not.
pub(crate) struct Directory {
    pub(super) setting: Setting,
    thinkers: Arc<Semaphore>,
    pub(super) stop: CancellationToken,
    live: DashMap<MatchId, MatchHandle>,
    /// Matches that may be in memory at once.
    room: AtomicUsize,
}

/// The way to one match's task.
#[derive(Clone)]
pub(super) struct MatchHandle(mpsc::Sender<Request>);

/// How long to wait for room in an inbox.
#[derive(Clone, Copy)]
enum Patience {
    None,
    Upto(Duration),
}

impl Directory {
    /// Over these matches, until `stop`.
    pub(crate) fn new(setting: Setting, stop: CancellationToken) -> Arc<Self> {
        Arc::new(Self {
            setting,
            thinkers: Arc::new(Semaphore::new(THINKERS_MAX)),
            stop,
            live: DashMap::new(),
            room: AtomicUsize::new(LIVE_MATCHES_MAX),
        })
    }

    /// Makes the match that this guest's command asks for, or finds it made.
    pub(crate) async fn create(
        self: &Arc<Self>,
        guest: GuestId,
        command: CommandId,
        terms: Terms,
    ) -> Result<Answer, Refusal> {
        let id = MatchId::created_by(guest, &command);
        let terms = Box::new(terms);
        self.ask(id, Patience::None, |reply| Request::Create {
            guest,
            command: command.clone(),
            terms: terms.clone(),
            reply,
        })
        .await
    }

    /// Makes the match that follows another one, or finds it made.
    pub(super) async fn succeed(
        self: &Arc<Self>,
        id: MatchId,
        terms: Terms,
    ) -> Result<Code, Refusal> {
        let terms = Box::new(terms);
        self.ask(id, Patience::None, |reply| Request::Succeed {
            terms: terms.clone(),
            reply,
        })
        .await
    }

    /// Acts in a match.
    pub(crate) async fn act(
        self: &Arc<Self>,
        id: MatchId,
        actor: Actor,
        command: CommandId,
        wish: Wish,
    ) -> Result<Answer, Refusal> {
        self.ask(id, Patience::None, |reply| Request::Act {
            actor,
            command: command.clone(),
            wish: wish.clone(),
            reply,
        })
        .await
    }

    /// Says something beside a match.
    pub(crate) async fn say(
        self: &Arc<Self>,
        id: MatchId,
        speaker: Speaker,
        command: CommandId,
        words: ChatDraft,
    ) -> Result<Answer, Refusal> {
        self.ask(id, Patience::None, |reply| Request::Say {
            speaker: speaker.clone(),
            command: command.clone(),
            words: words.clone(),
            reply,
        })
        .await
    }

    /// Looks at a match once.
    pub(crate) async fn look(self: &Arc<Self>, id: MatchId) -> Result<Looked, Refusal> {
        self.ask(id, Patience::None, |reply| Request::Look { reply })
            .await
    }

    /// Follows a match from the event after `since`.
    pub(crate) async fn follow(
        self: &Arc<Self>,
        id: MatchId,
        guest: GuestId,
        since: Version,
    ) -> Result<Following, Refusal> {
        // A thousand viewers may come at once; unlike commands they may as well wait.
        self.ask(id, Patience::Upto(FOLLOW_WITHIN), |reply| Request::Follow {
            guest,
            since,
            reply,
        })
        .await
    }

    /// The match of this short name.
    pub(crate) async fn find(&self, code: Code) -> Result<MatchId, Refusal> {
        let found = tokio::time::timeout(OPEN_WITHIN, self.setting.store.find(code));
        match found.await.unwrap_or(Err(StoreError::Stopped)) {
            Ok(Some(id)) => Ok(id),
            Ok(None) => Err(Refusal::NoSuchMatch(code.to_string())),
            Err(error) => {
                tracing::error!(%error, "a code cannot be looked up");
                Err(Refusal::Unavailable)
            }
        }
    }

    /// Thinks off the runtime, and about few things at a time. None if the thought panics.
    pub(crate) async fn think<T: Send + 'static>(
        &self,
        thought: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let permit = Arc::clone(&self.thinkers).acquire_owned().await.ok()?;
        let thought = self.setting.tasks.think(move || {
            let result = thought();
            drop(permit);
            result
        });
        thought.await
    }

    /// Lets so many more matches into memory than there are.
    #[cfg(test)]
    pub(super) fn leave_room_for(&self, more: usize) {
        self.room.store(self.live.len() + more, Ordering::Relaxed);
    }

    /// How many matches are in memory.
    #[cfg(test)]
    pub(crate) fn live(&self) -> usize {
        self.live.len()
    }

    /// How many requests wait for the match for which most wait.
    pub(crate) fn fullest_inbox(&self) -> QueueFill {
        let lengths = self.live.iter().map(|entry| entry.value().waiting());
        QueueFill {
            length: lengths.max().unwrap_or(0),
            capacity: INBOX_MAX,
        }
    }

    /// How many bots and questions use the processor.
    pub(crate) fn thinkers(&self) -> QueueFill {
        QueueFill {
            length: THINKERS_MAX.saturating_sub(self.thinkers.available_permits()),
            capacity: THINKERS_MAX,
        }
    }

    /// Waits until all matches have left memory, after a stop.
    pub(crate) async fn stopped(&self) {
        self.setting.tasks.ended().await;
    }

    /// Asks the match's task. An answer that never comes means that the task has ended, and
    /// asking again is safe: what was stored is recognised by its command id.
    async fn ask<T>(
        self: &Arc<Self>,
        id: MatchId,
        patience: Patience,
        request: impl Fn(Reply<T>) -> Request,
    ) -> Result<T, Refusal> {
        for _ in 0..LOOKUP_TRIES {
            let handle = self.handle(id)?;
            let (reply, answer) = Reply::new();
            if !handle.send(request(reply), patience).await? {
                continue;
            }
            if let Ok(answer) = answer.await {
                return answer;
            }
        }
        tracing::error!(%id, "a match ends whenever it is asked");
        Err(Refusal::Unavailable)
    }

    /// The way to a match's task, which is started if there is none.
    pub(super) fn handle(self: &Arc<Self>, id: MatchId) -> Result<MatchHandle, Refusal> {
        if self.stop.is_cancelled() {
            return Err(Refusal::ShuttingDown);
        }
        if let Some(handle) = self.live.get(&id)
            && !handle.is_closed()
        {
            return Ok(handle.clone());
        }
        if self.live.len() >= self.room.load(Ordering::Relaxed) {
            return Err(Refusal::Busy);
        }
        let handle = match self.live.entry(id) {
            Entry::Occupied(entry) if !entry.get().is_closed() => entry.get().clone(),
            entry => entry.insert(self.start(id)).clone(),
        };
        Ok(handle)
    }

    fn start(self: &Arc<Self>, id: MatchId) -> MatchHandle {
        let (handle, inbox) = mpsc::channel(INBOX_MAX);
        let span = tracing::info_span!(parent: None, "match", %id, code = Empty);
        let living = AssertUnwindSafe(task::run(Arc::clone(self), id, inbox)).catch_unwind();
        let living = living.map(move |lived| {
            if let Err(panic) = lived {
                let panic = panic_text(&*panic);
                tracing::error!(%id, panic, "a match's task panicked; its log is as it was");
            }
        });
        self.setting.tasks.spawn(living.instrument(span));
        MatchHandle(handle)
    }

    /// Takes a match that has ended out of the table, unless another task has its place.
    pub(super) fn forget(&self, id: MatchId) {
        self.live.remove_if(&id, |_, handle| handle.is_closed());
    }
}

impl MatchHandle {
    fn is_closed(&self) -> bool {
        self.0.is_closed()
    }

    fn waiting(&self) -> usize {
        self.0.max_capacity() - self.0.capacity()
    }

    /// Whether the request is in the inbox; it is not if the task has ended.
    async fn send(&self, request: Request, patience: Patience) -> Result<bool, Refusal> {
        match patience {
            Patience::None => match self.0.try_send(request) {
                Ok(()) => Ok(true),
                Err(TrySendError::Closed(_)) => Ok(false),
                Err(TrySendError::Full(_)) => Err(Refusal::Busy),
            },
            Patience::Upto(time) => match self.0.send_timeout(request, time).await {
                Ok(()) => Ok(true),
                Err(SendTimeoutError::Closed(_)) => Ok(false),
                Err(SendTimeoutError::Timeout(_)) => Err(Refusal::Busy),
            },
        }
    }
}
