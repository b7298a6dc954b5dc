//! Since when a seat's player is not connected: kept beside the match, as presence is.
//!
//! A server that takes a match up again counts from then, so that its own downtime, and a time
//! in which nobody looked at the match, is no absence.

use fibfob_protocol::{Away, Match, Seat, Timestamp};

use super::roll::Roll;

/// The players of one match who are not there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Absence {
    creator: Option<Timestamp>,
    joiner: Option<Timestamp>,
}

impl Absence {
    /// Looks who is there at `now`.
    pub(super) fn note(&mut self, roll: &Roll, live: &Match, now: Timestamp) {
        for seat in Seat::BOTH {
            let since = match seat {
                Seat::Creator => &mut self.creator,
                Seat::Joiner => &mut self.joiner,
            };
            *since = if roll.is_away(live, seat) {
                Some(since.unwrap_or(now))
            } else {
                None
            };
        }
    }

    /// How long the player of `seat` has been away at `now`, in milliseconds; none while they
    /// are there.
    pub(super) fn millis(&self, seat: Seat, now: Timestamp) -> Option<u64> {
        Some(now.0.saturating_sub(self.since(seat)?.0))
    }

    /// Who is away, for everybody to see while that matters.
    pub(super) fn shown(&self, live: &Match) -> Vec<Away> {
        if live.turn().is_none() {
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
