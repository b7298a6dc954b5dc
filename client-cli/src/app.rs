//! The program's state while it plays or watches a match, and what follows from each event and each typed line.
//!
//! Pure: events and lines go in, effects come out. The full screen and the plain lines share it. They differ
//! in how they show it and when they stop.

pub mod analysis;
mod autoplay;
mod chat;
pub mod clock;
pub mod displayed_match;
mod on_analysis;
mod on_event;
mod on_input;
mod on_refused;
pub mod text;
mod timers;
pub mod typed_command;

use std::collections::BTreeSet;

use fibfob_client::{ClientEvent, RequestError, ServerUrl};
use fibfob_games::GameId;
use fibfob_protocol::{
    Action, GuestId, MatchId, PhaseView, PlayerName, RequestBody, Timestamp, Version,
};
use fibfob_theory::Exit;

use crate::app::analysis::AnalysisBoard;
use crate::args::Autoplay;
use crate::solver::SolverTask;
use crate::storage::SavedSeat;
use clock::ServerClock;
use displayed_match::{DisplayedMatch, MatchQuestion};
use text::{OutputKind, OutputLine};
use typed_command::TypedCommand;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UserRole {
    /// Plays, personally or through the client's solver.
    Player(Option<Autoplay>),
    #[default]
    Watcher,
}

/// An action that the state asks its driver for.
#[derive(Debug, PartialEq, Eq)]
pub enum Effect {
    Request(RequestBody),
    Follow(MatchId),
    /// Ask the solver, and return its answer to [`AppState::on_solver_result`].
    Solve(Box<SolverTask>),
    SaveSeat(SavedSeat),
    /// Delete this saved seat: its match is over.
    DeleteSeat(SavedSeat),
    SaveToken(String),
    /// Take this name, and keep it for later runs.
    Rename(PlayerName),
    Show(DisplayEffect),
}

/// An effect that is left to the front end.
#[derive(Debug, PartialEq, Eq)]
pub enum DisplayEffect {
    Print(OutputLine),
    /// Call the user, who may look elsewhere.
    Call,
    /// Leave the terminal to the shell until it wakes the program.
    Suspend,
    Help,
    /// Show these lines until they are read.
    Sheet(Vec<String>),
    /// Show the rules, because the user plays this game for the first time.
    Rules,
    /// The match has ended and every request is answered.
    Settled(Exit),
    Stop(Exit),
}

#[derive(Debug, Default)]
pub struct AppState {
    pub server: ServerUrl,
    /// The address that a friend reaches the server at, once the server has told it.
    public: Option<ServerUrl>,
    pub role: UserRole,
    identity: Option<(GuestId, String)>,
    /// None before the first attempt has succeeded or failed.
    pub connection: Option<ConnectionStatus>,
    /// The cause that was last reported for a lost connection; none while connected.
    reported_cause: Option<String>,
    followed: Option<DisplayedMatch>,
    /// The match to show; none before the first request for one was accepted.
    current: Option<MatchId>,
    /// The newest known version, once the match is followed on this connection. If an older version is
    /// displayed, nothing is done about it.
    known_version: Option<Version>,
    progress: MatchProgress,
    unanswered: usize,
    /// True if the match of this run was there before it.
    comes_back: bool,
    server_time: Option<ServerClock>,
    /// The server's time up to which every timed notice was printed.
    noticed: Timestamp,
    muted: bool,
    /// The names of a newer server's features that were reported: they are ignored.
    unknown: BTreeSet<String>,
    /// The newest chat line that was printed, and its match.
    newest_chat_line: Option<(MatchId, u64)>,
    /// True if a person types. The program asks a person before a resignation counts.
    pub is_by_hand: bool,
    /// True if the match is played in this process, and cannot be returned to.
    is_here: bool,
    /// The user's analysis: the record of a match that is over, or a position without a match.
    analysis: Option<AnalysisBoard>,
    /// The analysis that the user comes back to after a match.
    aside: Option<AnalysisBoard>,
    pub recording: Recording,
}

