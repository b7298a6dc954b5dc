//! The requests without a final answer, in the order they were made.
//!
//! Until its final answer, a request is sent again on every new connection, under the same id. By the id the
//! server recognises stored commands, so none is lost and none counts twice.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use fibfob_protocol::{CommandId, Request, RequestBody};

/// The wait before a request that was refused with `retry` is sent again; it doubles each time.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// The longest such wait.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// A request waits no longer than this in all. A further refusal with `retry` is final.
const PAUSED_MAX: Duration = Duration::from_secs(15 * 60);

/// The unanswered requests. Their number is bounded by [`Client`](crate::Client).
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    entries: VecDeque<Pending>,
}

#[derive(Debug)]
struct Pending {
    request: Request,
    delivery: Delivery,
    /// The next wait, unless the server asks for a longer one.
    pause: Duration,
    /// The sum of its waits.
    paused: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Delivery {
    /// To be sent on this connection.
    Ready,
    /// Sent on this connection.
    Sent,
    /// Refused with `retry`, to be sent again at this time.
    Paused(Instant),
    /// The same, after a wait so long that others go first.
    Overtaken(Instant),
}

impl Outbox {
    pub(crate) fn push(&mut self, request: Request) {
        self.entries.push_back(Pending {
            request,
            delivery: Delivery::Ready,
            pause: FIRST_PAUSE,
            paused: Duration::ZERO,
        });
    }

    /// Returns the next request to send on this connection, and counts it as sent; none while `in_flight` are
    /// unanswered. Keeps the order: nothing overtakes a request that is paused for a moment. A `create` that has to
    /// wait for a minute holds up no move.
    pub(crate) fn next(&mut self, now: Instant, in_flight: usize) -> Option<&Request> {
        if self.in_flight() >= in_flight {
            return None;
        }
        let mut unsent = self.entries.iter_mut();
        let next = unsent.find(|entry| match entry.delivery {
            Delivery::Sent => false,
            Delivery::Overtaken(until) => until <= now,
            Delivery::Ready | Delivery::Paused(_) => true,
        })?;
        if matches!(next.delivery, Delivery::Paused(until) if until > now) {
            return None;
        }
        next.delivery = Delivery::Sent;
        Some(&next.request)
    }

    /// The number of requests that were sent on this connection and have no answer.
    pub(crate) fn in_flight(&self) -> usize {
        let sent = |entry: &&Pending| entry.delivery == Delivery::Sent;
        self.entries.iter().filter(sent).count()
    }

    /// The time at which the next paused request is to be sent.
    pub(crate) fn wake(&self) -> Option<Instant> {
        let paused = self.entries.iter().filter_map(|it| match it.delivery {
            Delivery::Paused(until) | Delivery::Overtaken(until) => Some(until),
            Delivery::Ready | Delivery::Sent => None,
        });
        paused.min()
    }

    /// The connection is gone: every request is to be sent on the next one.
    pub(crate) fn on_disconnected(&mut self) {
        for entry in &mut self.entries {
            entry.delivery = Delivery::Ready;
        }
    }

    /// Removes the request `id`, which has its final answer, and returns it.
    pub(crate) fn take_answered(&mut self, id: &CommandId) -> Option<RequestBody> {
        let index = self.position(id)?;
        self.entries.remove(index).map(|entry| entry.request.body)
    }

    /// Pauses the request `id`, which was refused with `retry`, for at least this `pause`, and returns it. None if
    /// it is unknown, or would wait for so long that the refusal is final.
    pub(crate) fn postpone(
        &mut self,
        id: &CommandId,
        pause: Duration,
        now: Instant,
    ) -> Option<&RequestBody> {
        let index = self.position(id)?;
        let entry = &mut self.entries[index];
        let pause = entry.pause.max(pause);
        if pause > PAUSED_MAX.saturating_sub(entry.paused) {
            return None;
        }
        entry.pause = (2 * entry.pause).min(LONGEST_PAUSE);
        entry.paused += pause;
        entry.delivery = match pause <= LONGEST_PAUSE {
            true => Delivery::Paused(now + pause),
            false => Delivery::Overtaken(now + pause),
        };
        Some(&entry.request.body)
    }

