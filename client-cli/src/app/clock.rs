//! The server's time, and the time left on the players' clocks.
//!
//! The local clock may be wrong by hours; only elapsed time is taken from it.

use std::time::{Duration, Instant};

use fibfob_protocol::{Seat, Timestamp, millis};

use super::displayed_match::DisplayedMatch;

/// A clock shows tenths of a second below this, in milliseconds.
const TENTHS_BELOW_MS: u64 = 20_000;

/// The server's time, continued from one reading of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerClock {
    server_time: Timestamp,
    at: Instant,
}

impl ServerClock {
    pub fn new(server_time: Timestamp, at: Instant) -> Self {
        Self { server_time, at }
    }

    pub fn now(self, now: Instant) -> Timestamp {
        let gone = millis(now.saturating_duration_since(self.at));
        Timestamp(self.server_time.0.saturating_add(gone))
    }

    /// Returns the local time at which the server's time is `then`; none outside the range of `Instant`.
    pub fn instant(self, then: Timestamp) -> Option<Instant> {
        let ahead = then.0.saturating_sub(self.server_time.0);
        self.at.checked_add(Duration::from_millis(ahead))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockReading {
    /// The time left, in milliseconds.
    pub left_ms: u64,
    pub state: ClockState,
}

/// The meaning of the time that a clock shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockState {
    Stands,
    Runs,
    /// The time left for the player's first move. The clock itself does not run before it.
    FirstMove,
}

impl ClockReading {
    /// Returns `seat`'s clock at the server's time `now`; as last received, if the server's time is unknown;
    /// none if the seat has no clock.
    pub fn of(followed: &DisplayedMatch, seat: Seat, now: Option<Timestamp>) -> Option<Self> {
        let clocks = followed.view.clocks?;
        let left_before = clocks.left_ms(seat)?;
        let has_turn = followed.turn() == Some(seat);
        let (left_before, state) = match followed.first_move_until() {
            _ if !has_turn => (left_before, ClockState::Stands),
            Some(until) => {
                let first_move_ms = until.0.saturating_sub(clocks.since.0);
                (first_move_ms, ClockState::FirstMove)
            }
            None => (left_before, ClockState::Runs),
        };
        let gone = match now {
            Some(now) if has_turn => now.0.saturating_sub(clocks.since.0),
            _ => 0,
        };
        let left_ms = left_before.saturating_sub(gone);
        Some(Self { left_ms, state })
    }

    pub fn is_low(self) -> bool {
        self.state == ClockState::Runs && self.left_ms < TENTHS_BELOW_MS
    }

    /// The time until the displayed text changes, in milliseconds; none if it never does.
    pub fn changes_in(self) -> Option<u64> {
        let step = match self.left_ms {
            ..TENTHS_BELOW_MS => 100,
            _ => 1_000,
        };
        let changes = self.state != ClockState::Stands && self.left_ms > 0;
        changes.then_some(self.left_ms % step + 1)
    }
}

/// The displayed text of a clock: `4:32`, near the end `14.3 s`.
pub fn clock_text(left_ms: u64) -> String {
    match left_ms {
        ..TENTHS_BELOW_MS => format!("{}.{} s", left_ms / 1_000, left_ms % 1_000 / 100),
        _ => minutes(left_ms),
    }
}

/// A time in whole seconds: `0:42`, `1:02:03`, `2 d 3 h`.
pub fn minutes(millis: u64) -> String {
    let seconds = millis / 1_000;
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        1..24 => format!("{hours}:{minutes:02}:{seconds:02}"),
        _ => format!("{} d {} h", hours / 24, hours % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_servers_time_advances_with_the_local_clock_however_wrong_that_is() {
        let at = Instant::now();
        let time = ServerClock::new(Timestamp(1_000), at);
        let later = at + Duration::from_millis(250);
        assert_eq!(time.now(later), Timestamp(1_250));
        assert_eq!(time.instant(Timestamp(1_250)), Some(later));
        assert_eq!(time.instant(Timestamp(7)), Some(at), "a past time is now");
    }

    #[test]
    fn clocks_show_seconds_and_near_the_end_tenths() {
        assert_eq!(clock_text(300_000), "5:00");
        assert_eq!(clock_text(62_999), "1:02");
        assert_eq!(clock_text(20_000), "0:20");
        assert_eq!(clock_text(19_999), "19.9 s");
        assert_eq!(clock_text(99), "0.0 s");
        assert_eq!(minutes(3_723_000), "1:02:03");
        assert_eq!(minutes(7 * 86_400_000 + 3_600_000), "7 d 1 h");
    }

    #[test]
    fn a_running_clock_is_redrawn_exactly_when_its_text_changes() {
        let reading = |left_ms, state| ClockReading { left_ms, state };
        for left_ms in [300_000, 20_000, 19_999, 5_050, 1] {
            let after = reading(left_ms, ClockState::Runs).changes_in().unwrap();
            assert_eq!(
                clock_text(left_ms),
                clock_text(left_ms - (after - 1)),
                "{left_ms}"
            );
            if left_ms >= after {
                assert_ne!(
                    clock_text(left_ms),
                    clock_text(left_ms - after),
                    "{left_ms}"
                );
            }
        }
        assert_eq!(reading(0, ClockState::Runs).changes_in(), None);
        assert_eq!(reading(300_000, ClockState::Stands).changes_in(), None);
        let is_low = |state| reading(19_999, state).is_low();
        assert!(is_low(ClockState::Runs) && !is_low(ClockState::Stands));
    }
}
