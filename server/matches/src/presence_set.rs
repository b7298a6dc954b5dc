//! The connections that follow a match now. Kept beside the match and not in its log, because presence is no
//! event.

use std::collections::HashMap;
use std::sync::Arc;

use fibfob_protocol::{Actor, GuestId, Match, Player, Refusal, Seat};
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::limits::{MUTED_MAX, SPECTATORS_MAX};

/// The connections that follow one match, counted by guest. Clones are the same set.
#[derive(Clone, Default)]
pub(super) struct PresenceSet(Arc<SharedCounts>);

#[derive(Default)]
struct SharedCounts {
    counts: Mutex<PresenceCounts>,
    /// Tells the match's task of a change.
    changed: Notify,
}

/// The number of connections by guest.
#[derive(Default)]
struct PresenceCounts {
    by_guest: HashMap<GuestId, usize>,
    /// The sum over all guests, so that counting a newcomer takes constant time.
    connections: usize,
    /// The guests that have muted the chat, connected or not: at most [`MUTED_MAX`], oldest first.
    muted: Vec<GuestId>,
}

/// One connection in a presence set, until this is dropped.
pub(super) struct PresenceGuard {
    set: PresenceSet,
    guest: GuestId,
}

impl PresenceSet {
    /// Adds a connection. One with a seat in `current` always gets in; spectators are bounded.
    pub(super) fn add(&self, guest: GuestId, current: &Match) -> Result<PresenceGuard, Refusal> {
        let has_seat = current.seat_of(Actor::Guest(guest)).is_some();
        if !has_seat && self.spectators(current) >= SPECTATORS_MAX {
            return Err(Refusal::TooManySpectators(SPECTATORS_MAX));
        }
        let mut counts = self.0.counts.lock();
        *counts.by_guest.entry(guest).or_default() += 1;
        counts.connections += 1;
        drop(counts);
        self.0.changed.notify_one();
        Ok(PresenceGuard {
            set: self.clone(),
            guest,
        })
    }

    /// Waits until connections have come or gone since the last call. Only the match's task waits. Cancel
    /// safe.
    pub(super) async fn changed(&self) {
        self.0.changed.notified().await;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.counts.lock().connections == 0
    }

    /// The number of connections whose guest has no seat in `current`.
    pub(super) fn spectators(&self, current: &Match) -> usize {
        self.0.counts.lock().spectators(current)
    }

    /// Returns true if a guest has the seat and a connection.
    pub(super) fn is_connected(&self, current: &Match, seat: Seat) -> bool {
        let guest = player(current, seat).and_then(Player::guest);
        guest.is_some_and(|(guest, _)| self.0.counts.lock().by_guest.contains_key(&guest))
    }

    /// Returns true if the seat's player has a connection. A bot is always present.
    pub(super) fn is_present(&self, current: &Match, seat: Seat) -> bool {
        matches!(player(current, seat), Some(Player::Bot { .. }))
            || self.is_connected(current, seat)
    }
}

impl PresenceGuard {
    pub(super) fn guest(&self) -> GuestId {
        self.guest
    }

    /// The number of connections to the match whose guest has no seat in `current`.
    pub(super) fn spectators(&self, current: &Match) -> usize {
        self.set.spectators(current)
    }

    /// Returns true if the guest has muted the chat.
    pub(super) fn is_muted(&self) -> bool {
        self.set.0.counts.lock().muted.contains(&self.guest)
    }

    /// Remembers whether the guest has muted the chat. If too many have, the oldest one without a seat in
    /// `current` is forgotten.
    pub(super) fn mute(&self, muted: bool, current: &Match) {
        let mut counts = self.set.0.counts.lock();
        counts.muted.retain(|guest| *guest != self.guest);
        if !muted {
            return;
        }
        let is_spectator = |guest: &GuestId| current.seat_of(Actor::Guest(*guest)).is_none();
        if counts.muted.len() >= MUTED_MAX
            && let Some(oldest) = counts.muted.iter().position(is_spectator)
        {
            counts.muted.remove(oldest);
        }
        counts.muted.push(self.guest);
    }
}

impl PresenceCounts {
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
            let (guest, _) = player(current, seat)?.guest()?;
            self.by_guest.get(&guest)
        });
        self.connections - seated.sum::<usize>()
    }
}

impl Drop for PresenceGuard {
    fn drop(&mut self) {
        self.set.0.counts.lock().remove(self.guest);
        self.set.0.changed.notify_one();
    }
}

/// The player in a seat of a match.
pub(super) fn player(current: &Match, seat: Seat) -> Option<&Player> {
    match seat {
        Seat::Creator => Some(&current.terms().creator),
        Seat::Joiner => current.joiner(),
    }
}
