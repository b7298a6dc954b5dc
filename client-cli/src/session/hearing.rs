//! What follows from what the server and the line to it say.

use std::time::{Duration, Instant};

use fibfob_client::{ClientEvent, MatchUpdate, StopReason};
use fibfob_protocol::{
    Accepted, Event, MatchId, MatchRef, PhaseView, Presence, RefusalReason, Refused, RequestBody,
    Seat, Welcome,
};

use super::clock::{ServerTime, minutes};
use super::table::Table;
use super::words::{self, Tone};
use super::{ConnectionStatus, Effect, InFlight, Kept, Role, Session, say};
use crate::exit::Exit;
use crate::keep::SavedSeat;

/// Of so many unknown things the user is told.
const UNKNOWN_MAX: usize = 16;

/// The most characters of an unknown thing's name that are shown.
const UNKNOWN_CHARS_MAX: usize = 40;

impl Session {
    fn disconnected(&mut self, cause: &str, retry_in: Duration) -> Vec<Effect> {
        self.connection = Some(ConnectionStatus::Down);
        self.known_to_be_at = None;
        let at = self.server.authority();
        let lost = match self.identity {
            Some(_) => format!("the connection to {at} is lost ({cause})"),
            None => format!("no server answers at {at} ({cause})"),
        };
        let text = format!("{lost}; reconnecting in {:.1} s …", retry_in.as_secs_f64());
        vec![say(Tone::Trouble, text)]
    }

    fn connected(&mut self, welcome: Welcome, at: Instant) -> Vec<Effect> {
        let mut effects = Vec::new();
        if self.connection.replace(ConnectionStatus::Up) == Some(ConnectionStatus::Down) {
            let server = self.server.authority();
            effects.push(say(Tone::Trouble, format!("connected to {server} again")));
        }
        self.server_time = Some(ServerTime::new(welcome.now, at));
        self.identity = Some((welcome.guest, welcome.token.clone()));
        effects.push(Effect::KeepToken(welcome.token));
        effects
    }

    fn stopped(reason: &StopReason) -> Vec<Effect> {
        let hint = match reason {
            StopReason::NoServer { .. } => {
                "; start one with `fibfob-server`, or name another with --server"
            }
            StopReason::Untrusted { .. } => {
                "; --ca-cert FILE names a certificate authority to trust"
            }
            StopReason::UnknownIdentity(_) => {
                "; without --identity, or with another file, you are a new guest"
            }
            _ => "",
        };
        let text = format!("{reason}{hint}");
        vec![say(Tone::Trouble, text), Effect::Stop(Exit::No)]
    }

    pub(super) fn handle(&mut self, event: ClientEvent) -> Vec<Effect> {
        match event {
            ClientEvent::Connected { welcome, at } => self.connected(*welcome, at),
            ClientEvent::Disconnected {
                cause, retry_in, ..
            } => self.disconnected(&cause, retry_in),
            ClientEvent::Stopped(reason) => Self::stopped(&reason),
            ClientEvent::Goodbye { message, .. } => vec![say(Tone::Trouble, message)],
            ClientEvent::Resumed { match_id, version } if self.is_current(match_id) => {
                self.current = Some(match_id);
                self.known_to_be_at = Some(version);
                self.mute_again(false).into_iter().collect()
            }
            ClientEvent::MatchLost { match_id, cause } if self.is_current(match_id) => {
                vec![
                    say(Tone::Trouble, cause.to_string()),
                    Effect::Stop(Exit::No),
                ]
            }
            ClientEvent::Accepted { request, answer } => {
                self.unanswered = self.unanswered.saturating_sub(1);
                self.accepted(&request, &answer)
            }
            ClientEvent::Refused { request, answer } => {
                if request.is_some() {
                    self.unanswered = self.unanswered.saturating_sub(1);
                }
                self.refused(request, answer)
            }
            ClientEvent::Postponed { request, answer } => {
                let what = attempted(&request);
                vec![say(
                    Tone::Trouble,
                    format!("{what} is sent again in a moment: {}", answer.message),
                )]
            }
            ClientEvent::Update(update) if self.is_current(update.match_id) => {
                self.updated(&update)
            }
            ClientEvent::Presence(presence) => self.present(presence),
            ClientEvent::Chat(talk) if self.is_current(talk.match_id) => self.overheard(&talk),
            ClientEvent::Unknown(what) => self.ignored(&what),
            // The match before a rematch, until it is left.
            ClientEvent::Resumed { .. }
            | ClientEvent::MatchLost { .. }
            | ClientEvent::Update(_)
            | ClientEvent::Chat(_) => Vec::new(),
            // Nothing in a match requests these.
            ClientEvent::Preview(_)
            | ClientEvent::Analysis(_)
            | ClientEvent::Review(_)
            | ClientEvent::Lobby(_)
            | ClientEvent::Raw(_) => Vec::new(),
        }
    }

