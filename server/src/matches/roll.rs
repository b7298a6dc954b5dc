//! Who follows a match now. Kept beside the match and not in it: presence is no event.

use std::collections::HashMap;
use std::sync::Arc;

use fibfob_protocol::{Actor, GuestId, Match, Player, Presence, Refusal, Seat};
use tokio::sync::watch;

use super::absence::Absence;
use crate::limits::SPECTATORS_MAX;

/// The connections that follow one match, counted by guest.
#[derive(Clone)]
pub(super) struct Roll(Arc<watch::Sender<Present>>);

/// Who is there.
#[derive(Default)]
pub(super) struct Present {
    by_guest: HashMap<GuestId, usize>,
    /// The sum over all guests, so that a crowd is not counted anew for each who comes.
    connections: usize,
}

/// One connection's entry; dropping it strikes it out.
pub(super) struct Attendance {
    roll: Roll,
    guest: GuestId,
}

impl Roll {
    pub(super) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(Present::default())))
    }

    /// Lets `guest` in: always with a seat in `live`, otherwise while there is room for spectators.
    pub(super) fn enter(&self, guest: GuestId, live: &Match) -> Result<Attendance, Refusal> {
        let has_seat = live.seat_of(Actor::Guest(guest)).is_some();
        if !has_seat && self.spectators(live) >= SPECTATORS_MAX {
            return Err(Refusal::TooManySpectators(SPECTATORS_MAX));
        }
        self.0.send_modify(|present| present.add(guest));
        Ok(Attendance {
            roll: self.clone(),
            guest,
        })
    }

    pub(super) fn watch(&self) -> watch::Receiver<Present> {
        self.0.subscribe()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.borrow().connections == 0
    }

    /// Connections whose guest has no seat in `live`.
    pub(super) fn spectators(&self, live: &Match) -> usize {
        self.0.borrow().spectators(live)
    }

    /// Whether a person has this seat and is not there.
    pub(super) fn is_away(&self, live: &Match, seat: Seat) -> bool {
        player(live, seat).is_some() && !self.is_there(live, seat)
    }

    /// Whether the seat's player is there. A bot always is.
    fn is_there(&self, live: &Match, seat: Seat) -> bool {
        match player(live, seat) {
            Some(Player::Human { guest, .. }) => self.0.borrow().by_guest.contains_key(guest),
            Some(Player::Bot { .. }) => true,
            None => false,
        }
    }

    /// Who is there, for everybody to see.
    pub(super) fn presence(&self, live: &Match, absence: &Absence) -> Presence {
        let is_there = |seat: &Seat| self.is_there(live, *seat);
        Presence {
            match_id: live.id(),
            connected: Seat::BOTH.into_iter().filter(is_there).collect(),
            away: absence.shown(live),
            spectators: self.spectators(live),
        }
    }
}

impl Present {
    fn add(&mut self, guest: GuestId) {
        *self.by_guest.entry(guest).or_default() += 1;
        self.connections += 1;
    }

    fn strike_out(&mut self, guest: GuestId) {
        if let Some(connections) = self.by_guest.get_mut(&guest) {
            *connections -= 1;
            self.connections -= 1;
            if *connections == 0 {
                self.by_guest.remove(&guest);
            }
        }
    }

    fn spectators(&self, live: &Match) -> usize {
        let seated = Seat::BOTH.into_iter().filter_map(|seat| {
            let Some(Player::Human { guest, .. }) = player(live, seat) else {
                return None;
            };
            self.by_guest.get(guest)
        });
        self.connections - seated.sum::<usize>()
    }
}

impl Drop for Attendance {
    fn drop(&mut self) {
        self.roll
            .0
            .send_modify(|present| present.strike_out(self.guest));
    }
}

fn player(live: &Match, seat: Seat) -> Option<&Player> {
    match seat {
        Seat::Creator => Some(&live.terms().creator),
        Seat::Joiner => live.joiner(),
    }
}
