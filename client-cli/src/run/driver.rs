//! Drives a run: performs the state's effects, and tells it what has happened.

use std::collections::VecDeque;
use std::fmt::Display;
use std::time::Duration;

use fibfob_client::{Client, ClientEvent, RequestError, StopReason};
use fibfob_protocol::{Action, MatchId, MatchSetup, PlayerName, RequestBody, Version};

use super::RunSetup;
use crate::app::text::{OutputKind, OutputLine};
use crate::app::{AppState, DisplayEffect, Effect};
use crate::local::LocalMatch;
use crate::solver::{Search, answer, found_by, search};

/// Said where no server answers.
const PLAYED_HERE: &str = "no server answers, so the bot plays here; this match is not kept";

/// Said where the server has forgotten its guests.
const NEW_GUEST: &str = "the server does not know you any more; you are a new guest there";

/// The place where the match of a run is played: at a server, or in this process.
pub enum Backend {
    Server(Client),
    /// In this process, where nothing is kept.
    Here(Box<LocalMatch>),
    /// In this process, before the first match.
    Alone,
}

impl Backend {
    pub fn is_here(&self) -> bool {
        matches!(self, Self::Here(_) | Self::Alone)
    }

    pub async fn request(&mut self, ask: RequestBody) -> Result<(), RequestError> {
        match self {
            Self::Server(client) => client.request(ask).await.map(|_| ()),
            Self::Here(local) => {
                local.request(ask);
                Ok(())
            }
            Self::Alone => Ok(()),
        }
    }

    pub async fn follow(&mut self, id: MatchId) {
        match self {
            // An error means that the client has stopped, which it reports itself.
            Self::Server(client) => _ = client.follow(id).await,
            Self::Here(local) => local.follow(id),
            Self::Alone => {}
        }
    }

    pub async fn rename(&mut self, name: &PlayerName) {
        match self {
            // An error means that the client has stopped, which it reports itself.
            Self::Server(client) => _ = client.rename(name.as_str()).await,
            Self::Here(local) => local.rename(name.clone()),
            Self::Alone => {}
        }
    }

    /// Returns the next event. Cancel safe.
    pub async fn next_event(&mut self) -> Option<ClientEvent> {
        match self {
            Self::Server(client) => client.next_event().await,
            Self::Here(local) => Some(local.next_event().await),
            Self::Alone => std::future::pending().await,
        }
    }

    pub async fn close(self) {
        if let Self::Server(client) = self {
            client.close().await;
        }
    }
}

pub enum DriverEvent {
    /// An event of the client; none after the last one.
    Client(Option<ClientEvent>),
    /// The solver's answer to a query about this version; none if it found nothing.
    Solved(Version, Option<Action>),
    /// A change of the place where the match is played, with its reason if the user has to know it.
    Moved(Option<&'static str>),
}

/// Performs effects: sends requests, runs the solver, writes files.
pub struct Driver {
    setup: RunSetup,
    pause: Duration,
    backend: Backend,
    /// True once the server has greeted, so that the match is played there.
    is_greeted: bool,
    /// The solver's newest search; an older one is dropped unread.
    solving: Option<Search>,
    /// The version that it is about.
    solving_at: Version,
}

impl Driver {
    pub(super) fn new(setup: RunSetup, backend: Backend, pause: Duration) -> Self {
        Self {
            setup,
            pause,
            backend,
            is_greeted: false,
            solving: None,
            solving_at: Version(0),
        }
    }

    pub fn is_here(&self) -> bool {
        self.backend.is_here()
    }

    /// Returns the next event. Cancel safe.
    pub async fn next_event(&mut self) -> DriverEvent {
        let event = tokio::select! {
            event = self.backend.next_event() => event,
            found = found_by(&mut self.solving) => {
                return DriverEvent::Solved(self.solving_at, found);
            }
        };
        match event.as_ref().and_then(|event| self.fall_back(event)) {
            Some(why) => DriverEvent::Moved(why),
            None => DriverEvent::Client(event),
        }
    }

