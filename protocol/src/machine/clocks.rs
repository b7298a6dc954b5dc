//! The two clocks of a match, of which one runs: arithmetic over the caller's instants.
//!
//! A clock runs from the event that made its seat the one to move, or from the start of the
//! server that took the match up again after it: time in which no server ran is charged to
//! nobody.

use crate::event::Terms;
use crate::ids::Timestamp;
use crate::seat::{Player, Seat};
use crate::time::{ClocksView, TimeControl};

/// The clocks of a match with a time control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    control: Control,
    /// The time left of each seat, in milliseconds, as of `since`; none for a bot.
    creator: Option<u64>,
    joiner: Option<u64>,
    /// The instant from which the clock of the seat to move has run.
    since: Timestamp,
}

/// A time control that bounds something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Control {
    Match { increment: u64 },
    Move { each: u64 },
}

impl Clocks {
    /// The clocks of a match that both players have open at `now`; none without a time control.
    pub(super) fn start(terms: &Terms, joiner: &Player, now: Timestamp) -> Option<Self> {
        let initial = terms.time.initial_ms()?;
        let control = match terms.time {
            TimeControl::None => return None,
            TimeControl::Match { increment_ms, .. } => Control::Match {
                increment: increment_ms,
            },
            TimeControl::Move { each_ms } => Control::Move { each: each_ms },
        };
        let of = |player: &Player| match player {
            Player::Human { .. } | Player::Program { .. } | Player::Former => Some(initial),
            Player::Bot { .. } => None,
        };
        Some(Self {
            control,
            creator: of(&terms.creator),
            joiner: of(joiner),
            since: now,
        })
    }

    /// The instant at which `turn`'s time is up, if it is bounded.
    pub(super) fn deadline(&self, turn: Seat) -> Option<Timestamp> {
        let left = self.left(turn)?;
        Some(Timestamp(self.since.0.saturating_add(left)))
    }

    /// Notes that `turn` has moved and is charged for the time up to `until`; the other clock runs
    /// from `now`.
    pub(super) fn moved(&mut self, turn: Seat, until: Timestamp, now: Timestamp) {
        self.charge(turn, until);
        self.forgive(now);
        let control = self.control;
        if let Some(left) = self.slot(turn) {
            *left = match control {
                Control::Match { increment } => left.saturating_add(increment),
                Control::Move { each } => each,
            };
        }
    }

    /// Notes a takeback at `now`, when `turn` was to move. Spent time stays spent.
    pub(super) fn taken_back(&mut self, turn: Seat, now: Timestamp) {
        self.charge(turn, now);
        if let (Control::Move { each }, Some(left)) = (self.control, self.slot(turn)) {
            *left = each;
        }
    }

    /// Charges the seat to move, `turn`, for the time up to `now`.
    pub(super) fn charge(&mut self, turn: Seat, now: Timestamp) {
        let spent = now.0.saturating_sub(self.since.0);
        if let Some(left) = self.slot(turn) {
            *left = left.saturating_sub(spent);
        }
        self.since = now;
    }

    /// Charges nobody for the time before `now`.
    pub(super) fn forgive(&mut self, now: Timestamp) {
        self.since = now;
    }

    pub(super) fn since(&self) -> Timestamp {
        self.since
    }

    pub(super) fn view(&self) -> ClocksView {
        ClocksView {
            creator_ms: self.creator,
            joiner_ms: self.joiner,
            since: self.since,
        }
    }

    fn left(&self, seat: Seat) -> Option<u64> {
        match seat {
            Seat::Creator => self.creator,
            Seat::Joiner => self.joiner,
        }
    }

    fn slot(&mut self, seat: Seat) -> Option<&mut u64> {
        match seat {
            Seat::Creator => self.creator.as_mut(),
            Seat::Joiner => self.joiner.as_mut(),
        }
    }
}
