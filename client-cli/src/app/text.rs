//! The sentences about a match; no other module has any.

use std::time::Duration;

use fibfob_client::{ServerUrl, StopReason};
use fibfob_games::Convention;
use fibfob_protocol::{
    CloseReason, Code, EndReason, Event, FirstMover, MatchView, PhaseView, Player, PlayerName,
    Seat, Terms, TimedEvent,
};

use super::clock::{ClockReading, ClockState, clock_text};
use super::displayed_match::{DisplayedMatch, MatchQuestion};
use crate::names::seat_name;
use crate::{legal, moves, time_control};

/// The ways to go on without a server, said after the sentence that none answers.
const NO_SERVER_HINT: &str = "; start one with `fibfob-server`, name another with --server, or \
    play without one: `fibfob play --bot`";

/// Said at the start of a match in which both players agreed to open analysis, or of one against the bot here.
pub const OPEN_ANALYSIS: &str = "the analysis is open: `hint`, `why`, `options` and `try MOVE`";

/// Says that a connection is lost and tried again.
pub fn connection_lost(server: &ServerUrl, cause: &str, retry_in: Duration) -> String {
    let (at, seconds) = (server.authority(), retry_in.as_secs_f64());
    format!("the connection to {at} is lost ({cause}); reconnecting in {seconds:.1} s …")
}

/// Says why a run cannot go on, and what the user can do about it.
pub fn describe_stop(reason: &StopReason) -> String {
    let hint = match reason {
        StopReason::NoServer { .. } => NO_SERVER_HINT,
        StopReason::Untrusted { .. } => "; --ca-cert FILE names a certificate authority to trust",
        StopReason::UnknownIdentity(_) => {
            "; without --identity, or with another file, you are a new guest"
        }
        StopReason::SignedOut(_) => {
            "; `fibfob device CODE` takes the identity again, --guest plays without it"
        }
        _ => "",
    };
    format!("{reason}{hint}")
}

/// The kind of a line, from which the screen takes its place and colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputKind {
    /// An event that a screen shows by itself: the creation, a move.
    Visible,
    Event,
    Chat,
    Note,
    /// The user's options now; a screen shows them all the time.
    Prompt,
    Refusal,
    /// A problem of the connection or the server.
    Problem,
    Result,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputLine {
    pub tone: OutputKind,
    pub text: String,
    /// The shorter text beside a picture of the match, if there is one.
    pub short: Option<String>,
    pub mover: Option<Seat>,
}

impl OutputLine {
    pub fn new(tone: OutputKind, text: impl Into<String>) -> Self {
        Self {
            tone,
            text: text.into(),
            short: None,
            mover: None,
        }
    }

    pub fn beside_picture(&self) -> &str {
        self.short.as_deref().unwrap_or(&self.text)
    }
}

/// The player in a seat: "you" or the name, with the seat if both players have the same name.
pub fn who(followed: &DisplayedMatch, seat: Seat) -> String {
    if followed.seat == Some(seat) {
        return "you".to_owned();
    }
    name_of(&followed.view, seat)
}

/// The name of the player in a seat, the user's too.
pub fn name_of(view: &MatchView, seat: Seat) -> String {
    let name = |seat| seat_name(&view.players, seat);
    match (name(seat), name(seat.other())) {
        (None, _) => "the player who joins".to_owned(),
        (Some(name), Some(other)) if name == other => format!("{name} ({seat})"),
        (Some(name), _) => name,
    }
}

/// The sentence for a player without a name of their own, whom another person meets.
pub fn suggest_name(followed: &DisplayedMatch) -> Option<String> {
    let (players, seat) = (&followed.view.players, followed.seat?);
    let Player::Human { name, .. } = players.get(seat)? else {
        return None;
    };
    let is_unnamed = *name == PlayerName::default() && followed.bot().is_none();
    let shown = seat_name(players, seat)?;
    is_unnamed.then(|| format!("others see you as {shown}; type `name Ada` if Ada is your name"))
}

pub fn introduction(followed: &DisplayedMatch) -> Option<String> {
    let level = followed.bot()?;
    let (title, sentence) = (level.title(), level.sentence());
    Some(format!("{title}, the {level} bot: {sentence}"))
}

/// Tells somebody who comes back to their own open match that nobody has joined it. As the same guest they
/// cannot join it themselves.
pub fn own_open_match(followed: &DisplayedMatch, server: &ServerUrl) -> Option<String> {
    let is_own = followed.seat.is_some() && followed.view.phase == PhaseView::Open;
    let join = join_command(followed.code, server);
    is_own.then(|| {
        format!("this is your own match; a second player on this machine types: {join} --guest")
    })
}

