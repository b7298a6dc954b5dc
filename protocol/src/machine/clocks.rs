//! The two clocks of a match, of which one runs: arithmetic over the caller's instants.
//!
//! A clock runs from the event that gave its seat the turn. After a restart it runs from the restart: time
//! without a server is charged to nobody.

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
    /// Starts the clocks of a match that both players have open at `now`; none without a time control.
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

    /// Returns when `turn`'s time is up; none if it is unlimited.
    pub(super) fn deadline(&self, turn: Seat) -> Option<Timestamp> {
        Some(later(self.view.since, self.view.left_ms(turn)?))
    }

    /// Returns until when no clock runs out, whatever happens from `now` on. `turn` is to move; the other clock
    /// begins to run at `now` or later.
    pub(super) fn quiet_until(&self, turn: Seat, now: Timestamp) -> Timestamp {
        let other = self.view.left_ms(turn.other()).map(|left| later(now, left));
        let bounds = self.deadline(turn).into_iter().chain(other);
        bounds.min().unwrap_or(Timestamp(u64::MAX))
    }

    /// Charges `turn`, which has moved, for the time up to `until`. The other clock runs from `now`.
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

    /// Charges `turn`, whose turn ends by a takeback at `now`. Spent time stays spent.
    pub(super) fn taken_back(&mut self, turn: Seat, now: Timestamp) {
        self.charge(turn, now);
        // A time for each move is whole at every turn, also at one that a takeback brings back.
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

    /// Charges `turn` up to `down_since`, and nobody for the time from then to `since`, in which no server ran.
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
