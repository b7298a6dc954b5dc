//! Applies actions to a match, and stores the events.

use std::sync::Arc;

use fibfob_protocol::{
    Action, ActionContext, Actor, ChatText, CommandId, CorruptLog, Event, GuestId, Match, MatchId,
    MatchRef, Record, Refusal, Transition, Version,
};
use fibfob_store::{AppendError, CarriedRecord, Head, Hint, IndexRow, in_time, warn_seldom};
use tracing::Instrument;

use super::append::CommandError;
use super::{MatchTask, creation, news};
use crate::acknowledgement::Acknowledgement;
use crate::bot;
use crate::directory::match_span;
use crate::disk_ledger::stored_bytes;
use crate::limits::CONFLICT_TRIES;
use crate::lobby::{MatchPresence, hidden_note};
use crate::metrics::PhaseLabel;
use crate::own_matches::players;
use crate::stored::{self, append_in_time};

impl MatchTask {
    /// Acts in the match. If another process appended first, reads its events and decides again.
    pub(super) async fn act(
        &mut self,
        actor: Actor,
        command: CommandId,
        action: Action,
    ) -> Result<Acknowledgement, CommandError> {
        for _ in 0..CONFLICT_TRIES {
            match self.act_once(actor, command.clone(), action.clone()).await {
                Err(CommandError::InDoubt(AppendError::Conflict)) => self.yield_to_other().await?,
                // Another process may have appended, and the player would not ask again.
                Err(CommandError::Refused(refusal)) if !refusal.retry() => {
                    if self.read_on().await? == 0 {
                        return Err(refusal.into());
                    }
                }
                acted => return acted,
            }
        }
        Err(Refusal::Busy.into())
    }

    async fn act_once(
        &mut self,
        actor: Actor,
        command: CommandId,
        action: Action,
    ) -> Result<Acknowledgement, CommandError> {
        self.apply_due_events().await?;
        let first = self.feed.borrow().current().answered(actor, &command);
        if let Some(version) = first {
            self.check_repeated(&command, version, |current, event| {
                current.may_have_made(&action, event)
            })?;
            // The process that answered first may have died before it sent its hint.
            self.hint(None);
            return Ok(self.acknowledge(actor, version).again());
        }
        if action == Action::Claim {
            self.look_elsewhere().await?;
        }
        // Borrowed from a clone of the directory, because `self` is needed for the store.
        let directory = Arc::clone(&self.directory);
        let mut context = ActionContext {
            opponent_away_ms: match action {
                Action::Claim => self.opponents_absence(actor),
                _ => None,
            },
            next: None,
            charged_until: self.charged_until(),
        };
        let mut _reservation = None;
        if action == Action::AcceptRematch {
            let seat = self.feed.borrow().current().may_accept_rematch(actor)?;
            _reservation = directory.env.reserve_seat(actor, seat).await?;
            // Boxed, because otherwise the future of every action would have room for this rare one.
            context.next = Some(Box::pin(self.create_rematch()).await?);
        }
        let decided = self
            .feed
            .borrow()
            .current()
            .decide(actor, &action, &context);
        let event = decided?;
        if _reservation.is_none() {
            _reservation = directory.env.reserve(actor, &event).await?;
        }
        let version = self.store(event, Some(command)).await?;
        Ok(self.acknowledge(actor, version))
    }

    /// Checks that a command under a known id is the one that made this version.
    pub(super) fn check_repeated(
        &self,
        command: &CommandId,
        version: Version,
        may_have_made: impl FnOnce(&Match, &Event) -> bool,
    ) -> Result<(), Refusal> {
        let feed = self.feed.borrow();
        let made = feed.event(version);
        if made.is_some_and(|event| may_have_made(feed.current(), event)) {
            Ok(())
        } else {
            Err(Refusal::IdReused(command.clone()))
        }
    }

    /// Returns how long the other player has been away, in milliseconds.
    fn opponents_absence(&mut self, actor: Actor) -> Option<u64> {
        self.update_presence();
        let opponent = self.feed.borrow().current().seat_of(actor)?.other();
        let now = self.env().clock.now();
        self.presence.absence.millis(opponent, now)
    }

    /// Creates the next match before this one's log refers to it. After a crash in between, the next attempt
    /// finds that match, because its id follows from this one's.
    async fn create_rematch(&self) -> Result<MatchRef, CommandError> {
        let (id, terms) = {
            let feed = self.feed.borrow();
            let current = feed.current();
            let code = creation::draw_code(&self.directory);
            (current.id().rematch(), current.rematch_terms(code)?)
        };
        self.hide_rematch(id).await?;
        let (feed, mut log) = stored::open(self.env(), id).await?;
        let next = match feed {
            Some(next) => next,
            None => {
                let next = creation::create(&self.directory, id, &mut log, None, terms);
                let next = next.instrument(match_span(id)).await?;
                // Its first viewer brings it into memory.
                self.env().lobby.set_presence(id, MatchPresence::Left);
                next
            }
        };
        let code = next.current().terms().code;
        Ok(MatchRef { id, code })
    }

