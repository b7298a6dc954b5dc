//! The counts that all clients of a storm share, and the kill that waits for one of them.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use tokio::sync::oneshot;

use super::history::Shown;

/// Shared by all clients; every count only grows, but what is in flight.
#[derive(Default)]
pub(super) struct Tally {
    moments: AtomicU64,
    in_flight: AtomicUsize,
    answers: AtomicU64,
    armed: Mutex<Option<Trigger>>,
    pub sent: AtomicU64,
    pub resent: AtomicU64,
    pub doubled: AtomicU64,
    pub shown: Shown,
}

/// What is done by the client that is told the answer which makes the counts right, before it
/// does anything else with it.
struct Trigger {
    answers: u64,
    in_flight: usize,
    act: Box<dyn FnOnce() + Send>,
}

impl Tally {
    /// The next moment.
    pub(super) fn moment(&self) -> u64 {
        self.moments.fetch_add(1, Ordering::SeqCst)
    }

    /// Commands that were sent on some line and not answered there.
    pub(super) fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::SeqCst)
    }

    pub(super) fn takes_off(&self) {
        self.in_flight.fetch_add(1, Ordering::SeqCst);
    }

    /// With or without an answer.
    pub(super) fn lands(&self, commands: usize) {
        self.in_flight.fetch_sub(commands, Ordering::SeqCst);
    }

    pub(super) fn is_answered(&self) {
        let answers = 1 + self.answers.fetch_add(1, Ordering::SeqCst);
        let mut armed = self.armed.lock().unwrap_or_else(PoisonError::into_inner);
        let ready = |trigger: &mut Trigger| {
            answers >= trigger.answers && self.in_flight() >= trigger.in_flight
        };
        if let Some(trigger) = armed.take_if(ready) {
            (trigger.act)();
        }
    }

    /// Lets `act` happen at the first answer, `more` answers from now or later, at which so
    /// many commands are in flight; and tells when that is.
    pub(super) fn arm<T: Send + 'static>(
        &self,
        more: u64,
        in_flight: usize,
        act: impl FnOnce() -> T + Send + 'static,
    ) -> oneshot::Receiver<T> {
        let (done, is_done) = oneshot::channel();
        let trigger = Trigger {
            answers: more + self.answers.load(Ordering::SeqCst),
            in_flight,
            act: Box::new(move || {
                // Whoever does not wait any more has given up on all of it.
                let _ = done.send(act());
            }),
        };
        *self.armed.lock().unwrap_or_else(PoisonError::into_inner) = Some(trigger);
        is_done
    }
}
