//! The server's time, the time left on the players' clocks, and the notices that depend on time alone:
//! a clock that runs low, an absence that may be claimed.
//!
//! The local clock may be wrong by hours; only elapsed time is taken from it. Plain lines print the
//! notices; a screen shows the times themselves, and learns here when to redraw.

use std::time::{Duration, Instant};

use fibfob_protocol::{PhaseView, Seat, Timestamp};

use super::displayed_match::DisplayedMatch;
use super::text::{self, OutputKind};
use super::{AppState, DisplayEffect, Effect, UserRole, say};

/// The time left below which a clock shows tenths of a second, in milliseconds.
const TENTHS_BELOW_MS: u64 = 20_000;

/// The server's time, continued from one reading of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerClock {
    server_time: Timestamp,
    at: Instant,
}

impl ServerClock {
    /// A clock that showed `server_time` at the local time `at`.
    pub fn new(server_time: Timestamp, at: Instant) -> Self {
        Self { server_time, at }
    }

    pub fn now(self, now: Instant) -> Timestamp {
        let gone = now.saturating_duration_since(self.at).as_millis();
        let gone = u64::try_from(gone).unwrap_or(u64::MAX);
        Timestamp(self.server_time.0.saturating_add(gone))
    }

    /// The local time at which the server's time is `then`; none beyond the range of `Instant`.
    pub fn instant(self, then: Timestamp) -> Option<Instant> {
        let ahead = then.0.saturating_sub(self.server_time.0);
        self.at.checked_add(Duration::from_millis(ahead))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockReading {
    /// The time left, in milliseconds.
    pub left_ms: u64,
    pub runs: bool,
}

impl ClockReading {
    /// The clock of `seat` at the server's time `now`, or as last received if that is unknown; none
    /// if the seat has no clock.
    pub fn of(followed: &DisplayedMatch, seat: Seat, now: Option<Timestamp>) -> Option<Self> {
        let clocks = followed.view.clocks?;
        let left_before = clocks.left_ms(seat)?;
        let runs = followed.turn() == Some(seat);
        let gone = match now {
            Some(now) if runs => now.0.saturating_sub(clocks.since.0),
            _ => 0,
        };
        let left_ms = left_before.saturating_sub(gone);
        Some(Self { left_ms, runs })
    }

    /// Returns true if the clock runs and is near its end.
    pub fn is_low(self) -> bool {
        self.runs && self.left_ms < TENTHS_BELOW_MS
    }

    /// The time until the displayed text changes, in milliseconds; none if it never does.
    pub fn changes_in(self) -> Option<u64> {
        let step = match self.left_ms {
            ..TENTHS_BELOW_MS => 100,
            _ => 1_000,
        };
        (self.runs && self.left_ms > 0).then_some(self.left_ms % step + 1)
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

/// The times left at which a running clock is announced, in milliseconds.
const ANNOUNCED_BELOW_MS: [u64; 2] = [60_000, 10_000];

/// A line to print at its time.
#[derive(Debug, PartialEq, Eq)]
struct Notice {
    at: Timestamp,
    text: String,
    calls: bool,
}

impl AppState {
    /// The server's time at `now`; none before its first greeting.
    pub fn server_now(&self, now: Instant) -> Option<Timestamp> {
        self.server_time.map(|time| time.now(now))
    }

    pub fn next_notice_at(&self) -> Option<Instant> {
        let next = self.notices().into_iter().min_by_key(|notice| notice.at)?;
        self.server_time?.instant(next.at)
    }

    pub fn notices_due(&mut self, now: Instant) -> Vec<Effect> {
        let Some(now) = self.server_now(now) else {
            return Vec::new();
        };
        let due = self.notices().into_iter().filter(|notice| notice.at <= now);
        let mut due: Vec<_> = due.collect();
        due.sort_by_key(|notice| notice.at);
        if let Some(newest) = due.last() {
            self.noticed = newest.at;
        }
        let personal = self.role == UserRole::Player(None);
        let mut effects = Vec::new();
        for notice in due {
            effects.push(say(OutputKind::Note, notice.text));
            if notice.calls && personal {
                effects.push(DisplayEffect::Call.into());
            }
        }
        effects
    }

    /// The time at which the screen as drawn at `now` is out of date without any event.
    pub fn redraws_at(&self, now: Instant) -> Option<Instant> {
        let (followed, server) = (self.followed.as_ref()?, self.server_now(now)?);
        let whole_second = |millis: u64| millis % 1_000;
        let clocks = Seat::BOTH.into_iter().filter_map(|seat| {
            let reading = ClockReading::of(followed, seat, Some(server))?;
            reading.changes_in()
        });
        let choice = match followed.view.phase {
            PhaseView::Choosing { until, .. } if until > server => {
                Some(whole_second(until.0 - server.0) + 1)
            }
            _ => None,
        };
        let away = followed.away().map(|away| {
            let gone = server.0.saturating_sub(away.since.0);
            1_000 - whole_second(gone)
        });
        let soonest = clocks.chain(choice).chain(away).min()?;
        now.checked_add(Duration::from_millis(soonest))
    }

    /// The coming notices about the match in its present state.
    fn notices(&self) -> Vec<Notice> {
        let Some(followed) = &self.followed else {
            return Vec::new();
        };
        let all = running_low(followed)
            .into_iter()
            .chain(may_be_claimed(followed));
        all.filter(|notice| notice.at > self.noticed).collect()
    }
}

fn running_low(followed: &DisplayedMatch) -> Vec<Notice> {
    let (Some(turn), Some(clocks)) = (followed.turn(), followed.view.clocks) else {
        return Vec::new();
    };
    let Some(left) = clocks.left_ms(turn) else {
        return Vec::new();
    };
    let has = match followed.seat == Some(turn) {
        true => "you have".to_owned(),
        false => format!("{} has", text::who(followed, turn)),
    };
    let below = ANNOUNCED_BELOW_MS.into_iter().filter(|below| left > *below);
    below
        .map(|below| Notice {
            at: Timestamp(clocks.since.0.saturating_add(left - below)),
            text: text::capitalised(&format!("{has} {} left", minutes(below))),
            calls: false,
        })
        .collect()
}

fn may_be_claimed(followed: &DisplayedMatch) -> Option<Notice> {
    let away = followed.away().filter(|_| followed.seat.is_some())?;
    followed.turn()?;
    let name = text::capitalised(&text::who(followed, away.seat));
    let grace = followed.view.grace_ms;
    Some(Notice {
        at: Timestamp(away.since.0.saturating_add(grace)),
        text: format!(
            "{name} has been away for {}: `claim` has the match",
            minutes(grace)
        ),
        calls: true,
    })
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
        let reading = |left_ms, runs| ClockReading { left_ms, runs };
        for left_ms in [300_000, 20_000, 19_999, 5_050, 1] {
            let after = reading(left_ms, true).changes_in().unwrap();
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
        assert_eq!(reading(0, true).changes_in(), None);
        assert_eq!(reading(300_000, false).changes_in(), None);
        assert!(reading(19_999, true).is_low() && !reading(19_999, false).is_low());
    }
}
