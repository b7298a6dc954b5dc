//! A bound that all addresses share, of which a part is kept for those that have few.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::share::Held;
use crate::limits::{KEPT_PART, REQUESTS_MAX, UNTAKEN_MAX};

/// The bounds that all addresses of a server share; none for what is bounded per address alone.
pub(super) struct SharedBounds([Option<SharedBound>; Held::ALL.len()]);

impl SharedBounds {
    /// Those of a server that takes `connections` at once.
    pub(super) fn new(connections: usize) -> Self {
        Self(Held::ALL.map(|held| match held {
            Held::Connections => Some(SharedBound::new(connections)),
            Held::Untaken => Some(SharedBound::new(UNTAKEN_MAX)),
            Held::Requests => Some(SharedBound::new(REQUESTS_MAX)),
            Held::Followed
            | Held::OpenMatches
            | Held::DeviceCodes
            | Held::Called
            | Held::Programs => None,
        }))
    }

    /// The bound on these; none if all together have none.
    pub(super) fn of(&self, held: Held) -> Option<&SharedBound> {
        self.0[held as usize].as_ref()
    }
}

/// A count with a bound. Two that add at once may exceed it by what they add.
pub(super) struct SharedBound {
    pub(super) used: AtomicUsize,
    max: usize,
}

impl SharedBound {
    fn new(max: usize) -> Self {
        let used = AtomicUsize::new(0);
        Self { used, max }
    }

    /// Checks that an address may add so much; one that has few may use the part that is kept.
    ///
    /// # Errors
    /// The bound that is reached.
    pub(super) fn check(&self, more: usize, has_few: impl FnOnce() -> bool) -> Result<(), usize> {
        let used = self.used.load(Ordering::Relaxed) + more;
        let has_room = used <= self.max - self.max / KEPT_PART || (used <= self.max && has_few());
        has_room.then_some(()).ok_or(self.max)
    }

    pub(super) fn add(&self, more: usize) {
        self.used.fetch_add(more, Ordering::Relaxed);
    }

    pub(super) fn subtract(&self, fewer: usize) {
        self.used.fetch_sub(fewer, Ordering::Relaxed);
    }
}
