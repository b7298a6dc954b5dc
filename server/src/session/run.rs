//! The loop of a session, and its reaction to each event.

use std::future::poll_fn;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use fibfob_net::address_guard::{AddressGuard, UntakenBytes};
use fibfob_net::gate::Gate;
use fibfob_protocol::{
    ClientMessage, GuestId, Hello, MatchId, Refusal, Request, RequestBody, ServerMessage,
    Timestamp, millis,
};
use fibfob_store::limits::APPEND_WITHIN;
use futures_util::{FutureExt, StreamExt};
use tokio::time::Instant;
use tracing::field::{Empty, display};
use tracing::{Instrument, Span};

use super::followed::{FollowedUpdate, Refollowed, refollow};
use super::requests::{RequestOutcome, StartedRequest};
use super::session_end::SessionEnd;
use super::socket::{BoundedSocket, ReceivedFrame, SessionSocket};
use super::state::{Session, SessionSignal, SessionStage};
use super::welcome::{self, AcceptedHello, SessionGuest};
use crate::app::App;
use crate::encoded::EncodedMessage;
use crate::limits::{FRAMES_PER_TURN, RECONNECTS_PER_MS, RETRY_AFTER_MS, SENT_BYTES_COUNTED};
use crate::matches::Missed;
use crate::ops::metrics::{DeliveryLabel, GaugeGuard, MessageLabel, ResumeLabel, RoleLabel};
use crate::ops::panics::panic_text;

/// Serves one connection until it ends, and closes it with the reason. Drops `held` after that.
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
        app.calls.missed(guest, since);
    }
    // Boxed, because every open connection would have its room.
    Box::pin(socket.close(reason)).await;
}

/// An event of a session.
enum SessionEvent {
    Shutdown,
    Timer,
    Greeted(Result<AcceptedHello, Refusal>),
    Answered(StartedRequest, Result<RequestOutcome, Refusal>),
    Refollowed(Refollowed),
    Received(ReceivedFrame),
    Followed(MatchId, FollowedUpdate),
    /// A message of the lobby, about the guest's own matches, or an offer to a program.
    Watched(EncodedMessage),
}

/// Returns true for the messages by which a client reconnects.
fn is_reconnecting(message: &ClientMessage) -> bool {
    match message {
        ClientMessage::Hello(_) => true,
        ClientMessage::Request(request) => matches!(request.body, RequestBody::Resume { .. }),
    }
}

impl Session {
    /// Polls in the turns of its address, unless the guest has a seat in a match in play.
    async fn run(&mut self) -> SessionEnd {
        let mut gate = Gate::new(&self.app.turns, self.budget.asker());
        poll_fn(|context| {
            let plays = self.followed.plays();
            gate.poll(context, plays, |context| self.poll_end(context))
        })
        .await
    }

    /// Handles all events that there are; ready when the session ends.
    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<SessionEnd> {
        loop {
            if let Err(reason) = ready!(self.poll_turn(context)) {
                return Poll::Ready(reason);
            }
        }
    }

    /// Handles the next event.
    fn poll_turn(&mut self, context: &mut Context<'_>) -> Poll<Result<(), SessionEnd>> {
        if self.is_draining() && self.answers.is_empty() && !self.followed.is_behind() {
            return Poll::Ready(Err(SessionEnd::Restart));
        }
        let event = ready!(self.poll_event(context))?;
        self.handle(event)?;
        if self.socket.uncounted() >= SENT_BYTES_COUNTED {
            self.count_sent(Instant::now());
        }
        if self.guest.is_some() {
            self.role.set(self.followed.role());
        }
        Poll::Ready(Ok(()))
    }

    /// Polls for the next event. The shutdown and the timer come last, so that they are polled once
    /// a wake-up: the runtime's budget for each turn of a task lets them come however much there is
    /// to do.
    fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Result<SessionEvent, SessionEnd>> {
        if let Some(greeting) = &mut self.greeting {
            let greeted = ready!(greeting.poll_unpin(context));
            self.greeting = None;
            return Poll::Ready(Ok(SessionEvent::Greeted(greeted)));
        }
        // A client that does not take its answers makes no more requests.
        if self.socket.poll_hand_over(context)?.is_ready()
            && let Poll::Ready(event) = self.poll_work(context)
        {
            return Poll::Ready(event);
        }
        if let Poll::Ready(Some(signal)) = self.signals.poll_next_unpin(context) {
            return Poll::Ready(match signal {
                SessionSignal::Shutdown => Ok(SessionEvent::Shutdown),
                SessionSignal::SignedOut => Err(SessionEnd::SignedOut),
                SessionSignal::Banned => Err(self.banned()),
                SessionSignal::Forgotten => {
                    self.send_goodbye("you are forgotten here", None)?;
                    Err(SessionEnd::Forgotten)
                }
            });
        }
        self.poll_timer(context).map(|()| Ok(SessionEvent::Timer))
    }