    /// Goes on in another way if the server cannot be used as wished. Returns what to tell the user.
    fn fall_back(&mut self, event: &ClientEvent) -> Option<Option<&'static str>> {
        if self.is_greeted || self.backend.is_here() {
            return None;
        }
        let (backend, why) = match event {
            ClientEvent::Stopped(StopReason::NoServer { .. }) if self.setup.needs_no_server() => {
                (Backend::Alone, None)
            }
            ClientEvent::Stopped(StopReason::NoServer { .. }) => {
                (self.setup.without_server(self.pause)?, Some(PLAYED_HERE))
            }
            ClientEvent::Stopped(StopReason::UnknownIdentity(_)) => {
                (self.setup.as_new_guest()?, Some(NEW_GUEST))
            }
            event => {
                self.is_greeted = matches!(event, ClientEvent::Connected { .. });
                return None;
            }
        };
        self.backend = backend;
        Some(why)
    }

    /// Performs what it can, and returns the other effects in order.
    pub async fn perform(
        &mut self,
        app: &mut AppState,
        effects: Vec<Effect>,
    ) -> Vec<DisplayEffect> {
        let mut shown = Vec::new();
        let mut effects = VecDeque::from(effects);
        while let Some(effect) = effects.pop_front() {
            let is_here = self.backend.is_here();
            match effect {
                Effect::Show(effect) => shown.push(effect),
                Effect::Solve(task) => {
                    self.solving_at = task.version;
                    self.solving = Some(search(self.pause, move || answer(&task)));
                }
                // A match in this process ends with it.
                Effect::DeleteSeat(_) | Effect::SaveSeat(_) | Effect::SaveToken(_) if is_here => {}
                Effect::DeleteSeat(saved) => self.setup.seats.delete(&saved),
                Effect::SaveSeat(saved) => {
                    let kept = self.setup.seats.save(&saved);
                    shown.extend(storage_warning(kept, "the seat cannot be saved"));
                }
                Effect::SaveToken(token) => {
                    if let Some(file) = &mut self.setup.identity {
                        let kept = file.save(&self.setup.server, &token);
                        shown.extend(storage_warning(kept, "your identity cannot be saved"));
                    }
                }
                Effect::Request(RequestBody::Create(setup)) if is_here => {
                    effects.extend(self.create(app, setup));
                }
                Effect::Request(ask) => {
                    if let Err(error) = self.backend.request(ask).await {
                        effects.extend(app.on_not_sent(error));
                    }
                }
                Effect::Rename(name) => {
                    self.backend.rename(&name).await;
                    self.setup.name = Some(name.clone());
                    if let Some(file) = &mut self.setup.config {
                        let kept = file.keep_name(&name);
                        shown.extend(storage_warning(kept, "your name cannot be saved"));
                    }
                }
                Effect::Follow(id) => self.backend.follow(id).await,
            }
        }
        let played = app.played_game().zip(self.setup.known_games.as_mut());
        if played.is_some_and(|(game, known)| known.is_new(game)) {
            shown.push(DisplayEffect::Rules);
        }
        shown
    }

    /// Makes a match in this process. Returns what follows from a refusal.
    fn create(&mut self, app: &mut AppState, setup: MatchSetup) -> Vec<Effect> {
        match self.setup.here(&setup, self.pause) {
            Ok(backend) => {
                self.backend = backend;
                Vec::new()
            }
            Err(refusal) => app.on_event(ClientEvent::Refused {
                request: Some(RequestBody::Create(setup)),
                answer: refusal.answer(None),
            }),
        }
    }

    /// Hands an event to the state; returns its effects, none after the last event.
    pub fn react(&self, app: &mut AppState, event: DriverEvent) -> Option<Vec<Effect>> {
        Some(match event {
            DriverEvent::Client(event) => app.on_event(event?),
            DriverEvent::Solved(version, found) => app.on_solver_result(version, found),
            DriverEvent::Moved(why) => {
                let mut effects = app.on_moved(self.backend.is_here(), why);
                // A match in this process is entered already.
                let enter = self.setup.enter.clone().filter(|_| !self.backend.is_here());
                effects.extend(enter.map(Effect::Request));
                effects
            }
        })
    }

    pub async fn close(self) {
        self.backend.close().await;
    }
}

/// Returns the warning about a file that could not be written.
fn storage_warning(written: Result<(), impl Display>, what: &str) -> Option<DisplayEffect> {
    let text = format!("{what}: {}", written.err()?);
    let line = OutputLine::new(OutputKind::Problem, text);
    Some(DisplayEffect::Print(line))
}
