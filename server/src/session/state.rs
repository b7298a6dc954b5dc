//! The state of a session, and what every part of it does: send, refuse, count.

use std::ops::RangeInclusive;
use std::sync::Arc;

use fibfob_net::address_guard::AddressGuard;
use fibfob_net::refusals::RefusedFor;
use fibfob_protocol::{
    CommandId, Goodbye, MatchId, MoveForm, Notice, Refusal, RefusalReason, ServerMessage,
};
use fibfob_server_matches::Subscription;
use fibfob_server_matches::clock::Timer;
use fibfob_server_matches::encoded::EncodedMessage;
use fibfob_server_matches::metrics::{GaugeGuard, MessageLabel, RoleLabel};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use futures_util::stream::{BoxStream, FuturesUnordered};
use rand::RngExt;
use tokio::sync::watch;
use tokio::time::Instant;

use super::followed::FollowedMatches;
use super::pending_requests::PendingRequests;
use super::rate_budget::RateBudget;
use super::requests::StartedWork;
use super::session_end::SessionEnd;
use super::socket::BoundedSocket;
use super::welcome::{AcceptedHello, SessionGuest};
use crate::app::App;
use crate::limits::{ELSEWHERE_AFTER_MS, RATE_REFUSALS_MAX};

/// One connection and everything it has under way.
pub(super) struct Session {
    pub app: Arc<App>,
    pub socket: BoundedSocket,
    /// The `hello` under way. Nothing else is done meanwhile.
    pub greeting: Option<BoxFuture<'static, Result<AcceptedHello, Refusal>>>,
    /// None before an accepted `hello`.
    pub guest: Option<SessionGuest>,
    pub budget: RateBudget,
    /// Counts the connection in the gauge of its role.
    pub role: GaugeGuard<RoleLabel>,
    /// Messages refused for their rate since the client last kept to it.
    pub rate_refusals: u32,
    pub followed: FollowedMatches,
    /// Slots among the followed matches that unanswered requests have reserved. Reserved and used slots never
    /// exceed the bound. A `resume` of a followed match needs no slot; if the match is left meanwhile, the
    /// `resume` is refused.
    pub reserved_slots: usize,
    pub pending: PendingRequests,
    pub answers: FuturesUnordered<StartedWork>,
    /// Lost matches that are being reloaded: rarely any, and at most those that are followed.
    pub refollowing: Vec<BoxFuture<'static, (MatchId, Result<Subscription, Refusal>)>>,
    /// The lobby's messages, if the session watches it.
    pub lobby: Option<BoxStream<'static, EncodedMessage>>,
    /// The messages about the guest's own matches, if the session watches them.
    pub own: Option<BoxStream<'static, EncodedMessage>>,
    pub stage: SessionStage,
    /// True if unknown fields are refused, as the client's `hello` asked.
    pub is_strict: bool,
    pub last_received: Instant,
    /// The newest ping, or the beginning.
    pub pinged_at: Instant,
    /// The first ping since the client last sent something, if there was one.
    pub unanswered_since: Option<Instant>,
    pub timer: Timer,
    /// Events from outside, which are rare. Each is polled when it is ready, not at every wake-up.
    pub signals: FuturesUnordered<BoxFuture<'static, Signal>>,
}

/// Something from outside that a session reacts to.
pub(super) enum Signal {
    /// A reason to end.
    Ends(SessionEnd),
    /// The operator says something. The receiver waits for the next words.
    Says(Notice, watch::Receiver<Option<Notice>>),
}

/// Waits for what the operator says next.
pub(super) async fn next_notice(mut said: watch::Receiver<Option<Notice>>) -> Signal {
    loop {
        if said.changed().await.is_err() {
            // The server has ended; the session does so by itself.
            std::future::pending::<()>().await;
        }
        let notice = said.borrow_and_update().clone();
        if let Some(notice) = notice {
            return Signal::Says(notice, said);
        }
    }
}

/// The stage of a session, with the time at which it ends.
#[derive(Clone, Copy)]
pub(super) enum SessionStage {
    /// Waits for `hello`.
    Greeting {
        until: Instant,
    },
    Open,
    /// Refuses new requests and finishes pending ones.
    Draining {
        until: Instant,
    },
}

