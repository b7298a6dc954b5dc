//! The server's own delays, for which no clock is charged: storing the previous move, waking the players'
//! connections, reading the answer, and getting to it.

use std::collections::VecDeque;
use std::time::Duration;

use fibfob_protocol::Timestamp;
use fibfob_protocol::millis;
use tokio::sync::mpsc;

use super::MatchTask;
use crate::limits::{INBOX_MAX, SERVER_LATE_FROM, SERVER_LATE_MAX};
use crate::request::MatchRequest;

/// The requests that wait for a match.
pub(super) struct RequestQueue {
    inbox: mpsc::Receiver<Box<MatchRequest>>,
    /// Requests that were taken out of the inbox to look behind them.
    taken: VecDeque<Box<MatchRequest>>,
}

impl RequestQueue {
    pub(super) fn new(inbox: mpsc::Receiver<Box<MatchRequest>>) -> Self {
        let taken = VecDeque::new();
        Self { inbox, taken }
    }

    /// Waits for the next request. Cancel safe.
    pub(super) async fn next(&mut self) -> Option<Box<MatchRequest>> {
        match self.taken.pop_front() {
            Some(request) => Some(request),
            None => self.inbox.recv().await,
        }
    }
}

impl MatchTask {
    /// Returns `request`, or a later one that must come first: it was read before a deadline that `request`
    /// would let pass.
    pub(super) fn first(
        &self,
        request: Box<MatchRequest>,
        queue: &mut RequestQueue,
    ) -> Box<MatchRequest> {
        let feed = self.feed.borrow();
        let is_late = |request: &MatchRequest| {
            let as_of = self.without_turn_late(self.as_of(request));
            feed.current().due(as_of).is_some()
        };
        if feed.current().deadline().is_none() || !is_late(&request) {
            return request;
        }
        while queue.taken.len() < INBOX_MAX
            && let Ok(next) = queue.inbox.try_recv()
        {
            queue.taken.push_back(next);
        }
        let place = queue.taken.iter().position(|next| !is_late(next));
        match place.and_then(|place| queue.taken.remove(place)) {
            Some(earlier) => {
                queue.taken.push_front(request);
                earlier
            }
            None => request,
        }
    }

    /// Returns as of when a request is judged. For an action, that is when its frame was read, but never the
    /// future.
    pub(super) fn as_of(&self, request: &MatchRequest) -> Timestamp {
        match request {
            MatchRequest::Act { actor, arrived, .. } => {
                let feed = self.feed.borrow();
                let turn = feed.current().turn();
                match feed.current().seat_of(*actor) {
                    Some(seat) if Some(seat) == turn => (*arrived).min(self.env().clock.now()),
                    _ => self.as_of_unasked().min(*arrived),
                }
            }
            _ => self.as_of_unasked(),
        }
    }

    /// Returns as of when a deadline is judged without a request. A late message may hold the mover's move,
    /// so the runtime's delay is subtracted. Another server where the mover is connected may be later still;
    /// it knows better, and goes first.
    pub(super) fn as_of_unasked(&self) -> Timestamp {
        let arrived = self.env().clock.arrival();
        let feed = self.feed.borrow();
        let turn = feed.current().turn();
        match turn.is_some_and(|seat| self.presence.is_only_elsewhere(feed.current(), seat)) {
            true => Timestamp(arrived.0.saturating_sub(millis(SERVER_LATE_MAX))),
            false => arrived,
        }
    }

    /// Subtracts from an instant how late the present turn reached its player.
    pub(super) fn without_turn_late(&self, as_of: Timestamp) -> Timestamp {
        Timestamp(as_of.0.saturating_sub(millis(self.turn_late)))
    }

    /// Returns up to when a move made now is charged, if the server was late.
    pub(super) fn charged_until(&self) -> Option<Timestamp> {
        let feed = self.feed.borrow();
        feed.current().deadline()?;
        let until = self
            .without_turn_late(self.as_of)
            .max(feed.log().newest_at());
        let late = self.env().clock.now().0.saturating_sub(until.0);
        (late >= millis(SERVER_LATE_FROM)).then_some(until)
    }

    /// Notes how late the new turn could be shown to its player.
    pub(super) fn note_turn(&mut self) {
        if let Some(started) = self.turn_started {
            let late = self.env().clock.now().0.saturating_sub(started.0);
            self.turn_late = Duration::from_millis(late).min(SERVER_LATE_MAX);
        }
    }
}
