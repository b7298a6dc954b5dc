//! What the full screen and the plain lines have in common: how a run in a match begins, and
//! the driver that carry its effects out.

use std::time::{Duration, Instant};

use fibfob_client::{CertificateFileError, Client, ClientConfig, ClientEvent, ServerUrl, Trust};
use fibfob_games::{Position, choose_move, chooses_first, random_move};
use fibfob_protocol::{MatchId, RequestBody, Version};
use rand::RngExt;
use thiserror::Error;
use tokio::sync::mpsc;

use crate::app::text::{OutputKind, OutputLine};
use crate::app::{AppState, Effect, SolverQuery, SolverResult, UserRole};
use crate::args::{
    Autoplay, ConnectionArgs, MatchEntry, OptionConflict, PlayArgs, ServerVariableError, WatchArgs,
};
use crate::exit::Exit;
use crate::storage::{IdentityFile, SavedSeat, SavedSeatError, SeatFiles, StorageError};

/// Moves found that wait to be taken; there is never more than one thought at a time.
const THOUGHTS: usize = 4;

/// A run that cannot begin.
#[derive(Debug, Error)]
pub enum StartError {
    /// The environment's server is none.
    #[error(transparent)]
    Variable(#[from] ServerVariableError),
    /// Options that do not go together.
    #[error(transparent)]
    OptionConflict(#[from] OptionConflict),
    /// The authorities to trust cannot be read.
    #[error(transparent)]
    Certificates(#[from] CertificateFileError),
    /// A file is not as it should be.
    #[error(transparent)]
    Keep(#[from] StorageError),
    /// No seat to come back to.
    #[error(transparent)]
    SavedSeatError(#[from] SavedSeatError),
    /// The saved seat's server has no address any more.
    #[error("the saved seat is at {0}, which is no server's address")]
    SavedServer(String),
}

impl StartError {
    /// How the shell is told.
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

/// A run that is about to begin.
pub struct RunSetup {
    /// Where.
    pub server: ServerUrl,
    /// As what.
    pub role: UserRole,
    /// How to get into the match, if that needs saying.
    pub enter: Option<RequestBody>,
    /// How long the solver waits before a move; none if nothing was said.
    pub pause: Option<Duration>,
    common: ConnectionArgs,
    trust: Trust,
    token: Option<String>,
    following: Option<MatchId>,
    identity: Option<IdentityFile>,
    seats: SeatFiles,
}

impl RunSetup {
    /// To play.
    ///
    /// # Errors
    /// [`StartError`].
    pub fn play(args: &PlayArgs) -> Result<Self, StartError> {
        let entry = args.entry()?;
        let mut plan = Self::new(&args.common, entry.link(), UserRole::Player(args.auto))?;
        plan.pause = args.pause.map(|pause| pause.0);
        match entry {
            MatchEntry::Create(opening) => plan.enter = Some(RequestBody::Create(opening)),
            MatchEntry::Join(name) => {
                let code = name.code.to_string();
                plan.enter = Some(RequestBody::Join { code });
            }
            MatchEntry::Resume(name, seat) => match plan.seats.find(name.code, seat) {
                Ok(saved) => plan.sit(saved)?,
                // The same person needs no saved seat.
                Err(SavedSeatError::None(code)) if plan.token.is_some() => {
                    let code = code.to_string();
                    plan.enter = Some(RequestBody::Spectate { code });
                }
                Err(none) => return Err(none.into()),
            },
        }
        Ok(plan)
    }

    /// To watch.
    ///
    /// # Errors
    /// [`StartError`].
    pub fn watch(args: &WatchArgs) -> Result<Self, StartError> {
        let mut plan = Self::new(&args.common, args.code.server.as_ref(), UserRole::Watcher)?;
        let code = args.code.code.to_string();
        plan.enter = Some(RequestBody::Spectate { code });
        Ok(plan)
    }

    /// To look at the lobby.
    ///
    /// # Errors
    /// [`StartError`].
    pub fn lobby(common: &ConnectionArgs) -> Result<Self, StartError> {
        Self::new(common, None, UserRole::Watcher)
    }

    fn new(
        common: &ConnectionArgs,
        link: Option<&ServerUrl>,
        role: UserRole,
    ) -> Result<Self, StartError> {
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

    /// Takes a saved seat: its guest, its match, and its server unless another one is named.
    fn sit(&mut self, saved: SavedSeat) -> Result<(), StartError> {
        let SavedSeat {
            server, id, token, ..
        } = saved;
        // It may have moved since, and then the user says where to.
        if !self.common.names_server() {
            self.server = server
                .parse()
                .map_err(|_| StartError::SavedServer(server))?;
        }
        self.token = Some(token);
        self.following = Some(id);
        // The file's own person may be another one.
        self.identity = None;
        Ok(())
    }

    /// FirstMoveRule: the line, the app, and the driver between them. `pause` is for a run that
    /// was not told one.
    pub fn begin(self, pause: Duration) -> (AppState, Driver, Option<RequestBody>) {
        let app = AppState::new(self.server.clone(), self.role);
        let (solver, thoughts) = mpsc::channel(THOUGHTS);
        let driver = Driver {
            server: self.server.to_string(),
            pause: self.pause.unwrap_or(pause),
            client: self.connection(),
            identity: self.identity,
            seats: self.seats,
            solver,
            thoughts,
        };
        (app, driver, self.enter)
    }

    /// The client alone.
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

/// Waits until then; for ever, if there is no such instant.
pub async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}

/// What a front end must show or obey by itself.
#[derive(Debug, PartialEq, Eq)]
pub enum DisplayEffect {
    /// Tell the user.
    Print(OutputLine),
    /// Show what can be typed.
    Help,
    /// The match has ended and nothing is unanswered.
    Settled(Exit),
    /// End the run.
    Stop(Exit),
}

/// Carries effects out: speaks, thinks, writes files.
pub struct Driver {
    server: String,
    pause: Duration,
    client: Client,
    identity: Option<IdentityFile>,
    seats: SeatFiles,
    solver: mpsc::Sender<(Version, SolverResult)>,
    thoughts: mpsc::Receiver<(Version, SolverResult)>,
}

/// What comes back to the driver.
pub enum DriverEvent {
    /// The line's keeper says something; nothing, if it is gone.
    Client(Option<ClientEvent>),
    /// The solver has found out what it was asked at this version.
    Solved(Version, SolverResult),
}

impl Driver {
    /// Waits for what comes next. May be dropped at any time without loss.
    pub async fn next_event(&mut self) -> DriverEvent {
        tokio::select! {
            event = self.client.next_event() => DriverEvent::Client(event),
            Some((version, thought)) = self.thoughts.recv() => DriverEvent::Solved(version, thought),
        }
    }

    /// Does what can be done here, and gives back the rest in order.
    pub fn perform(&mut self, app: &mut AppState, effects: Vec<Effect>) -> Vec<DisplayEffect> {
        let mut shown = Vec::new();
        for effect in effects {
            match effect {
                Effect::Print(line) => shown.push(DisplayEffect::Print(line)),
                Effect::Help => shown.push(DisplayEffect::Help),
                Effect::Settled(exit) => shown.push(DisplayEffect::Settled(exit)),
                Effect::Stop(exit) => shown.push(DisplayEffect::Stop(exit)),
                Effect::Solve {
                    version,
                    position,
                    query,
                    auto,
                } => self.think(version, *position, query, auto),
                Effect::DeleteSeat(saved) => self.seats.forget(saved.code, saved.seat, saved.id),
                Effect::SaveSeat(saved) => {
                    let kept = self.seats.keep(&saved);
                    shown.extend(
                        kept.err()
                            .map(|error| storage_warning(&error, "the seat cannot be kept")),
                    );
                }
                Effect::SaveToken(token) => {
                    let kept = self
                        .identity
                        .as_mut()
                        .map(|it| it.keep(&self.server, &token));
                    let error = kept.and_then(Result::err);
                    shown.extend(
                        error.map(|error| storage_warning(&error, "who you are cannot be kept")),
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

    fn think(&self, version: Version, position: Position, query: SolverQuery, auto: Autoplay) {
        let (solver, pause) = (self.solver.clone(), self.pause);
        tokio::spawn(async move {
            if !pause.is_zero() {
                tokio::time::sleep(pause).await;
            }
            // Off the runtime: a big position may take its time.
            let found = tokio::task::spawn_blocking(move || find(&position, query, auto)).await;
            // When nobody waits for it any more, it is not missed.
            let _ = solver
                .send((version, found.unwrap_or(SolverResult::Nothing)))
                .await;
        });
    }
}

fn find(position: &Position, query: SolverQuery, auto: Autoplay) -> SolverResult {
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
        OutputKind::Trouble,
        format!("{what}: {error}"),
    ))
}
