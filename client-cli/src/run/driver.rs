//! The driver of a run: it performs the effects of its state, and says what has happened.

use std::fmt::Display;
use std::time::Duration;

use fibfob_games::{Position, choose_move, chooses_first, random_move};
use fibfob_protocol::Version;
use rand::RngExt;
use tokio::sync::mpsc;

use super::DriverEvent;
use super::backend::Backend;
use crate::app::text::{OutputKind, OutputLine};
use crate::app::{AppState, DisplayEffect, Effect, SolverQuery, SolverResult};
use crate::args::Autoplay;
use crate::storage::{ConfigurationFile, IdentityFile, KnownGames, SeatFiles};

/// The solver's answers that may wait; there is never more than one query at a time.
const SOLVER_RESULTS_MAX: usize = 4;

/// Performs effects: sends requests, runs the solver, writes files.
pub struct Driver {
    /// The file with the user's tokens, if it is kept.
    pub(super) identity: Option<IdentityFile>,
    /// The files with the user's seats.
    pub(super) seats: SeatFiles,
    /// The games whose rules need not be shown by themselves; none if no rules are.
    pub(super) known_games: Option<KnownGames>,
    /// The file that keeps the user's name, if it is kept.
    pub(super) config: Option<ConfigurationFile>,
    server: String,
    pause: Duration,
    backend: Backend,
    solver: mpsc::Sender<(Version, SolverResult)>,
    solver_results: mpsc::Receiver<(Version, SolverResult)>,
}

impl Driver {
    /// A driver that keeps nothing yet.
    pub(super) fn new(server: String, backend: Backend, pause: Duration) -> Self {
        let (solver, solver_results) = mpsc::channel(SOLVER_RESULTS_MAX);
        Self {
            identity: None,
            seats: SeatFiles::of_user(),
            known_games: None,
            config: None,
            server,
            pause,
            backend,
            solver,
            solver_results,
        }
    }

    /// Returns the next event. Cancel safe.
    pub async fn next_event(&mut self) -> DriverEvent {
        tokio::select! {
            event = self.backend.next_event() => event,
            Some((version, result)) = self.solver_results.recv() => DriverEvent::Solved(version, result),
        }
    }

    /// Performs what it can, and returns the other effects in order.
    pub fn perform(&mut self, app: &mut AppState, effects: Vec<Effect>) -> Vec<DisplayEffect> {
        let mut shown = Vec::new();
        let is_here = self.backend.is_here();
        for effect in effects {
            match effect {
                Effect::Show(effect) => shown.push(effect),
                Effect::Solve {
                    version,
                    position,
                    query,
                    auto,
                } => self.solve(version, *position, query, auto),
                // A match in this process ends with it.
                Effect::DeleteSeat(_) | Effect::SaveSeat(_) | Effect::SaveToken(_) if is_here => {}
                Effect::DeleteSeat(saved) => self.seats.delete(saved.code, saved.seat, saved.id),
                Effect::SaveSeat(saved) => {
                    let saved_file = self.seats.save(&saved);
                    shown.extend(storage_warning(saved_file, "the seat cannot be saved"));
                }
                Effect::SaveToken(token) => {
                    if let Some(file) = &mut self.identity {
                        let saved_file = file.save(&self.server, &token);
                        shown.extend(storage_warning(saved_file, "your identity cannot be saved"));
                    }
                }
                Effect::Request(ask) => {
                    if let Err(error) = self.backend.request(ask) {
                        let effects = app.on_not_sent(error);
                        shown.extend(self.perform(app, effects));
                    }
                }
                Effect::Rename(name) => {
                    self.backend.rename(&name);
                    if let Some(file) = &mut self.config {
                        let kept = file.keep_name(&name);
                        shown.extend(storage_warning(kept, "your name cannot be saved"));
                    }
                }
                Effect::Follow(id) => self.backend.follow(id),
            }
        }
        let played = app.played_game().zip(self.known_games.as_mut());
        if played.is_some_and(|(game, known)| known.is_new(game)) {
            shown.push(DisplayEffect::Rules);
        }
        shown
    }

    /// Hands an event to the state; returns its effects, none after the last event.
    pub fn react(&self, app: &mut AppState, event: DriverEvent) -> Option<Vec<Effect>> {
        Some(match event {
            DriverEvent::Client(event) => app.on_event(event?),
            DriverEvent::Solved(version, result) => app.on_solver_result(version, result),
            DriverEvent::Moved(why) => app.on_moved(self.backend.is_here(), why),
        })
    }

    /// Leaves the server.
    pub async fn close(self) {
        self.backend.close().await;
    }

    fn solve(&self, version: Version, position: Position, query: SolverQuery, auto: Autoplay) {
        let (solver, pause) = (self.solver.clone(), self.pause);
        tokio::spawn(async move {
            if !pause.is_zero() {
                tokio::time::sleep(pause).await;
            }
            // Off the runtime: a big position may take seconds.
            let found = tokio::task::spawn_blocking(move || answer(&position, query, auto)).await;
            // An error means that the driver is gone.
            let _ = solver
                .send((version, found.unwrap_or(SolverResult::Nothing)))
                .await;
        });
    }
}

fn answer(position: &Position, query: SolverQuery, auto: Autoplay) -> SolverResult {
    let rng = &mut rand::rng();
    let found = match (query, auto) {
        (SolverQuery::Move, Autoplay::Solver(level)) => choose_move(position, level, rng),
        (SolverQuery::Move, Autoplay::Random) => random_move(position, rng),
        (SolverQuery::FirstMove, Autoplay::Solver(level)) => {
            return SolverResult::First(chooses_first(position, level, rng));
        }
        (SolverQuery::FirstMove, Autoplay::Random) => return SolverResult::First(rng.random()),
    };
    found.map_or(SolverResult::Nothing, |found| {
        SolverResult::Move(found.to_string())
    })
}

/// Returns the warning about a file that could not be written.
fn storage_warning(written: Result<(), impl Display>, what: &str) -> Option<DisplayEffect> {
    let text = format!("{what}: {}", written.err()?);
    let line = OutputLine::new(OutputKind::Problem, text);
    Some(DisplayEffect::Print(line))
}
