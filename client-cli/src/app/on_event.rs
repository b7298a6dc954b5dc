//! Handles the events of the client library.

use std::time::{Duration, Instant};

use fibfob_client::{ClientEvent, MatchUpdate, StopReason};
use fibfob_protocol::{
    Accepted, Action, CloseReason, Event, MatchId, MatchRef, PhaseName, PhaseView, Presence,
    RequestBody, Seat, Welcome,
};
use fibfob_theory::Exit;

use super::chat::MUTED;
use super::clock::{ServerClock, minutes};
use super::displayed_match::{DisplayedMatch, changes_position, number_events};
use super::text::{self, OutputKind};
use super::{
    AppState, ConnectionStatus, DisplayEffect, Effect, MatchProgress, Recording, UserRole, say,
    stop,
};
use crate::names::seat_name;
use crate::storage::SavedSeat;

/// The most unknown names that are reported to the user.
const UNKNOWN_MAX: usize = 16;

/// The most characters that are shown of an unknown name.
const UNKNOWN_CHARS_MAX: usize = 40;

/// Returns the operator's words for the user.
fn operator_says(words: impl std::fmt::Display) -> Effect {
    say(OutputKind::Problem, format!("the operator says: {words}"))
}

impl AppState {
    fn on_disconnected(&mut self, cause: &str, retry_in: Duration) -> Vec<Effect> {
        self.connection = Some(ConnectionStatus::Down);
        self.known_version = None;
        // A connection that is tried again and again fails for the same reason each time.
        if self.reported_cause.as_deref() == Some(cause) {
            return Vec::new();
        }
        self.reported_cause = Some(cause.to_owned());
        let text = text::connection_lost(&self.server, cause, retry_in);
        let mut effects = vec![say(OutputKind::Problem, text)];
        if let Some(moved) = &self.progress.in_flight {
            let text = format!(
                "`{}` is not known to be played; it is sent again when the connection is back",
                moved.text
            );
            effects.push(say(OutputKind::Note, text));
        }
        effects
    }

    fn on_connected(&mut self, welcome: Welcome, at: Instant) -> Vec<Effect> {
        let mut effects = Vec::new();
        if self.connection.replace(ConnectionStatus::Up) == Some(ConnectionStatus::Down) {
            let text = format!("connected to {} again", self.server.authority());
            effects.push(say(OutputKind::Problem, text));
        }
        self.reported_cause = None;
        self.server_time = Some(ServerClock::new(welcome.now, at));
        self.identity = Some((welcome.guest, welcome.token.clone()));
        self.public = welcome.public_url.and_then(|url| url.parse().ok());
        effects.push(Effect::SaveToken(welcome.token));
        effects
    }

    pub(super) fn handle(&mut self, event: ClientEvent) -> Vec<Effect> {
        match event {
            ClientEvent::Connected { welcome, at } => self.on_connected(*welcome, at),
            ClientEvent::Disconnected {
                cause, retry_in, ..
            } => self.on_disconnected(&cause, retry_in),
            ClientEvent::Stopped(reason) => {
                // Who is forgotten has no seat to come back to.
                if let (StopReason::Dismissed(_), Some(followed)) = (&reason, &mut self.followed) {
                    followed.seat = None;
                }
                vec![
                    say(OutputKind::Problem, text::describe_stop(&reason)),
                    stop(Exit::No),
                ]
            }
            ClientEvent::Notice(notice) => vec![operator_says(&notice.text)],
            ClientEvent::Goodbye { message, .. } => vec![say(OutputKind::Problem, message)],
            ClientEvent::Resumed { match_id, version } if self.is_current(match_id) => {
                self.current = Some(match_id);
                self.known_version = Some(version);
                // Another server of the store does not know whether the chat is muted.
                let muted = self.muted.then(|| self.request_mute());
                Vec::from_iter(muted.flatten())
            }
            ClientEvent::MatchLost { match_id, cause } if self.is_current(match_id) => {
                let text = cause.to_string();
                vec![say(OutputKind::Problem, text), stop(Exit::No)]
            }
            ClientEvent::Accepted { request, answer } => {
                self.unanswered = self.unanswered.saturating_sub(1);
                let mut effects = self.on_accepted(&request, &answer);
                if answer.muted && !self.muted {
                    self.muted = true;
                    effects.push(say(OutputKind::Note, MUTED));
                }
                effects
            }
            ClientEvent::Refused { request, answer } => {
                let answered = usize::from(request.is_some());
                self.unanswered = self.unanswered.saturating_sub(answered);
                self.on_refused(request, answer)
            }
            ClientEvent::Postponed { request, answer } => {
                let text = describe_delay(&request, &answer.message);
                vec![say(OutputKind::Problem, text)]
            }
            ClientEvent::Answer(answer) => self.on_answer(&answer),
            ClientEvent::Update(update) if self.is_current(update.match_id) => {
                self.on_update(&update)
            }
            ClientEvent::Presence(presence) => self.on_presence(presence),
            ClientEvent::Chat(talk) if self.is_current(talk.match_id) => self.on_chat(&talk),
            ClientEvent::Unknown(what) => self.on_unknown(&what),
            // Events of the match before a rematch, until it is left, and answers to what nothing in a match asks.
            _ => Vec::new(),
        }
    }

