//! What the attackers got.

use std::sync::atomic::{AtomicU64, Ordering};

/// A count that many tasks add to.
#[derive(Default)]
pub(super) struct Count(AtomicU64);

/// The counts of one attack.
#[derive(Default)]
pub(super) struct Counts {
    /// Matches made.
    pub made: Count,
    /// Bytes received.
    pub bytes: Count,
    /// Requests answered.
    pub answered: Count,
    /// Requests and connections refused.
    pub refused: Count,
    /// Those refused because too many bytes were sent to their address.
    pub refused_for_bytes: Count,
}

impl Count {
    pub(super) fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