    /// Hides the rematch of a hidden match before anybody can see it.
    async fn hide_rematch(&self, rematch: MatchId) -> Result<(), Refusal> {
        let env = self.env();
        if !env.lobby.is_hidden(self.id()) {
            return Ok(());
        }
        if !env.lobby.hide_rematch(rematch) {
            return Err(Refusal::Busy);
        }
        let note = hidden_note(rematch, env.clock.now());
        let hiding = in_time(env.store.put_notes(vec![note], Vec::new())).await;
        hiding.map_err(|error| {
            warn_seldom!(%error, "cannot store that a rematch is hidden; it is not created, and its players may retry");
            Refusal::Unavailable
        })?;
        env.cluster.hint(|| Hint::Moderation);
        // What is being read now may lack the note.
        env.cluster.moderation.notify_one();
        Ok(())
    }

    /// Stores the events that are due, before anything else is decided as of that instant.
    pub(super) async fn apply_due_events(&mut self) -> Result<(), CommandError> {
        for _ in 0..CONFLICT_TRIES {
            match self.apply_due_events_once().await {
                Err(CommandError::InDoubt(AppendError::Conflict)) => self.yield_to_other().await?,
                applied => return applied,
            }
        }
        Err(Refusal::Busy.into())
    }

    async fn apply_due_events_once(&mut self) -> Result<(), CommandError> {
        let is_timed = self.feed.borrow().current().deadline().is_some();
        if is_timed {
            self.confirm_service().await?;
        }
        let service = self.env().service.known();
        let resumed = {
            let feed = self.feed.borrow();
            feed.current().resumed(service.last_run, service.since)
        };
        // Boxed, because otherwise the future of every request would have room for this rare store.
        if let Some(event) = resumed {
            Box::pin(self.store(event, None)).await?;
        }
        let as_of = self.without_turn_late(self.as_of);
        let due = self.feed.borrow().current().due(as_of);
        if let Some(event) = due {
            Box::pin(self.store(event, None)).await?;
        }
        Ok(())
    }

    /// Makes sure that no time without a server has passed unnoticed. No clock runs in such a time.
    pub(super) async fn confirm_service(&self) -> Result<(), Refusal> {
        let confirmed = self.env().service.confirm().await;
        confirmed.map_err(|error| {
            tracing::debug!(
                id = %self.id(),
                %error,
                "deadlines are not applied: the store has not confirmed this server's heartbeat"
            );
            Refusal::Unavailable
        })
    }

    /// Ends the match if its players have left it, and stores that.
    pub(super) async fn end_abandoned(&mut self) -> Result<(), CommandError> {
        self.apply_due_events().await?;
        if self.is_player_elsewhere().await? {
            return Ok(());
        }
        let event = {
            let feed = self.feed.borrow();
            match bot::is_awaited(feed.current()) {
                true => None,
                false => self.env().abandonment(feed.log()),
            }
        };
        if let Some(event) = event {
            self.store(event, None).await?;
        }
        Ok(())
    }

    /// Ends a match whose player is gone for good, and stores that.
    pub(super) async fn end_left(&mut self, guest: GuestId) -> Result<(), CommandError> {
        self.apply_due_events().await?;
        while let Some(event) = self.left_by(guest) {
            self.store(event, None).await?;
        }
        Ok(())
    }

    fn left_by(&self, guest: GuestId) -> Option<Event> {
        let feed = self.feed.borrow();
        let seat = feed.current().seat_of(Actor::Guest(guest))?;
        feed.current().left_by(seat)
    }

    /// Closes the match for the operator, and stores that.
    pub(super) async fn stop(&mut self, text: ChatText) -> Result<(), CommandError> {
        self.apply_due_events().await?;
        let (stopped, phase) = {
            let feed = self.feed.borrow();
            let current = feed.current();
            (current.stopped(text), current.phase().name())
        };
        let event = stopped.ok_or(Refusal::NotInPlay(phase))?;
        self.store(event, None).await.map(drop)
    }

