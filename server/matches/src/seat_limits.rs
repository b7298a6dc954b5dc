//! Bounds each guest's matches and seats, so that no guest can fill a server with unplayed matches. The store
//! counts the stored ones; those being taken are counted here.

use std::collections::HashMap;
use std::sync::Arc;

use fibfob_protocol::{GuestId, Refusal, Seat};
use fibfob_store::HeldSeats;
use parking_lot::Mutex;

use crate::limits::{MATCHES_MAX, SEATS_MAX};

/// Each guest's seats that will be held once a pending event is stored. Clones are the same.
#[derive(Clone, Default)]
pub(crate) struct SeatLimits(Arc<Mutex<HashMap<GuestId, HeldSeats>>>);

/// A reserved seat, until the event that takes it is stored or has failed.
pub(crate) struct SeatReservation {
    limits: SeatLimits,
    guest: GuestId,
    seat: Seat,
}

impl SeatLimits {
    /// Reserves a seat, in a new match or in one to join, for a guest who already holds `held`.
    ///
    /// # Errors
    /// If the guest has as many matches or seats as allowed.
    pub(crate) fn reserve(
        &self,
        guest: GuestId,
        seat: Seat,
        stored: HeldSeats,
    ) -> Result<SeatReservation, Refusal> {
        let mut reserved = self.0.lock();
        let own = reserved.get(&guest).copied().unwrap_or_default();
        if seat == Seat::Creator && stored.made + own.made >= MATCHES_MAX {
            return Err(Refusal::TooManyMatches(MATCHES_MAX));
        }
        if stored.held + own.held >= SEATS_MAX {
            return Err(Refusal::TooManySeats(SEATS_MAX));
        }
        let own = reserved.entry(guest).or_default();
        own.held += 1;
        own.made += u32::from(seat == Seat::Creator);
        Ok(SeatReservation {
            limits: self.clone(),
            guest,
            seat,
        })
    }
}

impl Drop for SeatReservation {
    fn drop(&mut self) {
        let mut reserved = self.limits.0.lock();
        if let Some(own) = reserved.get_mut(&self.guest) {
            own.held -= 1;
            own.made -= u32::from(self.seat == Seat::Creator);
            if own.held == 0 {
                reserved.remove(&self.guest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_and_reserved_seats_count_together_until_a_reservation_ends() {
        let (limits, ada) = (SeatLimits::default(), GuestId::fresh());
        let reserve = |seat, made, held| limits.reserve(ada, seat, HeldSeats { made, held });
        let full = Some(Refusal::TooManyMatches(MATCHES_MAX));
        let last = reserve(Seat::Creator, MATCHES_MAX - 1, MATCHES_MAX - 1).ok();
        let refused = |seat, made, held| reserve(seat, made, held).err();
        assert_eq!(
            refused(Seat::Creator, MATCHES_MAX - 1, MATCHES_MAX - 1),
            full
        );
        assert_eq!(
            refused(Seat::Joiner, MATCHES_MAX, MATCHES_MAX),
            None,
            "a joined match does not count as an own one"
        );
        let full = Some(Refusal::TooManySeats(SEATS_MAX));
        assert_eq!(refused(Seat::Joiner, 0, SEATS_MAX - 1), full);
        drop(last);
        assert_eq!(refused(Seat::Joiner, 0, SEATS_MAX - 1), None);
        assert!(limits.0.lock().is_empty());
    }
}
