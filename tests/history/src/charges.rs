//! The clocks, event by event: each charge follows from the log, is no longer than the time in which
//! a server ran, and a kill gives back no more than is promised.

use fibfob_protocol::{
    ClocksView, Event, MatchView, PhaseView, Record, Seat, TimeControl, Timestamp,
};

use crate::coverage::Coverage;
use crate::reference::{Reference, version_at};
use crate::uptime::Uptime;
use crate::violation::Violation;

/// The time that a kill may give back to the player to move, in milliseconds, as PROTOCOL.md states
/// it for a server with matches in memory.
const KILL_GIVES_BACK_MS: u64 = 3_000;

/// Checks every charge of one match.
pub(crate) fn check(
    reference: &Reference<'_>,
    uptime: Option<&Uptime>,
    coverage: &Coverage,
    violations: &mut Vec<Violation>,
) {
    let control = reference.end.terms().time;
    let pairs = reference.log.windows(2).zip(reference.views.windows(2));
    for (index, (records, views)) in pairs.enumerate() {
        let ([_, record], [old, new]) = (records, views) else {
            continue;
        };
        let Some(charge) = Charge::of(record, old) else {
            continue;
        };
        coverage.count("charge of a clock checked");
        if matches!(
            record.event,
            Event::Moved {
                charged_until: Some(_),
                ..
            }
        ) {
            coverage.count("charge by a late server checked");
        }
        let version = version_at(index + 1);
        let expected = charge.clocks_after(control, &record.event);
        let found = new.clocks;
        if found != Some(expected) {
            violations.push(Violation::OtherClocks {
                id: reference.id,
                version,
                found: format!("{found:?}"),
                expected: format!("{expected:?}"),
            });
        }
        let Some(uptime) = uptime else { continue };
        // Nothing is charged for a first move, so there is nothing to hold against the uptime.
        if charge.is_first_move {
            continue;
        }
        let spent = charge.spent.min(charge.left);
        let ran = uptime.between(charge.since, charge.until);
        // A loss on time is judged by `uptime`, over the whole turn.
        if spent > ran && !matches!(record.event, Event::TimedOut { .. }) {
            violations.push(Violation::ChargedTooMuch {
                id: reference.id,
                version,
                spent,
                ran,
            });
        }
        if matches!(record.event, Event::Resumed { .. }) {
            let known = uptime.last_run_between(charge.since, charge.until);
            let known = known.min(charge.left);
            coverage.count("charge over a restart checked");
            coverage.add(
                "milliseconds given back by kills",
                known.saturating_sub(spent),
            );
            if spent + KILL_GIVES_BACK_MS < known {
                violations.push(Violation::ChargedTooLittle {
                    id: reference.id,
                    version,
                    spent,
                    known,
                });
            }
        }
    }
}

/// The charge of one event.
struct Charge {
    seat: Seat,
    clocks: ClocksView,
    /// The time that the seat had, in milliseconds.
    left: u64,
    /// True if the seat had yet to make its first move, before which its clock does not run.
    is_first_move: bool,
    /// The time that the event charges, in milliseconds.
    spent: u64,
    /// The instants from which, and until which, it is charged.
    since: Timestamp,
    until: Timestamp,
}

impl Charge {
    /// The charge of `record`, the one after the state `old`; none if no clock ran.
    fn of(record: &Record, old: &MatchView) -> Option<Self> {
        let PhaseView::Playing {
            turn: seat,
            first_move_until,
            ..
        } = old.phase
        else {
            return None;
        };
        let clocks = old.clocks?;
        let left = clocks.left_ms(seat)?;
        let since = clocks.since;
        let (spent, until) = match record.event {
            Event::Resumed { down_since, since } => (down_since.unwrap_or(Timestamp(0)), since),
            Event::TimedOut { .. } => (Timestamp(since.0.saturating_add(left)), record.at),
            Event::Moved {
                charged_until: Some(until),
                ..
            } => (until.min(record.at), record.at),
            // The clocks are gone with the match, or begin anew in a log of a server before 0.3.0.
            Event::Stopped { .. } | Event::FirstMoveMissed { .. } | Event::ClocksStarted => {
                return None;
            }
            Event::Claimed { .. } if first_move_until.is_some() => return None,
            // The clock runs on.
            Event::TakebackOffered { .. } | Event::TakebackDeclined { .. } => (since, since),
            _ => (record.at, record.at),
        };
        Some(Self {
            seat,
            clocks,
            left,
            is_first_move: first_move_until.is_some(),
            spent: spent.0.saturating_sub(since.0),
            since,
            until,
        })
    }

    /// The clocks after an event with this charge.
    fn clocks_after(&self, control: TimeControl, event: &Event) -> ClocksView {
        let left = match self.is_first_move {
            true => self.left,
            false => self.left.saturating_sub(self.spent),
        };
        let left = match (control, event) {
            (TimeControl::Match { .. }, _) if self.is_first_move => left,
            (TimeControl::Match { increment_ms, .. }, Event::Moved { .. }) => left + increment_ms,
            (TimeControl::Move { each_ms }, Event::Moved { .. } | Event::TakenBack { .. }) => {
                each_ms
            }
            _ => left,
        };
        let mut clocks = self.clocks;
        clocks.since = self.until;
        match self.seat {
            Seat::Creator => clocks.creator_ms = Some(left),
            Seat::Joiner => clocks.joiner_ms = Some(left),
        }
        clocks
    }
}
