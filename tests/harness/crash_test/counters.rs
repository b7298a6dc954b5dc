//! The counts that all clients of a crash test share, and the kill that waits for one of them.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

/// Counts shared by all clients; all but the commands in flight only grow.
#[derive(Default)]
pub(super) struct Counters {
    in_flight: AtomicUsize,
    answers: AtomicU64,
    trigger: Mutex<Option<Trigger>>,
    pub connections: AtomicU64,
    pub resent: AtomicU64,
    pub doubled: AtomicU64,
    /// The longest retries, by the failure that happened last before the first refusal.
    longest_retries: Mutex<Vec<LongestRetry>>,
}

/// The longest time from the first refusal of a request to its answer, and the last refusal.
#[derive(Clone, Debug, Default)]
pub(super) struct LongestRetry {
    pub time: Duration,
    pub refusal: String,
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

    /// Answers so far.
    pub(super) fn answers(&self) -> u64 {
        self.answers.load(Ordering::SeqCst)
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
        let mut trigger = lock(&self.trigger);
        let ready = |trigger: &mut Trigger| {
            answers >= trigger.answers && self.in_flight() >= trigger.in_flight
        };
        if let Some(trigger) = trigger.take_if(ready) {
            (trigger.action)();
        }
    }

    /// Begins to count the retries of a further failure.
    pub(super) fn failure_begins(&self) {
        lock(&self.longest_retries).push(LongestRetry::default());
    }

    /// The number of failures that have begun.
    pub(super) fn failures(&self) -> usize {
        lock(&self.longest_retries).len()
    }

    /// Notes the time from the first refusal of a request to its answer, the last refusal, and the
    /// number of failures at the first one.
    pub(super) fn retried_for(&self, time: Duration, refusal: &str, failures: usize) {
        let mut all = lock(&self.longest_retries);
        let since = failures.checked_sub(1).and_then(|last| all.get_mut(last));
        if let Some(longest) = since.filter(|longest| time > longest.time) {
            *longest = LongestRetry {
                time,
                refusal: refusal.to_owned(),
            };
        }
    }

    /// Returns the longest retry of each failure, in their order.
    pub(super) fn take_longest_retries(&self) -> Vec<LongestRetry> {
        std::mem::take(&mut lock(&self.longest_retries))
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
            answers: more + self.answers(),
            in_flight,
            action: Box::new(move || {
                // A receiver that is gone has given the whole test up.
                let _ = done.send(action());
            }),
        };
        *lock(&self.trigger) = Some(trigger);
        is_done
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
