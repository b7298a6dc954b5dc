//! The loop of a session, and its reaction to each event.

use std::future::poll_fn;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use fibfob_net::address_guard::{AddressGuard, UntakenBytes};
use fibfob_net::gate::Gate;
use fibfob_protocol::{
    ClientMessage, GuestId, Hello, MatchId, Refusal, Request, ServerMessage, Timestamp, millis,
};
use fibfob_server_matches::encoded::EncodedMessage;
use fibfob_server_matches::metrics::{
    DeliveryLabel, GaugeGuard, MessageLabel, ResumeLabel, RoleLabel,
};
use fibfob_server_matches::panics::panic_text;
use fibfob_server_matches::{Change, Missed, Subscription};
use fibfob_store::limits::APPEND_WITHIN;
use futures_util::{FutureExt, StreamExt};
use tokio::time::Instant;
use tracing::field::{Empty, display};
use tracing::{Instrument, Span};

use super::charge::Charge;
use super::followed::refollow;
use super::session_end::SessionEnd;
use super::socket::{BoundedSocket, ReceivedFrame, SessionSocket};
use super::state::{Session, SessionStage, Signal, next_notice};
use super::welcome::{self, AcceptedHello, SessionGuest};
use crate::app::App;
use crate::limits::{
    FRAMES_PER_TURN, PLAYER_ANSWER_WITHIN, PLAYER_PING_EVERY, RECONNECTS_PER_MS, RETRY_AFTER_MS,
    SENT_BYTES_COUNTED,
};

/// Serves one connection until it ends, and closes it with the reason. Then drops `held`.
pub(crate) async fn serve<T>(
    socket: Box<dyn SessionSocket>,
    app: Arc<App>,
    guard: Arc<AddressGuard>,
    held: T,
) {
    let (number, role) = app.metrics.connected();
    let span = tracing::info_span!(parent: None, "connection", number, guest = Empty);
    serve_in_span(socket, app, guard, role)
        .instrument(span)
        .await;
    drop(held);
}

async fn serve_in_span(
    socket: Box<dyn SessionSocket>,
    app: Arc<App>,
    guard: Arc<AddressGuard>,
    role: GaugeGuard<RoleLabel>,
) {
    let untaken = UntakenBytes::new(Arc::clone(&guard));
    let socket = BoundedSocket::new(socket, &app.bounds, untaken);
    let mut session = Session::new(socket, Arc::clone(&app), guard, role);
    let outcome = AssertUnwindSafe(session.run()).catch_unwind().await;
    let reason = outcome.unwrap_or_else(|panic| {
        let panic = panic_text(&*panic);
        tracing::error!(
            panic,
            "a connection's task panicked; only that connection ends"
        );
        SessionEnd::Panic
    });
    tracing::debug!(ending = %reason, "a connection ended");
    app.metrics.closed(reason.label());
    if let Some(reason) = reason.refused_for() {
        app.refused(&session.budget.asker(), reason);
    }
    session.count_sent(Instant::now());
    let missed = session.missed(reason);
    // The client is absent from now on, even if the closing handshake takes a while.
    let mut socket = session.into_socket();
    if let Some((guest, since)) = missed {
        app.errands.add_missed(guest, since);
    }
    // Boxed, because otherwise every open connection would keep its memory.
    Box::pin(socket.close(reason)).await;
}

/// Returns true for messages by which a client reconnects.
fn is_reconnecting(message: &ClientMessage) -> bool {
    match message {
        ClientMessage::Hello(_) => true,
        ClientMessage::Request(request) => Charge::of(&request.body).reconnects(),
    }
}

impl Session {
    /// Polls the session; in its address's turns, unless the guest has a seat in a match in play. Nobody waits for the
    /// end of a debt once the server stops, so that everybody hears its farewell.
    async fn run(&mut self) -> SessionEnd {
        let mut gate = Gate::new(&self.app.turns, self.budget.asker());
        poll_fn(|context| {
            let passes = self.followed.plays() || self.app.draining.is_cancelled();
            gate.poll(context, passes, |context| self.poll_end(context))
        })
        .await
    }

    /// Handles all events that are ready. Ready when the session ends.
    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<SessionEnd> {
        loop {
            if let Err(reason) = ready!(self.poll_turn(context)) {
                return Poll::Ready(reason);
            }
        }
    }

