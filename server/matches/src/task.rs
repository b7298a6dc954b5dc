//! The task of one match: the only place that changes it.
//!
//! For each request: apply due deadlines, decide, evolve a copy, append (durable), publish the
//! frame, answer. Nothing is shown or answered before the append has returned. After any doubt about an
//! append the task ends, and the next one reads what was really stored.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use fibfob_net::address_guard::AddressAccount;
use fibfob_protocol::{
    Actor, CommandId, GuestId, MatchId, MatchSetup, Refusal, Seat, Timestamp, Version,
};
use fibfob_store::{IndexRow, Log, PresenceNote};
use tokio::sync::{OwnedSemaphorePermit, mpsc, watch};
use tokio::task::yield_now;
use tokio::time::Instant;
use tracing::Instrument;

use super::acknowledgement::Acknowledgement;
use super::bot;
use super::directory::{Directory, Inbox};
use super::env::MatchEnv;
use super::feed::{Feed, Inspection};
use super::live_memory::MemoryCharge;
use super::own_matches::players;
use super::presence::PresencePublisher;
use super::request::MatchRequest;
use super::stored;
use super::subscription::{Subscription, Wake};
use crate::clock::Timer;
use crate::limits::DUE_RETRY_PAUSE;
use crate::metrics::{GaugeGuard, PhaseLabel};

mod act;
mod append;
mod chat;
mod cluster;
mod creation;
mod lateness;
mod news;
mod timers;

use append::{CommandError, InDoubt, reply_with};
use lateness::RequestQueue;

/// Runs the task of match `id` until it is idle, in doubt, or stopped.
pub(super) async fn run(
    directory: Arc<Directory>,
    id: MatchId,
    inbox: Inbox,
    charge: MemoryCharge,
) {
    // Dropped after the inbox on every path, because only then the handle is closed.
    let _forget = ForgetOnDrop(Arc::clone(&directory), id);
    let mut inbox = inbox;
    let (feed, log) = match stored::open(&directory.env, id).await {
        Ok((Some(feed), log)) => (feed, log),
        Ok((None, log)) => {
            // Boxed, because the match keeps the future's memory for as long as it is loaded.
            let created = Box::pin(creation::wait(&directory, id, log, &mut inbox.requests));
            match created.await {
                Some(created) => created,
                None => return,
            }
        }
        Err(refusal) => return refuse_all(&mut inbox.requests, &refusal),
    };
    let mut task = MatchTask::new(directory, log, feed, charge);
    task.run(inbox).await;
}

/// Removes the match from the directory when its task ends or panics.
struct ForgetOnDrop(Arc<Directory>, MatchId);

impl Drop for ForgetOnDrop {
    fn drop(&mut self) {
        self.0.forget(self.1);
    }
}

/// Refuses all waiting requests.
fn refuse_all(inbox: &mut mpsc::Receiver<Box<MatchRequest>>, refusal: &Refusal) {
    inbox.close();
    while let Ok(request) = inbox.try_recv() {
        request.refuse(refusal.clone());
    }
}

impl Drop for MatchTask {
    fn drop(&mut self) {
        let env = &self.directory.env;
        let id = self.id();
        env.absences.stop_counting(id, env.clock.now());
        env.cluster.note(PresenceNote {
            absences: env.absences.of_match(id),
            ..PresenceNote::nobody(id)
        });
    }
}

struct MatchTask {
    directory: Arc<Directory>,
    log: Log,
    feed: watch::Sender<Feed>,
    /// Wakes the players before the feed wakes everybody else.
    players: watch::Sender<()>,
    /// True if only the players have been woken for the newest event so far.
    others_wait: bool,
    presence: PresencePublisher,
    /// True once the stored chat lines were read.
    has_read_chat: bool,
    /// Counts the match in its phase's gauge.
    phase: GaugeGuard<PhaseLabel>,
    /// Counts its memory.
    charge: MemoryCharge,
    /// Lets the match stay in memory for longer while nobody follows it.
    lingering: Option<OwnedSemaphorePermit>,
    /// The time of the last request or change of presence.
    idle_since: Instant,
    /// Due events that could not be stored are not tried again before this time.
    due_not_before: Option<Instant>,
    /// As of when the request in hand is judged.
    as_of: Timestamp,
    /// The instant of the event that began the present turn; none once the players were woken for it.
    turn_started: Option<Timestamp>,
    /// The delay until that turn could be shown to its player.
    turn_late: Duration,
}

