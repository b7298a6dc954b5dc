//! Exactly one winner, by the rule alone; and a perfect bot never gives a won position away.

use fibfob_games::{Convention, Level, Outcome, Position};
use fibfob_protocol::{EVENTS_MAX, EndReason, Event, Match, Phase, Player, Record, Seat};

use crate::coverage::Coverage;
use crate::reference::Reference;
use crate::violation::{Location, Violation};

/// Checks what a perfect bot did in the state `before` a record.
pub(crate) fn check_bot(
    before: Option<&Match>,
    record: &Record,
    coverage: &Coverage,
) -> Option<Violation> {
    let before = before?;
    let (Event::Moved { seat, .. } | Event::Chosen { seat, .. }) = &record.event else {
        return None;
    };
    let player = match seat {
        Seat::Creator => Some(&before.terms().creator),
        Seat::Joiner => before.joiner(),
    };
    let level = Level::Perfect;
    if player != Some(&Player::Bot { level }) {
        return None;
    }
    let position = before.position();
    let (kept, name) = match &record.event {
        Event::Chosen { first, .. } => {
            let outcome = position.outcome();
            let wins = outcome.is_none_or(|outcome| (outcome == Outcome::N) == (first == seat));
            (wins, "won start chosen by a perfect bot")
        }
        Event::Moved { text, .. } if position.outcome() == Some(Outcome::N) => {
            // A move that is none is reported by the replay.
            let played = position.read_move(text).ok()?;
            let after = position.play(&played).ok()?;
            let kept = after.outcome() == Some(Outcome::P);
            (kept, "won position kept by a perfect bot")
        }
        _ => return None,
    };
    if kept {
        coverage.count(name);
        return None;
    }
    Some(Violation::GivenAway {
        location: Location {
            id: before.id(),
            version: record.version,
        },
        position: position.to_string(),
    })
}

/// Counts the moves of a log anew and compares the winner and the reason of the end.
pub(crate) fn check_winner(reference: &Reference<'_>, coverage: &Coverage) -> Option<Violation> {
    let (id, end) = (reference.id, &reference.end);
    let movers = movers(reference.log)?;
    let longest = Position::read(end.terms().game, &end.terms().start)
        .ok()?
        .longest_play();
    if reference.log.len() as u64 > EVENTS_MAX || movers.len() as u128 > longest {
        return Some(Violation::TooLong { id });
    }
    let Phase::Over { winner, reason, .. } = end.phase() else {
        let stuck = end.position().is_terminal();
        return stuck.then_some(Violation::NoWinner { id });
    };
    coverage.count("match with a winner");
    let ended = reference.log.iter().find_map(|record| match &record.event {
        Event::Resigned { seat } => Some((seat.other(), EndReason::Resigned)),
        Event::TimedOut { seat } => Some((seat.other(), EndReason::OutOfTime)),
        Event::Abandoned { seat } => Some((seat.other(), EndReason::Abandoned)),
        Event::Claimed { seat } => Some((*seat, EndReason::Away)),
        _ => None,
    });
    let last = movers.last().map(|last| {
        let normal = end.terms().game.convention() == Convention::Normal;
        let winner = if normal { *last } else { last.other() };
        (winner, EndReason::NoMoveLeft)
    });
    let expected = ended.or(last);
    (expected != Some((*winner, *reason))).then(|| Violation::OtherWinner {
        id,
        found: format!("{:?}", (winner, reason)),
        expected: format!("{expected:?}"),
    })
}

/// The seats of the moves that stand, in order; none if more was taken back than was played.
fn movers(log: &[Record]) -> Option<Vec<Seat>> {
    let mut movers = Vec::new();
    for record in log {
        match &record.event {
            Event::Moved { seat, .. } => movers.push(*seat),
            Event::TakenBack { plies, .. } => {
                let undone = usize::try_from(*plies).ok()?;
                movers.truncate(movers.len().checked_sub(undone)?);
            }
            _ => {}
        }
    }
    Some(movers)
}

#[cfg(test)]
mod tests {
    use fibfob_protocol::{
        Code, FirstMoveRule, GuestId, MatchId, MatchSetup, Player, ServerDefaults, Start,
        Timestamp, Version,
    };
    use uuid::Uuid;

    use super::*;

    fn log(events: impl IntoIterator<Item = Event>) -> Vec<Record> {
        let player = |number| Player::Human {
            guest: GuestId(Uuid::from_u128(number)),
            name: "Ada".to_owned().try_into().expect("a name"),
        };
        let setup = MatchSetup {
            start: Start::Position("1".to_owned()),
            first: FirstMoveRule::Me,
            ..MatchSetup::new("nim")
        };
        let code: Code = "K7M2QX".parse().expect("a code");
        let defaults = ServerDefaults {
            expires_at: Timestamp(u64::MAX),
            grace_ms: 60_000,
        };
        let terms = setup.draw(player(1), code, defaults, &mut rand::rng());
        let terms = Box::new(terms.expect("a valid setup"));
        let player = player(2);
        let start = [Event::Created { terms }, Event::Joined { player }];
        let numbered = (1..).zip(start.into_iter().chain(events));
        let record = |(version, event)| Record {
            version: Version(version),
            at: Timestamp(version),
            command: None,
            event,
        };
        numbered.map(record).collect()
    }

    /// The match machine cannot be made to name a wrong winner, so that the state of one log is
    /// held against the events of another one.
    #[test]
    fn another_winner_than_by_the_moves_is_found() {
        let (seat, text) = (Seat::Creator, "take 1 from 1".to_owned());
        let won = log([Event::Moved {
            seat,
            text,
            charged_until: None,
        }]);
        let resigned = log([Event::Resigned { seat }]);
        let id = MatchId(Uuid::from_u128(7));
        let coverage = Coverage::default();
        for (own, other) in [(&won, &resigned), (&resigned, &won)] {
            let mut reference = Reference::replay(id, own, |_, _| ()).expect("a valid log");
            assert_eq!(check_winner(&reference, &coverage), None);
            let replayed = Reference::replay(id, other, |_, _| ());
            reference.end = replayed.expect("a valid log").end;
            let found = check_winner(&reference, &coverage);
            assert!(
                matches!(found, Some(Violation::OtherWinner { .. })),
                "{found:?}"
            );
        }
    }
}
