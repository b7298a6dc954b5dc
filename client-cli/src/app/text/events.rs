//! The sentences about events, one line each.

use fibfob_protocol::{Event, FirstMove, FirstMover, Seat, TimeControl, TimedEvent};

use super::{OutputKind, OutputLine, capitalised, conjugated, named, who};
use crate::app::clock::{ClockReading, clock_text};
use crate::app::displayed_match::DisplayedMatch;
use crate::names::player_name;
use crate::time_control;

/// The line about an event; `newest` if `followed` is the match right after it, `number` that of the
/// move it made.
pub fn event(
    followed: &DisplayedMatch,
    timed: &TimedEvent,
    newest: bool,
    number: Option<u64>,
) -> OutputLine {
    let view = &followed.view;
    let tone = match &timed.event {
        Event::Created { .. } | Event::Moved { .. } => OutputKind::Visible,
        _ => OutputKind::Event,
    };
    let said = match &timed.event {
        Event::Created { terms } => {
            let first = first_move(followed, terms.first);
            let clocks = match terms.time {
                TimeControl::None => String::new(),
                time => format!("; clocks {}", time_control::written(time)),
            };
            format!(
                "match {}: {} from {}; {first}{clocks}",
                terms.code, terms.game, terms.start
            )
        }
        Event::Joined { player } => match followed.seat {
            Some(Seat::Joiner) => format!("you join {}", named(view, Seat::Creator)),
            _ => format!("{} joins", player_name(player)),
        },
        Event::Moved { seat, text, .. } => {
            let moved = format!("{}: {text}", who(followed, *seat));
            if newest {
                format!("{moved} → {}{}", view.position, clocks(followed))
            } else {
                moved
            }
        }
        Event::Chosen { seat, first } => {
            let chosen = conjugated(followed, *seat, "choose", "chooses");
            match first == seat {
                true => format!("{chosen} to move first"),
                false => format!(
                    "{chosen} to move second; {} first",
                    conjugated(followed, *first, "move", "moves")
                ),
            }
        }
        Event::ChoiceLapsed => match view.first.by() {
            FirstMover::Agreed(seat) => format!(
                "nothing was chosen in time; {} first",
                conjugated(followed, seat, "move", "moves")
            ),
            FirstMover::ChosenBy(_) => "nothing was chosen in time".to_owned(),
        },
        Event::TimedOut { seat } => match followed.seat == Some(*seat) {
            true => "your time has run out".to_owned(),
            false => format!("the time of {} has run out", named(view, *seat)),
        },
        Event::Abandoned { seat } => {
            let moved = conjugated(followed, *seat, "have", "has");
            format!("both players had left for too long; {moved} not moved")
        }
        Event::Claimed { seat } => {
            let claimed = conjugated(followed, *seat, "claim", "claims");
            let away = conjugated(followed, seat.other(), "were", "was");
            format!("{claimed} the match: {away} away for too long")
        }
        Event::TakebackOffered { seat } => conjugated(
            followed,
            *seat,
            "ask for a move back",
            "asks for a move back",
        ),
        Event::TakenBack { seat, plies } => {
            let agreed = conjugated(followed, *seat, "agree", "agrees");
            let back = match plies {
                1 => "1 move goes back".to_owned(),
                plies => format!("{plies} moves go back"),
            };
            match newest {
                true => format!("{agreed}: {back} → {}{}", view.position, clocks(followed)),
                false => format!("{agreed}: {back}"),
            }
        }
        Event::TakebackDeclined { seat } => {
            let declined = conjugated(followed, *seat, "do", "does");
            format!("{declined} not give the move back")
        }
        Event::Resumed { .. } => {
            "the server was started again; the time between is charged to nobody".to_owned()
        }
        Event::Resigned { seat } => conjugated(followed, *seat, "resign", "resigns"),
        Event::Withdrawn => "the match was taken back before anybody joined".to_owned(),
        Event::Expired => "nobody joined in time; the match is closed".to_owned(),
        Event::RematchOffered { seat } => {
            let offered = conjugated(followed, *seat, "offer a rematch", "offers a rematch");
            match followed.seat == Some(seat.other()) {
                true => format!("{offered}: type `accept` to go on"),
                false => offered,
            }
        }
        Event::RematchAccepted { seat, next } => {
            let agreed = conjugated(followed, *seat, "accept the rematch", "accepts the rematch");
            format!("{agreed}: match {}", next.code)
        }
    };
    let (short, mover) = match (&timed.event, number) {
        (Event::Moved { seat, text, .. }, Some(number)) => {
            let name = who(followed, *seat);
            (format!("{number}. {name}: {text}"), Some(*seat))
        }
        _ => (capitalised(&said), None),
    };
    OutputLine {
        short: Some(short),
        mover,
        ..OutputLine::new(tone, format!("[{}] {said}", timed.version))
    }
}

fn first_move(followed: &DisplayedMatch, first: FirstMove) -> String {
    match first.by() {
        FirstMover::Agreed(seat) => {
            format!("{} first", conjugated(followed, seat, "move", "moves"))
        }
        FirstMover::ChosenBy(seat) => {
            let chooses = conjugated(followed, seat, "choose", "chooses");
            format!("{chooses} who begins")
        }
    }
}

/// The time left on both clocks at the newest event.
fn clocks(followed: &DisplayedMatch) -> String {
    let mut text = String::new();
    for seat in Seat::BOTH {
        let Some(reading) = ClockReading::of(followed, seat, None) else {
            continue;
        };
        text.push_str(if text.is_empty() { "; clocks: " } else { ", " });
        text.push_str(&format!(
            "{} {}",
            who(followed, seat),
            clock_text(reading.left_ms)
        ));
    }
    text
}
