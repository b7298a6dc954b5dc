//! The directory of matches: one task for each match in memory, started by the first request.
//!
//! Two tasks of one match may overlap for a moment, while one ends and the next starts. That is
//! harmless, because an append is a compare-and-set: the directory only saves work.

mod handle;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use dashmap::DashMap;
use dashmap::mapref::entry::Entry;
use fibfob_games::Budget;
use fibfob_net::address_guard::AddressAccount;
use fibfob_protocol::{
    Action, Actor, ChatDraft, ChatText, Code, CommandId, GuestId, MatchId, Refusal, Review,
    Timestamp, Version,
};
use fibfob_store::{QueueFill, in_time};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;
use tracing::field::Empty;

use super::absence_ledger::AbsenceLedger;
use super::acknowledgement::Acknowledgement;
use super::chat::ChatAuthor;
use super::cluster::Cluster;
use super::env::MatchEnv;
use super::feed::Inspection;
use super::live_memory::MemoryCharge;
use super::request::{MatchRequest, NewMatch, Reply};
use super::stored;
use super::subscription::Subscription;
use crate::disk_ledger::DiskLedger;
use crate::flights::Flights;
use crate::limits::{FOLLOW_WITHIN, INBOX_MAX, LINGERING_MAX, LOOKUP_TRIES, REVIEWS_KEPT};
use crate::lobby::MatchPresence;
use crate::metrics::QueueLabel;
use crate::panics::panic_text;
use crate::results::Results;
use crate::scheduler::{JobKind, Scheduler};
use crate::tasks::Tasks;

use handle::Hinted;
pub(super) use handle::{Inbox, MatchHandle, MatchHints};

/// The function that runs a match's task. Passed in, because the task knows the directory.
type RunTask = fn(Arc<Directory>, MatchId, Inbox, MemoryCharge) -> BoxFuture<'static, ()>;

/// The reviews that were asked for lately, by the version of the match.
type Reviews = Results<(MatchId, Version), Result<Arc<Review>, Refusal>>;

/// All matches, in memory or not.
pub struct Directory {
    pub(super) env: MatchEnv,
    /// Everything that this server computes.
    pub scheduler: Arc<Scheduler>,
    reviews: Arc<Reviews>,
    pub(super) stop: CancellationToken,
    pub(super) in_memory: DashMap<MatchId, MatchHandle, foldhash::quality::RandomState>,
    /// The most requests that any inbox held since this was last read.
    fullest_inbox: AtomicUsize,
    /// Permits to stay in memory for longer, for matches that nobody follows.
    pub(super) lingering: Arc<Semaphore>,
    run_task: RunTask,
}

impl Directory {
    /// Makes the directory of the matches in this environment. They end with `stop`.
    pub(super) fn new(env: MatchEnv, stop: CancellationToken, run_task: RunTask) -> Arc<Self> {
        let metrics = Arc::clone(&env.metrics);
        let scheduler = Scheduler::new(env.tasks.clone(), metrics, stop.clone());
        Arc::new(Self {
            env,
            scheduler,
            reviews: Arc::new(Results::new(REVIEWS_KEPT)),
            stop,
            in_memory: DashMap::default(),
            fullest_inbox: AtomicUsize::new(0),
            lingering: Arc::new(Semaphore::new(LINGERING_MAX)),
            run_task,
        })
    }

    /// Counts the open match that a command is about to make against the address. If the command was sent
    /// before, its match is counted already.
    ///
    /// # Errors
    /// If the address has as many open matches as it may.
    pub fn begin_open(
        &self,
        guest: GuestId,
        command: &CommandId,
        creator: &AddressAccount,
        until: Timestamp,
    ) -> Result<MatchId, Refusal> {
        let id = MatchId::created_by(guest, command);
        let now = self.env.clock.now();
        let counted = self.env.openings.begin(id, creator, &now, until);
        counted.map_err(Refusal::AddressTooManyMatches)?;
        Ok(id)
    }

    /// Stops counting a match that was not made after all.
    pub fn cancel_open(&self, id: MatchId) {
        self.env.openings.end(&id);
    }

    /// Checks that there is room for one more match in memory. Some is kept for addresses that follow `few`
    /// matches.
    ///
    /// # Errors
    /// If what is left is kept for others.
    pub fn check_room(&self, few: bool) -> Result<(), Refusal> {
        let has_room = self.env.memory.has_room(few);
        has_room.then_some(()).ok_or(Refusal::Busy)
    }

    /// Creates the match of this guest's command, or finds it if it exists.
    pub async fn create(
        self: &Arc<Self>,
        guest: GuestId,
        command: CommandId,
        new: NewMatch,
    ) -> Result<Acknowledgement, Refusal> {
        let id = MatchId::created_by(guest, &command);
        self.create_as(id, guest, command, new).await
    }