impl MatchTask {
    fn new(directory: Arc<Directory>, log: Log, feed: Feed, mut charge: MemoryCharge) -> Self {
        charge.set(feed.bytes());
        // The lobby may lack an event whose append was in doubt.
        let row = IndexRow::of(feed.current(), feed.log().created_at());
        directory.env.publish(feed.current().id(), &row);
        let code = feed.current().terms().code;
        tracing::Span::current().record("code", tracing::field::display(code));
        let phase = directory
            .env
            .metrics
            .in_memory(PhaseLabel::of(feed.current().phase()));
        let presence =
            PresencePublisher::new(&directory.env, feed.current(), directory.env.clock.now());
        let as_of = directory.env.clock.now();
        Self {
            directory,
            log,
            feed: watch::Sender::new(feed),
            players: watch::Sender::default(),
            others_wait: false,
            presence,
            has_read_chat: false,
            phase,
            charge,
            lingering: None,
            idle_since: Instant::now(),
            due_not_before: None,
            as_of,
            turn_started: None,
            turn_late: Duration::ZERO,
        }
    }

    fn env(&self) -> &MatchEnv {
        &self.directory.env
    }

    fn id(&self) -> MatchId {
        self.feed.borrow().current().id()
    }

    async fn run(&mut self, inbox: Inbox) {
        let Inbox { requests, hinted } = inbox;
        let mut queue = RequestQueue::new(requests);
        let stop = self.directory.stop.clone();
        let mut stopped = pin!(stop.cancelled());
        let mut timer = Timer::default();
        let present = self.presence.present.clone();
        self.start_bot();
        if self.env().cluster.has_peers() {
            // Until this succeeds nobody counts as away, and the regular look tries again.
            let _ = self.look_elsewhere().await;
        }
        loop {
            let wake = self.next_timer();
            tokio::select! {
                // Requests first. Everything else is polled once before the task sleeps, and the runtime's
                // budget makes it sleep now and then, however many requests come.
                biased;
                request = queue.next() => {
                    let Some(request) = request else { return };
                    let request = self.first(request, &mut queue);
                    // A match that everybody has left need not wait for the sweep.
                    if !matches!(*request, MatchRequest::EndAbandoned { .. }) {
                        self.idle_since = Instant::now();
                    }
                    if let Err(InDoubt) = self.answer(request).await {
                        return;
                    }
                }
                hints = hinted.next() => {
                    if self.follow_hints(hints).await.is_err() {
                        return;
                    }
                }
                () = present.changed() => {
                    self.idle_since = Instant::now();
                    self.update_presence();
                }
                () = &mut stopped => return,
                () = timer.wait(wake) => {
                    if self.leaves_at().is_some_and(|at| at <= Instant::now()) {
                        return;
                    }
                    // A player who was about to resume may be away by now.
                    self.update_presence();
                    self.as_of = self.as_of_unasked();
                    match self.apply_due_events().await {
                        Ok(()) => self.due_not_before = None,
                        Err(CommandError::Refused(_)) => {
                            self.due_not_before = Some(Instant::now() + DUE_RETRY_PAUSE);
                        }
                        // Nobody waits for an answer here; the next request opens the log again.
                        Err(CommandError::InDoubt(_)) => return,
                    }
                }
            }
            self.publish_presence();
            if self.others_wait {
                // The players' connections are to send the event first, however many spectators there are.
                yield_now().await;
                self.note_turn();
                self.turn_started = None;
                self.wake_others();
            }
        }
    }

    fn start_bot(&self) {
        let feed = self.feed.borrow();
        if let Some(level) = bot::level(feed.current()) {
            let (directory, id) = (Arc::clone(&self.directory), feed.current().id());
            let playing = bot::play(directory, id, level, self.feed.subscribe());
            let span = tracing::info_span!("bot", %level);
            self.env().tasks.spawn(playing.instrument(span));
        }
    }

    async fn answer(&mut self, request: Box<MatchRequest>) -> Result<(), InDoubt> {
        self.as_of = self.as_of(&request);
        match *request {
            MatchRequest::Act {
                actor,
                command,
                action,
                arrived: _,
                reply,
            } => {
                let span = self.span_of(actor);
                let acted = self.act(actor, command, action).instrument(span).await;
                reply_with(reply, acted)
            }
            MatchRequest::Create {
                guest,
                command,
                new,
                reply,
            } => reply_with(reply, self.create_again(guest, &command, &new.setup).await),
            MatchRequest::Inspect { reply } => reply_with(reply, self.inspect().await),
            MatchRequest::EndAbandoned { reply } => reply_with(reply, self.end_abandoned().await),
            MatchRequest::EndLeft { guest, reply } => reply_with(reply, self.end_left(guest).await),
            MatchRequest::Stop { text, reply } => reply_with(reply, self.stop(text).await),
            MatchRequest::Chat {
                author,
                command,
                draft,
                reply,
            } => reply_with(reply, self.chat(author, command, draft).await),
            MatchRequest::Follow {
                guest,
                asker,
                since,
                reply,
            } => reply_with(reply, self.follow(guest, asker, since).await),
        }
    }