impl Session {
    pub(super) fn new(
        socket: BoundedSocket,
        app: Arc<App>,
        guard: Arc<AddressGuard>,
        role: GaugeGuard<RoleLabel>,
    ) -> Self {
        let now = Instant::now();
        let signals = FuturesUnordered::new();
        let shutdown = app.draining.clone().cancelled_owned();
        signals.push(shutdown.map(|()| Signal::Ends(SessionEnd::Restart)).boxed());
        Self {
            budget: RateBudget::new(&app.limits, guard, now),
            socket,
            greeting: None,
            guest: None,
            role,
            rate_refusals: 0,
            followed: FollowedMatches::default(),
            reserved_slots: 0,
            pending: PendingRequests::default(),
            answers: FuturesUnordered::new(),
            refollowing: Vec::new(),
            lobby: None,
            own: None,
            stage: SessionStage::Greeting {
                until: now + app.bounds.hello_within,
            },
            is_strict: false,
            last_received: now,
            pinged_at: now,
            unanswered_since: None,
            timer: Timer::default(),
            signals,
            app,
        }
    }

    /// Drops everything but the socket.
    pub(super) fn into_socket(self) -> BoundedSocket {
        self.socket
    }

    /// The form in which the client reads moves.
    pub(super) fn move_form(&self) -> MoveForm {
        self.guest
            .as_ref()
            .map(|guest| guest.form)
            .unwrap_or_default()
    }

    pub(super) fn is_draining(&self) -> bool {
        matches!(self.stage, SessionStage::Draining { .. })
    }

    /// Counts what was sent against the address.
    pub(super) fn count_sent(&mut self, now: Instant) {
        let bytes = self.socket.take_uncounted();
        self.budget.asker().sent(bytes, now);
    }

    /// Counts a message above the rate. The session ends after too many of them.
    pub(super) fn note_rate_refusal(&mut self) -> Result<(), SessionEnd> {
        self.rate_refusals += 1;
        if self.rate_refusals > RATE_REFUSALS_MAX {
            Err(SessionEnd::Flood)
        } else {
            Ok(())
        }
    }

    /// Counts an answer in the metrics and logs it.
    pub(super) fn note_answer(&self, kind: MessageLabel, refusal: Option<&Refusal>) {
        let refused = refusal.map(Refusal::reason);
        self.app.metrics.answered(kind, refused);
        if let Some(reason) = refused.and_then(refused_for) {
            self.app.refused(&self.budget.asker(), reason);
        }
        let role: &str = self.role.get().into();
        match refused {
            None => tracing::debug!(%kind, role, "accepted"),
            Some(reason) => tracing::debug!(%kind, role, %reason, "refused"),
        }
    }

    pub(super) fn refuse(
        &mut self,
        kind: MessageLabel,
        id: Option<CommandId>,
        refusal: &Refusal,
    ) -> Result<(), SessionEnd> {
        self.note_answer(kind, Some(refusal));
        self.send(&ServerMessage::Refused(refusal.answer(id)))?;
        if *refusal == Refusal::Unavailable && self.app.service.has_lost_store() {
            let message = "this server does not reach its store; another one may";
            self.say_goodbye(message, Some(ELSEWHERE_AFTER_MS))?;
            return Err(SessionEnd::StoreLost);
        }
        Ok(())
    }

    /// Tells the client to come back after a pause from this range, in milliseconds; without one, not to come
    /// back.
    pub(super) fn say_goodbye(
        &mut self,
        message: &str,
        wait: Option<RangeInclusive<u64>>,
    ) -> Result<(), SessionEnd> {
        let draw = |wait| self.app.randomness.draw(|rng| rng.random_range(wait));
        self.send(&ServerMessage::Goodbye(Goodbye {
            message: message.to_owned(),
            retry_after_ms: wait.map(draw),
        }))
    }

    pub(super) fn send(&mut self, message: &ServerMessage) -> Result<(), SessionEnd> {
        self.socket.send(message.into())
    }
}

/// Returns why an operator hears of a refusal; none for refusals that are about the match and not about the
/// client.
fn refused_for(reason: RefusalReason) -> Option<RefusedFor> {
    match reason {
        RefusalReason::Malformed | RefusalReason::UnknownType => Some(RefusedFor::Malformed),
        RefusalReason::TooFast => Some(RefusedFor::TooFast),
        RefusalReason::TooMuchStored => Some(RefusedFor::TooMuchStored),
        RefusalReason::BadToken => Some(RefusedFor::BadToken),
        _ => None,
    }
}