    /// Creates a match in the same way, under an id that does not follow from the command.
    pub async fn create_as(
        self: &Arc<Self>,
        id: MatchId,
        guest: GuestId,
        command: CommandId,
        new: NewMatch,
    ) -> Result<Acknowledgement, Refusal> {
        let new = Box::new(new);
        self.ask(id, None, |reply| MatchRequest::Create {
            guest,
            command: command.clone(),
            new: new.clone(),
            reply,
        })
        .await
    }

    /// Acts in a match, with an action that reached the server at this instant.
    pub async fn act(
        self: &Arc<Self>,
        id: MatchId,
        actor: Actor,
        command: CommandId,
        action: Action,
        arrived: Timestamp,
    ) -> Result<Acknowledgement, Refusal> {
        self.ask(id, None, |reply| MatchRequest::Act {
            actor,
            command: command.clone(),
            action: action.clone(),
            arrived,
            reply,
        })
        .await
    }

    /// Sends a chat message in a match.
    pub async fn chat(
        self: &Arc<Self>,
        id: MatchId,
        author: ChatAuthor,
        command: CommandId,
        draft: ChatDraft,
    ) -> Result<Acknowledgement, Refusal> {
        self.ask(id, None, |reply| MatchRequest::Chat {
            author: author.clone(),
            command: command.clone(),
            draft: draft.clone(),
            reply,
        })
        .await
    }

    /// Reads a match and its log once.
    pub async fn inspect(self: &Arc<Self>, id: MatchId) -> Result<Inspection, Refusal> {
        self.ask(id, None, |reply| MatchRequest::Inspect { reply })
            .await
    }

    /// Reads a match and its log from the store, without bringing the match into memory.
    pub async fn read(&self, id: MatchId) -> Result<Inspection, Refusal> {
        stored::read(&self.env.store, id).await
    }

    /// Ends a match if its players have left it.
    pub(super) async fn end_abandoned(self: &Arc<Self>, id: MatchId) -> Result<(), Refusal> {
        let request = |reply| MatchRequest::EndAbandoned { reply };
        self.ask(id, None, request).await
    }

    /// Ends a match whose player is gone for good.
    pub async fn end_left(self: &Arc<Self>, id: MatchId, guest: GuestId) -> Result<(), Refusal> {
        let request = |reply| MatchRequest::EndLeft { guest, reply };
        self.ask(id, Some(FOLLOW_WITHIN), request).await
    }

    /// Closes a match for the operator, with words for its players.
    pub async fn stop(self: &Arc<Self>, id: MatchId, text: ChatText) -> Result<(), Refusal> {
        let text = &text;
        self.ask(id, Some(FOLLOW_WITHIN), |reply| {
            let text = text.clone();
            MatchRequest::Stop { text, reply }
        })
        .await
    }

    /// Follows a match from the event after `since`, for a guest at this address.
    pub async fn follow(
        self: &Arc<Self>,
        id: MatchId,
        (guest, asker): (GuestId, &AddressAccount),
        since: Version,
    ) -> Result<Subscription, Refusal> {
        // A thousand viewers may come at once. Unlike commands, they can wait.
        self.ask(id, Some(FOLLOW_WITHIN), |reply| MatchRequest::Follow {
            guest,
            asker: asker.clone(),
            since,
            reply,
        })
        .await
    }

    /// Returns the review of a match, computed once for each version.
    ///
    /// # Errors
    /// As [`Scheduler::answer`] and [`Match::review`](fibfob_protocol::Match::review).
    pub async fn review(
        &self,
        asker: &AddressAccount,
        inspected: Inspection,
    ) -> Result<Arc<Review>, Refusal> {
        let version = (inspected.current.id(), inspected.current.version());
        let compute = move |budget: &mut Budget| {
            let review = inspected.current.review(&inspected.records, budget);
            review.map(Arc::new)
        };
        let reviews = (&self.reviews, version);
        let review = self
            .scheduler
            .answer_once(asker, JobKind::Question, reviews, compute);
        review.await?
    }

    /// Finds the match with this code.
    pub async fn find(&self, code: Code) -> Result<MatchId, Refusal> {
        match in_time(self.env.store.find(code)).await {
            Ok(Some(id)) => Ok(id),
            Ok(None) => Err(Refusal::NoSuchMatch(code.to_string())),
            Err(error) => {
                tracing::error!(%error, "cannot look up an invitation code in the store");
                Err(Refusal::Unavailable)
            }
        }
    }

    /// The tasks of this server.
    pub fn tasks(&self) -> &Tasks {
        &self.env.tasks
    }

