//! The two clocks of a match, of which one runs: arithmetic over the caller's instants.
//!
//! A clock runs from the event that made its seat the one to move, or from the start of the
//! server that took the match up again after it: time in which no server ran is charged to
//! nobody.

use crate::event::Terms;
use crate::ids::Timestamp;
use crate::seat::{Player, Seat};
use crate::time::{ClocksView, TimeControl};

use super::later;

/// The clocks of a match with a time control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    control: TimeControl,
    pub(super) view: ClocksView,
}

impl Clocks {
    /// The clocks of a match that both players have open at `now`; none without a time control.
    pub(super) fn start(terms: &Terms, joiner: &Player, now: Timestamp) -> Option<Self> {
        let initial = terms.time.initial_ms()?;
        let of = |player: &Player| match player {
            Player::Human { .. } | Player::Program { .. } | Player::Former => Some(initial),
            Player::Bot { .. } => None,
        };
        let view = ClocksView {
            creator_ms: of(&terms.creator),
            joiner_ms: of(joiner),
            since: now,
        };
        let control = terms.time;
        Some(Self { control, view })
    }

    /// The instant at which `turn`'s time is up, if it is bounded.
    pub(super) fn deadline(&self, turn: Seat) -> Option<Timestamp> {
        Some(later(self.view.since, self.view.left_ms(turn)?))
    }

    /// The instant before which no clock runs out, whoever is to move until then. Thinking shortens one clock
    /// by what it moves `since`, so that no event brings this nearer.
    pub(super) fn soonest_deadline(&self) -> Timestamp {
        let left = [self.view.creator_ms, self.view.joiner_ms];
        let least = left.into_iter().flatten().min();
        later(self.view.since, least.unwrap_or(u64::MAX))
    }

    /// Notes that `turn` has moved and is charged for the time up to `until`; the other clock runs
    /// from `now`.
    pub(super) fn moved(&mut self, turn: Seat, until: Timestamp, now: Timestamp) {
        self.charge(turn, until);
        self.view.since = now;
        let control = self.control;
        if let Some(left) = self.left(turn) {
            *left = match control {
                TimeControl::None => *left,
                TimeControl::Match { increment_ms, .. } => left.saturating_add(increment_ms),
                TimeControl::Move { each_ms } => each_ms,
            };
        }
    }

    /// Notes a takeback at `now`, when `turn` was to move. Spent time stays spent.
    pub(super) fn taken_back(&mut self, turn: Seat, now: Timestamp) {
        self.charge(turn, now);
        if let (TimeControl::Move { each_ms }, Some(left)) = (self.control, self.left(turn)) {
            *left = each_ms;
        }
    }

    /// Charges the seat to move, `turn`, for the time up to `now`.
    pub(super) fn charge(&mut self, turn: Seat, now: Timestamp) {
        let spent = now.0.saturating_sub(self.view.since.0);
        if let Some(left) = self.left(turn) {
            *left = left.saturating_sub(spent);
        }
        self.view.since = now;
    }

    /// Charges nobody for the time without a server, from `down_since` to `since`.
    pub(super) fn resumed(&mut self, turn: Seat, down_since: Option<Timestamp>, since: Timestamp) {
        if let Some(down_since) = down_since {
            self.charge(turn, down_since);
        }
        self.view.since = since;
    }

    fn left(&mut self, seat: Seat) -> Option<&mut u64> {
        match seat {
            Seat::Creator => self.view.creator_ms.as_mut(),
            Seat::Joiner => self.view.joiner_ms.as_mut(),
        }
    }
}