/// Whether the record of a match is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recording {
    /// Programs want no sentences.
    #[default]
    Off,
    /// After the end by itself.
    AtEnd,
    /// At once, whole, and without the events.
    Asked,
}

/// The steps taken in the match on display; a rematch begins without any.
#[derive(Debug, Default)]
struct MatchProgress {
    in_flight: Option<InFlight>,
    /// The version that the solver works on, or has given up.
    thinking: Option<Version>,
    prompted: Option<Version>,
    hinted: Option<Version>,
    /// True if the newest line was `resign`, which is to be typed again.
    resigning: bool,
    /// The version at which the solver answered a request for a takeback.
    answered: Option<Version>,
    /// True once the user's seat is saved, false once it is deleted again.
    is_seat_saved: Option<bool>,
    /// True if the user was told last that the opponent's connection is lost.
    opponent_lost: bool,
    /// True once the front end knows that the match has ended.
    settled: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionStatus {
    Up,
    /// The client reconnects.
    Down,
}

/// A move that was sent and is not on display yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InFlight {
    pub expecting: Version,
    pub text: String,
}

impl AppState {
    pub fn new(server: ServerUrl, role: UserRole) -> Self {
        Self {
            server,
            role,
            ..Self::default()
        }
    }

    pub fn stay_here(&mut self) {
        self.is_here = true;
        self.connection = None;
    }

    /// Handles the move of a match to another place.
    pub fn on_moved(&mut self, is_here: bool, why: Option<&str>) -> Vec<Effect> {
        if is_here {
            self.stay_here();
        }
        let said = why.map(|why| say(OutputKind::Problem, why));
        said.into_iter().collect()
    }

    /// Requests to enter the match; nothing if it is followed already.
    pub fn start(&mut self, enter: Option<RequestBody>) -> Vec<Effect> {
        self.comes_back = !matches!(enter, Some(RequestBody::Create(_)));
        let requests = enter.map(|body| self.request(body));
        requests.into_iter().collect()
    }

    pub fn followed(&self) -> Option<&DisplayedMatch> {
        self.followed.as_ref()
    }

    /// The game that the user plays; none while they only watch, or once it is over.
    pub fn played_game(&self) -> Option<GameId> {
        let followed = self.followed.as_ref()?;
        let plays = self.role == UserRole::Player(None) && followed.seat.is_some();
        (plays && text::verdict(followed).is_none()).then_some(followed.view.game)
    }

    pub fn server_for_friends(&self) -> &ServerUrl {
        self.public.as_ref().unwrap_or(&self.server)
    }

    pub fn in_flight(&self) -> Option<&InFlight> {
        self.progress.in_flight.as_ref()
    }

    /// Returns true if the user has to type a move.
    pub fn wants_move(&self) -> bool {
        let followed = self.followed.as_ref();
        self.role == UserRole::Player(None)
            && self.progress.in_flight.is_none()
            && followed.is_some_and(DisplayedMatch::is_our_turn)
    }

    /// The question that the user personally has to answer, apart from a move.
    pub fn question(&self) -> Option<MatchQuestion> {
        let is_asked = self.role == UserRole::Player(None);
        self.followed.as_ref().filter(|_| is_asked)?.question()
    }

    /// Returns true if a script's lines may be handled now: a match is not over, every earlier
    /// request is answered, and the newest position is on display.
    pub fn accepts_lines(&self) -> bool {
        if self.is_analysing() {
            return self.unanswered == 0;
        }
        let followed = self.followed.as_ref();
        let plays = |followed: &DisplayedMatch| followed.seat.is_some() && !followed.is_over();
        self.role == UserRole::Player(None)
            && followed.is_some_and(plays)
            && self.unanswered == 0
            && self.is_present()
    }

