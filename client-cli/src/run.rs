//! The start of a run from its arguments, and the driver that performs the effects of its state.
//! The full screen and the plain lines share both.

use std::time::{Duration, Instant};

use fibfob_client::{CertificateFileError, Client, ClientConfig, ClientEvent, ServerUrl, Trust};
use fibfob_games::{Position, choose_move, chooses_first, random_move};
use fibfob_protocol::{MatchId, RequestBody, Version};
use rand::RngExt;
use thiserror::Error;
use tokio::sync::mpsc;

use crate::app::call::Call;
use crate::app::text::{OutputKind, OutputLine};
use crate::app::{AppState, Effect, SolverQuery, SolverResult, UserRole};
use crate::args::{
    Autoplay, ConnectionArgs, MatchEntry, OptionConflict, PlayArgs, ServerVariableError, WatchArgs,
};
use crate::exit::Exit;
use crate::storage::{IdentityFile, SavedSeat, SavedSeatError, SeatFiles, StorageError};

/// The solver's answers that may wait; there is never more than one query at a time.
const SOLVER_RESULTS_MAX: usize = 4;

/// A run that cannot start.
#[derive(Debug, Error)]
pub enum RunSetupError {
    /// The environment's server address is invalid.
    #[error(transparent)]
    Variable(#[from] ServerVariableError),
    /// Two options conflict.
    #[error(transparent)]
    OptionConflict(#[from] OptionConflict),
    /// The certificate authorities cannot be read.
    #[error(transparent)]
    Certificates(#[from] CertificateFileError),
    /// A file cannot be read.
    #[error(transparent)]
    Keep(#[from] StorageError),
    /// There is no saved seat to return to.
    #[error(transparent)]
    SavedSeatError(#[from] SavedSeatError),
    /// The saved seat's server address is invalid.
    #[error("the saved seat is at {0}, which is no server's address")]
    SavedServer(String),
}

impl RunSetupError {
    /// The exit status for this error.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Variable(_) | Self::OptionConflict(_) => Exit::Usage,
            Self::Certificates(_)
            | Self::Keep(_)
            | Self::SavedSeatError(_)
            | Self::SavedServer(_) => Exit::No,
        }
    }
}

/// A run that is about to start.
pub struct RunSetup {
    /// The server.
    pub server: ServerUrl,
    /// The user's part.
    pub role: UserRole,
    /// The request that enters the match; none if it is followed already.
    pub enter: Option<RequestBody>,
    /// The pause before the solver's moves; none for the default.
    pub pause: Option<Duration>,
    common: ConnectionArgs,
    trust: Trust,
    token: Option<String>,
    following: Option<MatchId>,
    identity: Option<IdentityFile>,
    seats: SeatFiles,
}

impl RunSetup {
    /// A run that plays.
    ///
    /// # Errors
    /// [`RunSetupError`].
    pub fn play(args: &PlayArgs) -> Result<Self, RunSetupError> {
        let entry = args.entry()?;
        let mut setup = Self::new(&args.common, entry.link(), UserRole::Player(args.auto))?;
        setup.pause = args.pause.map(|pause| pause.0);
        match entry {
            MatchEntry::Create(opening) => setup.enter = Some(RequestBody::Create(opening)),
            MatchEntry::Join(name) => {
                let code = name.code.to_string();
                setup.enter = Some(RequestBody::Join { code });
            }
            MatchEntry::Resume(name, seat) => match setup.seats.find(name.code, seat) {
                Ok(saved) => setup.take_seat(saved)?,
                // The seat's own guest needs no saved seat.
                Err(SavedSeatError::None(code)) if setup.token.is_some() => {
                    let code = code.to_string();
                    setup.enter = Some(RequestBody::Spectate { code });
                }
                Err(none) => return Err(none.into()),
            },
        }
        Ok(setup)
    }

    /// A run that watches.
    ///
    /// # Errors
    /// [`RunSetupError`].
    pub fn watch(args: &WatchArgs) -> Result<Self, RunSetupError> {
        let mut setup = Self::new(&args.common, args.code.server.as_ref(), UserRole::Watcher)?;
        let code = args.code.code.to_string();
        setup.enter = Some(RequestBody::Spectate { code });
        Ok(setup)
    }

    /// A run that lists the lobby.
    ///
    /// # Errors
    /// [`RunSetupError`].
    pub fn lobby(common: &ConnectionArgs) -> Result<Self, RunSetupError> {
        Self::new(common, None, UserRole::Watcher)
    }

    fn new(
        common: &ConnectionArgs,
        link: Option<&ServerUrl>,
        role: UserRole,
    ) -> Result<Self, RunSetupError> {
        let server = common.server(link)?;
        let trust = match common.ca_cert() {
            Some(path) => Trust::only(&path)?,
            None => Trust::system(),
        };
        let identity = common.identity().map(IdentityFile::open).transpose()?;
        let token = identity
            .as_ref()
            .and_then(|it| it.token(&server.to_string()));
        Ok(Self {
            token: token.map(str::to_owned),
            server,
            role,
            enter: None,
            pause: None,
            common: common.clone(),
            trust,
            following: None,
            identity,
            seats: SeatFiles::of_user(),
        })
    }

    /// Takes a saved seat's guest and match, and its server unless another one is named.
    fn take_seat(&mut self, saved: SavedSeat) -> Result<(), RunSetupError> {
        let SavedSeat {
            server, id, token, ..
        } = saved;
        // The server may have moved, and then the user names the new address.
        if !self.common.names_server() {
            self.server = server
                .parse()
                .map_err(|_| RunSetupError::SavedServer(server))?;
        }
        self.token = Some(token);
        self.following = Some(id);
        // The identity file may be another guest's.
        self.identity = None;
        Ok(())
    }

    /// Starts the client, the state and the driver between them. `pause` is the solver's default
    /// pause.
    pub fn start(self, pause: Duration) -> (AppState, Driver, Option<RequestBody>) {
        let app = AppState::new(self.server.clone(), self.role);
        let (solver, solver_results) = mpsc::channel(SOLVER_RESULTS_MAX);
        let driver = Driver {
            server: self.server.to_string(),
            pause: self.pause.unwrap_or(pause),
            client: self.connection(),
            identity: self.identity,
            seats: self.seats,
            solver,
            solver_results,
        };
        (app, driver, self.enter)
    }

    /// Starts the client alone.
    pub fn connection(&self) -> Client {
        let mut config = ClientConfig::new(self.server.clone())
            .trust(self.trust.clone())
            .give_up_after(self.common.give_up_after.0)
            .raw_messages(self.common.json);
        if let Some(name) = &self.common.name {
            config = config.name(name.to_string());
        }
        if let Some(token) = &self.token {
            config = config.token(token);
        }
        if let Some(id) = self.following {
            config = config.follow(id);
        }
        Client::connect(config)
    }
}

/// Waits until this time; for ever if there is none.
pub async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}

/// An effect that is left to the front end.
#[derive(Debug, PartialEq, Eq)]
pub enum DisplayEffect {
    /// Show this line.
    Print(OutputLine),
    /// Offer this line to be edited: it was refused.
    Retype(String),
    /// Call the user, who may look elsewhere.
    Call(Call),
    /// Show the help.
    Help,
    /// The match has ended and every request is answered.
    Settled(Exit),
    /// End the run.
    Stop(Exit),
}

/// Performs effects: sends requests, runs the solver, writes files.
pub struct Driver {
    server: String,
    pause: Duration,
    client: Client,
    identity: Option<IdentityFile>,
    seats: SeatFiles,
    solver: mpsc::Sender<(Version, SolverResult)>,
    solver_results: mpsc::Receiver<(Version, SolverResult)>,
}

/// An event for the state.
pub enum DriverEvent {
    /// An event of the client; none after the last one.
    Client(Option<ClientEvent>),
    /// The solver's answer to a query about this version.
    Solved(Version, SolverResult),
}

impl Driver {
    /// Returns the next event. Cancel safe.
    pub async fn next_event(&mut self) -> DriverEvent {
        tokio::select! {
            event = self.client.next_event() => DriverEvent::Client(event),
            Some((version, result)) = self.solver_results.recv() => DriverEvent::Solved(version, result),
        }
    }

    /// Performs what it can, and returns the other effects in order.
    pub fn perform(&mut self, app: &mut AppState, effects: Vec<Effect>) -> Vec<DisplayEffect> {
        let mut shown = Vec::new();
        for effect in effects {
            match effect {
                Effect::Print(line) => shown.push(DisplayEffect::Print(line)),
                Effect::Call(call) => shown.push(DisplayEffect::Call(call)),
                Effect::Retype(line) => shown.push(DisplayEffect::Retype(line)),
                Effect::Help => shown.push(DisplayEffect::Help),
                Effect::Settled(exit) => shown.push(DisplayEffect::Settled(exit)),
                Effect::Stop(exit) => shown.push(DisplayEffect::Stop(exit)),
                Effect::Solve {
                    version,
                    position,
                    query,
                    auto,
                } => self.solve(version, *position, query, auto),
                Effect::DeleteSeat(saved) => self.seats.delete(saved.code, saved.seat, saved.id),
                Effect::SaveSeat(saved) => {
                    let saved_file = self.seats.save(&saved);
                    shown.extend(
                        saved_file
                            .err()
                            .map(|error| storage_warning(&error, "the seat cannot be saved")),
                    );
                }
                Effect::SaveToken(token) => {
                    let saved_file = self
                        .identity
                        .as_mut()
                        .map(|it| it.save(&self.server, &token));
                    let error = saved_file.and_then(Result::err);
                    shown.extend(
                        error.map(|error| storage_warning(&error, "your identity cannot be saved")),
                    );
                }
                Effect::Request(ask) => {
                    if let Err(error) = self.client.request(ask) {
                        let effects = app.on_not_sent(error);
                        shown.extend(self.perform(app, effects));
                    }
                }
                // An error means that the client has stopped, which it reports itself.
                Effect::Follow(id) => _ = self.client.follow(id),
            }
        }
        shown
    }

    /// Leaves the server.
    pub async fn close(self) {
        self.client.close().await;
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

fn storage_warning(error: &StorageError, what: &str) -> DisplayEffect {
    DisplayEffect::Print(OutputLine::new(
        OutputKind::Problem,
        format!("{what}: {error}"),
    ))
}