    /// Returns true if this match is shown, or none is known yet.
    fn is_current(&self, id: MatchId) -> bool {
        self.current.is_none_or(|current| current == id)
    }

    fn on_accepted(&mut self, ask: &RequestBody, answer: &Accepted) -> Vec<Effect> {
        if matches!(
            ask,
            RequestBody::Create(_)
                | RequestBody::Join { .. }
                | RequestBody::Spectate { .. }
                | RequestBody::Fly
        ) {
            self.current = answer.match_id;
            self.known_version = Some(answer.version.unwrap_or_default());
        }
        match ask {
            RequestBody::Act {
                id,
                action: Action::Withdraw,
            } => {
                let left = self.followed.as_ref().filter(|followed| followed.id == *id);
                let phase = left.map(|followed| followed.view.phase.name());
                if matches!(phase, Some(PhaseName::Open | PhaseName::Closed)) {
                    return self.on_withdrawn();
                }
            }
            RequestBody::Act { action, .. } => {
                let is_shown = matches!(action, Action::OfferRematch | Action::AcceptRematch);
                if let (false, Some(known)) = (is_shown, &mut self.known_version) {
                    // The command's own event is not on display yet.
                    *known = answer.version.unwrap_or_default().max(*known);
                }
            }
            // The user returned by code and has no seat.
            RequestBody::Spectate { code }
                if self.role != UserRole::Watcher && answer.seat.is_none() =>
            {
                let text =
                    format!("you have no seat in match {code}; `fibfob watch {code}` shows it");
                return vec![say(OutputKind::Refusal, text), stop(Exit::No)];
            }
            _ => {}
        }
        let next = answer.next.as_ref();
        next.map_or_else(Vec::new, |next| self.enter_rematch(next))
    }

    fn on_update(&mut self, update: &MatchUpdate) -> Vec<Effect> {
        let me = self.identity.as_ref().map(|(guest, _)| *guest);
        let known = self.followed.as_mut();
        let known = known.filter(|followed| followed.id == update.match_id);
        let is_news = known.is_some();
        let was_over = known.as_ref().is_some_and(|followed| followed.is_over());
        match known {
            Some(followed) => followed.apply(update, me),
            // The first match, or another one.
            None => {
                self.followed = Some(DisplayedMatch::new(update, me));
                self.progress = MatchProgress::default();
                self.analysis = None;
            }
        }
        let followed = self.followed.as_ref().expect("it was just set");
        let mut effects: Vec<Effect> = Vec::new();
        let events = number_events(update).into_iter();
        for (event, number) in events.filter(|_| self.recording != Recording::Asked) {
            let newest = event.version == update.version;
            let line = text::event(followed, event, newest, number);
            effects.push(DisplayEffect::Print(line).into());
        }
        if !is_news {
            effects.extend(self.opening_notes(followed));
        }
        if !was_over {
            effects.extend(text::verdict(followed).map(|text| say(OutputKind::Result, text)));
        }
        let is_personal = self.role == UserRole::Player(None);
        if is_news && is_personal && followed.calls(update, was_over) {
            effects.push(DisplayEffect::Call.into());
        }
        // Other events, such as a restart's, leave the position as it was and the move unanswered.
        let mut events = update.events.iter().map(|timed| &timed.event);
        let is_answered =
            followed.is_over() || !update.unknown.is_empty() || events.any(changes_position);
        let version = followed.version;
        let in_flight = &mut self.progress.in_flight;
        in_flight.take_if(|it| is_answered && it.expecting < version);
        effects.extend(self.seat_file_change());
        for unknown in &update.unknown {
            effects.extend(self.on_unknown(unknown));
        }
        effects.extend(self.wanted_review(was_over));
        for event in &update.events {
            if let Event::RematchAccepted { next, .. } = &event.event {
                effects.extend(self.on_rematch(next, is_news));
            }
        }
        effects
    }

