//! What has happened, in words: one line an event.

use fibfob_protocol::{Event, FirstMove, FirstMover, Seat, TimeControl, TimedEvent};

use super::{Line, Tone, conjugated, named, who};
use crate::session::clock::{Reading, told as left};
use crate::session::table::Table;
use crate::time_control;

/// What an event says; `newest` if the table shows the match right after it.
pub fn event(table: &Table, timed: &TimedEvent, newest: bool) -> Line {
    let view = &table.view;
    let tone = match &timed.event {
        Event::Created { .. } | Event::Moved { .. } => Tone::Visible,
        _ => Tone::Event,
    };
    let said = match &timed.event {
        Event::Created { terms } => {
            let first = first_move(table, terms.first);
            let clocks = match terms.time {
                TimeControl::None => String::new(),
                time => format!("; clocks {}", time_control::written(time)),
            };
            format!(
                "match {}: {} from {}; {first}{clocks}",
                terms.code, terms.game, terms.start
            )
        }
        Event::Joined { player } => match table.seat {
            Some(Seat::Joiner) => format!("you join {}", named(view, Seat::Creator)),
            _ => format!("{player} joins"),
        },
        Event::Moved { seat, text } => {
            let moved = format!("{}: {text}", who(table, *seat));
            if newest {
                format!("{moved} → {}{}", view.position, clocks(table))
            } else {
                moved
            }
        }
        Event::Chosen { seat, first } => {
            let chosen = conjugated(table, *seat, "choose", "chooses");
            match first == seat {
                true => format!("{chosen} to move first"),
                false => format!(
                    "{chosen} to move second; {} first",
                    conjugated(table, *first, "move", "moves")
                ),
            }
        }
        Event::ChoiceLapsed => match view.first.by() {
            FirstMover::Agreed(seat) => format!(
                "nothing was chosen in time; {} first",
                conjugated(table, seat, "move", "moves")
            ),
            FirstMover::ChosenBy(_) => "nothing was chosen in time".to_owned(),
        },
        Event::TimedOut { seat } => match table.seat == Some(*seat) {
            true => "your time has run out".to_owned(),
            false => format!("the time of {} has run out", named(view, *seat)),
        },
        Event::Claimed { seat } => {
            let claimed = conjugated(table, *seat, "claim", "claims");
            let away = conjugated(table, seat.other(), "were", "was");
            format!("{claimed} the match: {away} away for too long")
        }
        Event::TakebackOffered { seat } => {
            conjugated(table, *seat, "ask for a move back", "asks for a move back")
        }
        Event::TakenBack { seat, plies } => {
            let agreed = conjugated(table, *seat, "agree", "agrees");
            let back = match plies {
                1 => "1 move goes back".to_owned(),
                plies => format!("{plies} moves go back"),
            };
            match newest {
                true => format!("{agreed}: {back} → {}{}", view.position, clocks(table)),
                false => format!("{agreed}: {back}"),
            }
        }
        Event::TakebackDeclined { seat } => {
            let declined = conjugated(table, *seat, "do", "does");
            format!("{declined} not give the move back")
        }
        Event::Resumed { .. } => {
            "the server was started again; the time between is charged to nobody".to_owned()
        }
        Event::Resigned { seat } => conjugated(table, *seat, "resign", "resigns"),
        Event::Withdrawn => "the match was taken back before anybody joined".to_owned(),
        Event::Expired => "nobody joined in time; the match is closed".to_owned(),
        Event::RematchOffered { seat } => {
            let offered = conjugated(table, *seat, "offer a rematch", "offers a rematch");
            match table.seat == Some(seat.other()) {
                true => format!("{offered}: type `accept` to go on"),
                false => offered,
            }
        }
        Event::RematchAccepted { seat, next } => {
            let agreed = conjugated(table, *seat, "accept the rematch", "accepts the rematch");
            format!("{agreed}: match {}", next.code)
        }
    };
    Line::new(tone, format!("[{}] {said}", timed.version))
}

fn first_move(table: &Table, first: FirstMove) -> String {
    match first.by() {
        FirstMover::Agreed(seat) => {
            format!("{} first", conjugated(table, seat, "move", "moves"))
        }
        FirstMover::ChosenBy(seat) => {
            let chooses = conjugated(table, seat, "choose", "chooses");
            format!("{chooses} who begins")
        }
    }
}

/// What both clocks had left when the table's newest event happened.
fn clocks(table: &Table) -> String {
    let mut told = String::new();
    for seat in Seat::BOTH {
        let Some(reading) = Reading::of(table, seat, None) else {
            continue;
        };
        told.push_str(if told.is_empty() { "; clocks: " } else { ", " });
        told.push_str(&format!("{} {}", who(table, seat), left(reading.left_ms)));
    }
    told
}
