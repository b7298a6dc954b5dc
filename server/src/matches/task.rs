//! The owner of one match: the corridor from request to frame.
//!
//! *due? → decide → append (durable) → evolve → frame → answer.* Nothing is shown or answered
//! before the append has returned. In any doubt about an append the task ends; the next one
//! opens the log and reads what really happened.

use std::sync::Arc;
use std::time::Duration;

use fibfob_protocol::{
    Actor, ChatDraft, Command, CommandId, Event, GuestId, Match, MatchId, MatchRef, Record,
    Refusal, Version,
};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until, timeout};
use tracing::Instrument;

use super::bot;
use super::directory::Directory;
use super::feed::Feed;
use super::presence::PresenceBoard;
use super::request::{Answer, Following, Looked, Request, Wish};
use super::talk::{self, Speaker, TalkBook};
use crate::limits::{DEADLINE_CHECK_EVERY, OPEN_WITHIN};
use crate::ops::metrics::{Standing, State};
use crate::store::IndexRow;
use crate::store::Log;

mod birth;
mod fault;

use fault::{Fault, InDoubt, append, reply_with};

/// Runs the task of match `id` until it is idle, in doubt, or told to stop.
pub(super) async fn run(directory: Arc<Directory>, id: MatchId, inbox: mpsc::Receiver<Request>) {
    // Dropped after the inbox, whatever ends this function: only then is the handle closed.
    let _leave = Leave(Arc::clone(&directory), id);
    let mut inbox = inbox;
    let opened = timeout(OPEN_WITHIN, directory.setting.store.open(id)).await;
    let (records, log) = match opened {
        Ok(Ok(opened)) => opened,
        Ok(Err(error)) => {
            tracing::error!(%id, %error, "a match cannot be read");
            let refusal = if error.is_damage() {
                Refusal::Damaged
            } else {
                Refusal::Unavailable
            };
            return refuse_all(&mut inbox, &refusal);
        }
        Err(_) => {
            tracing::error!(%id, "a match cannot be read in time");
            return refuse_all(&mut inbox, &Refusal::Unavailable);
        }
    };
    let (feed, log) = match Feed::replay(id, records, directory.setting.snapshot_after) {
        Ok(Some(feed)) => (feed, log),
        Ok(None) => match birth::wait(&directory, id, log, &mut inbox).await {
            Some(born) => born,
            None => return,
        },
        Err(error) => {
            tracing::error!(%id, %error, "a match cannot be replayed");
            return refuse_all(&mut inbox, &Refusal::Damaged);
        }
    };
    MatchTask::new(directory, log, feed).live(inbox).await;
}

/// Takes the match out of the directory when its task ends, by a panic too.
struct Leave(Arc<Directory>, MatchId);

impl Drop for Leave {
    fn drop(&mut self) {
        self.0.forget(self.1);
    }
}

/// Tells everybody who waits why this match cannot be had.
fn refuse_all(inbox: &mut mpsc::Receiver<Request>, refusal: &Refusal) {
    inbox.close();
    while let Ok(request) = inbox.try_recv() {
        request.refuse(refusal.clone());
    }
}

impl Request {
    fn refuse(self, refusal: Refusal) {
        match self {
            Self::Create { reply, .. } | Self::Act { reply, .. } | Self::Say { reply, .. } => {
                reply.send(Err(refusal));
            }
            Self::Succeed { reply, .. } => reply.send(Err(refusal)),
            Self::Look { reply } => reply.send(Err(refusal)),
            Self::Follow { reply, .. } => reply.send(Err(refusal)),
        }
    }
}

struct MatchTask {
    directory: Arc<Directory>,
    log: Log,
    feed: watch::Sender<Feed>,
    talk: watch::Sender<TalkBook>,
    presence: PresenceBoard,
    /// Its place among the matches in memory.
    standing: Standing<State>,
    /// Since when nobody has asked anything.
    quiet_since: Instant,
}

impl MatchTask {
    fn new(directory: Arc<Directory>, log: Log, feed: Feed) -> Self {
        // An event that was in doubt shows in the lobby, too, from now on.
        let row = IndexRow::of(feed.live(), feed.created_at());
        directory.setting.note(feed.live().id(), &row);
        let code = feed.live().terms().code;
        tracing::Span::current().record("code", tracing::field::display(code));
        let standing = directory.setting.metrics.in_memory(State::of(feed.live()));
        let presence = PresenceBoard::new(feed.live(), directory.setting.clock.now());
        Self {
            directory,
            log,
            feed: watch::Sender::new(feed),
            talk: watch::Sender::new(TalkBook::default()),
            presence,
            standing,
            quiet_since: Instant::now(),
        }
    }

