//! What people are told, in words: the only place that puts a match into sentences.

mod events;

use fibfob_games::Convention;
use fibfob_protocol::{CloseReason, Code, EndReason, MatchView, PhaseView, Player, Seat};

use super::table::Table;
use crate::legal;
use fibfob_client::ServerUrl;

pub use events::event;

/// What kind of thing is said, for the screen to give it its place and colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Something happened that a screen shows by itself: the match began, a move was made.
    Visible,
    /// Something else happened in the match.
    Event,
    /// Somebody said something beside the match.
    Chat,
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
pub fn named(view: &MatchView, seat: Seat) -> String {
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
            "you choose: `first` makes the first move, `second` leaves it to the other player"
                .to_owned(),
        ),
        PhaseView::Playing {
            takeback: Some(by), ..
        } if table.seat == Some(by.other()) => {
            let name = named(&table.view, *by);
            Some(format!(
                "does {name} get the move back? `yes` or `no`; your next move says no, too"
            ))
        }
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
