//! A run of the program in one match: what follows from what the server says and the user
//! types. Pure: it is told things and returns effects.
//!
//! Shared by the full screen and by plain lines, which differ in how they show it and when
//! they stop.

mod acting;
pub mod clock;
pub mod completion;
mod hearing;
pub mod table;
mod talk;
mod timely;
pub mod typed;
mod typing;
pub mod words;

use std::collections::BTreeSet;

use fibfob_client::{ClientEvent, RequestError, ServerUrl};
use fibfob_games::Position;
use fibfob_protocol::{GuestId, MatchId, PhaseView, RequestBody, Timestamp, Version};

use crate::args::Autoplay;
use crate::exit::Exit;
use crate::keep::SavedSeat;
use clock::ServerTime;
use table::Table;
use typed::Typed;
use words::{Line, Tone};

/// What the user is in the match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Plays, with their own head or with the client's solver.
    Player(Option<Autoplay>),
    /// Only watches.
    Watcher,
}

/// What is to be done.
#[derive(Debug, PartialEq, Eq)]
pub enum Effect {
    /// Send this request.
    Request(RequestBody),
    /// Follow this match.
    Follow(MatchId),
    /// Find out and come back with [`Session::thought`].
    Think {
        /// The version it is for.
        version: Version,
        /// The position.
        position: Box<Position>,
        /// What.
        riddle: Riddle,
        /// How.
        auto: Autoplay,
    },
    /// Keep this seat for a later run.
    KeepSeat(SavedSeat),
    /// The seat is of no more use.
    ForgetSeat(SavedSeat),
    /// This is who we are.
    KeepToken(String),
    /// Tell the user.
    Say(Line),
    /// Show what can be typed.
    Help,
    /// The match has ended and nothing is unanswered.
    Settled(Exit),
    /// There is nothing more to do in this run.
    Stop(Exit),
}

/// What the solver is to find out about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Riddle {
    /// A move.
    Move,
    /// Whether to begin.
    Begin,
}

/// What the solver has found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Thought {
    /// A move.
    Move(String),
    /// Whether to begin.
    Begin(bool),
    /// Nothing.
    Nothing,
}

/// A question of the match that the user is to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Who begins?
    Choice,
    /// Does the other one get a move back?
    Takeback,
}

impl Question {
    /// The two answers, as they are typed.
    pub fn answers(self) -> [&'static str; 2] {
        match self {
            Self::Choice => ["first", "second"],
            Self::Takeback => ["yes", "no"],
        }
    }
}

/// The state of a run.
#[derive(Debug)]
pub struct Session {
    server: ServerUrl,
    role: Role,
    identity: Option<(GuestId, String)>,
    connection: Option<ConnectionStatus>,
    table: Option<Table>,
    /// The match to show; none before the first request for one was accepted.
    current: Option<MatchId>,
    /// The newest version we know of, once we have come to the match on this line. What the
    /// table shows before that is past: nothing is to be done about it.
    known_to_be_at: Option<Version>,
    /// Our move that the table does not show yet.
    in_flight: Option<InFlight>,
    /// The version the solver thinks about, or has given up on.
    thinking: Option<Version>,
    /// The version the user was last told what to do about.
    prompted: Option<Version>,
    /// How many commands are unanswered.
    unanswered: usize,
    kept: Kept,
    /// The server's clock, once it was told.
    server_time: Option<ServerTime>,
    /// All that was to be said up to then, on the server's clock, because time passed was said.
    noticed: Timestamp,
    /// The version at which the solver has answered a question for a move back.
    answered: Option<Version>,
    /// Whether the user wants to hear nothing of what is said.
    muted: bool,
    /// What of a newer server the user was told about: it is ignored.
    unknown: BTreeSet<String>,
    /// Whether the other player is connected, as far as the user was told.
    other_here: bool,
    /// The newest thing that we were told was said, and in which match.
    talk_heard: Option<(MatchId, u64)>,
    settled: bool,
}

/// The state of the connection to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionStatus {
    /// Requests are sent.
    Up,
    /// The client reconnects.
    Down,
}

/// What was done about keeping our seat in this match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    Nothing,
    Seat,
    Forgotten,
}

/// A move on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InFlight {
    /// The version it answers.
    pub expecting: Version,
    /// The move.
    pub text: String,
}

impl Session {
    /// A run that has not begun.
    pub fn new(server: ServerUrl, role: Role) -> Self {
        Self {
            server,
            role,
            identity: None,
            connection: None,
            table: None,
            current: None,
            known_to_be_at: None,
            in_flight: None,
            thinking: None,
            prompted: None,
            unanswered: 0,
            kept: Kept::Nothing,
            server_time: None,
            noticed: Timestamp(0),
            answered: None,
            muted: false,
            unknown: BTreeSet::new(),
            other_here: true,
            talk_heard: None,
            settled: false,
        }
    }

    /// Asks to enter the match, unless it is followed already.
    pub fn begin(&mut self, enter: Option<RequestBody>) -> Vec<Effect> {
        enter.map(|ask| self.ask(ask)).into_iter().collect()
    }

