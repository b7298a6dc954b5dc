//! Bounds the matches in memory: their number, and an estimate of their bytes.
//!
//! The estimate follows from the number of events and the bytes of the kept frames, so a move costs no
//! measurement.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::limits::{KEPT_PART, LIVE_BYTES_COUNTED, MATCH_BYTES};

/// The number and the estimated memory of all matches in memory.
pub(crate) struct LiveMemory {
    matches: AtomicUsize,
    bytes: AtomicUsize,
    matches_max: usize,
    bytes_max: usize,
}

/// One match in memory, until this is dropped.
pub(super) struct MemoryCharge {
    memory: Arc<LiveMemory>,
    bytes: usize,
}

impl LiveMemory {
    /// Makes the empty count, with these bounds.
    pub(crate) fn new(matches_max: usize, bytes_max: usize) -> Arc<Self> {
        Arc::new(Self {
            matches: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
            matches_max,
            bytes_max,
        })
    }

    /// Counts one more match.
    pub(super) fn charge(self: &Arc<Self>) -> MemoryCharge {
        self.matches.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(MATCH_BYTES, Ordering::Relaxed);
        MemoryCharge {
            memory: Arc::clone(self),
            bytes: MATCH_BYTES,
        }
    }

    /// Returns true if one more match may come into memory. Some room is kept for addresses that follow
    /// `few` matches.
    pub(super) fn has_room(&self, few: bool) -> bool {
        let bound = |max: usize| if few { max } else { max - max / KEPT_PART };
        self.matches.load(Ordering::Relaxed) < bound(self.matches_max)
            && self.bytes.load(Ordering::Relaxed) < bound(self.bytes_max)
    }
}

impl MemoryCharge {
    /// Counts the match with this many bytes from now on, if the change is worth it.
    pub(super) fn set(&mut self, bytes: usize) {
        if bytes.abs_diff(self.bytes) < LIVE_BYTES_COUNTED {
            return;
        }
        let counted = &self.memory.bytes;
        if bytes > self.bytes {
            counted.fetch_add(bytes - self.bytes, Ordering::Relaxed);
        } else {
            counted.fetch_sub(self.bytes - bytes, Ordering::Relaxed);
        }
        self.bytes = bytes;
    }
}

impl Drop for MemoryCharge {
    fn drop(&mut self) {
        self.memory.matches.fetch_sub(1, Ordering::Relaxed);
        self.memory.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_matches_is_kept_for_addresses_that_follow_few() {
        let memory = LiveMemory::new(8, usize::MAX);
        let mut charges: Vec<_> = (0..6).map(|_| memory.charge()).collect();
        assert!(!memory.has_room(false) && memory.has_room(true));
        charges.extend((0..2).map(|_| memory.charge()));
        assert!(!memory.has_room(true));
        charges.truncate(5);
        assert!(memory.has_room(false));
    }

    #[test]
    fn a_part_of_the_bytes_is_kept_as_well() {
        let memory = LiveMemory::new(1_000, 100 * MATCH_BYTES);
        let mut long = memory.charge();
        let short = memory.charge();
        assert!(memory.has_room(false));
        long.set(74 * MATCH_BYTES);
        assert!(!memory.has_room(false) && memory.has_room(true));
        long.set(99 * MATCH_BYTES);
        assert!(!memory.has_room(true));
        long.set(MATCH_BYTES);
        assert!(memory.has_room(false));
        drop((long, short));
        assert_eq!(memory.bytes.load(Ordering::Relaxed), 0);
    }
}