    /// Polls for an answer, a frame or an update, and flushes what was sent once there is none.
    /// Where several are ready, pending answers come before new requests, and a client's own flood,
    /// which its rate budget bounds, before the frames that it delays for that client alone.
    fn poll_work(&mut self, context: &mut Context<'_>) -> Poll<Result<SessionEvent, SessionEnd>> {
        // An empty set would register the waker in vain, with each message.
        if !self.answers.is_empty()
            && let Poll::Ready(Some((outcome, started))) = self.answers.poll_next_unpin(context)
        {
            return Poll::Ready(Ok(SessionEvent::Answered(started, outcome)));
        }
        for (index, refollowing) in self.refollowing.iter_mut().enumerate() {
            if let Poll::Ready(refollowed) = refollowing.poll_unpin(context) {
                drop(self.refollowing.swap_remove(index));
                return Poll::Ready(Ok(SessionEvent::Refollowed(refollowed)));
            }
        }
        if let Poll::Ready(frame) = self.socket.poll_receive(context) {
            return Poll::Ready(frame.map(SessionEvent::Received));
        }
        if let Poll::Ready((id, update)) = self.followed.poll_next(context) {
            return Poll::Ready(Ok(SessionEvent::Followed(id, update)));
        }
        let watched = [&mut self.lobby, &mut self.own, &mut self.offers];
        for watched in watched.into_iter().flatten() {
            if let Poll::Ready(Some(message)) = watched.poll_next_unpin(context) {
                return Poll::Ready(Ok(SessionEvent::Watched(message)));
            }
        }
        self.socket.poll_flush(context).map(Err)
    }

    fn poll_timer(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let wake = self.next_timer();
        self.timer.poll(wake, context)
    }

    fn next_timer(&self) -> Instant {
        let mut timer = self.ping_at.min(self.silence_deadline());
        if let Some(until) = self.socket.blocked_until() {
            timer = timer.min(until);
        }
        match self.stage {
            SessionStage::Open => timer,
            SessionStage::Greeting { until } | SessionStage::Draining { until } => timer.min(until),
        }
    }

    /// The instant at which the connection will have been silent for too long.
    fn silence_deadline(&self) -> Instant {
        self.last_received + self.app.bounds.silent_max
    }

    /// The guest and the instant since when it has missed what it was sent: a phone in a pocket stops reading, and
    /// its connection looks open for a while.
    fn missed(&self, reason: SessionEnd) -> Option<(GuestId, Timestamp)> {
        let is_lost = matches!(reason, SessionEnd::Silent | SessionEnd::Slow);
        let guest = self.guest.as_ref().filter(|_| is_lost)?;
        // Both are rounded down.
        let silence = millis(self.last_received.elapsed()) + 1;
        let since = self.app.clock.now().0.saturating_sub(silence);
        Some((guest.id(), Timestamp(since)))
    }

    fn handle(&mut self, event: SessionEvent) -> Result<(), SessionEnd> {
        match event {
            SessionEvent::Shutdown => self.begin_draining(),
            SessionEvent::Timer => self.on_timer(),
            SessionEvent::Greeted(greeted) => self.on_greeted(greeted),
            SessionEvent::Answered(started, outcome) => self.finish(started, outcome),
            SessionEvent::Refollowed(refollowed) => self.on_refollowed(refollowed),
            SessionEvent::Received(frame) => self.on_frame(frame),
            SessionEvent::Followed(id, FollowedUpdate::Events) => self.catch_up(id),
            SessionEvent::Followed(id, FollowedUpdate::Presence) => {
                match self.followed.presence(id) {
                    Some(presence) => self.socket.send(presence),
                    None => Ok(()),
                }
            }
            SessionEvent::Followed(id, FollowedUpdate::Chat) => match self.followed.take_chat(id) {
                Some(chat) => self.send(&ServerMessage::Chat(chat)),
                None => Ok(()),
            },
            SessionEvent::Followed(id, FollowedUpdate::Lost { since }) => {
                if let Some(guest) = &self.guest {
                    let again = refollow(Arc::clone(&self.app), id, guest.id(), since);
                    self.refollowing.push(Box::pin(again));
                }
                Ok(())
            }
            SessionEvent::Watched(message) => self.socket.send(message),
        }
    }

