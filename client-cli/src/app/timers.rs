//! Notices that depend on time only: a clock that runs low, an absence that may be claimed.
//!
//! Plain lines print them. A screen shows the times themselves, and learns here when to redraw.

use std::time::{Duration, Instant};

use fibfob_protocol::{PhaseView, Seat, Timestamp};

use super::clock::{ClockReading, minutes};
use super::displayed_match::DisplayedMatch;
use super::text::{self, OutputKind};
use super::{AppState, DisplayEffect, Effect, UserRole, say};

/// A running clock is announced when it falls below these times, in milliseconds.
const ANNOUNCED_BELOW_MS: [u64; 2] = [60_000, 10_000];

#[derive(Debug, PartialEq, Eq)]
struct Reminder {
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

    /// Returns when the screen as drawn at `now` becomes outdated without any event.
    pub fn redraws_at(&self, now: Instant) -> Option<Instant> {
        let (followed, server) = (self.followed.as_ref()?, self.server_now(now)?);
        let clocks = Seat::BOTH.into_iter().filter_map(|seat| {
            let reading = ClockReading::of(followed, seat, Some(server))?;
            reading.changes_in()
        });
        let choice = match followed.view.phase {
            PhaseView::Choosing { until, .. } if until > server => {
                Some((until.0 - server.0) % 1_000 + 1)
            }
            _ => None,
        };
        let away = followed.away().map(|away| {
            let gone = server.0.saturating_sub(away.since.0);
            1_000 - gone % 1_000
        });
        let soonest = clocks.chain(choice).chain(away).min()?;
        now.checked_add(Duration::from_millis(soonest))
    }

    fn notices(&self) -> Vec<Reminder> {
        let followed = self.followed.iter();
        let all = followed.flat_map(|it| running_low(it).into_iter().chain(may_be_claimed(it)));
        all.filter(|notice| notice.at > self.noticed).collect()
    }
}

fn running_low(followed: &DisplayedMatch) -> Vec<Reminder> {
    let (Some(turn), Some(clocks)) = (followed.turn(), followed.view.clocks) else {
        return Vec::new();
    };
    let Some(left) = clocks.left_ms(turn) else {
        return Vec::new();
    };
    let (left, what) = match followed.first_move_until() {
        Some(until) => (
            until.0.saturating_sub(clocks.since.0),
            " for the first move",
        ),
        None => (left, ""),
    };
    let has = text::conjugate(followed, turn, "have", "has");
    let below = ANNOUNCED_BELOW_MS.into_iter().filter(|below| left > *below);
    below
        .map(|below| Reminder {
            at: Timestamp(clocks.since.0.saturating_add(left - below)),
            text: text::capitalise(&format!("{has} {} left{what}", minutes(below))),
            calls: false,
        })
        .collect()
}

fn may_be_claimed(followed: &DisplayedMatch) -> Option<Reminder> {
    let away = followed.away().filter(|_| followed.seat.is_some())?;
    followed.turn()?;
    let name = text::capitalise(&text::who(followed, away.seat));
    let grace = followed.view.grace_ms;
    Some(Reminder {
        at: Timestamp(away.since.0.saturating_add(grace)),
        text: format!(
            "{name} has been away for {}: `claim` {}",
            minutes(grace),
            followed.claim_effect()
        ),
        calls: true,
    })
}