    /// Returns true if this line of a script is to be handled now: an answer waits for its
    /// question, and a move for the user's turn. While nobody has joined, leaving need not wait.
    pub fn accepts(&self, line: &str) -> bool {
        let asked = self.question();
        let answers = match TypedCommand::read(line) {
            typed if typed.is_unasked() => true,
            TypedCommand::Act(Action::AnswerTakeback { .. }) => {
                asked == Some(MatchQuestion::Takeback)
            }
            _ if self.is_analysing() => true,
            TypedCommand::Withdraw | TypedCommand::Quit if self.is_open() => true,
            _ => asked == Some(MatchQuestion::Choice),
        };
        self.accepts_lines() && (answers || self.wants_move())
    }

    /// Returns true if the match cannot continue without the user.
    pub fn waits_for_user(&self) -> bool {
        self.accepts_lines()
            && (self.wants_move() || self.question() == Some(MatchQuestion::Choice))
    }

    /// Returns true if the newest known version is on display.
    fn is_present(&self) -> bool {
        let shown = self.followed.as_ref().map(|followed| followed.version);
        self.known_version
            .is_some_and(|entered| shown >= Some(entered))
    }

    /// Returns true if nobody has taken the other seat yet.
    fn is_open(&self) -> bool {
        let followed = self.followed.as_ref();
        followed.is_some_and(|followed| followed.view.phase == PhaseView::Open)
    }

    pub fn is_over(&self) -> bool {
        self.followed.as_ref().is_some_and(DisplayedMatch::is_over)
    }

    /// The exit status if the user leaves now.
    pub fn exit(&self) -> Exit {
        match self.followed.as_ref().map(|followed| &followed.view.phase) {
            Some(PhaseView::Closed { .. }) => Exit::No,
            _ => Exit::Done,
        }
    }

    /// Returns the lines that end a run: what is unknown about the user's move, and how to come back to an
    /// unfinished match.
    pub fn farewell(&self) -> Vec<OutputLine> {
        let mut lines = Vec::new();
        if let Some(moved) = self.in_flight() {
            let text = format!("`{}` may or may not have been played", moved.text);
            lines.push(OutputLine::new(OutputKind::Problem, text));
        }
        let left = self.followed.as_ref().filter(|it| !it.is_over());
        let text = match left {
            Some(_) if self.is_here => {
                "this match was played here, and nothing of it is kept".to_owned()
            }
            Some(left) if left.seat.is_some() => {
                let line = text::resume_command(left.code, &self.server);
                format!("your seat is kept; come back with: {line}")
            }
            _ => return lines,
        };
        lines.push(OutputLine::new(OutputKind::Note, text));
        lines
    }

    pub fn on_event(&mut self, event: ClientEvent) -> Vec<Effect> {
        let mut effects = self.handle(event);
        effects.extend(self.follow_up());
        effects
    }

    pub fn on_not_sent(&mut self, error: RequestError) -> Vec<Effect> {
        self.unanswered = self.unanswered.saturating_sub(1);
        self.progress.in_flight = None;
        refuse(error.to_string())
    }

    /// Requests an action in the followed match; nothing without one.
    fn act(&mut self, action: Action) -> Vec<Effect> {
        let id = self.followed.as_ref().map(|followed| followed.id);
        let request = id.map(|id| self.request(RequestBody::Act { id, action }));
        Vec::from_iter(request)
    }

    fn request(&mut self, body: RequestBody) -> Effect {
        self.unanswered += 1;
        Effect::Request(body)
    }
}

fn say(tone: OutputKind, text: impl Into<String>) -> Effect {
    DisplayEffect::Print(OutputLine::new(tone, text)).into()
}

fn refuse(text: impl Into<String>) -> Vec<Effect> {
    vec![say(OutputKind::Refusal, text)]
}

fn stop(exit: Exit) -> Effect {
    DisplayEffect::Stop(exit).into()
}

impl From<DisplayEffect> for Effect {
    fn from(effect: DisplayEffect) -> Self {
        Self::Show(effect)
    }
}

#[cfg(test)]
pub mod fixture;
#[cfg(test)]
mod tests;