    /// Has the players notified about the newest event who have no connection to this server; not its author.
    fn notify_players(&self, author: Option<Seat>) {
        let feed = self.feed.borrow();
        for guest in players(feed.current()) {
            if self.env().guests.is_connected(guest) {
                continue;
            }
            let shown = feed.log().own_of(guest);
            if let Some(shown) = shown.filter(|shown| Some(shown.seat) != author) {
                let (id, at) = (shown.place.match_id, shown.at);
                self.env().errands.add_change(guest, id, at);
            }
        }
    }

    fn span_of(&self, actor: Actor) -> tracing::Span {
        let feed = self.feed.borrow();
        let seat = feed.current().seat_of(actor).map(tracing::field::display);
        tracing::debug_span!("act", seat, version = %feed.current().version())
    }

    /// Answers a repeated `create` of this match as the first time.
    async fn create_again(
        &mut self,
        guest: GuestId,
        command: &CommandId,
        setup: &MatchSetup,
    ) -> Result<Acknowledgement, CommandError> {
        self.apply_due_events().await?;
        let actor = Actor::Guest(guest);
        let first = self.feed.borrow().current().answered(actor, command);
        // The id follows from guest and command, so no other command leads to this match.
        let first = first.ok_or(Refusal::NotAPlayer)?;
        self.check_repeated(command, first, |current, _| {
            setup.may_have_drawn(current.terms())
        })?;
        Ok(self.acknowledge(actor, first).again())
    }

    async fn inspect(&mut self) -> Result<Inspection, CommandError> {
        self.apply_due_events().await?;
        Ok(self.feed.borrow().log().clone())
    }

    async fn follow(
        &mut self,
        guest: GuestId,
        asker: AddressAccount,
        since: Version,
    ) -> Result<Subscription, CommandError> {
        self.apply_due_events().await?;
        if since > self.feed.borrow().current().version() {
            self.read_on().await?;
        }
        if !std::mem::replace(&mut self.has_read_chat, true) {
            // The next hint of a chat line tries again.
            let _ = self.read_chat().await;
        }
        let current = self.feed.borrow().current().version();
        if since > current {
            let found = since;
            return Err(Refusal::NoSuchVersion { found, current }.into());
        }
        let guard = {
            let feed = self.feed.borrow();
            self.presence.present.add(guest, feed.current())?
        };
        self.update_presence();
        self.publish_presence();
        let seat = self.feed.borrow().current().seat_of(Actor::Guest(guest));
        if seat == Some(Seat::Creator) {
            self.env().lobby.attribute(self.id(), asker.address());
            self.change_feed(|feed| feed.player_at = Some(asker));
        }
        let wake = match seat {
            Some(_) => Wake::Player(self.players.subscribe()),
            None => Wake::Other(self.feed.subscribe()),
        };
        let answer = self.acknowledge(Actor::Guest(guest), current);
        Ok(Subscription::new(
            answer,
            self.feed.subscribe(),
            wake,
            guard,
        ))
    }

    fn publish_presence(&mut self) {
        let Some(message) = self.presence.due(self.feed.borrow().current()) else {
            return;
        };
        if self.change_feed(|feed| feed.show_presence(message)) {
            self.presence.published();
            self.wake_viewers();
        }
    }

    /// Changes the feed without waking anybody, and returns the result.
    fn change_feed<T>(&self, change: impl FnOnce(&mut Feed) -> T) -> T {
        let mut result = None;
        self.feed.send_if_modified(|feed| {
            result = Some(change(feed));
            false
        });
        result.expect("the change was called")
    }

    /// Wakes all viewers: players by their own channel, everybody else by the feed.
    fn wake_viewers(&self) {
        self.players.send_replace(());
        self.feed.send_modify(|_| ());
    }

    /// Wakes all viewers but the players, unless they were woken for the newest event already.
    fn wake_others(&mut self) {
        if std::mem::take(&mut self.others_wait) {
            self.feed.send_modify(|_| ());
        }
    }

    fn update_presence(&mut self) {
        let (env, feed) = (&self.directory.env, self.feed.borrow());
        self.presence.update(env, feed.current(), env.clock.now());
        let everywhere = self.presence.everywhere(feed.current());
        env.lobby.set_presence(feed.current().id(), everywhere);
    }

    fn acknowledge(&self, actor: Actor, version: Version) -> Acknowledgement {
        Acknowledgement::new(self.feed.borrow().current(), actor, version)
    }
}
