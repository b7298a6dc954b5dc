//! When a server ran: no player is charged for any other time.

use fibfob_protocol::{Event, FirstMove, FirstMover, Record, Seat, Terms, TimeControl, Timestamp};

/// From when to when each server ran; the last one may run still.
#[derive(Default)]
pub(super) struct Uptime(Vec<(Timestamp, Option<Timestamp>)>);

impl Uptime {
    pub(super) fn first(&mut self, at: Timestamp) {
        self.0.push((at, None));
    }

    pub(super) fn ends(&mut self, at: Timestamp) {
        if let Some((_, end)) = self.0.last_mut() {
            *end = Some(at);
        }
    }

    /// How many milliseconds a server ran between two instants.
    fn between(&self, from: Timestamp, to: Timestamp) -> u64 {
        let ran = self.0.iter().map(|(begun, ended)| {
            let ended = ended.unwrap_or(to).min(to);
            ended.0.saturating_sub(from.0.max(begun.0))
        });
        ran.sum()
    }

    /// Whoever ran out of time had all of theirs while a server ran. Whether somebody did.
    pub(super) fn holds(&self, log: &[Record]) -> bool {
        let Some(Event::Created { terms }) = log.first().map(|record| &record.event) else {
            return false;
        };
        let Some((Event::TimedOut { seat }, at)) = log
            .iter()
            .rev()
            .map(|record| (&record.event, record.at))
            .find(|(event, _)| matches!(event, Event::TimedOut { .. }))
        else {
            return false;
        };
        let (had, spent) = self.turns_of(*seat, terms, log, at);
        assert!(
            spent >= had,
            "{}: the {seat} had {had} ms, and lost by time after {spent} ms",
            terms.code
        );
        true
    }

    /// What a seat had, and what it has spent of it until `until`, in milliseconds.
    fn turns_of(&self, seat: Seat, terms: &Terms, log: &[Record], until: Timestamp) -> (u64, u64) {
        let mut turn = None;
        let mut since = Timestamp(0);
        let mut first = first(terms.first);
        let (mut moves, mut spent) = (Vec::new(), 0);
        let mut increments = 0;
        for record in log {
            if turn == Some(seat) && record.at <= until {
                spent += self.between(since, record.at);
            }
            since = record.at;
            match &record.event {
                Event::Chosen { first: chosen, .. } => first = Some(*chosen),
                Event::ChoiceLapsed => {
                    first = chooser(terms.first).map(Seat::other);
                }
                Event::Moved { seat: mover, .. } => {
                    moves.push(*mover);
                    if *mover == seat {
                        increments += 1;
                    }
                }
                Event::TakenBack { plies, .. } => {
                    let undone = usize::try_from(*plies).expect("one or two");
                    moves.truncate(moves.len() - undone);
                }
                _ => {}
            }
            let both_are_there = terms.joiner.is_some() || record.version.0 > 1;
            let mover = first.map(|first| match moves.len() % 2 {
                0 => first,
                _ => first.other(),
            });
            let turned = mover.filter(|_| both_are_there);
            let anew = matches!(record.event, Event::Moved { .. } | Event::TakenBack { .. });
            if matches!(terms.time, TimeControl::Move { .. }) && (anew || turned != turn) {
                spent = 0;
            }
            turn = turned;
        }
        let had = match terms.time {
            TimeControl::None => u64::MAX,
            TimeControl::Move { each_ms } => each_ms,
            TimeControl::Match {
                initial_ms,
                increment_ms,
            } => initial_ms + increments * increment_ms,
        };
        (had, spent)
    }
}

fn first(first: FirstMove) -> Option<Seat> {
    match first.by() {
        FirstMover::Agreed(seat) => Some(seat),
        FirstMover::ChosenBy(_) => None,
    }
}

fn chooser(first: FirstMove) -> Option<Seat> {
    match first.by() {
        FirstMover::Agreed(_) => None,
        FirstMover::ChosenBy(seat) => Some(seat),
    }
}