    /// Handles the next event, and counts what was sent.
    fn poll_turn(&mut self, context: &mut Context<'_>) -> Poll<Result<(), SessionEnd>> {
        if self.is_draining() && self.answers.is_empty() && !self.followed.is_behind() {
            return Poll::Ready(Err(SessionEnd::Restart));
        }
        ready!(self.poll_event(context))?;
        if self.socket.uncounted() >= SENT_BYTES_COUNTED {
            self.count_sent(Instant::now());
        }
        if self.guest.is_some() {
            self.role.set(self.followed.role());
        }
        Poll::Ready(Ok(()))
    }

    /// Handles the next event. Signals and the timer come last, so that they are polled once a wake-up. The
    /// runtime's budget for a turn lets them come, however much there is to do.
    fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Result<(), SessionEnd>> {
        if let Some(greeting) = &mut self.greeting {
            let greeted = ready!(greeting.poll_unpin(context));
            self.greeting = None;
            return Poll::Ready(self.on_greeted(greeted));
        }
        // A client that does not take its answers may make no more requests.
        if self.socket.poll_hand_over(context)?.is_ready()
            && let Poll::Ready(handled) = self.poll_work(context)
        {
            return Poll::Ready(handled);
        }
        if let Poll::Ready(Some(signal)) = self.signals.poll_next_unpin(context) {
            return Poll::Ready(match signal {
                Signal::Ends(end) => self.on_end(end),
                Signal::Says(notice, said) => {
                    self.signals.push(next_notice(said).boxed());
                    self.send(&ServerMessage::Notice(notice))
                }
            });
        }
        ready!(self.timer.poll(self.next_timer(), context));
        Poll::Ready(self.on_timer())
    }

    /// Handles an answer, a frame or an update; flushes if there is none. Pending answers come before new
    /// requests. A client's own requests come before frames: a flood of them, which its rate budget bounds,
    /// delays only its own frames.
    fn poll_work(&mut self, context: &mut Context<'_>) -> Poll<Result<(), SessionEnd>> {
        // Polling an empty set would register the waker for nothing, with each message.
        if !self.answers.is_empty()
            && let Poll::Ready(Some((outcome, started))) = self.answers.poll_next_unpin(context)
        {
            return Poll::Ready(self.finish(started, outcome));
        }
        for (index, refollowing) in self.refollowing.iter_mut().enumerate() {
            if let Poll::Ready((id, outcome)) = refollowing.poll_unpin(context) {
                drop(self.refollowing.swap_remove(index));
                return Poll::Ready(self.on_refollowed(id, outcome));
            }
        }
        if let Poll::Ready(frame) = self.socket.poll_receive(context)? {
            return Poll::Ready(self.on_frame(frame));
        }
        if let Poll::Ready((id, change)) = self.followed.poll_next(context) {
            return Poll::Ready(self.on_change(id, change));
        }
        let watched = [&mut self.lobby, &mut self.own];
        for watched in watched.into_iter().flatten() {
            if let Poll::Ready(Some(message)) = watched.poll_next_unpin(context) {
                return Poll::Ready(self.socket.send(message));
            }
        }
        self.socket.poll_flush(context).map(Err)
    }

    /// Lists the instants at which the session ends unless something happens before, with the reasons.
    fn deadlines(&self) -> impl Iterator<Item = (Instant, SessionEnd)> {
        let stage = match self.stage {
            SessionStage::Open => None,
            SessionStage::Greeting { until } => Some((until, SessionEnd::LateHello)),
            SessionStage::Draining { until } => Some((until, SessionEnd::Restart)),
        };
        let blocked = self.socket.blocked_until();
        let blocked = blocked.map(|until| (until, SessionEnd::Slow));
        let silent = self.last_received + self.app.bounds.silent_max;
        let silent = Some((silent, SessionEnd::Silent));
        // Counted from a ping, so that a stop of this process does not count as a player's silence.
        let unanswered = self
            .unanswered_since
            .filter(|_| self.followed.plays_person());
        let unanswered = unanswered.map(|since| (since + PLAYER_ANSWER_WITHIN, SessionEnd::Silent));
        [stage, blocked, silent, unanswered].into_iter().flatten()
    }

    fn next_ping(&self) -> Instant {
        let interval = self.app.bounds.ping_every;
        self.pinged_at
            + match self.followed.plays_person() {
                true => interval.min(PLAYER_PING_EVERY),
                false => interval,
            }
    }

