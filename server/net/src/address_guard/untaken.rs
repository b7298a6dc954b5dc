//! The bytes sent to a connection that its client has not taken yet.

use std::sync::Arc;

use super::share::Held;
use super::table::AddressGuard;
use crate::limits::UNTAKEN_FREE;

/// The bytes sent to one connection that the client has not taken yet, counted against its address
/// until this is dropped.
pub struct UntakenBytes {
    guard: Arc<AddressGuard>,
    /// Those beyond [`UNTAKEN_FREE`].
    counted: usize,
}

impl UntakenBytes {
    /// A connection to which nothing was sent.
    pub fn new(guard: Arc<AddressGuard>) -> Self {
        Self { guard, counted: 0 }
    }

    /// Notes that so many bytes wait to be taken; returns false if they find no room.
    pub fn set(&mut self, bytes: usize) -> bool {
        let counted = bytes.saturating_sub(UNTAKEN_FREE);
        match self.counted.checked_sub(counted) {
            Some(0) => {}
            Some(fewer) => self.guard.account.release(Held::Untaken, fewer),
            None => {
                let more = counted - self.counted;
                if self.guard.add(Held::Untaken, more, (1, 1)).is_err() {
                    return false;
                }
            }
        }
        self.counted = counted;
        true
    }
}

impl Drop for UntakenBytes {
    fn drop(&mut self) {
        // Nothing waits any more.
        self.set(0);
    }
}