    /// Checks that the event can be replayed, appends it and publishes it. After an error this task never
    /// shows the event.
    async fn store(
        &mut self,
        event: Event,
        command: Option<CommandId>,
    ) -> Result<Version, CommandError> {
        let record = {
            let feed = self.feed.borrow();
            Record {
                version: feed.current().version().next(),
                // A clock that was set back must not reorder the log.
                at: self.env().clock.now().max(feed.log().newest_at()),
                command,
                event,
            }
        };
        let (transition, row) = self.effect(&record).map_err(|error| {
            // An event that cannot be replayed must not be stored.
            tracing::error!(
                id = %self.id(),
                %error,
                "a fault of this program: the match decided on an event that it cannot apply; \
                 nothing was stored"
            );
            Refusal::Unavailable
        })?;
        // Spectators see the previous event now, without waiting until this one is stored.
        self.wake_others();
        let appended = append_in_time(self.log.append(&record, row.as_deref())).await;
        appended.map_err(CommandError::InDoubt)?;
        let version = record.version;
        let seat = record.event.author();
        tracing::debug!(%version, seat = seat.map(tracing::field::display), "stored");
        let (bytes, has_row) = (stored_bytes(&record), row.is_some());
        let has_peers = self.env().cluster.has_peers();
        let carried = has_peers.then(|| CarriedRecord::of(&record));
        self.publish(record, transition, row, true);
        // After it, because a player who has just joined has a seat only now.
        self.env()
            .charge_stored(self.feed.borrow().current(), seat, bytes, has_row);
        self.hint(carried);
        Ok(version)
    }

    /// Reads what other processes have appended, and publishes it. Returns the number of events.
    pub(super) async fn read_on(&mut self) -> Result<usize, CommandError> {
        let records = in_time(self.log.read_on()).await.map_err(|error| {
            warn_seldom!(id = %self.id(), %error, "cannot read a match's newest events from the store");
            CommandError::InDoubt(AppendError::Unknown)
        })?;
        let events = records.len();
        for record in records {
            let (transition, row) = self.effect(&record).map_err(|error| {
                tracing::error!(
                    id = %self.id(),
                    %error,
                    "a match's stored events contradict each other; see `fibfob-server check`"
                );
                CommandError::InDoubt(AppendError::Unknown)
            })?;
            self.publish(record, transition, row, false);
        }
        Ok(events)
    }

    /// Publishes a record that came with a hint, if it is the next one. Otherwise the log is read.
    pub(super) fn take_carried(&mut self, record: Record) {
        if record.version != self.feed.borrow().current().version().next() {
            return;
        }
        match self.effect(&record) {
            Ok((transition, row)) => {
                if self.log.advance(&record) {
                    self.publish(record, transition, row, false);
                }
            }
            Err(error) => {
                tracing::warn!(
                    id = %self.id(),
                    %error,
                    "another server sent an event that does not follow the stored ones; reading the \
                     match from the store instead"
                );
            }
        }
    }

    /// Returns the next record's transition, and the match's new index row, if it changes.
    fn effect(&self, record: &Record) -> Result<(Transition, Option<Box<IndexRow>>), CorruptLog> {
        let feed = self.feed.borrow();
        let transition = feed.current().transition(record)?;
        let created_at = feed.log().created_at();
        let row = IndexRow::changed(feed.current(), transition.phase(), created_at);
        // Boxed, because hardly any event changes it.
        Ok((transition, row.map(Box::new)))
    }

    /// Tells the other servers about the newest event, with its record if it is at hand.
    fn hint(&self, carried: Option<CarriedRecord>) {
        self.env().cluster.hint(|| {
            let feed = self.feed.borrow();
            let (id, version) = (feed.current().id(), feed.current().version());
            Hint::Log(Head { id, version }, carried, players(feed.current()))
        });
    }

    /// Publishes an event, which was stored here or by another server.
    fn publish(
        &mut self,
        record: Record,
        transition: Transition,
        row: Option<Box<IndexRow>>,
        stored_here: bool,
    ) {
        if stored_here {
            let (metrics, feed) = (&self.env().metrics, self.feed.borrow());
            let (terms, before) = (feed.current().terms(), feed.current().phase());
            news::tell(metrics, terms, Some(before), transition.phase());
        }
        self.phase.set(PhaseLabel::of(transition.phase()));
        if let Some(row) = &row {
            self.env().publish(self.id(), row);
        }
        // A takeback that is offered or declined does not begin a turn.
        if !matches!(
            record.event,
            Event::TakebackOffered { .. } | Event::TakebackDeclined { .. }
        ) {
            self.turn_started = Some(record.at);
            self.note_turn();
        }
        // A restart is no news.
        let has_news = stored_here && !matches!(record.event, Event::Resumed { .. });
        let author = record.event.author();
        // The players are woken first.
        self.change_feed(|feed| feed.push(record, transition, stored_here));
        self.players.send_replace(());
        self.others_wait = true;
        self.charge.set(self.feed.borrow().bytes());
        self.env().guests.show_own(self.feed.borrow().log());
        if has_news {
            self.notify_players(author);
        }
        if row.is_some() {
            // A join changes the number of spectators, and the phase decides whose absence counts.
            self.update_presence();
        }
    }
}
