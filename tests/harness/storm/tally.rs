//! The counts that all clients of a storm share.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use tokio::sync::Notify;

use super::history::Shown;

/// Shared by all clients; every count only grows, but what is in flight.
#[derive(Default)]
pub(super) struct Tally {
    moments: AtomicU64,
    in_flight: AtomicUsize,
    answers: AtomicU64,
    answered: Notify,
    pub sent: AtomicU64,
    pub resent: AtomicU64,
    pub doubled: AtomicU64,
    pub shown: Shown,
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

    pub(super) fn answers(&self) -> u64 {
        self.answers.load(Ordering::SeqCst)
    }

    pub(super) fn takes_off(&self) {
        self.in_flight.fetch_add(1, Ordering::SeqCst);
        self.answered.notify_waiters();
    }

    /// With or without an answer.
    pub(super) fn lands(&self, commands: usize) {
        self.in_flight.fetch_sub(commands, Ordering::SeqCst);
    }

    pub(super) fn is_answered(&self) {
        self.answers.fetch_add(1, Ordering::SeqCst);
        self.answered.notify_waiters();
    }

    /// Waits until the counts are as `wanted`.
    pub(super) async fn until(&self, wanted: impl Fn(&Self) -> bool) {
        loop {
            let more = self.answered.notified();
            if wanted(self) {
                return;
            }
            more.await;
        }
    }
}
