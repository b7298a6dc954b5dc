//! Things that a guest has for a while, counted against the address that asked for them.

use std::collections::HashMap;
use std::time::Duration;

use fibfob_net::address_guard::{AddressAccount, AddressSlot, Held};
use fibfob_protocol::{GuestId, Timestamp};
use parking_lot::Mutex;

/// The guests that have one of these.
pub(crate) struct GuestSlots {
    held: Held,
    most: usize,
    lasting: Duration,
    pub(super) taken: Mutex<HashMap<GuestId, (AddressSlot, Timestamp)>>,
}

impl GuestSlots {
    /// None taken, of at most so many, each for this long.
    pub(crate) fn new(held: Held, most: usize, lasting: Duration) -> Self {
        Self {
            held,
            most,
            lasting,
            taken: Mutex::default(),
        }
    }

    /// Takes one in place of the guest's one before, and returns when it ends. None if the address that
    /// asks for it, or a network around it, has as many as it may: so many while there are few in all, fewer
    /// the more there are. So none ends before its time.
    pub(crate) fn take(
        &self,
        guest: GuestId,
        asker: &AddressAccount,
        now: Timestamp,
    ) -> Option<Timestamp> {
        let mut taken = self.taken.lock();
        taken.retain(|_, (_, until)| *until > now);
        let until = now.after(self.lasting);
        if let Some((slot, ends)) = taken.get_mut(&guest)
            && slot.is_of(asker)
        {
            *ends = until;
        } else {
            let left = self.most.saturating_sub(taken.len());
            let slot = asker.hold_part(self.held, left, self.most);
            taken.insert(guest, (slot.ok()?, until));
        }
        Some(until)
    }
}
