//! A run of the program in one match: what follows from what the server says and the user
//! types. Pure: it is told things and returns effects.
//!
//! Shared by the full screen and by plain lines, which differ in how they show it and when
//! they stop.

pub mod table;
pub mod typed;
pub mod words;

use fibfob_games::Position;
use fibfob_protocol::{
    Accepted, Ask, Event, GuestId, MatchId, MatchRef, PhaseView, Reason, Refused, RematchView,
    Seat, Version,
};

use crate::address::ServerUrl;
use crate::args::Auto;
use crate::exit::Exit;
use crate::keep::SavedSeat;
use crate::wire::{GaveUp, Line as LineState, News, Report, Update, Wish};
use table::Table;
use typed::Typed;
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
    /// Our move that the table does not show yet.
    in_flight: Option<InFlight>,
    /// The version the solver thinks about, or has given up on.
    thinking: Option<Version>,
    /// How many commands are unanswered.
    unanswered: usize,
    kept: Option<SavedSeat>,
    settled: bool,
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
            in_flight: None,
            thinking: None,
            unanswered: 0,
            kept: None,
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

    /// Whether the match has ended.
    pub fn is_over(&self) -> bool {
        let phase = self.table.as_ref().map(|table| &table.view.phase);
        matches!(
            phase,
            Some(PhaseView::Over { .. } | PhaseView::Closed { .. })
        )
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
            PhaseView::Open | PhaseView::Playing { .. }
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

    /// The user has typed a line.
    pub fn typed(&mut self, line: &str) -> Vec<Effect> {
        match Typed::read(line) {
            Typed::Empty => Vec::new(),
            Typed::Help => vec![Effect::Help],
            Typed::Quit => vec![Effect::Stop(self.exit())],
            Typed::Move(text) => self.play(text),
            Typed::Resign => self.seated(|id| Ask::Resign { id }),
            Typed::Accept => self.seated(|id| Ask::AcceptRematch { id }),
            Typed::Withdraw => self.withdraw(),
            Typed::Rematch => {
                let offered = self.table.as_ref().is_some_and(is_offered_to_us);
                self.seated(|id| match offered {
                    true => Ask::AcceptRematch { id },
                    false => Ask::OfferRematch { id },
                })
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

    fn line_is(&mut self, line: LineState) -> Vec<Effect> {
        let before = self.line.replace(line.clone());
        let at = self.server.authority();
        match (line, before) {
            (LineState::Up, Some(LineState::Down { .. })) => {
                vec![say(Tone::Trouble, format!("connected to {at} again"))]
            }
            (LineState::Up, _) => Vec::new(),
            (LineState::Down { why, again_in, .. }, _) => {
                let lost = if self.identity.is_some() {
                    format!("the line to {at} is broken ({why})")
                } else {
                    format!("no server answers at {at} ({why})")
                };
                let text = format!("{lost}; reconnecting in {:.1} s …", again_in.as_secs_f64());
                vec![say(Tone::Trouble, text)]
            }
        }
    }

    fn gave_up(reason: &GaveUp) -> Vec<Effect> {
        let hint = match reason {
            GaveUp::NoServer { .. } => {
                "; start one with `fibfob-server`, or name another with --server"
            }
            _ => "",
        };
        let text = format!("{reason}{hint}");
        vec![say(Tone::Trouble, text), Effect::Stop(Exit::No)]
    }

    fn heard(&mut self, news: News) -> Vec<Effect> {
        match news {
            News::Welcome(welcome) => {
                let welcome = *welcome;
                self.identity = Some((welcome.guest, welcome.token.clone()));
                vec![Effect::KeepToken(welcome.token)]
            }
            News::Accepted { ask, answer } => {
                self.unanswered = self.unanswered.saturating_sub(1);
                self.accepted(&ask, answer)
            }
            News::Refused { ask, answer } => {
                if ask.is_some() {
                    self.unanswered = self.unanswered.saturating_sub(1);
                }
                self.refused(ask, answer)
            }
            News::Postponed { ask, answer } => {
                let what = attempted(&ask);
                vec![say(
                    Tone::Trouble,
                    format!("{what} is sent again in a moment: {}", answer.message),
                )]
            }
            News::Update(update) => self.updated(&update),
            News::Presence(presence) => self.present(presence),
            News::Goodbye(message, _) => vec![say(Tone::Trouble, message)],
            // Lists are asked for by another part of the program, faults come as reports.
            News::Lobby(_) | News::Fault(_) => Vec::new(),
        }
    }

    fn accepted(&mut self, ask: &Ask, answer: Accepted) -> Vec<Effect> {
        match (ask, answer.next) {
            (Ask::Leave { id }, _) if self.is_open_match(*id) => {
                let shown = self.table.as_ref().and_then(words::verdict).is_some();
                let said = (!shown).then(|| say(Tone::Result, "The match was taken back."));
                let mut effects: Vec<Effect> = said.into_iter().collect();
                effects.extend(self.kept.take().map(Effect::ForgetSeat));
                effects.push(Effect::Stop(Exit::Done));
                effects
            }
            (_, Some(next)) => self.go_on_in(&next),
            _ => Vec::new(),
        }
    }

    fn refused(&mut self, ask: Option<Ask>, answer: Refused) -> Vec<Effect> {
        let Refused {
            reason, message, ..
        } = answer;
        let Some(ask) = ask else {
            return vec![say(Tone::Refusal, message)];
        };
        let mut effects = vec![say(Tone::Refusal, format!("{}: {message}", describe(&ask)))];
        match ask {
            Ask::Create(_) | Ask::Spectate { .. } => effects.push(Effect::Stop(Exit::No)),
            Ask::Join { code } => {
                let hint = match reason {
                    Reason::SeatTaken => Some(format!("fibfob watch {code} shows the match")),
                    Reason::AlreadySeated => {
                        Some(format!("fibfob play --resume {code} comes back to it"))
                    }
                    _ => None,
                };
                effects.extend(hint.map(|hint| say(Tone::Note, hint)));
                effects.push(Effect::Stop(Exit::No));
            }
            Ask::Play { expecting, .. } => {
                if self
                    .in_flight
                    .as_ref()
                    .is_some_and(|it| it.expecting == expecting)
                {
                    self.in_flight = None;
                }
                let overtaken = matches!(
                    reason,
                    Reason::Stale | Reason::NotYourTurn | Reason::NotInPlay
                );
                // A solver would only find the same move again.
                if matches!(self.role, Role::Player(Some(_))) && !overtaken {
                    effects.push(Effect::Stop(Exit::No));
                }
            }
            _ => {}
        }
        effects
    }

    fn updated(&mut self, update: &Update) -> Vec<Effect> {
        let me = self.identity.as_ref().map(|(guest, _)| *guest);
        let known = self.table.as_mut().filter(|table| table.id == update.id);
        let is_new = known.is_none();
        match known {
            Some(table) => table.apply(update),
            None => {
                self.table = Some(Table::new(update, me));
                self.in_flight = None;
                self.thinking = None;
                self.settled = false;
            }
        }
        let table = self.table.as_ref().expect("it was just set");
        let mut effects = Vec::new();
        if is_new && matches!(self.role, Role::Player(_)) && table.seat.is_none() {
            let text = format!("you have no seat in match {}", table.code);
            return vec![say(Tone::Refusal, text), Effect::Stop(Exit::No)];
        }
        for event in &update.events {
            let newest = event.version == update.version;
            effects.push(Effect::Say(words::event(table, event, newest)));
        }
        if !update.events.is_empty() {
            effects.extend(words::verdict(table).map(|text| say(Tone::Result, text)));
            let auto = matches!(self.role, Role::Player(Some(_))) && table.turn().is_some();
            let prompt = words::prompt(table, &self.server).filter(|_| !auto);
            effects.extend(prompt.map(|text| say(Tone::Prompt, text)));
        }
        if self
            .in_flight
            .as_ref()
            .is_some_and(|it| it.expecting < table.version)
        {
            self.in_flight = None;
        }
        let over = matches!(
            table.view.phase,
            PhaseView::Over { .. } | PhaseView::Closed { .. }
        );
        match (over, table.seat, &self.identity) {
            (true, _, _) => effects.extend(self.kept.take().map(Effect::ForgetSeat)),
            (false, Some(seat), Some((_, token))) if is_new => {
                let saved = SavedSeat {
                    server: self.server.to_string(),
                    code: table.code,
                    id: table.id,
                    seat,
                    token: token.clone(),
                };
                self.kept = Some(saved.clone());
                effects.push(Effect::KeepSeat(saved));
            }
            _ => {}
        }
        let agreed = update.events.iter().find_map(|event| match &event.event {
            Event::RematchAccepted { next, .. } => Some(next),
            _ => None,
        });
        if let Some(next) = agreed {
            effects.extend(self.go_on_in(next));
        }
        effects
    }

    fn present(&mut self, presence: fibfob_protocol::Presence) -> Vec<Effect> {
        let Some(table) = self
            .table
            .as_mut()
            .filter(|table| table.id == presence.match_id)
        else {
            return Vec::new();
        };
        let before = table.presence.replace(presence);
        let Some(other) = table.seat.map(Seat::other) else {
            return Vec::new();
        };
        let was = before.is_none_or(|before| before.connected.contains(&other));
        let is = table.is_connected(other) == Some(true);
        if was == is || table.turn().is_none() {
            return Vec::new();
        }
        let name = words::who(table, other);
        let text = if is {
            format!("{name} is back")
        } else {
            format!("{name} has lost the line; the seat is kept")
        };
        vec![say(Tone::Note, text)]
    }

    /// What follows without anybody's doing: the solver's move, or the end.
    fn act(&mut self) -> Vec<Effect> {
        let Some(table) = &self.table else {
            return Vec::new();
        };
        if self.is_over() && self.unanswered == 0 && !self.settled {
            self.settled = true;
            return vec![Effect::Settled(self.exit())];
        }
        let Role::Player(Some(auto)) = self.role else {
            return Vec::new();
        };
        let idle = self.in_flight.is_none() && self.thinking != Some(table.version);
        if !(idle && table.is_our_turn()) {
            return Vec::new();
        }
        self.thinking = Some(table.version);
        let version = table.version;
        match table.position() {
            Some(position) => vec![Effect::Think {
                version,
                position: Box::new(position),
                auto,
            }],
            None => vec![say(
                Tone::Trouble,
                "this client does not know the game's rules",
            )],
        }
    }

    fn play(&mut self, text: &str) -> Vec<Effect> {
        let refusal = |text: String| vec![say(Tone::Refusal, text)];
        let Some(table) = &self.table else {
            return refusal("the match is not there yet".to_owned());
        };
        let Some(seat) = table.seat else {
            return refusal("you watch this match; only its players move".to_owned());
        };
        if let Some(before) = &self.in_flight {
            return refusal(format!("your move {} is on its way already", before.text));
        }
        match &table.view.phase {
            PhaseView::Playing { turn, .. } if *turn == seat => {}
            PhaseView::Playing { turn, .. } => {
                return refusal(format!("it is the turn of {}", words::who(table, *turn)));
            }
            PhaseView::Open => return refusal("nobody has taken the other seat yet".to_owned()),
            PhaseView::Over { .. } | PhaseView::Closed { .. } => {
                return refusal("the match has ended; `rematch` offers another one".to_owned());
            }
        }
        // What the rules refuse need not travel. The server has the last word.
        let checked = table.position().map(|position| {
            let played = position
                .read_move(text)
                .map_err(|fault| fault.to_string())?;
            position.play(&played).map_err(|fault| fault.to_string())?;
            Ok::<_, String>(played.to_string())
        });
        match checked.unwrap_or_else(|| Ok(text.to_owned())) {
            Ok(text) => {
                let version = table.version;
                self.send_move(version, text)
            }
            Err(fault) => refusal(fault),
        }
    }

    fn send_move(&mut self, expecting: Version, text: String) -> Vec<Effect> {
        let Some(table) = &self.table else {
            return Vec::new();
        };
        let id = table.id;
        self.in_flight = Some(InFlight {
            expecting,
            text: text.clone(),
        });
        let mut effects = vec![self.ask(Ask::Play {
            id,
            expecting,
            text,
        })];
        if let Some(LineState::Down { .. }) = self.line {
            effects.push(say(
                Tone::Note,
                "kept; it is sent when the line stands again",
            ));
        }
        effects
    }

    fn withdraw(&mut self) -> Vec<Effect> {
        match &self.table {
            Some(table)
                if table.view.phase == PhaseView::Open && table.seat == Some(Seat::Creator) =>
            {
                let id = table.id;
                vec![self.ask(Ask::Leave { id })]
            }
            _ => vec![say(
                Tone::Refusal,
                "only a match of yours that nobody has joined can be taken back",
            )],
        }
    }

    /// A command that only a seat has.
    fn seated(&mut self, ask: impl FnOnce(MatchId) -> Ask) -> Vec<Effect> {
        match &self.table {
            Some(table) if table.seat.is_some() => {
                let ask = ask(table.id);
                vec![self.ask(ask)]
            }
            _ => vec![say(
                Tone::Refusal,
                "you watch this match; only its players can do that",
            )],
        }
    }

    /// Leaves a finished match for the one that repeats it.
    fn go_on_in(&mut self, next: &MatchRef) -> Vec<Effect> {
        match &self.table {
            Some(table) if table.id != next.id => {
                let id = table.id;
                // Else the connection would follow one match more with every rematch.
                vec![
                    Effect::Wish(Wish::Follow(next.id)),
                    self.ask(Ask::Leave { id }),
                ]
            }
            _ => Vec::new(),
        }
    }

    fn is_open_match(&self, id: MatchId) -> bool {
        let table = self.table.as_ref();
        table.is_some_and(|table| {
            table.id == id && matches!(table.view.phase, PhaseView::Open | PhaseView::Closed { .. })
        })
    }

    fn ask(&mut self, ask: Ask) -> Effect {
        self.unanswered += 1;
        Effect::Wish(Wish::Ask(ask))
    }
}

fn say(tone: Tone, text: impl Into<String>) -> Effect {
    Effect::Say(Line::new(tone, text))
}

fn is_offered_to_us(table: &Table) -> bool {
    match &table.view.phase {
        PhaseView::Over {
            rematch: Some(RematchView::Offered { by }),
            ..
        } => table.seat == Some(by.other()),
        _ => false,
    }
}

/// A command that was not done, in a few words.
fn describe(ask: &Ask) -> String {
    match ask {
        Ask::Create(_) => "the match was not made".to_owned(),
        Ask::Join { code } => format!("match {code} was not joined"),
        Ask::Spectate { code } => format!("match {code} cannot be watched"),
        Ask::Play { text, .. } => format!("`{text}` was not played"),
        Ask::Resign { .. } => "you have not resigned".to_owned(),
        Ask::OfferRematch { .. } | Ask::AcceptRematch { .. } => "no rematch".to_owned(),
        Ask::Leave { .. } => "the match was not left".to_owned(),
        Ask::Resume { .. } => "the match was not resumed".to_owned(),
        Ask::Lobby { .. } => "no lobby".to_owned(),
    }
}

/// A command that is still to be done, in a few words.
fn attempted(ask: &Ask) -> String {
    match ask {
        Ask::Play { text, .. } => format!("`{text}`"),
        _ => "what you asked for".to_owned(),
    }
}

#[cfg(test)]
mod tests;