    /// The match, once something of it is known.
    pub fn table(&self) -> Option<&Table> {
        self.table.as_ref()
    }

    /// The state of the connection; none before the first attempt has succeeded or failed.
    pub fn connection(&self) -> Option<ConnectionStatus> {
        self.connection
    }

    /// The server of this run.
    pub fn server(&self) -> &ServerUrl {
        &self.server
    }

    /// What the user is in the match.
    pub fn role(&self) -> Role {
        self.role
    }

    /// Our move on its way, if there is one.
    pub fn in_flight(&self) -> Option<&InFlight> {
        self.in_flight.as_ref()
    }

    /// Whether the user is to give a move now.
    pub fn wants_move(&self) -> bool {
        self.role == Role::Player(None)
            && self.in_flight.is_none()
            && self.table.as_ref().is_some_and(Table::is_our_turn)
    }

    /// What the user is asked, apart from a move.
    pub fn question(&self) -> Option<Question> {
        let (Role::Player(None), Some(table)) = (self.role, &self.table) else {
            return None;
        };
        let seat = table.seat?;
        match table.view.phase {
            PhaseView::Choosing { chooser, .. } if chooser == seat => Some(Question::Choice),
            PhaseView::Playing {
                takeback: Some(by), ..
            } if by != seat => Some(Question::Takeback),
            _ => None,
        }
    }

    /// Whether a script's lines are looked at now: there is a match to play, nothing it wrote
    /// before is still to be answered, and what it would meet is the newest position.
    pub fn takes_lines(&self) -> bool {
        let begun = self.table.as_ref().is_some_and(|table| {
            let begun = matches!(
                table.view.phase,
                PhaseView::Choosing { .. } | PhaseView::Playing { .. }
            );
            table.seat.is_some() && begun
        });
        begun && self.role == Role::Player(None) && self.unanswered == 0 && self.is_present()
    }

    /// Whether this line of a script is to be taken now: what answers something waits for it.
    pub fn takes(&self, line: &str) -> bool {
        let asked = self.question();
        let answers = match Typed::read(line) {
            typed if typed.is_unasked() => true,
            Typed::Yes | Typed::No => asked == Some(Question::Takeback),
            _ => asked == Some(Question::Choice),
        };
        self.takes_lines() && (answers || self.wants_move())
    }

    /// Whether the match cannot go on without the user.
    pub fn waits_for_user(&self) -> bool {
        self.takes_lines() && (self.wants_move() || self.question() == Some(Question::Choice))
    }

    /// Whether the table shows all that we know has happened.
    fn is_present(&self) -> bool {
        let shown = self.table.as_ref().map(|table| table.version);
        self.known_to_be_at
            .is_some_and(|entered| shown >= Some(entered))
    }

    /// Whether the match has ended.
    pub fn is_over(&self) -> bool {
        self.table.as_ref().is_some_and(Table::is_over)
    }

    /// How a run that the user ends now has gone.
    pub fn exit(&self) -> Exit {
        match self.table.as_ref().map(|table| &table.view.phase) {
            Some(PhaseView::Closed { .. }) => Exit::No,
            _ => Exit::Done,
        }
    }

    /// What to type to come back to an unfinished match, if we have a seat in it.
    pub fn comeback(&self) -> Option<String> {
        let table = self.table.as_ref()?;
        let seat = table.seat?;
        let unfinished = matches!(
            table.view.phase,
            PhaseView::Open | PhaseView::Choosing { .. } | PhaseView::Playing { .. }
        );
        unfinished.then(|| words::comeback(table.code, seat, &self.server))
    }

    /// Something new has come from the client.
    pub fn on_event(&mut self, event: ClientEvent) -> Vec<Effect> {
        let acts = !matches!(
            event,
            ClientEvent::Disconnected { .. } | ClientEvent::Stopped(_) | ClientEvent::Raw(_)
        );
        let mut effects = self.handle(event);
        if acts {
            effects.extend(self.act());
        }
        effects
    }

    /// A request was not taken.
    pub fn on_not_sent(&mut self, error: RequestError) -> Vec<Effect> {
        self.unanswered = self.unanswered.saturating_sub(1);
        self.in_flight = None;
        vec![say(Tone::Refusal, error.to_string())]
    }

    /// FirstMoveRule with another match, or the first.
    fn sit_down_at(&mut self, table: Table) {
        self.table = Some(table);
        self.in_flight = None;
        self.thinking = None;
        self.prompted = None;
        self.answered = None;
        self.kept = Kept::Nothing;
        self.other_here = true;
        self.settled = false;
    }

    fn ask(&mut self, ask: RequestBody) -> Effect {
        self.unanswered += 1;
        Effect::Request(ask)
    }
}

fn say(tone: Tone, text: impl Into<String>) -> Effect {
    Effect::Say(Line::new(tone, text))
}

#[cfg(test)]
pub mod fixture;
#[cfg(test)]
mod tests;