pub fn join_command(code: Code, server: &ServerUrl) -> String {
    format!("fibfob play --join {code}{}", at(server))
}

pub fn resume_command(code: Code, server: &ServerUrl) -> String {
    format!("fibfob play --resume {code}{}", at(server))
}

fn at(server: &ServerUrl) -> String {
    if *server == ServerUrl::default() {
        String::new()
    } else {
        format!(" --server {}", server.short())
    }
}

/// A player with a verb: `you win`, `Bo wins`.
pub fn conjugate(followed: &DisplayedMatch, seat: Seat, you: &str, they: &str) -> String {
    let verb = if followed.seat == Some(seat) {
        you
    } else {
        they
    };
    format!("{} {verb}", who(followed, seat))
}

/// The sentence about the match's end; none before it.
pub fn verdict(followed: &DisplayedMatch) -> Option<String> {
    match &followed.view.phase {
        PhaseView::Over { winner, reason, .. } => Some(describe_win(followed, *winner, *reason)),
        PhaseView::Closed { reason } => Some(match reason {
            CloseReason::Withdrawn => "The match was taken back; nobody played.".to_owned(),
            CloseReason::Expired => "Nobody joined in time; nobody played.".to_owned(),
            CloseReason::NotStarted => {
                "The match ended before both players had moved; nobody has lost.".to_owned()
            }
            CloseReason::Stopped => {
                "The operator of the server closed the match; nobody has lost.".to_owned()
            }
        }),
        PhaseView::Open | PhaseView::Choosing { .. } | PhaseView::Playing { .. } => None,
    }
}

pub fn end_reason(reason: EndReason, convention: Convention) -> &'static str {
    match (reason, convention) {
        (EndReason::Resigned, _) => "resigned",
        (EndReason::OutOfTime, _) => "out of time",
        (EndReason::Away, _) => "away for too long",
        (EndReason::Abandoned, _) => "left by both players",
        (EndReason::NoMoveLeft, Convention::Normal) => "no move left",
        (EndReason::NoMoveLeft, Convention::Misere) => "no move left, which wins in this game",
    }
}

fn describe_win(followed: &DisplayedMatch, winner: Seat, reason: EndReason) -> String {
    let wins = conjugate(followed, winner, "win", "wins");
    let erased = conjugate(followed, winner.other(), "are", "is");
    let why = end_reason(reason, followed.view.game.convention());
    let plies = count_of(followed.view.plies, "move");
    let text = format!("{wins}: {erased} erased from reality ({why}, after {plies}).");
    capitalise(&text)
}

pub fn prompt(followed: &DisplayedMatch, server: &ServerUrl) -> Option<String> {
    let text = match (followed.question(), &followed.view.phase) {
        (Some(MatchQuestion::Choice), _) => {
            "you choose: `first` makes the first move, `second` leaves it to the other player"
                .to_owned()
        }
        (Some(MatchQuestion::Takeback), _) => {
            let name = name_of(&followed.view, followed.seat?.other());
            format!("does {name} get the move back? `yes` or `no`; your next move says no, too")
        }
        (None, PhaseView::Open) if followed.seat == Some(Seat::Creator) => format!(
            "waiting for the other seat; a friend types: {}   (or opens {})",
            join_command(followed.code, server),
            server.page(followed.code)
        ),
        (None, PhaseView::Open) => format!(
            "waiting for somebody to join: {}",
            join_command(followed.code, server)
        ),
        (None, PhaseView::Playing { .. }) if followed.is_our_turn() => {
            let legal = followed.legal_moves();
            let count = legal
                .count()
                .map_or_else(String::new, |count| format!(" ({count})"));
            format!("your move{count}: {}", legal::compact(&legal))
        }
        _ => return None,
    };
    Some(text)
}

/// Counts things in words: `1 move`, `2 moves`.
pub fn count_of(count: impl Into<u128>, name: &str) -> String {
    match count.into() {
        1 => format!("1 {name}"),
        count => format!("{count} {name}s"),
    }
}

