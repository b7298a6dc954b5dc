//! What people are told, in words: the only place that puts a match into sentences.

use fibfob_games::Convention;
use fibfob_protocol::{
    Beginner, CloseReason, Code, EndReason, Event, FirstMove, GuestId, Happening, PhaseView,
    Phrase, Player, Room, Said, Saying, Seat, View,
};

use super::table::Table;
use crate::address::ServerUrl;
use crate::legal;

/// What kind of thing is said, for the screen to give it its place and colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Something happened that a screen shows by itself: the match began, a move was made.
    Visible,
    /// Something else happened in the match.
    Event,
    /// Somebody said something beside the match.
    Talk,
    /// Something that helps.
    Note,
    /// What can be done now; a screen shows that all the time.
    Prompt,
    /// Something was not done.
    Refusal,
    /// The line or the server has a problem.
    Trouble,
    /// How it ended.
    Result,
}

/// Something said to people, on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its kind.
    pub tone: Tone,
    /// Its text.
    pub text: String,
}

impl Line {
    /// Something of this tone.
    pub fn new(tone: Tone, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { tone, text }
    }
}

/// Who sits in a seat: "you", or their name, with the seat where the name alone does not tell.
pub fn who(table: &Table, seat: Seat) -> String {
    if table.seat == Some(seat) {
        return "you".to_owned();
    }
    named(&table.view, seat)
}

/// Who sits in a seat, "you" or not.
pub fn named(view: &View, seat: Seat) -> String {
    let name = |seat| view.players.get(seat).map(Player::to_string);
    match (name(seat), name(seat.other())) {
        (None, _) => format!("the {seat}"),
        (Some(name), Some(other)) if name == other => format!("{name} ({seat})"),
        (Some(name), _) => name,
    }
}

/// The line that somebody types to take the free seat.
pub fn invitation(code: Code, server: &ServerUrl) -> String {
    format!("fibfob play --join {code}{}", at(server))
}

/// The line that brings a player back.
pub fn comeback(code: Code, seat: Seat, server: &ServerUrl) -> String {
    // Both seats may have been taken on one machine, as in a demonstration.
    format!("fibfob play --resume {code} --seat {seat}{}", at(server))
}

fn at(server: &ServerUrl) -> String {
    if *server == ServerUrl::default() {
        String::new()
    } else {
        format!(" --server {}", server.short())
    }
}