    fn opening_notes(&self, followed: &DisplayedMatch) -> Vec<Effect> {
        let mut notes = Vec::new();
        if self.role == UserRole::Player(None) {
            notes.extend(text::suggest_name(followed));
            notes.extend(text::introduction(followed));
        }
        if self.may_analyse() && !followed.is_over() {
            notes.push(text::OPEN_ANALYSIS.to_owned());
        }
        if self.comes_back {
            notes.extend(text::own_open_match(followed, &self.server));
        }
        let notes = notes.into_iter().map(|text| say(OutputKind::Note, text));
        notes.collect()
    }

    fn on_rematch(&mut self, next: &MatchRef, is_news: bool) -> Vec<Effect> {
        match self.role {
            UserRole::Player(_) if is_news => self.enter_rematch(next),
            // Who opened a finished match, or watches it, stays there.
            _ => {
                let text = format!("the rematch is match {}; `rematch` goes there", next.code);
                vec![say(OutputKind::Note, text)]
            }
        }
    }

    /// Keeps the user's seat while the match is not over.
    fn seat_file_change(&mut self) -> Option<Effect> {
        let saved = self.seat_to_save()?;
        let is_saved = !self.is_over();
        if self.progress.is_seat_saved.replace(is_saved) == Some(is_saved) {
            return None;
        }
        Some(match is_saved {
            true => Effect::SaveSeat(saved),
            false => Effect::DeleteSeat(saved),
        })
    }

    /// The user's seat, as a later run needs it.
    fn seat_to_save(&self) -> Option<SavedSeat> {
        let followed = self.followed.as_ref()?;
        let (_, token) = self.identity.as_ref()?;
        Some(SavedSeat {
            server: self.server.to_string(),
            code: followed.code,
            id: followed.id,
            seat: followed.seat?,
            token: token.clone(),
        })
    }

    fn on_presence(&mut self, presence: Presence) -> Vec<Effect> {
        let followed = self.followed.as_mut();
        let Some(followed) = followed.filter(|it| it.id == presence.match_id) else {
            return Vec::new();
        };
        let mut effects = Vec::new();
        let was_known = followed.presence.is_some();
        let earlier = followed.view.players.clone();
        followed.apply_presence(presence);
        for seat in Seat::BOTH {
            let players = [&earlier, &followed.view.players];
            if let [Some(before), Some(now)] = players.map(|it| seat_name(it, seat))
                && was_known
                && before != now
                && followed.seat != Some(seat)
            {
                effects.push(say(OutputKind::Note, format!("{before} is now {now}")));
            }
        }
        let Some(other) = followed.seat.map(Seat::other) else {
            return effects;
        };
        let here = followed.is_connected(other) == Some(true);
        // Before the first move the opponent may not have opened the match yet.
        let is_played = followed.turn().is_some() && followed.view.plies > 0;
        if self.progress.opponent_lost != here || !is_played {
            return effects;
        }
        self.progress.opponent_lost = !here;
        let name = text::capitalise(&text::who(followed, other));
        let text = match here {
            true => format!("{name} is back"),
            false => format!("{name} has lost the connection; the seat is kept"),
        };
        effects.push(say(OutputKind::Note, text));
        if followed.away().is_some() {
            let grace = minutes(followed.view.grace_ms);
            let effect = followed.claim_effect();
            let text = format!("if {name} stays away for {grace}, `claim` {effect}");
            effects.push(say(OutputKind::Prompt, text));
        }
        effects
    }

    /// Reports an unknown name once; it is skipped.
    fn on_unknown(&mut self, what: &str) -> Vec<Effect> {
        let what: String = what.chars().take(UNKNOWN_CHARS_MAX).collect();
        if self.unknown.len() >= UNKNOWN_MAX || !self.unknown.insert(what.clone()) {
            return Vec::new();
        }
        let text =
            format!("the server is newer than this client and says `{what}`; that is ignored");
        vec![say(OutputKind::Problem, text)]
    }

    /// Ends the run after the user has withdrawn an open match.
    fn on_withdrawn(&mut self) -> Vec<Effect> {
        let shown = self.followed.as_ref().and_then(text::verdict).is_some();
        let said = (!shown).then(|| say(OutputKind::Result, "The match was taken back."));
        let mut effects: Vec<Effect> = said.into_iter().collect();
        effects.extend(self.seat_to_save().map(Effect::DeleteSeat));
        // Its event need not come any more.
        if let Some(followed) = &mut self.followed {
            let reason = CloseReason::Withdrawn;
            followed.view.phase = PhaseView::Closed { reason };
        }
        effects.push(stop(Exit::Done));
        effects
    }
}

fn describe_delay(ask: &RequestBody, why: &str) -> String {
    let what = match ask {
        RequestBody::Act {
            action: Action::Play { text, .. },
            ..
        } => format!("`{text}`"),
        _ => "what you asked for".to_owned(),
    };
    format!("{what} is sent again in a moment: {why}")
}
