//! How many seats each guest holds in matches that are not over: nobody may take up a server with
//! matches that they do not play.
//!
//! Kept in memory, noted by match tasks beside the lobby, and read again from the newest logs at a
//! start. Knows of a match only what its index row says.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fibfob_protocol::{GuestId, MatchId, Refusal, Seat, Timestamp};

use crate::clock::{Clock, later};
use crate::limits::{MATCHES_MAX, SEAT_COUNTS_FOR, SEATS_KNOWN_MAX, SEATS_MAX};
use crate::store::IndexRow;

/// All seats that count.
pub(crate) struct Seats {
    board: Mutex<Board>,
    clock: Clock,
}

#[derive(Default)]
struct Board {
    /// By age, so that the oldest are forgotten first.
    matches: BTreeMap<(Timestamp, MatchId), IndexRow>,
    guests: HashMap<GuestId, HashMap<MatchId, Held>>,
    /// What will be held if an event that is on its way to the store arrives there.
    claimed: HashMap<GuestId, Count>,
}

#[derive(Clone, Copy)]
struct Held {
    seat: Seat,
    counts_until: Timestamp,
}

#[derive(Clone, Copy, Default)]
struct Count {
    made: u32,
    held: u32,
}

/// A seat that is being taken; dropped when it is taken or not.
pub(crate) struct Claim<'a> {
    seats: &'a Seats,
    guest: GuestId,
    seat: Seat,
}

impl Seats {
    pub(crate) fn new(clock: Clock) -> Arc<Self> {
        let board = Mutex::default();
        Arc::new(Self { board, clock })
    }

    /// Notes who sits in a match from now on.
    pub(crate) fn note(&self, id: MatchId, row: &IndexRow) {
        let now = self.clock.now();
        let counts_until = later(row.created_at, SEAT_COUNTS_FOR);
        let mut board = self.board();
        board.remove((row.created_at, id));
        if row.seated.is_empty() || counts_until <= now {
            return;
        }
        // Also a match that nobody looks at closes in time.
        let counts_until = row
            .open_until
            .map_or(counts_until, |until| until.min(counts_until));
        for (seat, guest) in &row.seated {
            let held = Held {
                seat: *seat,
                counts_until,
            };
            board.guests.entry(*guest).or_default().insert(id, held);
        }
        board.matches.insert((row.created_at, id), row.clone());
        board.forget_old(now);
    }

