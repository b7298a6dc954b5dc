//! Bounds on the matches and seats of each guest in matches that are not over, so that no guest can
//! fill a server with unplayed matches.
//!
//! Kept in memory, updated by match tasks as the lobby is, and restored from the store's index
//! at a start. Knows only the index row of a match.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fibfob_protocol::{GuestId, MatchId, Refusal, Seat, Timestamp};
use uuid::Uuid;

use crate::clock::{Clock, later};
use crate::limits::{MATCHES_MAX, SEAT_COUNTS_FOR, SEATS_KNOWN_MAX, SEATS_MAX};
use crate::store::{HeldSeats, IndexRow, UnfinishedMatch};

/// The seats that count against the bounds.
pub(crate) struct SeatLimits {
    counts: Mutex<SeatCounts>,
    clock: Clock,
}

#[derive(Default)]
struct SeatCounts {
    /// By age, so that the oldest are removed first.
    matches: BTreeMap<(Timestamp, MatchId), SeatedGuests>,
    /// One map of all seats: a map for each guest would take several times the memory.
    seats: BTreeMap<(GuestId, MatchId), HeldSeat>,
    /// Seats that are held once a pending event is stored.
    reserved: HashMap<GuestId, GuestCount>,
}

/// The guests of a match whose seats count, by seat.
type SeatedGuests = [Option<GuestId>; 2];

#[derive(Clone, Copy)]
struct HeldSeat {
    seat: Seat,
    counts_until: Timestamp,
}

#[derive(Clone, Copy, Default)]
struct GuestCount {
    made: u32,
    held: u32,
}

/// A reserved seat, until the event that takes it is stored or has failed.
pub(crate) struct SeatReservation<'a> {
    limits: &'a SeatLimits,
    guest: GuestId,
    seat: Seat,
}

impl SeatLimits {
    pub(crate) fn new(clock: Clock) -> Arc<Self> {
        let counts = Mutex::default();
        Arc::new(Self { counts, clock })
    }

    /// Updates the seats of a match from its index row.
    pub(crate) fn note(&self, id: MatchId, row: &IndexRow) {
        self.note_seats(id, row.created_at, row.open_until, row.counted_seats());
    }

    /// Restores the seats of a match that the store has as unfinished.
    pub(crate) fn restore(&self, unfinished: &UnfinishedMatch) {
        let UnfinishedMatch {
            id,
            created_at,
            open_until,
            seated,
        } = unfinished;
        self.note_seats(*id, *created_at, *open_until, seated);
    }

    fn note_seats(
        &self,
        id: MatchId,
        created_at: Timestamp,
        open_until: Option<Timestamp>,
        seated: &[(Seat, GuestId)],
    ) {
        let now = self.clock.now();
        let counts_until = later(created_at, SEAT_COUNTS_FOR);
        let mut counts = self.counts();
        counts.remove((created_at, id));
        if seated.is_empty() || counts_until <= now {
            return;
        }
        // An open match expires also while it is not in memory.
        let counts_until = open_until.map_or(counts_until, |until| until.min(counts_until));
        let mut guests = SeatedGuests::default();
        for &(seat, guest) in seated {
            let held = HeldSeat { seat, counts_until };
            counts.seats.insert((guest, id), held);
            guests[usize::from(seat == Seat::Joiner)] = Some(guest);
        }
        counts.matches.insert((created_at, id), guests);
        counts.forget_old(now);
    }