    async fn live(mut self, mut inbox: mpsc::Receiver<Request>) {
        let stop = self.directory.stop.clone();
        let mut roll = self.presence.roll.watch();
        self.seat_bot();
        loop {
            let wake = self.next_wake();
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                request = inbox.recv() => {
                    let Some(request) = request else { return };
                    self.quiet_since = Instant::now();
                    if let Err(InDoubt) = self.answer(request).await {
                        return;
                    }
                }
                // The sender is the board's roll, so this cannot fail.
                _ = roll.changed() => {
                    self.quiet_since = Instant::now();
                    self.look_around();
                }
                () = sleep_until(wake) => {
                    if self.is_idle() {
                        return;
                    }
                    // Nobody waits for an answer; whoever looks opens the log again.
                    if self.settle().await.is_err() {
                        return;
                    }
                }
            }
            self.presence.show(self.feed.borrow().live());
        }
    }

    fn seat_bot(&self) {
        let feed = self.feed.borrow();
        if let Some(level) = bot::level(feed.live()) {
            let (directory, id) = (Arc::clone(&self.directory), feed.live().id());
            let sitting = bot::sit(directory, id, level, self.feed.subscribe());
            let span = tracing::info_span!("bot", %level);
            let tasks = &self.directory.setting.tasks;
            tasks.spawn(sitting.instrument(span));
        }
    }

    /// When to look again at what happens by itself.
    fn next_wake(&self) -> Instant {
        let now = Instant::now();
        let deadline = self.feed.borrow().live().deadline();
        let until = deadline.map_or(Duration::MAX, |then| {
            self.directory.setting.clock.until(then)
        });
        let mut wake = now + until.min(DEADLINE_CHECK_EVERY);
        if let Some(show) = self.presence.next_show() {
            wake = wake.min(show);
        }
        if self.is_unwatched() {
            wake = wake.min(self.quiet_since + self.directory.setting.idle_after);
        }
        wake
    }

    /// Nobody looks, and no bot is waited for.
    fn is_unwatched(&self) -> bool {
        let feed = self.feed.borrow();
        self.presence.roll.is_empty() && !bot::is_awaited(feed.live())
    }

    fn is_idle(&self) -> bool {
        self.is_unwatched() && self.quiet_since.elapsed() >= self.directory.setting.idle_after
    }

    async fn answer(&mut self, request: Request) -> Result<(), InDoubt> {
        match request {
            Request::Act {
                actor,
                command,
                wish,
                reply,
            } => {
                let span = self.span_of(actor);
                let acted = self.act(actor, command, wish).instrument(span).await;
                reply_with(reply, acted)
            }
            Request::Create {
                guest,
                command,
                reply,
                ..
            } => reply_with(reply, self.create_again(guest, &command).await),
            Request::Succeed { reply, .. } => {
                let code = self.feed.borrow().live().terms().code;
                reply_with(reply, Ok(code))
            }
            Request::Look { reply } => reply_with(reply, self.look().await),
            Request::Say {
                speaker,
                command,
                words,
                reply,
            } => reply_with(reply, self.say(speaker, command, words).await),
            Request::Follow {
                guest,
                since,
                reply,
            } => reply_with(reply, self.follow(guest, since).await),
        }
    }

    fn span_of(&self, actor: Actor) -> tracing::Span {
        let feed = self.feed.borrow();
        let seat = feed.live().seat_of(actor).map(tracing::field::display);
        tracing::debug_span!("act", seat, version = %feed.live().version())
    }

    /// The match exists: its creator's own command gets its first answer again.
    async fn create_again(&mut self, guest: GuestId, command: &CommandId) -> Result<Answer, Fault> {
        self.settle().await?;
        let actor = Actor::Guest(guest);
        let first = self.feed.borrow().live().answered(actor, command);
        // The id is derived from guest and command, so that nobody else comes here with it.
        let first = first.ok_or(Refusal::NotAPlayer)?;
        Ok(self.tell(actor, first))
    }

    async fn look(&mut self) -> Result<Looked, Fault> {
        self.settle().await?;
        Ok(self.feed.borrow().look())
    }

    async fn follow(&mut self, guest: GuestId, since: Version) -> Result<Following, Fault> {
        self.settle().await?;
        let current = self.feed.borrow().live().version();
        if since > current {
            let found = since;
            return Err(Refusal::NoSuchVersion { found, current }.into());
        }
        let attendance = {
            let feed = self.feed.borrow();
            self.presence.roll.enter(guest, feed.live())?
        };
        self.look_around();
        self.presence.show(self.feed.borrow().live());
        Ok(Following {
            answer: self.tell(Actor::Guest(guest), current),
            feed: self.feed.subscribe(),
            presence: self.presence.watch(),
            talk: self.talk.subscribe(),
            guest,
            roll: self.presence.roll.clone(),
            _attendance: attendance,
        })
    }

    async fn act(&mut self, actor: Actor, command: CommandId, wish: Wish) -> Result<Answer, Fault> {
        self.settle().await?;
        let first = self.feed.borrow().live().answered(actor, &command);
        if let Some(version) = first {
            return Ok(self.tell(actor, version));
        }
        // Through the directory and not through `self`, which has to be free for the store.
        let directory = Arc::clone(&self.directory);
        let mut _claim = None;
        let decided = match wish {
            Wish::Do(wanted) => {
                let event = self.decide(actor, &wanted)?;
                _claim = directory.setting.claim(actor, &event)?;
                Ok(event)
            }
            Wish::Claim => {
                let away_ms = self.opponents_absence(actor);
                self.decide(actor, &Command::Claim { away_ms })
            }
            Wish::AcceptRematch => {
                let seat = self.feed.borrow().live().may_accept_rematch(actor)?;
                _claim = directory.setting.claim_seat(actor, seat)?;
                let next = self.make_rematch().await?;
                self.decide(actor, &Command::AcceptRematch { next })
            }
            Wish::Leave => match self.decide(actor, &Command::Withdraw) {
                Err(Refusal::NotAPlayer | Refusal::NotOpen(_)) => {
                    let current = self.feed.borrow().live().version();
                    return Ok(self.tell(actor, current));
                }
                decided => decided,
            },
        };
        let version = self.store(decided?, Some(command)).await?;
        Ok(self.tell(actor, version))
    }

    /// Says something to those in the same room. Nothing of it is stored.
    async fn say(
        &mut self,
        speaker: Speaker,
        command: CommandId,
        words: ChatDraft,
    ) -> Result<Answer, Fault> {
        self.settle().await?;
        let now = self.directory.setting.clock.now();
        let actor = Actor::Guest(speaker.guest);
        let feed = self.feed.borrow();
        let content = talk::may_say(feed.live(), words)?;
        self.talk
            .send_modify(|book| book.note(feed.live(), speaker, command, content, now));
        Ok(tell(feed.live(), actor, feed.live().version()))
    }

    /// How long the other player has been away, in milliseconds.
    fn opponents_absence(&mut self, actor: Actor) -> Option<u64> {
        self.look_around();
        let opponent = self.feed.borrow().live().seat_of(actor)?.other();
        let now = self.directory.setting.clock.now();
        self.presence.away_millis(opponent, now)
    }

    fn look_around(&mut self) {
        let now = self.directory.setting.clock.now();
        self.presence.look(self.feed.borrow().live(), now);
    }

    fn decide(&self, actor: Actor, command: &Command) -> Result<Event, Refusal> {
        self.feed.borrow().live().decide(actor, command)
    }

    /// Makes the next match before this one says that it exists. A crash between the two
    /// leaves a match that the next try finds, because its id follows from this one's.
    async fn make_rematch(&self) -> Result<MatchRef, Refusal> {
        let (id, terms) = {
            let feed = self.feed.borrow();
            let code = birth::draw_code(&self.directory);
            (feed.live().id().rematch(), feed.live().rematch_terms(code)?)
        };
        let code = self.directory.succeed(id, terms).await?;
        Ok(MatchRef { id, code })
    }

    /// Lets happen what is due, before anything else of this instant.
    async fn settle(&mut self) -> Result<(), Fault> {
        let started = self.directory.setting.started_at;
        let resumed = self.feed.borrow().live().resumed(started);
        if let Some(event) = resumed {
            self.store(event, None).await?;
        }
        let now = self.directory.setting.clock.now();
        let due = self.feed.borrow().live().due(now);
        if let Some(event) = due {
            self.store(event, None).await?;
        }
        Ok(())
    }

    /// Append, evolve, show. After an error the event is not shown, and never will be by this
    /// task.
    async fn store(&mut self, event: Event, command: Option<CommandId>) -> Result<Version, Fault> {
        let (record, next, row) = {
            let feed = self.feed.borrow();
            let record = Record {
                version: feed.live().version().next(),
                // A clock that was set back does not reorder a log.
                at: self.directory.setting.clock.now().max(feed.newest_at()),
                command,
                event,
            };
            let mut next = feed.live().clone();
            if let Err(fault) = next.evolve(&record) {
                // What cannot be replayed must not be stored.
                tracing::error!(id = %next.id(), %fault, "decide and evolve disagree");
                return Err(Refusal::Unavailable.into());
            }
            let row = IndexRow::of(&next, feed.created_at());
            (record, next, row)
        };
        append(&mut self.log, &record, &row)
            .await
            .map_err(Fault::Doubt)?;
        let version = record.version;
        let seat = record.event.author();
        tracing::debug!(%version, seat = seat.map(tracing::field::display), "stored");
        self.standing.becomes(State::of(&next));
        self.directory.setting.note(next.id(), &row);
        let spectators = self.presence.roll.spectators(&next);
        self.feed
            .send_modify(|feed| feed.push(next, record, spectators));
        // A join changes who is a spectator, and the beginning and the end who is away.
        self.look_around();
        Ok(version)
    }

    fn tell(&self, actor: Actor, version: Version) -> Answer {
        let feed = self.feed.borrow();
        tell(feed.live(), actor, version)
    }
}

/// What `actor` is told of a command that made `version`.
fn tell(live: &Match, actor: Actor, version: Version) -> Answer {
    Answer {
        id: live.id(),
        code: live.terms().code,
        version,
        seat: live.seat_of(actor),
        // The agreement is always the last event: only its own command is answered with it.
        next: live
            .next_match()
            .filter(|_| version == live.version())
            .cloned(),
    }
}