/// What an event says; `newest` if the table shows the match right after it.
pub fn event(table: &Table, happening: &Happening, newest: bool) -> Line {
    let view = &table.view;
    let tone = match &happening.event {
        Event::Created { .. } | Event::Moved { .. } => Tone::Visible,
        _ => Tone::Event,
    };
    let said = match &happening.event {
        Event::Created { terms } => format!(
            "match {}: {} from {}; {}",
            terms.code,
            terms.game,
            terms.start,
            first_move(table, terms.begins),
        ),
        Event::Joined { player } => match table.seat {
            Some(Seat::Joiner) => format!("you join {}", named(view, Seat::Creator)),
            _ => format!("{player} joins"),
        },
        Event::Moved { seat, text } => {
            let moved = format!("{}: {text}", who(table, *seat));
            if newest {
                format!("{moved} → {}", view.position)
            } else {
                moved
            }
        }
        Event::Chosen { seat, begins } => {
            let chosen = conjugated(table, *seat, "choose", "chooses");
            match begins == seat {
                true => format!("{chosen} to begin"),
                false => format!(
                    "{chosen} to answer; {} first",
                    conjugated(table, *begins, "move", "moves")
                ),
            }
        }
        Event::ChoiceLapsed => match view.begins.by() {
            Beginner::Agreed(seat) => format!(
                "nothing was chosen in time; {} first",
                conjugated(table, seat, "move", "moves")
            ),
            Beginner::ChosenBy(_) => "nothing was chosen in time".to_owned(),
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
            let asked = conjugated(table, *seat, "ask for a move back", "asks for a move back");
            match table.seat == Some(seat.other()) {
                true => format!("{asked}: type `yes` or `no`; your next move says no, too"),
                false => asked,
            }
        }
        Event::TakenBack { seat, plies } => {
            let agreed = conjugated(table, *seat, "agree", "agrees");
            let back = match plies {
                1 => "1 move goes back".to_owned(),
                plies => format!("{plies} moves go back"),
            };
            match newest {
                true => format!("{agreed}: {back} → {}", view.position),
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
    Line::new(tone, format!("[{}] {said}", happening.version))
}

/// Something said beside the match: where, by whom, what.
pub fn said(room: Room, said: &Said, me: Option<GuestId>) -> String {
    let room = match room {
        Room::Players => "players",
        Room::Spectators => "spectators",
    };
    let who = match me == Some(said.guest) {
        true => "you".to_owned(),
        false => said.name.to_string(),
    };
    let what = match &said.saying {
        Saying::Phrase(phrase) => phrase_text(*phrase).to_owned(),
        Saying::Text(text) => String::from(text.clone()),
    };
    format!("({room}) {who}: {what}")
}

/// A fixed phrase as it is read.
pub fn phrase_text(phrase: Phrase) -> &'static str {
    match phrase {
        Phrase::Hello => "Hello!",
        Phrase::GoodLuck => "Good luck!",
        Phrase::WellPlayed => "Well played!",
        Phrase::Oh => "Oh!",
        Phrase::OneMoment => "One moment, please.",
        Phrase::Sorry => "Sorry!",
        Phrase::Thanks => "Thank you!",
        Phrase::Again => "Another match?",
        Phrase::Bye => "Goodbye!",
    }
}

fn first_move(table: &Table, begins: FirstMove) -> String {
    match begins.by() {
        Beginner::Agreed(seat) => {
            format!("{} first", conjugated(table, seat, "move", "moves"))
        }
        Beginner::ChosenBy(seat) => {
            let chooses = conjugated(table, seat, "choose", "chooses");
            format!("{chooses} who begins")
        }
    }
}

fn conjugated(table: &Table, seat: Seat, you: &str, they: &str) -> String {
    let verb = if table.seat == Some(seat) { you } else { they };
    format!("{} {verb}", who(table, seat))
}

/// How the match ended, if it has.
pub fn verdict(table: &Table) -> Option<String> {
    match &table.view.phase {
        PhaseView::Over { winner, reason, .. } => Some(won(table, *winner, *reason)),
        PhaseView::Closed { reason } => Some(match reason {
            CloseReason::Withdrawn => "The match was taken back; nobody played.".to_owned(),
            CloseReason::Expired => "Nobody joined in time; nobody played.".to_owned(),
        }),
        PhaseView::Open | PhaseView::Choosing { .. } | PhaseView::Playing { .. } => None,
    }
}

fn won(table: &Table, winner: Seat, reason: EndReason) -> String {
    let wins = conjugated(table, winner, "win", "wins");
    let erased = conjugated(table, winner.other(), "are", "is");
    let why = match (reason, table.view.game.convention()) {
        (EndReason::Resigned, _) => "resigned",
        (EndReason::OutOfTime, _) => "out of time",
        (EndReason::Away, _) => "away for too long",
        (EndReason::NoMoveLeft, Convention::Normal) => "no move left",
        (EndReason::NoMoveLeft, Convention::Misere) => "in this game who cannot move wins",
    };
    let plies = match table.view.plies {
        1 => "1 move".to_owned(),
        plies => format!("{plies} moves"),
    };
    let text = format!("{wins}: {erased} erased from reality ({why}, after {plies}).");
    capitalised(&text)
}

/// What the user can do now, where that needs saying.
pub fn prompt(table: &Table, server: &ServerUrl) -> Option<String> {
    match &table.view.phase {
        PhaseView::Open if table.seat == Some(Seat::Creator) => Some(format!(
            "waiting for the other seat; a friend types: {}   (or opens {})",
            invitation(table.code, server),
            server.page(table.code)
        )),
        PhaseView::Choosing { chooser, .. } if table.seat == Some(*chooser) => Some(
            "you choose: `begin` makes the first move, `answer` lets the other one make it"
                .to_owned(),
        ),
        PhaseView::Playing { legal, .. } if table.is_our_turn() => {
            let count = table.position().and_then(|it| it.legal_moves().count());
            let count = count.map_or_else(String::new, |count| format!(" ({count})"));
            Some(format!("your move{count}: {}", legal::compact(legal)))
        }
        _ => None,
    }
}

/// The text with its first letter in upper case.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}
