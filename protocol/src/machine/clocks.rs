//! The two clocks of a match: arithmetic over the caller's instants. At most one clock runs at a time.
//!
//! A clock does not run before its player's first move. A player has a fixed time for that move, and nobody loses if it
//! does not come. From then on a clock runs whenever its seat has the turn. After a restart it runs from the restart:
//! time without a server is charged to nobody.

use crate::event::Terms;
use crate::ids::Timestamp;
use crate::seat::{Player, Seat};
use crate::time::{ClocksView, TimeControl};

use super::later;

/// The clocks of a match with a time control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    control: TimeControl,
    /// True for each seat whose clock runs in its turn: its player has made a first move, also if that was taken back, or
    /// is a bot.
    has_moved: [bool; 2],
    /// The instant at which the match closes unless the player to move makes their first move. Present exactly while
    /// the clock of that player waits for it.
    pub(super) first_move_until: Option<Timestamp>,
    pub(super) view: ClocksView,
}

impl Clocks {
    /// Makes the clocks of a match that comes into play at `now`. Returns `None` without a time control.
    pub(super) fn new(terms: &Terms, joiner: &Player, first: Seat, now: Timestamp) -> Option<Self> {
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
        let mut clocks = Self {
            control: terms.time,
            has_moved: Seat::BOTH.map(|seat| view.left_ms(seat).is_none()),
            first_move_until: None,
            view,
        };
        clocks.begin_turn(first, now);
        Some(clocks)
    }

    /// Returns when the time of `turn`, the seat to move, is up: for its first move, or on its clock. Returns `None`
    /// for a bot.
    pub(super) fn deadline(&self, turn: Seat) -> Option<Timestamp> {
        let runs_out = || Some(later(self.view.since, self.view.left_ms(turn)?));
        self.first_move_until.or_else(runs_out)
    }

    /// Returns an instant before which no time is up, whatever the players do from `now` on. `turn` is to move.
    pub(super) fn quiet_until(&self, turn: Seat, now: Timestamp) -> Timestamp {
        // Both players may move at once. Then a clock runs that waits now.
        let waits = |seat: &Seat| *seat != turn || !self.has_moved[*seat as usize];
        let waiting = Seat::BOTH.into_iter().filter(waits);
        let left = waiting.filter_map(|seat| self.view.left_ms(seat));
        let first_move = self.control.first_move_ms();
        let first_move = first_move.filter(|_| self.has_moved != [true; 2]);
        let later_bounds = left.chain(first_move).map(|ms| later(now, ms));
        let bounds = self.deadline(turn).into_iter().chain(later_bounds);
        bounds.min().unwrap_or(Timestamp(u64::MAX))
    }

    /// Charges `turn`, which has moved, for the time up to `until`. A player's first move costs nothing and earns
    /// nothing. The other seat has the turn from `now` on.
    pub(super) fn note_move(&mut self, turn: Seat, until: Timestamp, now: Timestamp) {
        if self.first_move_until.is_none() {
            self.charge(turn, until);
            let control = self.control;
            if let Some(left) = self.left(turn) {
                *left = match control {
                    TimeControl::None => *left,
                    TimeControl::Match { increment_ms, .. } => left.saturating_add(increment_ms),
                    TimeControl::Move { each_ms } => each_ms,
                };
            }
        }
        self.has_moved[turn as usize] = true;
        self.begin_turn(turn.other(), now);
    }

    /// Charges `turn`, whose turn ends by a takeback at `now`. Spent time stays spent. `next` has the turn then.
    pub(super) fn note_takeback(&mut self, turn: Seat, next: Seat, now: Timestamp) {
        self.charge(turn, now);
        // A time for each move is whole at every turn, also at one that a takeback brings back.
        if let (TimeControl::Move { each_ms }, Some(left)) = (self.control, self.left(turn)) {
            *left = each_ms;
        }
        self.begin_turn(next, now);
    }

    /// Gives the turn to `turn` at `now`. Its clock runs from now on if it has made a move.
    fn begin_turn(&mut self, turn: Seat, now: Timestamp) {
        self.view.since = now;
        let first_move_ms = self.control.first_move_ms();
        let first_move_ms = first_move_ms.filter(|_| !self.has_moved[turn as usize]);
        self.first_move_until = first_move_ms.map(|first_move_ms| later(now, first_move_ms));
    }

    /// Charges the seat to move, `turn`, for the time up to `now`, if its clock runs.
    pub(super) fn charge(&mut self, turn: Seat, now: Timestamp) {
        let spent = now.0.saturating_sub(self.view.since.0);
        let runs = self.first_move_until.is_none();
        if let Some(left) = self.left(turn).filter(|_| runs) {
            *left = left.saturating_sub(spent);
        }
        self.view.since = now;
    }

    /// Charges `turn` up to `down_since`, and nobody for the time from then to `since`, in which no server ran. A player
    /// who has yet to make the first move has the whole time for it again.
    pub(super) fn resume(&mut self, turn: Seat, down_since: Option<Timestamp>, since: Timestamp) {
        if let Some(down_since) = down_since {
            self.charge(turn, down_since);
        }
        self.view.since = since;
        if self.first_move_until.is_some() {
            let first_move_ms = self.control.first_move_ms();
            self.first_move_until = first_move_ms.map(|time| later(since, time));
        }
    }

    /// Lets the clocks run from `now` on with their whole time, as the event `begun` says, which servers before 0.3.0 have
    /// stored.
    pub(super) fn run_at_once(&mut self, now: Timestamp) {
        self.has_moved = [true; 2];
        self.first_move_until = None;
        self.view.since = now;
        let initial = self.control.initial_ms();
        for seat in Seat::BOTH {
            if let (Some(left), Some(initial)) = (self.left(seat), initial) {
                *left = initial;
            }
        }
    }

    /// True while the player to move has yet to make their first move. Nobody can lose the match then, except by
    /// resigning.
    pub(super) fn waits_for_first_move(&self) -> bool {
        self.first_move_until.is_some()
    }

    fn left(&mut self, seat: Seat) -> Option<&mut u64> {
        match seat {
            Seat::Creator => self.view.creator_ms.as_mut(),
            Seat::Joiner => self.view.joiner_ms.as_mut(),
        }
    }
}