    /// Returns true if this match is shown, or none is known yet.
    fn is_current(&self, id: MatchId) -> bool {
        self.current.is_none_or(|current| current == id)
    }

    fn accepted(&mut self, ask: &RequestBody, answer: &Accepted) -> Vec<Effect> {
        if matches!(
            ask,
            RequestBody::Create(_) | RequestBody::Join { .. } | RequestBody::Spectate { .. }
        ) {
            self.current = answer.match_id;
            self.known_to_be_at = Some(answer.version.unwrap_or_default());
        }
        let acts = matches!(
            ask,
            RequestBody::Choose { .. }
                | RequestBody::Play { .. }
                | RequestBody::Resign { .. }
                | RequestBody::Claim { .. }
                | RequestBody::OfferTakeback { .. }
                | RequestBody::AnswerTakeback { .. }
        );
        if let (true, Some(known), Some(made)) = (acts, &mut self.known_to_be_at, answer.version) {
            // What the command made is still to be shown.
            *known = made.max(*known);
        }
        match (ask, &answer.next) {
            (RequestBody::Leave { id }, _) if self.is_open_match(*id) => {
                let shown = self.table.as_ref().and_then(words::verdict).is_some();
                let said = (!shown).then(|| say(Tone::Result, "The match was taken back."));
                let mut effects: Vec<Effect> = said.into_iter().collect();
                effects.extend(self.saved_seat().map(Effect::ForgetSeat));
                effects.push(Effect::Stop(Exit::Done));
                effects
            }
            // A player came back by code, and is none.
            (RequestBody::Spectate { code }, _)
                if self.role != Role::Watcher && answer.seat.is_none() =>
            {
                let text =
                    format!("you have no seat in match {code}; `fibfob watch {code}` shows it");
                vec![say(Tone::Refusal, text), Effect::Stop(Exit::No)]
            }
            (_, Some(next)) => self.go_on_in(next),
            _ => Vec::new(),
        }
    }