    /// Reserves a seat for `guest` in a new match or in one they join. If the store has counted the
    /// seats that the guest holds, its count is what counts.
    ///
    /// # Errors
    /// If the guest has as many matches or seats as allowed.
    pub(crate) fn reserve(
        &self,
        guest: GuestId,
        seat: Seat,
        stored: Option<HeldSeats>,
    ) -> Result<SeatReservation<'_>, Refusal> {
        let now = self.clock.now();
        let mut counts = self.counts();
        let count = match stored {
            Some(stored) => counts.with_reserved(guest, stored),
            None => counts.count(guest, now),
        };
        if seat == Seat::Creator && count.made >= MATCHES_MAX {
            return Err(Refusal::TooManyMatches(MATCHES_MAX));
        }
        if count.held >= SEATS_MAX {
            return Err(Refusal::TooManySeats(SEATS_MAX));
        }
        counts.reserved.entry(guest).or_default().add(seat);
        Ok(SeatReservation {
            limits: self,
            guest,
            seat,
        })
    }

    fn counts(&self) -> MutexGuard<'_, SeatCounts> {
        // Every change of the counts is complete before anything in it can panic.
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SeatCounts {
    fn count(&self, guest: GuestId, now: Timestamp) -> GuestCount {
        let mut count = self.reserved.get(&guest).copied().unwrap_or_default();
        let all = (guest, MatchId(Uuid::nil()))..=(guest, MatchId(Uuid::max()));
        for held in self.seats.range(all).map(|(_, held)| held) {
            if held.counts_until > now {
                count.add(held.seat);
            }
        }
        count
    }

    fn with_reserved(&self, guest: GuestId, stored: HeldSeats) -> GuestCount {
        let reserved = self.reserved.get(&guest).copied().unwrap_or_default();
        GuestCount {
            made: reserved.made + stored.made,
            held: reserved.held + stored.held,
        }
    }

    fn remove(&mut self, place: (Timestamp, MatchId)) {
        let Some(seated) = self.matches.remove(&place) else {
            return;
        };
        for guest in seated.into_iter().flatten() {
            self.seats.remove(&(guest, place.1));
        }
    }

    fn forget_old(&mut self, now: Timestamp) {
        while let Some((&place, _)) = self.matches.first_key_value() {
            let counts = later(place.0, SEAT_COUNTS_FOR) > now;
            if counts && self.matches.len() <= SEATS_KNOWN_MAX {
                return;
            }
            self.remove(place);
        }
    }
}

impl GuestCount {
    fn add(&mut self, seat: Seat) {
        self.held += 1;
        self.made += u32::from(seat == Seat::Creator);
    }
}