    fn next_timer(&self) -> Instant {
        let deadlines = self.deadlines().map(|(until, _)| until);
        deadlines.fold(self.next_ping(), Instant::min)
    }

    /// Returns the guest, and since when it has missed what it was sent. A phone in a pocket stops reading,
    /// while its connection looks open for some time.
    fn missed(&self, reason: SessionEnd) -> Option<(GuestId, Timestamp)> {
        let is_lost = matches!(reason, SessionEnd::Silent | SessionEnd::Slow);
        let guest = self.guest.as_ref().filter(|_| is_lost)?;
        // Both are rounded down, so no event is left out.
        let silence = millis(self.last_received.elapsed()) + 1;
        let since = self.app.clock.now().0.saturating_sub(silence);
        Some((guest.id(), Timestamp(since)))
    }

    /// Handles a change of a followed match; no change means that the match has left memory.
    fn on_change(&mut self, id: MatchId, change: Option<Change>) -> Result<(), SessionEnd> {
        match change {
            Some(Change::Events) => return self.catch_up(id),
            Some(Change::Presence) => {
                if let Some(presence) = self.followed.presence(id) {
                    self.socket.send(presence)?;
                }
            }
            Some(Change::Chat) => {
                if let Some(chat) = self.followed.take_chat(id) {
                    self.send(&ServerMessage::Chat(chat))?;
                }
            }
            None => {
                if let Some(guest) = &self.guest {
                    let since = self.followed.seen(id);
                    let (app, asker) = (Arc::clone(&self.app), self.budget.asker());
                    let again = refollow(app, id, (guest.id(), asker.clone()), since);
                    let again = self.app.apart(asker, self.followed.plays(), again);
                    self.refollowing.push(again);
                }
            }
        }
        Ok(())
    }

    /// Handles a reason from outside to end. First tells the client what it must know.
    fn on_end(&mut self, end: SessionEnd) -> Result<(), SessionEnd> {
        match end {
            SessionEnd::Restart => return self.begin_draining(),
            SessionEnd::Banned => {
                if let Some(refusal) = self.guest.as_ref().and_then(SessionGuest::ban) {
                    self.refuse(MessageLabel::HELLO, None, &refusal)?;
                }
            }
            SessionEnd::Forgotten => self.say_goodbye("you are forgotten here", None)?,
            _ => {}
        }
        Err(end)
    }

    fn begin_draining(&mut self) -> Result<(), SessionEnd> {
        self.stage = SessionStage::Draining {
            until: Instant::now() + APPEND_WITHIN,
        };
        let spread = u64::try_from(self.app.sessions.len() / RECONNECTS_PER_MS).unwrap_or(0);
        let wait = RETRY_AFTER_MS..=RETRY_AFTER_MS + spread;
        self.say_goodbye("the server is shutting down", Some(wait))
    }

    fn on_timer(&mut self) -> Result<(), SessionEnd> {
        let now = Instant::now();
        if let Some((_, end)) = self.deadlines().find(|(until, _)| now >= *until) {
            return Err(end);
        }
        if now >= self.next_ping() {
            self.pinged_at = now;
            self.unanswered_since.get_or_insert(now);
            self.socket.ping();
        }
        Ok(())
    }

    fn on_frame(&mut self, frame: ReceivedFrame) -> Result<(), SessionEnd> {
        let now = Instant::now();
        self.last_received = now;
        self.unanswered_since = None;
        let read = match frame {
            // The WebSocket layer answers pings. They cost a token, but are no messages.
            ReceivedFrame::KeepAlive => {
                return match self.budget.take_own(now) {
                    Ok(()) => Ok(()),
                    Err(_) => self.note_rate_refusal(),
                };
            }
            ReceivedFrame::Binary => Err((None, Refusal::Malformed("a binary frame".to_owned()))),
            ReceivedFrame::Text(text) => {
                let read = match self.is_strict {
                    true => ClientMessage::read_strictly,
                    false => ClientMessage::read,
                };
                read(text.as_str()).map_err(|wrong| (wrong.id, wrong.refusal))
            }
        };
        let kind = match &read {
            Ok(message) => MessageLabel::of(message),
            Err(_) => MessageLabel::UNREADABLE,
        };
        let free = read.as_ref().is_ok_and(is_reconnecting);
        let class = self.followed.traffic_class();
        if let Err(too_fast) = self.budget.take(class, free, now) {
            self.note_rate_refusal()?;
            let id = match read {
                Ok(ClientMessage::Request(request)) => Some(request.id),
                Ok(ClientMessage::Hello(_)) => None,
                Err((id, _)) => id,
            };
            return self.refuse(kind, id, &too_fast);
        }
        self.rate_refusals = 0;
        match read {
            Ok(ClientMessage::Hello(hello)) => self.on_hello(hello),
            Ok(ClientMessage::Request(request)) => self.on_request(request),
            Err((id, refusal)) => self.refuse(kind, id, &refusal),
        }
    }