    /// Today's flights.
    pub fn flights(&self) -> &Flights {
        &self.env.flights
    }

    /// The bytes that each address has stored.
    pub fn disk(&self) -> &DiskLedger {
        &self.env.disk
    }

    /// The number of matches in memory.
    pub fn live_matches(&self) -> usize {
        self.in_memory.len()
    }

    /// The other servers on the store.
    pub fn cluster(&self) -> &Cluster {
        &self.env.cluster
    }

    /// The absences of all matches.
    pub fn absences(&self) -> &AbsenceLedger {
        &self.env.absences
    }

    /// Returns the jobs that wait, by kind.
    pub fn jobs(&self) -> [(QueueLabel, QueueFill); 2] {
        self.scheduler.queues(self.env.settings.live_matches)
    }

    /// Returns the most requests that any inbox held since this was last asked. Takes the same time however
    /// many matches there are.
    pub fn fullest_inbox(&self) -> QueueFill {
        QueueFill {
            length: self.fullest_inbox.swap(0, Ordering::Relaxed),
            capacity: INBOX_MAX,
        }
    }

    fn note_waiting(&self, waiting: usize) {
        if waiting > self.fullest_inbox.load(Ordering::Relaxed) {
            self.fullest_inbox.fetch_max(waiting, Ordering::Relaxed);
        }
    }

    /// Waits until all matches have left memory, after a stop.
    pub async fn stopped(&self) {
        self.env.tasks.ended().await;
    }

    /// Sends a request to the match's task. If the answer never comes, the task has ended, and the
    /// request is sent again. That is safe: what was stored is recognised by its command id.
    async fn ask<T>(
        self: &Arc<Self>,
        id: MatchId,
        wait: Option<Duration>,
        request: impl Fn(Reply<T>) -> MatchRequest,
    ) -> Result<T, Refusal> {
        for _ in 0..LOOKUP_TRIES {
            let handle = self.handle(id)?;
            let (reply, answer) = Reply::new();
            let sent = handle.send(Box::new(request(reply)), wait).await;
            self.note_waiting(handle.waiting());
            if !sent? {
                continue;
            }
            if let Ok(answer) = answer.await {
                return answer;
            }
        }
        tracing::error!(%id, "a match cannot be used: its task panics at every request");
        Err(Refusal::Unavailable)
    }

    /// Leaves a hint of another server for a match, if it is in memory.
    pub(super) fn hint(&self, id: MatchId, change: impl FnOnce(&mut MatchHints)) {
        if let Some(handle) = self.in_memory.get(&id) {
            handle.hinted.change(change);
        }
    }

    /// Returns the inbox of the match's task, and starts the task if there is none.
    pub(super) fn handle(self: &Arc<Self>, id: MatchId) -> Result<MatchHandle, Refusal> {
        if self.stop.is_cancelled() {
            return Err(Refusal::ShuttingDown);
        }
        if let Some(handle) = self.in_memory.get(&id)
            && !handle.is_closed()
        {
            return Ok(handle.clone());
        }
        if !self.env.memory.has_room(true) {
            return Err(Refusal::Busy);
        }
        let handle = match self.in_memory.entry(id) {
            Entry::Occupied(entry) if !entry.get().is_closed() => entry.get().clone(),
            entry => entry.insert(self.start(id)).clone(),
        };
        Ok(handle)
    }

    fn start(self: &Arc<Self>, id: MatchId) -> MatchHandle {
        let (requests, received) = mpsc::channel(INBOX_MAX);
        let hinted = Arc::new(Hinted::default());
        let inbox = Inbox {
            requests: received,
            hinted: Arc::clone(&hinted),
        };
        let charge = self.env.memory.charge();
        let task = (self.run_task)(Arc::clone(self), id, inbox, charge);
        let task = AssertUnwindSafe(task).catch_unwind().map(move |outcome| {
            if let Err(panic) = outcome {
                let panic = panic_text(&*panic);
                tracing::error!(%id, panic, "a match's task panicked; its stored log is unharmed");
            }
        });
        self.env.tasks.spawn(task.instrument(match_span(id)));
        MatchHandle { requests, hinted }
    }

    /// Removes a match whose task has ended, unless another task has taken its place.
    pub(super) fn forget(&self, id: MatchId) {
        let removed = self
            .in_memory
            .remove_if(&id, |_, handle| handle.is_closed());
        if removed.is_some() {
            self.env.lobby.set_presence(id, MatchPresence::Left);
        }
    }
}

/// Returns the span under which the log tells of a match.
pub(super) fn match_span(id: MatchId) -> tracing::Span {
    tracing::info_span!(parent: None, "match", %id, code = Empty)
}
