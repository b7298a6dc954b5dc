//! The times at which a server ran: no player is charged for any other time.

use fibfob_protocol::{
    Event, FirstMove, FirstMover, MatchId, Record, Seat, Terms, TimeControl, Timestamp,
};

use crate::coverage::Coverage;
use crate::violation::Violation;

/// The time of a server without other options, in milliseconds: 30 days.
const ABANDONED_AFTER: u64 = 30 * 24 * 60 * 60 * 1_000;

/// The periods in which a server ran; the last one may not have ended.
#[derive(Clone, Debug)]
pub struct Uptime {
    periods: Vec<(Timestamp, Option<Timestamp>)>,
    /// The runs that ended, each as far as the server is known to have served; empty for one of
    /// which nothing is known.
    served: Vec<(Timestamp, Timestamp)>,
    /// The time without an event after which the server ends a match that its players have left, in
    /// milliseconds.
    abandoned_after: u64,
}

impl Default for Uptime {
    fn default() -> Self {
        Self::new(ABANDONED_AFTER)
    }
}

impl Uptime {
    /// No period, for a server with this time until the end of a match that was left, in
    /// milliseconds.
    #[must_use]
    pub fn new(abandoned_after: u64) -> Self {
        Self {
            periods: Vec::new(),
            served: Vec::new(),
            abandoned_after,
        }
    }

    /// Notes the start of a server. A time without any of `gap` milliseconds or less counts as if
    /// one had run.
    pub fn started_within(&mut self, gap: u64, at: Timestamp) {
        match self.periods.last_mut() {
            Some((_, end)) if end.is_some_and(|end| at.0 - end.0 <= gap) => *end = None,
            _ => self.started(at),
        }
    }

    /// Notes the start of a server.
    pub fn started(&mut self, at: Timestamp) {
        self.periods.push((at, None));
    }

    /// Notes the end of the running server.
    pub fn stopped(&mut self, at: Timestamp) {
        if let Some((_, end)) = self.periods.last_mut() {
            *end = Some(at);
        }
    }

    /// Notes a run that has ended, and the instants between which the server surely served.
    pub fn served(&mut self, from: Timestamp, until: Timestamp) {
        self.served.push((from, until));
    }

    /// The milliseconds between two instants at which the last run before the second one surely
    /// served: earlier runs are not known to a match that saw nothing of the last one.
    pub(crate) fn last_run_between(&self, from: Timestamp, to: Timestamp) -> u64 {
        let ended = |(_, until): &&(Timestamp, Timestamp)| *until <= to;
        let last = self.served.iter().rev().find(ended);
        last.map_or(0, |(began, until)| {
            until.0.saturating_sub(from.0.max(began.0))
        })
    }

    /// The milliseconds between two instants at which a server ran.
    pub(crate) fn between(&self, from: Timestamp, to: Timestamp) -> u64 {
        let ran = self.periods.iter().map(|(started, stopped)| {
            let stopped = stopped.unwrap_or(to).min(to);
            stopped.0.saturating_sub(from.0.max(started.0))
        });
        ran.sum()
    }

    /// A match that was left ended after enough time without an event.
    pub(crate) fn check_abandonment(&self, id: MatchId, log: &[Record]) -> Option<Violation> {
        let is_abandonment = |record: &Record| matches!(record.event, Event::Abandoned { .. });
        let place = log.iter().position(is_abandonment)?;
        let before = log.get(place.checked_sub(1)?)?;
        let idle = self.between(before.at, log[place].at);
        let abandoned_after = self.abandoned_after;
        (idle < abandoned_after).then_some(Violation::AbandonedTooEarly {
            id,
            idle,
            abandoned_after,
        })
    }

    /// A seat that lost on time had spent all of its time while a server ran.
    pub(crate) fn check(
        &self,
        id: MatchId,
        log: &[Record],
        coverage: &Coverage,
    ) -> Option<Violation> {
        let Event::Created { terms } = &log.first()?.event else {
            return None;
        };
        let (seat, at) = log.iter().rev().find_map(|record| match record.event {
            Event::TimedOut { seat } => Some((seat, record.at)),
            _ => None,
        })?;
        let (allowed, spent) = self.turns_of(seat, terms, log, at);
        coverage.count("loss on time checked against the uptime");
        (spent < allowed).then_some(Violation::DowntimeCharged {
            id,
            seat,
            allowed,
            spent,
        })
    }

    /// The time that a seat had, and what it had spent of it until `until`, in milliseconds.
    fn turns_of(&self, seat: Seat, terms: &Terms, log: &[Record], until: Timestamp) -> (u64, u64) {
        let mut turn = None;
        let mut since = Timestamp(0);
        let mut first = match terms.first.by() {
            FirstMover::Agreed(seat) => Some(seat),
            FirstMover::ChosenBy(_) => None,
        };
        let (mut moves, mut spent, mut increments) = (Vec::new(), 0, 0);
        // The clock of a seat does not run before its first move, also if that was taken back later.
        let mut runs = false;
        for record in log {
            if turn == Some(seat) && runs && record.at <= until {
                spent += self.between(since, record.at);
            }
            since = record.at;
            match &record.event {
                // Servers before 0.3.0 began to charge here.
                Event::ClocksStarted => (runs, spent, increments) = (true, 0, 0),
                Event::Chosen { first: chosen, .. } => first = Some(*chosen),
                Event::ChoiceLapsed => first = chooser(terms.first).map(Seat::other),
                Event::Moved { seat: mover, .. } => {
                    moves.push(*mover);
                    increments += u64::from(*mover == seat && runs);
                    runs |= *mover == seat;
                }
                Event::TakenBack { plies, .. } => {
                    let undone = usize::try_from(*plies).unwrap_or(usize::MAX);
                    moves.truncate(moves.len().saturating_sub(undone));
                }
                _ => {}
            }
            let complete = terms.joiner.is_some() || record.version.0 > 1;
            let mover = first.map(|first| match moves.len() % 2 {
                0 => first,
                _ => first.other(),
            });
            let next = mover.filter(|_| complete);
            let anew = matches!(record.event, Event::Moved { .. } | Event::TakenBack { .. });
            if matches!(terms.time, TimeControl::Move { .. }) && (anew || next != turn) {
                spent = 0;
            }
            turn = next;
        }
        let allowed = match terms.time {
            TimeControl::None => u64::MAX,
            TimeControl::Move { each_ms } => each_ms,
            TimeControl::Match {
                initial_ms,
                increment_ms,
            } => initial_ms + increments * increment_ms,
        };
        (allowed, spent)
    }
}

fn chooser(first: FirstMove) -> Option<Seat> {
    match first.by() {
        FirstMover::Agreed(_) => None,
        FirstMover::ChosenBy(seat) => Some(seat),
    }
}
