//! A run of the program in one match: what follows from what the server says and the user
//! types. Pure: it is told things and returns effects.
//!
//! Shared by the full screen and by plain lines, which differ in how they show it and when
//! they stop.

mod hearing;
pub mod table;
pub mod typed;
mod typing;
pub mod words;

use fibfob_games::Position;
use fibfob_protocol::{Ask, GuestId, MatchId, PhaseView, Version};

use crate::address::ServerUrl;
use crate::args::Auto;
use crate::exit::Exit;
use crate::keep::SavedSeat;
use crate::wire::{Line as LineState, Report, Wish};
use table::Table;
use words::{Line, Tone};

/// What the user is in the match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Plays, with their own head or with the client's solver.
    Player(Option<Auto>),
    /// Only watches.
    Watcher,
}

/// What is to be done.
#[derive(Debug, PartialEq, Eq)]
pub enum Effect {
    /// Hand this to the line.
    Wish(Wish),
    /// Find a move and come back with [`Session::thought`].
    Think {
        /// The version it is for.
        version: Version,
        /// The position.
        position: Box<Position>,
        /// How.
        auto: Auto,
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

/// The state of a run.
#[derive(Debug)]
pub struct Session {
    server: ServerUrl,
    role: Role,
    identity: Option<(GuestId, String)>,
    line: Option<LineState>,
    table: Option<Table>,
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
    /// Whether the other player is connected, as far as the user was told.
    other_here: bool,
    /// The newest thing that we were told was said, and in which match.
    talk_heard: Option<(MatchId, u64)>,
    settled: bool,
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
            line: None,
            table: None,
            known_to_be_at: None,
            in_flight: None,
            thinking: None,
            prompted: None,
            unanswered: 0,
            kept: Kept::Nothing,
            other_here: true,
            talk_heard: None,
            settled: false,
        }
    }

    /// Asks to enter the match, unless it is followed already.
    pub fn begin(&mut self, enter: Option<Ask>) -> Vec<Effect> {
        enter.map(|ask| self.ask(ask)).into_iter().collect()
    }

    /// The match, once something of it is known.
    pub fn table(&self) -> Option<&Table> {
        self.table.as_ref()
    }

    /// How the line is; none before the first attempt has come to anything.
    pub fn line(&self) -> Option<&LineState> {
        self.line.as_ref()
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

    /// Whether a script's next line is to be read now: nothing it wrote before is still to be
    /// answered, and what it would answer is the newest position.
    pub fn wants_line(&self) -> bool {
        self.wants_move() && self.unanswered == 0 && self.is_present()
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

    /// The line's keeper says something.
    pub fn reported(&mut self, report: Report) -> Vec<Effect> {
        match report {
            Report::Line(line) => self.line_is(line),
            Report::Jammed(why) => {
                self.unanswered = self.unanswered.saturating_sub(1);
                self.in_flight = None;
                vec![say(Tone::Refusal, why)]
            }
            Report::GaveUp(reason) => Self::gave_up(&reason),
            Report::Message { news: None, .. } => Vec::new(),
            Report::Message {
                news: Some(news), ..
            } => {
                let mut effects = self.heard(news);
                effects.extend(self.act());
                effects
            }
        }
    }

    /// The solver has found a move for this version, or none.
    pub fn thought(&mut self, version: Version, text: Option<String>) -> Vec<Effect> {
        let current = self.table.as_ref().map(|table| table.version);
        if current != Some(version) || self.thinking != Some(version) {
            return Vec::new();
        }
        match text {
            Some(text) => self.send_move(version, text),
            None => vec![say(Tone::Trouble, "the solver found no move")],
        }
    }

    /// Begins with another match, or the first.
    fn sit_down_at(&mut self, table: Table) {
        self.table = Some(table);
        self.in_flight = None;
        self.thinking = None;
        self.prompted = None;
        self.kept = Kept::Nothing;
        self.other_here = true;
        self.settled = false;
    }

    /// What follows without anybody's doing: the solver's move, or the end.
    fn act(&mut self) -> Vec<Effect> {
        let Some(table) = self.table.as_ref().filter(|_| self.is_present()) else {
            return Vec::new();
        };
        let version = table.version;
        if table.is_over() && self.unanswered == 0 && !self.settled {
            self.settled = true;
            return vec![Effect::Settled(self.exit())];
        }
        match self.role {
            Role::Player(Some(auto)) if table.is_our_turn() => {
                if self.in_flight.is_some() || self.thinking == Some(version) {
                    return Vec::new();
                }
                let Some(position) = table.position().map(Box::new) else {
                    let text = "this client does not know the rules of this game";
                    return vec![say(Tone::Trouble, text), Effect::Stop(Exit::No)];
                };
                self.thinking = Some(version);
                vec![Effect::Think {
                    version,
                    position,
                    auto,
                }]
            }
            _ if self.prompted == Some(version) => Vec::new(),
            _ => {
                self.prompted = Some(version);
                let prompt = words::prompt(table, &self.server);
                let prompt = prompt.map(|text| say(Tone::Prompt, text));
                prompt.into_iter().collect()
            }
        }
    }

    fn ask(&mut self, ask: Ask) -> Effect {
        self.unanswered += 1;
        Effect::Wish(Wish::Ask(ask))
    }
}

fn say(tone: Tone, text: impl Into<String>) -> Effect {
    Effect::Say(Line::new(tone, text))
}

#[cfg(test)]
pub mod fixture;
#[cfg(test)]
mod tests;