    /// The requests, in the order they were made.
    pub(crate) fn bodies(&self) -> Vec<RequestBody> {
        let bodies = self.entries.iter().map(|entry| &entry.request.body);
        bodies.cloned().collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns true if one of these requests leads into a match.
    pub(crate) fn is_entering(&self) -> bool {
        self.entries.iter().any(|entry| enters(&entry.request.body))
    }

    fn position(&self, id: &CommandId) -> Option<usize> {
        self.entries.iter().position(|it| it.request.id == *id)
    }
}

/// Returns true for a request whose acceptance makes the server send a match.
pub(crate) fn enters(ask: &RequestBody) -> bool {
    matches!(
        ask,
        RequestBody::Create(_)
            | RequestBody::Join { .. }
            | RequestBody::Spectate { .. }
            | RequestBody::Fly
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT_ONCE: Duration = Duration::ZERO;

    fn join(outbox: &mut Outbox, code: &str) -> CommandId {
        let id = CommandId::fresh();
        outbox.push(Request {
            id: id.clone(),
            body: RequestBody::Join {
                code: code.to_owned(),
            },
        });
        id
    }

    fn joins(outbox: &mut Outbox, codes: &[&str]) {
        for code in codes {
            join(outbox, code);
        }
    }

    fn send_all(outbox: &mut Outbox, now: Instant) -> Vec<Request> {
        std::iter::from_fn(|| outbox.next(now, usize::MAX).cloned()).collect()
    }

    #[test]
    fn a_new_connection_sends_the_unanswered_requests_again_in_order() {
        let now = Instant::now();
        let mut outbox = Outbox::default();
        joins(&mut outbox, &["a", "b", "c"]);
        let first = send_all(&mut outbox, now);
        assert_eq!(first.len(), 3);
        assert!(
            send_all(&mut outbox, now).is_empty(),
            "sent once a connection"
        );

        assert!(outbox.take_answered(&first[1].id).is_some());
        outbox.on_disconnected();
        joins(&mut outbox, &["d"]);
        let again = send_all(&mut outbox, now);
        assert_eq!(again[..2], [first[0].clone(), first[2].clone()]);
        assert_eq!(again.len(), 3);
    }

    #[test]
    fn an_answer_counts_once() {
        let mut outbox = Outbox::default();
        let id = join(&mut outbox, "a");
        outbox.next(Instant::now(), 1).unwrap();
        assert!(outbox.is_entering());
        assert!(outbox.take_answered(&id).is_some());
        assert_eq!(outbox.take_answered(&id), None);
        assert_eq!((outbox.len(), outbox.is_entering()), (0, false));
    }

    #[test]
    fn a_request_refused_with_retry_is_sent_again_later_and_not_overtaken() {
        let now = Instant::now();
        let mut outbox = Outbox::default();
        joins(&mut outbox, &["a"]);
        let first = outbox.next(now, 8).unwrap().clone();
        assert!(outbox.postpone(&first.id, AT_ONCE, now).is_some());
        joins(&mut outbox, &["b"]);
        assert_eq!(outbox.next(now, 8), None);
        let later = outbox.wake().unwrap();
        assert_eq!(later, now + FIRST_PAUSE);
        assert_eq!(outbox.next(later, 8), Some(&first));
        assert!(outbox.next(later, 8).is_some());

        outbox.postpone(&first.id, AT_ONCE, later);
        assert_eq!(outbox.wake(), Some(later + 2 * FIRST_PAUSE));
        let again = (0..1_000).take_while(|_| outbox.postpone(&first.id, AT_ONCE, later).is_some());
        assert!(again.count() > 400, "a quarter of an hour");
        assert_eq!(outbox.wake(), Some(later + LONGEST_PAUSE));
        assert!(
            outbox.take_answered(&first.id).is_some(),
            "its refusal is final and still to be reported"
        );
    }

    #[test]
    fn a_request_waits_as_long_as_the_server_says_and_holds_up_no_other() {
        let now = Instant::now();
        let mut outbox = Outbox::default();
        joins(&mut outbox, &["a", "b"]);
        let first = outbox.next(now, 8).unwrap().clone();
        let pause = Duration::from_secs(72);
        assert!(outbox.postpone(&first.id, pause, now).is_some());
        assert!(outbox.next(now, 8).is_some_and(|next| next.id != first.id));
        assert_eq!(outbox.next(now, 8), None);
        assert_eq!(outbox.wake(), Some(now + pause));
        assert_eq!(outbox.next(now + pause, 8), Some(&first));
        assert_eq!(outbox.postpone(&first.id, PAUSED_MAX, now), None);
    }

    #[test]
    fn no_more_are_in_flight_than_the_server_allows() {
        let now = Instant::now();
        let mut outbox = Outbox::default();
        joins(&mut outbox, &["a", "b", "c"]);
        let first = outbox.next(now, 2).unwrap().id.clone();
        assert!(outbox.next(now, 2).is_some());
        assert_eq!(outbox.next(now, 2), None);
        outbox.take_answered(&first);
        assert!(outbox.next(now, 2).is_some());
    }
}
