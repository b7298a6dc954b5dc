//! The presence set of a match: the connections that follow it now. It is kept beside the match and
//! not in its log, because presence is no event.

use std::collections::HashMap;
use std::sync::Arc;

use fibfob_protocol::{Actor, GuestId, Match, Player, Refusal, Seat};
use tokio::sync::watch;

use crate::limits::SPECTATORS_MAX;

/// The connections that follow one match, counted by guest. Clones are the same set.
#[derive(Clone)]
pub(super) struct PresenceSet(Arc<watch::Sender<PresenceCounts>>);

/// The number of connections by guest.
#[derive(Default)]
pub(super) struct PresenceCounts {
    by_guest: HashMap<GuestId, usize>,
    /// The sum over all guests, so that each newcomer is counted in constant time.
    connections: usize,
}

/// One connection in a presence set, until this is dropped.
pub(super) struct PresenceGuard {
    set: PresenceSet,
    guest: GuestId,
}

impl PresenceSet {
    pub(super) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(PresenceCounts::default())))
    }

    /// Adds a connection: always if it has a seat in `current`, otherwise within the bound on
    /// spectators.
    pub(super) fn add(&self, guest: GuestId, current: &Match) -> Result<PresenceGuard, Refusal> {
        let has_seat = current.seat_of(Actor::Guest(guest)).is_some();
        if !has_seat && self.spectators(current) >= SPECTATORS_MAX {
            return Err(Refusal::TooManySpectators(SPECTATORS_MAX));
        }
        self.0.send_modify(|counts| counts.add(guest));
        Ok(PresenceGuard {
            set: self.clone(),
            guest,
        })
    }

    pub(super) fn watch(&self) -> watch::Receiver<PresenceCounts> {
        self.0.subscribe()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.borrow().connections == 0
    }

    /// The number of connections whose guest has no seat in `current`.
    pub(super) fn spectators(&self, current: &Match) -> usize {
        self.0.borrow().spectators(current)
    }

    /// Returns true if the seat is taken and its player has no connection.
    pub(super) fn is_away(&self, current: &Match, seat: Seat) -> bool {
        player(current, seat).is_some() && !self.is_present(current, seat)
    }

    /// Returns true if a person has the seat and a connection.
    pub(super) fn is_connected(&self, current: &Match, seat: Seat) -> bool {
        let is_person = matches!(player(current, seat), Some(Player::Human { .. }));
        is_person && self.is_present(current, seat)
    }

    /// Returns true if the seat's player has a connection. A bot is always present.
    pub(super) fn is_present(&self, current: &Match, seat: Seat) -> bool {
        match player(current, seat) {
            Some(Player::Human { guest, .. }) => self.0.borrow().by_guest.contains_key(guest),
            Some(Player::Bot { .. }) => true,
            None => false,
        }
    }
}

impl PresenceCounts {
    fn add(&mut self, guest: GuestId) {
        *self.by_guest.entry(guest).or_default() += 1;
        self.connections += 1;
    }

    fn remove(&mut self, guest: GuestId) {
        if let Some(connections) = self.by_guest.get_mut(&guest) {
            *connections -= 1;
            self.connections -= 1;
            if *connections == 0 {
                self.by_guest.remove(&guest);
            }
        }
    }

    fn spectators(&self, current: &Match) -> usize {
        let seated = Seat::BOTH.into_iter().filter_map(|seat| {
            let Some(Player::Human { guest, .. }) = player(current, seat) else {
                return None;
            };
            self.by_guest.get(guest)
        });
        self.connections - seated.sum::<usize>()
    }
}

impl Drop for PresenceGuard {
    fn drop(&mut self) {
        self.set.0.send_modify(|counts| counts.remove(self.guest));
    }
}

/// The player in a seat of a match.
pub(super) fn player(current: &Match, seat: Seat) -> Option<&Player> {
    match seat {
        Seat::Creator => Some(&current.terms().creator),
        Seat::Joiner => current.joiner(),
    }
}
