//! The time since which each player of a match is away: kept beside the match, as presence is.
//!
//! A task that loads a match counts from then, so that neither the server's downtime nor the time
//! in which the match was not in memory counts as absence.

use fibfob_protocol::{Away, Match, Seat, Timestamp};

use super::presence_set::PresenceSet;

/// The absent players of one match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Absence {
    creator: Option<Timestamp>,
    joiner: Option<Timestamp>,
}

impl Absence {
    /// Updates it from the presence set at `now`.
    pub(super) fn update(&mut self, present: &PresenceSet, current: &Match, now: Timestamp) {
        for seat in Seat::BOTH {
            let since = match seat {
                Seat::Creator => &mut self.creator,
                Seat::Joiner => &mut self.joiner,
            };
            *since = if present.is_away(current, seat) {
                Some(since.unwrap_or(now))
            } else {
                None
            };
        }
    }

    /// The time for which the player of `seat` has been away at `now`, in milliseconds; none while
    /// present.
    pub(super) fn millis(&self, seat: Seat, now: Timestamp) -> Option<u64> {
        Some(now.0.saturating_sub(self.since(seat)?.0))
    }

    /// The absent players, while a player is to move or to choose.
    pub(super) fn away(&self, current: &Match) -> Vec<Away> {
        if current.turn().is_none() {
            return Vec::new();
        }
        let away = |seat| self.since(seat).map(|since| Away { seat, since });
        Seat::BOTH.into_iter().filter_map(away).collect()
    }

    fn since(&self, seat: Seat) -> Option<Timestamp> {
        match seat {
            Seat::Creator => self.creator,
            Seat::Joiner => self.joiner,
        }
    }
}
