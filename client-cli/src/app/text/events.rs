//! The sentences about events, one line each.

use fibfob_protocol::{Event, FirstMove, FirstMover, Seat, Terms, TimeControl, TimedEvent};

use super::{OutputKind, OutputLine, capitalised, conjugated, counted, named, who};
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
    let tone = match &timed.event {
        Event::Created { .. } | Event::Moved { .. } => OutputKind::Visible,
        _ => OutputKind::Event,
    };
    let said = sentence(followed, &timed.event);
    let whole = match timed.event {
        Event::Moved { .. } | Event::TakenBack { .. } if newest => {
            format!("{said} → {}{}", followed.view.position, clocks(followed))
        }
        _ => said.clone(),
    };
    let (short, mover) = match (&timed.event, number) {
        (Event::Moved { seat, .. }, Some(number)) => (format!("{number}. {said}"), Some(*seat)),
        _ => (capitalised(&whole), None),
    };
    OutputLine {
        short: Some(short),
        mover,
        ..OutputLine::new(tone, format!("[{}] {whole}", timed.version))
    }
}

fn sentence(followed: &DisplayedMatch, event: &Event) -> String {
    let says = |seat: &Seat, you: &str, they: &str| conjugated(followed, *seat, you, they);
    match event {
        Event::Created { terms } => created(followed, terms),
        Event::Joined { player } => match followed.seat {
            Some(Seat::Joiner) => format!("you join {}", named(&followed.view, Seat::Creator)),
            _ => format!("{} joins", player_name(player)),
        },
        Event::Moved { seat, text, .. } => format!("{}: {text}", who(followed, *seat)),
        Event::Chosen { seat, first } if first == seat => {
            says(seat, "choose to move first", "chooses to move first")
        }
        Event::Chosen { seat, first } => {
            let chosen = says(seat, "choose", "chooses");
            format!("{chosen} to move second; {}", moves_first(followed, *first))
        }
        Event::ChoiceLapsed => match followed.view.first.by() {
            FirstMover::Agreed(seat) => {
                let moves = moves_first(followed, seat);
                format!("nothing was chosen in time; {moves}")
            }
            FirstMover::ChosenBy(_) => "nothing was chosen in time".to_owned(),
        },
        Event::TimedOut { seat } => match followed.seat == Some(*seat) {
            true => "your time has run out".to_owned(),
            false => format!("the time of {} has run out", named(&followed.view, *seat)),
        },
        Event::Abandoned { seat } => {
            let moved = says(seat, "have", "has");
            format!("both players had left for too long; {moved} not moved")
        }
        Event::Claimed { seat } => {
            let claimed = says(seat, "claim the match", "claims the match");
            let away = says(&seat.other(), "were", "was");
            format!("{claimed}: {away} away for too long")
        }
        Event::TakebackOffered { seat } => format!("{} for a move back", says(seat, "ask", "asks")),
        Event::TakenBack { seat, plies } => {
            let goes = if *plies == 1 { "goes" } else { "go" };
            let agreed = says(seat, "agree", "agrees");
            format!("{agreed}: {} {goes} back", counted(*plies, "move"))
        }
        Event::TakebackDeclined { seat } => {
            format!("{} not give the move back", says(seat, "do", "does"))
        }
        Event::Resumed { .. } => {
            "the server was started again; the time between is charged to nobody".to_owned()
        }
        Event::Resigned { seat } => says(seat, "resign", "resigns"),
        Event::Withdrawn => "the match was taken back before anybody joined".to_owned(),
        Event::Expired => "nobody joined in time; the match is closed".to_owned(),
        Event::RematchOffered { seat } => {
            let offers = says(seat, "offer", "offers");
            let hint = match followed.seat == Some(seat.other()) {
                true => ": type `accept` to go on",
                false => "",
            };
            format!("{offers} a rematch{hint}")
        }
        Event::RematchAccepted { seat, next } => {
            let agreed = says(seat, "accept the rematch", "accepts the rematch");
            format!("{agreed}: match {}", next.code)
        }
    }
}

fn created(followed: &DisplayedMatch, terms: &Terms) -> String {
    let first = first_move(followed, terms.first);
    let clocks = match terms.time {
        TimeControl::None => String::new(),
        time => format!("; clocks {}", time_control::written(time)),
    };
    let Terms {
        code, game, start, ..
    } = terms;
    format!("match {code}: {game} from {start}; {first}{clocks}")
}

fn moves_first(followed: &DisplayedMatch, seat: Seat) -> String {
    format!("{} first", conjugated(followed, seat, "move", "moves"))
}

fn first_move(followed: &DisplayedMatch, first: FirstMove) -> String {
    match first.by() {
        FirstMover::Agreed(seat) => moves_first(followed, seat),
        FirstMover::ChosenBy(seat) => {
            let chooses = conjugated(followed, seat, "choose", "chooses");
            format!("{chooses} who begins")
        }
    }
}

/// The time left on both clocks at the newest event.
fn clocks(followed: &DisplayedMatch) -> String {
    let clock = |seat| {
        let left = clock_text(ClockReading::of(followed, seat, None)?.left_ms);
        Some(format!("{} {left}", who(followed, seat)))
    };
    let clocks: Vec<String> = Seat::BOTH.into_iter().filter_map(clock).collect();
    match clocks.is_empty() {
        true => String::new(),
        false => format!("; clocks: {}", clocks.join(", ")),
    }
}