    fn on_hello(&mut self, hello: Hello) -> Result<(), SessionEnd> {
        let kind = MessageLabel::HELLO;
        if self.guest.is_some() {
            return self.refuse(kind, None, &Refusal::HelloAgain);
        }
        self.is_strict = hello.strict;
        let asker = self.budget.asker();
        let greeting = welcome::accept_hello(Arc::clone(&self.app), asker.address(), hello);
        self.greeting = Some(self.app.apart(asker, false, greeting));
        Ok(())
    }

    fn on_greeted(&mut self, greeted: Result<AcceptedHello, Refusal>) -> Result<(), SessionEnd> {
        let kind = MessageLabel::HELLO;
        match greeted {
            Ok(AcceptedHello { guest, welcome }) => {
                Span::current().record("guest", display(guest.id()));
                self.note_answer(kind, None);
                let signed_out = guest.signed_out().map(Signal::Ends);
                let banned = guest.banned().map(|()| Signal::Ends(SessionEnd::Banned));
                let said = self.app.moderation.notices();
                let signals = [
                    signed_out.boxed(),
                    banned.boxed(),
                    next_notice(said).boxed(),
                ];
                self.signals.extend(signals);
                self.guest = Some(guest);
                if matches!(self.stage, SessionStage::Greeting { .. }) {
                    self.stage = SessionStage::Open;
                }
                self.send(&ServerMessage::Welcome(welcome))
            }
            Err(refusal) => self.refuse(kind, None, &refusal),
        }
    }

    fn on_request(&mut self, request: Request) -> Result<(), SessionEnd> {
        let Request { id, body } = request;
        let kind = MessageLabel::of_request(&body);
        let Some(guest) = self.guest.clone() else {
            return self.refuse(kind, Some(id), &Refusal::HelloFirst);
        };
        if self.is_draining() {
            return self.refuse(kind, Some(id), &Refusal::ShuttingDown);
        }
        self.start(guest, id, body)
    }

    /// Sends a match's next frames. The match stays marked as behind if there may be more.
    fn catch_up(&mut self, id: MatchId) -> Result<(), SessionEnd> {
        let form = self.move_form();
        match self.followed.missed(id, FRAMES_PER_TURN, form) {
            Missed::Nothing => {}
            Missed::Frames(frames, upto) => {
                let may_be_more = frames.len() == FRAMES_PER_TURN;
                for frame in frames {
                    let bytes = frame.len();
                    self.socket.send(frame)?;
                    self.app.metrics.delivered(DeliveryLabel::Frame, bytes);
                }
                self.followed.set_seen(id, upto);
                // Later events wake the session again.
                if may_be_more {
                    self.followed.mark_behind(id);
                }
            }
            Missed::Snapshot(snapshot) => {
                let upto = snapshot.version;
                let snapshot =
                    EncodedMessage::from(&ServerMessage::Snapshot(snapshot).in_form(form));
                let bytes = snapshot.len();
                self.socket.send(snapshot)?;
                self.app.metrics.delivered(DeliveryLabel::Snapshot, bytes);
                self.followed.set_seen(id, upto);
                self.followed.mark_behind(id);
            }
        }
        Ok(())
    }

    fn on_refollowed(
        &mut self,
        id: MatchId,
        outcome: Result<Subscription, Refusal>,
    ) -> Result<(), SessionEnd> {
        // The client may have left it meanwhile, or may follow it again by its own request.
        if !self.followed.is_lost(id) {
            return Ok(());
        }
        match outcome {
            Ok(following) => {
                self.app.metrics.resumed(ResumeLabel::Unnoticed);
                self.followed.restore(following);
                Ok(())
            }
            Err(Refusal::ShuttingDown) => Ok(()),
            Err(refusal) => {
                tracing::warn!(%id, %refusal, "closing a connection: its match cannot be reloaded");
                Err(SessionEnd::MatchLost)
            }
        }
    }
}