    /// Tells a guest that is banned so.
    fn banned(&mut self) -> SessionEnd {
        let ban = self.guest.as_ref().and_then(SessionGuest::ban);
        if let Some(refusal) = ban
            && let Err(reason) = self.refuse(MessageLabel::HELLO, None, &refusal)
        {
            return reason;
        }
        SessionEnd::Banned
    }

    fn begin_draining(&mut self) -> Result<(), SessionEnd> {
        self.stage = SessionStage::Draining {
            until: Instant::now() + APPEND_WITHIN,
        };
        let spread = u64::try_from(self.app.sessions.len() / RECONNECTS_PER_MS).unwrap_or(0);
        let wait = RETRY_AFTER_MS..=RETRY_AFTER_MS + spread;
        self.say_goodbye("the server is shutting down", wait)
    }

    fn on_timer(&mut self) -> Result<(), SessionEnd> {
        let now = Instant::now();
        match self.stage {
            SessionStage::Greeting { until } if now >= until => return Err(SessionEnd::LateHello),
            SessionStage::Draining { until } if now >= until => return Err(SessionEnd::Restart),
            _ => {}
        }
        if self
            .socket
            .blocked_until()
            .is_some_and(|until| now >= until)
        {
            return Err(SessionEnd::Slow);
        }
        if now >= self.silence_deadline() {
            return Err(SessionEnd::Silent);
        }
        if now >= self.ping_at {
            self.ping_at = now + self.app.bounds.ping_every;
            self.socket.ping();
        }
        Ok(())
    }

    fn on_frame(&mut self, frame: ReceivedFrame) -> Result<(), SessionEnd> {
        let now = Instant::now();
        self.last_received = now;
        let (kind, parsed) = match frame {
            // The WebSocket layer answers pings; they cost a token but are no message.
            ReceivedFrame::KeepAlive => {
                return match self.budget.take_own(now) {
                    Ok(()) => Ok(()),
                    Err(_) => self.note_rate_refusal(),
                };
            }
            ReceivedFrame::Binary => {
                let refusal = Refusal::Malformed("a binary frame".to_owned());
                (MessageLabel::UNREADABLE, Err((None, refusal)))
            }
            ReceivedFrame::Text(text) => {
                let read = match self.is_strict {
                    true => ClientMessage::read_strictly,
                    false => ClientMessage::read,
                };
                match read(text.as_str()) {
                    Ok(message) => (MessageLabel::of(&message), Ok(message)),
                    Err(wrong) => (MessageLabel::UNREADABLE, Err((wrong.id, wrong.refusal))),
                }
            }
        };
        let free = parsed.as_ref().is_ok_and(is_reconnecting);
        let class = self.followed.traffic_class();
        let within_budget = self.budget.take(class, free, now);
        if let Err(too_fast) = within_budget {
            self.note_rate_refusal()?;
            let id = match parsed {
                Ok(ClientMessage::Request(request)) => Some(request.id),
                Ok(ClientMessage::Hello(_)) => None,
                Err((id, _)) => id,
            };
            return self.refuse(kind, id, &too_fast);
        }
        self.rate_refusals = 0;
        match parsed {
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
        let address = self.budget.asker().address();
        let greeting = welcome::accept_hello(Arc::clone(&self.app), address, hello);
        self.greeting = Some(greeting.boxed());
        Ok(())
    }

    fn on_greeted(&mut self, greeted: Result<AcceptedHello, Refusal>) -> Result<(), SessionEnd> {
        let kind = MessageLabel::HELLO;
        match greeted {
            Ok(AcceptedHello { guest, welcome }) => {
                Span::current().record("guest", display(guest.id()));
                self.note_answer(kind, None);
                let signal = guest.signed_out().map(SessionSignal::of_generation);
                self.signals.push(signal.boxed());
                let banned = guest.banned().map(|()| SessionSignal::Banned);
                self.signals.push(banned.boxed());
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

    /// Sends the next frames of a match. If there may be more, the match stays marked as behind.
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
                // A later event is a change of the feed.
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

    fn on_refollowed(&mut self, refollowed: Refollowed) -> Result<(), SessionEnd> {
        let Refollowed { id, outcome } = refollowed;
        match outcome {
            Ok(following) => {
                if self.followed.is_lost(id) {
                    self.app.metrics.resumed(ResumeLabel::Unnoticed);
                }
                self.followed.restore(following);
                Ok(())
            }
            Err(Refusal::ShuttingDown) => Ok(()),
            Err(_) if !self.followed.is_lost(id) => Ok(()),
            Err(refusal) => {
                tracing::warn!(%id, %refusal, "a followed match cannot be loaded again");
                Err(SessionEnd::MatchLost)
            }
        }
    }
}