    /// Lets `guest` take this seat in a match that begins or that they come to.
    ///
    /// # Errors
    /// If they have as many as they may.
    pub(crate) fn claim(&self, guest: GuestId, seat: Seat) -> Result<Claim<'_>, Refusal> {
        let now = self.clock.now();
        let mut board = self.board();
        let count = board.count(guest, now);
        if seat == Seat::Creator && count.made >= MATCHES_MAX {
            return Err(Refusal::TooManyMatches(MATCHES_MAX));
        }
        if count.held >= SEATS_MAX {
            return Err(Refusal::TooManySeats(SEATS_MAX));
        }
        board.claimed.entry(guest).or_default().add(seat);
        Ok(Claim {
            seats: self,
            guest,
            seat,
        })
    }

    fn board(&self) -> MutexGuard<'_, Board> {
        // Every change of the board is complete before anything in it can panic.
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Board {
    fn count(&self, guest: GuestId, now: Timestamp) -> Count {
        let mut count = self.claimed.get(&guest).copied().unwrap_or_default();
        for held in self
            .guests
            .get(&guest)
            .into_iter()
            .flat_map(HashMap::values)
        {
            if held.counts_until > now {
                count.add(held.seat);
            }
        }
        count
    }

    fn remove(&mut self, place: (Timestamp, MatchId)) {
        let Some(row) = self.matches.remove(&place) else {
            return;
        };
        for (_, guest) in row.seated {
            if let Some(held) = self.guests.get_mut(&guest) {
                held.remove(&place.1);
                if held.is_empty() {
                    self.guests.remove(&guest);
                }
            }
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

impl Count {
    fn add(&mut self, seat: Seat) {
        self.held += 1;
        self.made += u32::from(seat == Seat::Creator);
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        let mut board = self.seats.board();
        if let Some(count) = board.claimed.get_mut(&self.guest) {
            count.held -= 1;
            count.made -= u32::from(self.seat == Seat::Creator);
            if count.held == 0 {
                board.claimed.remove(&self.guest);
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

    struct Bench {
        seats: Arc<Seats>,
        now: Arc<AtomicU64>,
    }

    fn bench() -> Bench {
        let now = Arc::new(AtomicU64::new(1_000));
        let read = Arc::clone(&now);
        let clock = Clock::from_fn(move || Timestamp(read.load(Ordering::SeqCst)));
        let seats = Seats::new(clock);
        Bench { seats, now }
    }

    impl Bench {
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
            self.seats.claim(guest, seat).err()
        }

        fn known(&self) -> (usize, usize) {
            let board = self.seats.board();
            (board.matches.len(), board.guests.len())
        }
    }

    fn some_match() -> MatchId {
        MatchId(GuestId::fresh().0)
    }

    #[test]
    fn a_guest_makes_so_many_matches_and_holds_so_many_seats() {
        let bench = bench();
        let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
        let made: Vec<MatchId> = (0..MATCHES_MAX).map(|_| some_match()).collect();
        for id in &made {
            assert_eq!(bench.refused(ada, Seat::Creator), None);
            bench.note(*id, &[(Seat::Creator, ada), (Seat::Joiner, bo)], None);
        }
        let full = Refusal::TooManyMatches(MATCHES_MAX);
        assert_eq!(bench.refused(ada, Seat::Creator), Some(full));
        assert_eq!(
            bench.refused(ada, Seat::Joiner),
            None,
            "others' matches are others'"
        );
        for _ in MATCHES_MAX..SEATS_MAX {
            assert_eq!(bench.refused(bo, Seat::Joiner), None);
            bench.note(some_match(), &[(Seat::Joiner, bo)], None);
        }
        let full = Some(Refusal::TooManySeats(SEATS_MAX));
        assert_eq!(bench.refused(bo, Seat::Joiner), full);
        assert_eq!(bench.refused(bo, Seat::Creator), full);
        bench.note(made[0], &[], None);
        assert_eq!(
            bench.refused(ada, Seat::Creator),
            None,
            "one of them is over"
        );
        assert_eq!(bench.refused(bo, Seat::Joiner), None);
    }

    #[test]
    fn seats_on_their_way_count() {
        let bench = bench();
        let ada = GuestId::fresh();
        let mut claims: Vec<_> = (0..MATCHES_MAX)
            .map(|_| bench.seats.claim(ada, Seat::Creator).ok().unwrap())
            .collect();
        assert!(bench.refused(ada, Seat::Creator).is_some());
        claims.pop();
        assert!(bench.refused(ada, Seat::Creator).is_none());
        drop(claims);
        assert!(bench.seats.board().claimed.is_empty());
    }

    #[test]
    fn an_open_match_counts_until_it_expires_and_no_match_counts_for_ever() {
        let bench = bench();
        let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
        for _ in 0..MATCHES_MAX {
            bench.note(some_match(), &[(Seat::Creator, ada)], Some(5_000));
            bench.note(some_match(), &[(Seat::Creator, bo)], None);
        }
        bench.now.store(4_999, Ordering::SeqCst);
        assert!(bench.refused(ada, Seat::Creator).is_some());
        bench.now.store(5_000, Ordering::SeqCst);
        assert!(bench.refused(ada, Seat::Creator).is_none());
        assert!(bench.refused(bo, Seat::Creator).is_some());
        bench.now.store(1_000 + DAY, Ordering::SeqCst);
        assert!(bench.refused(bo, Seat::Creator).is_none());
        bench.note(some_match(), &[(Seat::Creator, ada)], None);
        assert_eq!(
            bench.known(),
            (2 * MATCHES_MAX as usize, 2),
            "too old to be noted itself"
        );
    }

    #[test]
    fn the_oldest_are_forgotten_first_and_whole() {
        let bench = bench();
        for at in 0..SEATS_KNOWN_MAX as u64 + 10 {
            let row = IndexRow {
                code: Code::draw(&mut rand::rng()),
                phase: "any",
                created_at: Timestamp(1_000 + at),
                lobby: None,
                seated: vec![(Seat::Creator, GuestId::fresh())],
                open_until: None,
            };
            bench.seats.note(some_match(), &row);
        }
        assert_eq!(bench.known(), (SEATS_KNOWN_MAX, SEATS_KNOWN_MAX));
        let oldest = bench.seats.board().matches.first_key_value().unwrap().0.0;
        assert_eq!(oldest, Timestamp(1_010));
    }
}
