//! The counts that all clients of a crash test share, and the kill that waits for one of them.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

/// Counts shared by all clients; all but the commands in flight only grow.
#[derive(Default)]
pub(super) struct Counters {
    in_flight: AtomicUsize,
    answers: AtomicU64,
    trigger: Mutex<Option<Trigger>>,
    pub resent: AtomicU64,
    pub doubled: AtomicU64,
    /// The longest time from the first refusal of a command to its answer, in milliseconds, since it
    /// was last taken.
    longest_retry_ms: AtomicU64,
}

/// An action for the client that receives the answer which makes the counts right, before it
/// does anything else with it.
struct Trigger {
    answers: u64,
    in_flight: usize,
    action: Box<dyn FnOnce() + Send>,
}

impl Counters {
    /// Commands that were sent on some connection and not answered there.
    pub(super) fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::SeqCst)
    }

    /// Counts a sent command.
    pub(super) fn sent(&self) {
        self.in_flight.fetch_add(1, Ordering::SeqCst);
    }

    /// Counts commands that are not in flight any more, with or without an answer.
    pub(super) fn landed(&self, commands: usize) {
        self.in_flight.fetch_sub(commands, Ordering::SeqCst);
    }

    /// Counts an answer, and runs the trigger if it was waiting for this one.
    pub(super) fn answered(&self) {
        let answers = 1 + self.answers.fetch_add(1, Ordering::SeqCst);
        let mut trigger = self.trigger.lock().unwrap_or_else(PoisonError::into_inner);
        let ready = |trigger: &mut Trigger| {
            answers >= trigger.answers && self.in_flight() >= trigger.in_flight
        };
        if let Some(trigger) = trigger.take_if(ready) {
            (trigger.action)();
        }
    }

    /// Notes the time from the first refusal of a command to its answer.
    pub(super) fn retried_for(&self, time: Duration) {
        let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.longest_retry_ms.fetch_max(millis, Ordering::Relaxed);
    }

    /// Returns the longest of these times since the last call.
    pub(super) fn take_longest_retry(&self) -> Duration {
        Duration::from_millis(self.longest_retry_ms.swap(0, Ordering::Relaxed))
    }

    /// Runs `action` at the first answer, `more` answers from now or later, at which so many
    /// commands are in flight. The receiver gets its result.
    pub(super) fn when<T: Send + 'static>(
        &self,
        more: u64,
        in_flight: usize,
        action: impl FnOnce() -> T + Send + 'static,
    ) -> oneshot::Receiver<T> {
        let (done, is_done) = oneshot::channel();
        let trigger = Trigger {
            answers: more + self.answers.load(Ordering::SeqCst),
            in_flight,
            action: Box::new(move || {
                // A receiver that is gone has given the whole test up.
                let _ = done.send(action());
            }),
        };
        *self.trigger.lock().unwrap_or_else(PoisonError::into_inner) = Some(trigger);
        is_done
    }
}
