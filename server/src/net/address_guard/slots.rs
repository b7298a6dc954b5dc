//! The parts of an address's bounds that a connection holds for a while.

use std::sync::Arc;

use super::table::AddressGuard;
use crate::limits::UNTAKEN_FREE;

/// The bytes sent to one connection that the client has not taken yet, counted against its address
/// until this is dropped.
pub(crate) struct UntakenBytes {
    guard: Arc<AddressGuard>,
    /// Those beyond [`UNTAKEN_FREE`].
    counted: usize,
}

/// One unanswered request, counted against its address until this is dropped.
pub(crate) struct RequestSlot(Arc<AddressGuard>);

/// One match that a connection follows, counted against its address until this is dropped.
pub(crate) struct FollowSlot(Arc<AddressGuard>);

impl AddressGuard {
    /// Counts one more match that the connection follows; none if its address follows as many as
    /// it may.
    pub(crate) fn follow(self: &Arc<Self>) -> Option<FollowSlot> {
        self.row.follow().then(|| FollowSlot(Arc::clone(self)))
    }

    /// Counts an unanswered request; none if the address, or all together, have as many as they may.
    pub(crate) fn request(self: &Arc<Self>) -> Option<RequestSlot> {
        let all = &self.table.requests;
        let room = all.has_common_room(1) || all.has_room(1) && self.row.has_few_requests();
        (room && self.row.request()).then(|| {
            all.add(1);
            RequestSlot(Arc::clone(self))
        })
    }
}

impl UntakenBytes {
    /// A connection to which nothing was sent.
    pub(crate) fn new(guard: Arc<AddressGuard>) -> Self {
        Self { guard, counted: 0 }
    }

    /// Notes that so many bytes wait to be taken; returns false if they find no room.
    pub(crate) fn set(&mut self, bytes: usize) -> bool {
        let counted = bytes.saturating_sub(UNTAKEN_FREE);
        let AddressGuard { table, row, .. } = &*self.guard;
        let all = &table.untaken;
        if let Some(fewer) = self.counted.checked_sub(counted) {
            if fewer > 0 {
                row.take_in(fewer);
                all.subtract(fewer);
            }
        } else {
            let more = counted - self.counted;
            let room = all.has_common_room(more) || all.has_room(more) && row.has_few_untaken(more);
            if !room || !row.send(more) {
                return false;
            }
            all.add(more);
        }
        self.counted = counted;
        true
    }
}

impl Drop for UntakenBytes {
    fn drop(&mut self) {
        self.set(0);
    }
}

impl Drop for RequestSlot {
    fn drop(&mut self) {
        self.0.row.answer();
        self.0.table.requests.subtract(1);
    }
}

impl Drop for FollowSlot {
    fn drop(&mut self) {
        self.0.row.unfollow();
    }
}