    fn refused(&mut self, ask: Option<RequestBody>, answer: Refused) -> Vec<Effect> {
        let Refused {
            reason, message, ..
        } = answer;
        let Some(ask) = ask else {
            return vec![say(Tone::Refusal, message)];
        };
        let hint = match (&ask, reason) {
            (RequestBody::Join { code }, RefusalReason::SeatTaken) => {
                format!(" (`fibfob watch {code}`)")
            }
            (RequestBody::Join { code }, RefusalReason::AlreadySeated) => {
                format!(" (`fibfob play --resume {code}`)")
            }
            _ => String::new(),
        };
        let text = format!("{}: {message}{hint}", describe(&ask));
        let mut effects = vec![say(Tone::Refusal, text)];
        match ask {
            RequestBody::Create(_) | RequestBody::Spectate { .. } | RequestBody::Join { .. } => {
                effects.push(Effect::Stop(Exit::No));
            }
            RequestBody::Play { expecting, .. } => {
                if self
                    .in_flight
                    .as_ref()
                    .is_some_and(|it| it.expecting == expecting)
                {
                    self.in_flight = None;
                }
                let overtaken = matches!(
                    reason,
                    RefusalReason::Stale | RefusalReason::NotYourTurn | RefusalReason::NotInPlay
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

    fn updated(&mut self, update: &MatchUpdate) -> Vec<Effect> {
        let me = self.identity.as_ref().map(|(guest, _)| *guest);
        let known = self
            .table
            .as_mut()
            .filter(|table| table.id == update.match_id);
        let was_over = known.as_ref().is_some_and(|table| table.is_over());
        match known {
            Some(table) => table.apply(update, me),
            None => self.sit_down_at(Table::new(update, me)),
        }
        let table = self.table.as_ref().expect("it was just set");
        let mut effects: Vec<Effect> = Vec::new();
        for event in &update.events {
            let newest = event.version == update.version;
            effects.push(Effect::Say(words::event(table, event, newest)));
        }
        if !was_over {
            effects.extend(words::verdict(table).map(|text| say(Tone::Result, text)));
        }
        let shown = |it: &InFlight| it.expecting < table.version;
        if self.in_flight.as_ref().is_some_and(shown) {
            self.in_flight = None;
        }
        let over = table.is_over();
        if let Some(saved) = self.saved_seat() {
            match (self.kept, over) {
                (Kept::Nothing, false) => {
                    self.kept = Kept::Seat;
                    effects.push(Effect::KeepSeat(saved));
                }
                (Kept::Nothing | Kept::Seat, true) => {
                    self.kept = Kept::Forgotten;
                    effects.push(Effect::ForgetSeat(saved));
                }
                (Kept::Seat, false) | (Kept::Forgotten, _) => {}
            }
        }
        for unknown in &update.unknown {
            effects.extend(self.ignored(unknown));
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

    /// What a later run needs to have our seat.
    fn saved_seat(&self) -> Option<SavedSeat> {
        let table = self.table.as_ref()?;
        let (_, token) = self.identity.as_ref()?;
        Some(SavedSeat {
            server: self.server.to_string(),
            code: table.code,
            id: table.id,
            seat: table.seat?,
            token: token.clone(),
        })
    }

    fn present(&mut self, presence: Presence) -> Vec<Effect> {
        let Some(table) = self
            .table
            .as_mut()
            .filter(|table| table.id == presence.match_id)
        else {
            return Vec::new();
        };
        table.presence = Some(presence);
        let Some(other) = table.seat.map(Seat::other) else {
            return Vec::new();
        };
        let here = table.is_connected(other) == Some(true);
        // Before their first move the other one may only be on the way here.
        if self.other_here == here || table.turn().is_none() || table.plies.is_empty() {
            return Vec::new();
        }
        self.other_here = here;
        let name = words::capitalised(&words::who(table, other));
        let text = match here {
            true => format!("{name} is back"),
            false => format!("{name} has lost the line; the seat is kept"),
        };
        let mut effects = vec![say(Tone::Note, text)];
        if table.away().is_some() {
            let grace = minutes(table.view.grace_ms);
            let text = format!("if {name} stays away for {grace}, `claim` has the match");
            effects.push(say(Tone::Prompt, text));
        }
        effects
    }

    /// Something that this client is too old to know is told of once and passed over.
    fn ignored(&mut self, what: &str) -> Vec<Effect> {
        let what: String = what.chars().take(UNKNOWN_CHARS_MAX).collect();
        if self.unknown.len() >= UNKNOWN_MAX || !self.unknown.insert(what.clone()) {
            return Vec::new();
        }
        let text =
            format!("the server is newer than this client and says `{what}`; that is ignored");
        vec![say(Tone::Trouble, text)]
    }

    /// Leaves a finished match for the one that repeats it.
    fn go_on_in(&mut self, next: &MatchRef) -> Vec<Effect> {
        match &self.table {
            Some(table) if table.id != next.id => {
                let id = table.id;
                self.current = Some(next.id);
                self.known_to_be_at = None;
                // Else the connection would follow one match more with every rematch.
                vec![Effect::Follow(next.id), self.ask(RequestBody::Leave { id })]
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
}

/// A command that was not done, in a few words.
fn describe(ask: &RequestBody) -> String {
    match ask {
        RequestBody::Create(_) => "the match was not made".to_owned(),
        RequestBody::Join { code } => format!("match {code} was not joined"),
        RequestBody::Spectate { code } => format!("match {code} cannot be watched"),
        RequestBody::Play { text, .. } => format!("`{text}` was not played"),
        RequestBody::Resign { .. } => "you have not resigned".to_owned(),
        RequestBody::Choose { .. } => "nothing was chosen".to_owned(),
        RequestBody::Claim { .. } => "the match was not claimed".to_owned(),
        RequestBody::OfferTakeback { .. } => "your move was not asked back".to_owned(),
        RequestBody::AnswerTakeback { .. } => "the question was not answered".to_owned(),
        RequestBody::Chat { .. } => "nothing was said".to_owned(),
        RequestBody::Mute { muted: true, .. } => "talk is not muted".to_owned(),
        RequestBody::Mute { muted: false, .. } => "talk stays muted".to_owned(),
        RequestBody::OfferRematch { .. } | RequestBody::AcceptRematch { .. } => {
            "no rematch".to_owned()
        }
        RequestBody::Leave { .. } => "the match was not left".to_owned(),
        RequestBody::Resume { .. } => "the match was not resumed".to_owned(),
        RequestBody::Preview { text, .. } => format!("`{text}` cannot be tried"),
        RequestBody::Analyse { .. } | RequestBody::Review { .. } => "no analysis".to_owned(),
        RequestBody::Lobby { .. } => "no lobby".to_owned(),
    }
}

/// A command that is still to be done, in a few words.
fn attempted(ask: &RequestBody) -> String {
    match ask {
        RequestBody::Play { text, .. } => format!("`{text}`"),
        _ => "what you asked for".to_owned(),
    }
}