pub fn capitalise(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

/// Writes the line about an event, after which `number` moves were made. `newest` if `followed` is the match
/// right after it.
pub fn event(
    followed: &DisplayedMatch,
    timed: &TimedEvent,
    newest: bool,
    number: u64,
) -> OutputLine {
    let tone = match &timed.event {
        Event::Created { .. } | Event::Moved { .. } => OutputKind::Visible,
        _ => OutputKind::Event,
    };
    let said = sentence(followed, &timed.event, newest);
    let whole = match timed.event {
        Event::Moved { .. } | Event::TakenBack { .. } if newest => {
            format!("{said} → {}{}", followed.view.position, clocks(followed))
        }
        _ => said.clone(),
    };
    let (short, mover) = match timed.event {
        Event::Moved { seat, .. } => (format!("{number}. {}", capitalise(&said)), Some(seat)),
        _ => (capitalise(&whole), None),
    };
    OutputLine {
        short: Some(short),
        mover,
        ..OutputLine::new(tone, format!("[{}] {whole}", timed.version))
    }
}

fn sentence(followed: &DisplayedMatch, event: &Event, newest: bool) -> String {
    let says = |seat: &Seat, you: &str, they: &str| conjugate(followed, *seat, you, they);
    let name = |seat| name_of(&followed.view, seat);
    match event {
        Event::Created { terms } => describe_creation(followed, terms),
        Event::Joined { .. } => match followed.seat {
            Some(Seat::Joiner) => format!("you join {}", name(Seat::Creator)),
            _ => format!("{} joins", name(Seat::Joiner)),
        },
        Event::Moved { seat, text, .. } => describe_move(followed, *seat, text, newest),
        Event::Chosen { seat, first } => describe_choice(followed, *seat, *first),
        Event::ClocksStarted => "both clocks run from now on".to_owned(),
        Event::FirstMoveMissed { seat } => says(seat, "made", "made") + " no first move in time",
        Event::ChoiceLapsed => match followed.view.first.by() {
            FirstMover::Agreed(seat) => {
                "nothing was chosen in time; ".to_owned() + &moves_first(followed, seat)
            }
            FirstMover::ChosenBy(_) => "nothing was chosen in time".to_owned(),
        },
        Event::TimedOut { seat } => match followed.seat == Some(*seat) {
            true => "your time has run out".to_owned(),
            false => format!("the time of {} has run out", name(*seat)),
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
            format!("{agreed}: {} {goes} back", count_of(*plies, "move"))
        }
        Event::TakebackDeclined { seat } => says(seat, "do", "does") + " not give the move back",
        Event::Resumed { .. } => {
            "the server was started again; the time between is charged to nobody".to_owned()
        }
        Event::Resigned { seat } => says(seat, "resign", "resigns"),
        Event::Withdrawn => "the match was taken back before anybody joined".to_owned(),
        Event::Stopped { text } => format!("the operator of the server closed the match: {text}"),
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

fn describe_move(followed: &DisplayedMatch, seat: Seat, text: &str, newest: bool) -> String {
    let before = followed.position_before(1).filter(|_| newest);
    format!(
        "{} {} ({text})",
        who(followed, seat),
        moves::describe_done(text, before)
    )
}

fn describe_creation(followed: &DisplayedMatch, terms: &Terms) -> String {
    let first = match terms.first.by() {
        FirstMover::Agreed(seat) => moves_first(followed, seat),
        FirstMover::ChosenBy(seat) => {
            let chooses = conjugate(followed, seat, "choose", "chooses");
            format!("{chooses} who begins")
        }
    };
    let clocks = time_control::after("; clocks ", terms.time);
    let Terms {
        code, game, start, ..
    } = terms;
    format!("match {code}: {game} from {start}; {first}{clocks}")
}

fn describe_choice(followed: &DisplayedMatch, seat: Seat, first: Seat) -> String {
    let chosen = conjugate(followed, seat, "choose", "chooses");
    match first == seat {
        true => format!("{chosen} to move first"),
        false => format!("{chosen} to move second; {}", moves_first(followed, first)),
    }
}

fn moves_first(followed: &DisplayedMatch, seat: Seat) -> String {
    format!("{} first", conjugate(followed, seat, "move", "moves"))
}

fn clocks(followed: &DisplayedMatch) -> String {
    let clock = |seat| {
        let reading = ClockReading::of(followed, seat, None)?;
        let left = clock_text(reading.left_ms);
        let what = match reading.state {
            ClockState::FirstMove => " for the first move",
            ClockState::Runs | ClockState::Stands => "",
        };
        Some(format!("{} {left}{what}", who(followed, seat)))
    };
    let clocks: Vec<String> = Seat::BOTH.into_iter().filter_map(clock).collect();
    match clocks.is_empty() {
        true => String::new(),
        false => format!("; clocks: {}", clocks.join(", ")),
    }
}