impl Drop for SeatReservation<'_> {
    fn drop(&mut self) {
        let mut counts = self.limits.counts();
        if let Some(count) = counts.reserved.get_mut(&self.guest) {
            count.held -= 1;
            count.made -= u32::from(self.seat == Seat::Creator);
            if count.held == 0 {
                counts.reserved.remove(&self.guest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use fibfob_protocol::Code;

    use super::*;

    const DAY: u64 = 24 * 60 * 60 * 1000;

    struct SeatFixture {
        seats: Arc<SeatLimits>,
        now: Arc<AtomicU64>,
    }

    fn new_fixture() -> SeatFixture {
        let now = Arc::new(AtomicU64::new(1_000));
        let read = Arc::clone(&now);
        let clock = Clock::from_fn(move || Timestamp(read.load(Ordering::SeqCst)));
        let seats = SeatLimits::new(clock);
        SeatFixture { seats, now }
    }

    impl SeatFixture {
        fn note(&self, id: MatchId, seated: &[(Seat, GuestId)], open_until: Option<u64>) {
            let row = IndexRow {
                code: Code::draw(&mut rand::rng()),
                phase: "any",
                created_at: Timestamp(1_000),
                lobby: None,
                seated: seated.to_vec(),
                open_until: open_until.map(Timestamp),
            };
            self.seats.note(id, &row);
        }

        fn refused(&self, guest: GuestId, seat: Seat) -> Option<Refusal> {
            self.seats.reserve(guest, seat, None).err()
        }

        fn known(&self) -> (usize, usize) {
            let counts = self.seats.counts();
            (counts.matches.len(), counts.seats.len())
        }
    }

    fn some_match() -> MatchId {
        MatchId(GuestId::fresh().0)
    }

    #[test]
    fn matches_and_seats_are_bounded_per_guest() {
        let fixture = new_fixture();
        let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
        let made: Vec<MatchId> = (0..MATCHES_MAX).map(|_| some_match()).collect();
        for id in &made {
            assert_eq!(fixture.refused(ada, Seat::Creator), None);
            fixture.note(*id, &[(Seat::Creator, ada), (Seat::Joiner, bo)], None);
        }
        let full = Refusal::TooManyMatches(MATCHES_MAX);
        assert_eq!(fixture.refused(ada, Seat::Creator), Some(full));
        assert_eq!(
            fixture.refused(ada, Seat::Joiner),
            None,
            "a joined match does not count as an own one"
        );
        for _ in MATCHES_MAX..SEATS_MAX {
            assert_eq!(fixture.refused(bo, Seat::Joiner), None);
            fixture.note(some_match(), &[(Seat::Joiner, bo)], None);
        }
        let full = Some(Refusal::TooManySeats(SEATS_MAX));
        assert_eq!(fixture.refused(bo, Seat::Joiner), full);
        assert_eq!(fixture.refused(bo, Seat::Creator), full);
        fixture.note(made[0], &[], None);
        assert_eq!(
            fixture.refused(ada, Seat::Creator),
            None,
            "one of them is over"
        );
        assert_eq!(fixture.refused(bo, Seat::Joiner), None);
    }

    #[test]
    fn reserved_seats_count() {
        let fixture = new_fixture();
        let ada = GuestId::fresh();
        let mut reservations: Vec<_> = (0..MATCHES_MAX)
            .map(|_| {
                fixture
                    .seats
                    .reserve(ada, Seat::Creator, None)
                    .ok()
                    .unwrap()
            })
            .collect();
        assert!(fixture.refused(ada, Seat::Creator).is_some());
        reservations.pop();
        assert!(fixture.refused(ada, Seat::Creator).is_none());
        drop(reservations);
        assert!(fixture.seats.counts().reserved.is_empty());
    }

    #[test]
    fn an_open_match_counts_until_it_expires_and_any_match_for_one_day() {
        let fixture = new_fixture();
        let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
        for _ in 0..MATCHES_MAX {
            fixture.note(some_match(), &[(Seat::Creator, ada)], Some(5_000));
            fixture.note(some_match(), &[(Seat::Creator, bo)], None);
        }
        fixture.now.store(4_999, Ordering::SeqCst);
        assert!(fixture.refused(ada, Seat::Creator).is_some());
        fixture.now.store(5_000, Ordering::SeqCst);
        assert!(fixture.refused(ada, Seat::Creator).is_none());
        assert!(fixture.refused(bo, Seat::Creator).is_some());
        fixture.now.store(1_000 + DAY, Ordering::SeqCst);
        assert!(fixture.refused(bo, Seat::Creator).is_none());
        fixture.note(some_match(), &[(Seat::Creator, ada)], None);
        assert_eq!(
            fixture.known(),
            (2 * MATCHES_MAX as usize, 2 * MATCHES_MAX as usize),
            "the last row is too old to be added"
        );
    }

    #[test]
    fn the_oldest_matches_are_removed_first() {
        let fixture = new_fixture();
        for at in 0..SEATS_KNOWN_MAX as u64 + 10 {
            let row = IndexRow {
                code: Code::draw(&mut rand::rng()),
                phase: "any",
                created_at: Timestamp(1_000 + at),
                lobby: None,
                seated: vec![(Seat::Creator, GuestId::fresh())],
                open_until: None,
            };
            fixture.seats.note(some_match(), &row);
        }
        assert_eq!(fixture.known(), (SEATS_KNOWN_MAX, SEATS_KNOWN_MAX));
        let oldest = fixture
            .seats
            .counts()
            .matches
            .first_key_value()
            .unwrap()
            .0
            .0;
        assert_eq!(oldest, Timestamp(1_010));
    }
}
