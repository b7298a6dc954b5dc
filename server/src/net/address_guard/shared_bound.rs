//! A bound that all addresses share, of which a part is kept for those that have few.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::limits::KEPT_PART;

/// A count with a bound. Two that add at once may exceed it by what they add.
pub(super) struct SharedBound {
    used: AtomicUsize,
    max: usize,
}

impl SharedBound {
    pub(super) fn new(max: usize) -> Self {
        let used = AtomicUsize::new(0);
        Self { used, max }
    }

    /// Returns true if an address with many may add so much.
    pub(super) fn has_common_room(&self, more: usize) -> bool {
        self.used() + more <= self.max - self.max / KEPT_PART
    }

    /// Returns true if an address with few may add so much.
    pub(super) fn has_room(&self, more: usize) -> bool {
        self.used() + more <= self.max
    }

    pub(super) fn add(&self, more: usize) {
        self.used.fetch_add(more, Ordering::Relaxed);
    }

    pub(super) fn subtract(&self, fewer: usize) {
        self.used.fetch_sub(fewer, Ordering::Relaxed);
    }

    pub(super) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }
}
