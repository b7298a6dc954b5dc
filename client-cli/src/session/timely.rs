//! What is said because time passes: a clock that runs low, an absence that may be claimed.
//!
//! For plain lines; a screen shows the times themselves. When the screen is to be drawn anew
//! for that is told here, too.

use std::time::{Duration, Instant};

use fibfob_protocol::{PhaseView, Seat, Timestamp};

use super::clock::{Reading, minutes};
use super::table::Table;
use super::words::{self, Tone};
use super::{Effect, Session, say};

/// A running clock is spoken of when it comes below these, in milliseconds.
const SPOKEN_OF_BELOW_MS: [u64; 2] = [60_000, 10_000];

/// Something to say at its time.
#[derive(Debug, PartialEq, Eq)]
struct Notice {
    at: Timestamp,
    text: String,
}

impl Session {
    /// The server's time at `now`; none before it has told it.
    pub fn server_now(&self, now: Instant) -> Option<Timestamp> {
        self.server_time.map(|time| time.now(now))
    }

    /// When there is something to say though nothing is heard.
    pub fn wakes_at(&self) -> Option<Instant> {
        let next = self.notices().into_iter().min_by_key(|notice| notice.at)?;
        self.server_time?.instant(next.at)
    }

    /// It is `now`: what there is to say about that.
    pub fn woken(&mut self, now: Instant) -> Vec<Effect> {
        let Some(now) = self.server_now(now) else {
            return Vec::new();
        };
        let due = self.notices().into_iter().filter(|notice| notice.at <= now);
        let mut due: Vec<_> = due.collect();
        due.sort_by_key(|notice| notice.at);
        if let Some(newest) = due.last() {
            self.noticed = newest.at;
        }
        due.into_iter()
            .map(|notice| say(Tone::Note, notice.text))
            .collect()
    }

    /// When what a screen shows at `now` will have changed by the passing of time alone.
    pub fn redraws_at(&self, now: Instant) -> Option<Instant> {
        let (table, server) = (self.table.as_ref()?, self.server_now(now)?);
        let whole_second = |millis: u64| millis % 1_000;
        let clocks = Seat::BOTH.into_iter().filter_map(|seat| {
            let reading = Reading::of(table, seat, Some(server))?;
            reading.changes_in()
        });
        let choice = match table.view.phase {
            PhaseView::Choosing { until, .. } if until > server => {
                Some(whole_second(until.0 - server.0) + 1)
            }
            _ => None,
        };
        let away = table.away().map(|away| {
            let gone = server.0.saturating_sub(away.since.0);
            1_000 - whole_second(gone)
        });
        let soonest = clocks.chain(choice).chain(away).min()?;
        now.checked_add(Duration::from_millis(soonest))
    }

    /// All that is still to be said about the match as it stands.
    fn notices(&self) -> Vec<Notice> {
        let Some(table) = &self.table else {
            return Vec::new();
        };
        let all = running_low(table).into_iter().chain(may_be_claimed(table));
        all.filter(|notice| notice.at > self.noticed).collect()
    }
}

fn running_low(table: &Table) -> Vec<Notice> {
    let (Some(turn), Some(clocks)) = (table.turn(), table.view.clocks) else {
        return Vec::new();
    };
    let Some(left) = clocks.left_ms(turn) else {
        return Vec::new();
    };
    let has = match table.seat == Some(turn) {
        true => "you have".to_owned(),
        false => format!("{} has", words::who(table, turn)),
    };
    let below = SPOKEN_OF_BELOW_MS.into_iter().filter(|below| left > *below);
    below
        .map(|below| Notice {
            at: Timestamp(clocks.since.0.saturating_add(left - below)),
            text: words::capitalised(&format!("{has} {} left", minutes(below))),
        })
        .collect()
}

fn may_be_claimed(table: &Table) -> Option<Notice> {
    let away = table.away().filter(|_| table.seat.is_some())?;
    table.turn()?;
    let name = words::capitalised(&words::who(table, away.seat));
    let grace = table.view.grace_ms;
    Some(Notice {
        at: Timestamp(away.since.0.saturating_add(grace)),
        text: format!(
            "{name} has been away for {}: `claim` has the match",
            minutes(grace)
        ),
    })
}
