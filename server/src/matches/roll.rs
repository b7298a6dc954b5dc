//! Who follows a match now. Kept beside the match and not in it: presence is no event.

use std::collections::HashMap;
use std::sync::Arc;

use fibfob_protocol::{GuestId, Match, Player, Presence, Seat};
use tokio::sync::watch;

use super::absence::Absence;

/// The connections that follow one match, counted by guest.
#[derive(Clone)]
pub(super) struct Roll(Arc<watch::Sender<HashMap<GuestId, usize>>>);

/// One connection's entry; dropping it strikes it out.
pub(super) struct Attendance {
    roll: Roll,
    guest: GuestId,
}

impl Roll {
    pub(super) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(HashMap::new())))
    }

    pub(super) fn enter(&self, guest: GuestId) -> Attendance {
        self.0
            .send_modify(|present| *present.entry(guest).or_default() += 1);
        Attendance {
            roll: self.clone(),
            guest,
        }
    }

    pub(super) fn watch(&self) -> watch::Receiver<HashMap<GuestId, usize>> {
        self.0.subscribe()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }

    /// Connections whose guest has no seat in `live`.
    pub(super) fn spectators(&self, live: &Match) -> usize {
        let seated = seated(live);
        let present = self.0.borrow();
        let watching = present
            .iter()
            .filter(|(guest, _)| !seated.contains(&Some(**guest)));
        watching.map(|(_, connections)| connections).sum()
    }

    /// Whether a person has this seat and is not there.
    pub(super) fn is_away(&self, live: &Match, seat: Seat) -> bool {
        player(live, seat).is_some() && !self.is_there(live, seat)
    }

    /// Whether the seat's player is there. A bot always is.
    fn is_there(&self, live: &Match, seat: Seat) -> bool {
        match player(live, seat) {
            Some(Player::Human { guest, .. }) => self.0.borrow().contains_key(guest),
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

impl Drop for Attendance {
    fn drop(&mut self) {
        self.roll.0.send_modify(|present| {
            if let Some(connections) = present.get_mut(&self.guest) {
                *connections -= 1;
                if *connections == 0 {
                    present.remove(&self.guest);
                }
            }
        });
    }
}

fn player(live: &Match, seat: Seat) -> Option<&Player> {
    match seat {
        Seat::Creator => Some(&live.terms().creator),
        Seat::Joiner => live.joiner(),
    }
}

fn seated(live: &Match) -> [Option<GuestId>; 2] {
    Seat::BOTH.map(|seat| match player(live, seat) {
        Some(Player::Human { guest, .. }) => Some(*guest),
        _ => None,
    })
}
