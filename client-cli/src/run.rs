//! The start of a run from its arguments. The full screen and the plain lines share it.

mod backend;
mod driver;

use std::time::{Duration, Instant};

use fibfob_client::{Client, ClientConfig, ClientEvent, ServerUrl, Trust};
use fibfob_protocol::{Code, MatchId, Opponent, PlayerName, RequestBody, Seat, Version};
use fibfob_theory::Failure;

use crate::app::{AppState, SolverResult, UserRole};
use crate::args::{ConnectionArgs, MatchEntry, PlayArgs, ReviewArgs, WatchArgs};
use crate::local::LocalMatch;
use crate::storage::{
    ConfigurationFile, IdentityFile, KnownGames, SavedSeat, SavedSeatError, SeatFiles,
};
use backend::{Backend, Fallbacks};

pub use driver::Driver;

/// An event for the state.
pub enum DriverEvent {
    /// An event of the client; none after the last one.
    Client(Option<ClientEvent>),
    /// The solver's answer to a query about this version.
    Solved(Version, SolverResult),
    /// A change of the place where the match is played, with its reason.
    Moved(&'static str),
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
    /// The colours that the configuration asks for.
    pub theme: Option<String>,
    /// True if the bell may be rung.
    pub rings: bool,
    common: ConnectionArgs,
    trust: Trust,
    token: Option<String>,
    following: Option<MatchId>,
    identity: Option<IdentityFile>,
    seats: SeatFiles,
    name: Option<PlayerName>,
    /// True if the identity is the one that is kept without being asked for.
    is_own_identity: bool,
    /// True if the user has named the server.
    names_server: bool,
    offline: bool,
    /// The file that keeps the name; none for a guest that is not kept.
    config: Option<ConfigurationFile>,
    /// The games whose rules need not be shown by themselves; none if no rules are.
    known_games: Option<KnownGames>,
}

impl RunSetup {
    /// A run that plays.
    ///
    /// # Errors
    /// An option, the environment or a file cannot be used.
    pub fn play(args: &PlayArgs) -> Result<Self, Failure> {
        let entry = args.entry()?;
        let mut setup = Self::new(&args.common, entry.link(), UserRole::Player(args.auto))?;
        setup.pause = args.pause;
        setup.offline = args.offline;
        // Whom the solver plays for needs no rules, and neither does a program.
        let is_read = args.auto.is_none() && !args.common.json && !args.no_rules;
        setup.known_games = is_read.then(|| KnownGames::of_user(args.common.guest));
        match entry {
            MatchEntry::Create(opening) => setup.enter = Some(RequestBody::Create(opening)),
            MatchEntry::Join(name, seat) => match setup.kept_seat(name.code, seat)? {
                Some(saved) => setup.take_seat(saved)?,
                None => {
                    let code = name.code.to_string();
                    setup.enter = Some(RequestBody::Join { code });
                }
            },
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
    /// An option, the environment or a file cannot be used.
    pub fn watch(args: &WatchArgs) -> Result<Self, Failure> {
        let mut setup = Self::new(&args.common, args.code.server.as_ref(), UserRole::Watcher)?;
        let code = args.code.code.to_string();
        setup.enter = Some(RequestBody::Spectate { code });
        Ok(setup)
    }

    /// A run that reviews a match.
    ///
    /// # Errors
    /// An option, the environment or a file cannot be used.
    pub fn review(args: &ReviewArgs) -> Result<Self, Failure> {
        Self::new(&args.common, args.code.server.as_ref(), UserRole::Watcher)
    }

    /// A run that lists matches.
    ///
    /// # Errors
    /// An option, the environment or a file cannot be used.
    pub fn list(common: &ConnectionArgs) -> Result<Self, Failure> {
        Self::new(common, None, UserRole::Watcher)
    }

    fn new(
        common: &ConnectionArgs,
        link: Option<&ServerUrl>,
        role: UserRole,
    ) -> Result<Self, Failure> {
        let mut config = ConfigurationFile::of_user()?;
        let named = match common.server(link)? {
            Some(named) => Some(named),
            None => config.values.server.clone(),
        };
        let names_server = named.is_some();
        let server = named.unwrap_or_default();
        let mut name = common.name()?;
        if let Some(name) = common.name_to_keep() {
            config.keep_name(name)?;
        }
        if !common.guest {
            name = name.or_else(|| config.values.name.clone());
        }
        let trust = match common.ca_cert() {
            Some(path) => Trust::only(&path)?,
            None => Trust::system(),
        };
        let asked_for = common.identity();
        let is_own_identity = asked_for.is_none();
        let own = || (!common.guest).then(IdentityFile::path_of_user);
        let identity = asked_for.or_else(own).map(IdentityFile::open).transpose()?;
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
            name,
            is_own_identity,
            names_server,
            offline: false,
            known_games: None,
            theme: config.values.theme.clone(),
            rings: !common.no_bell && config.values.bell != Some(false),
            config: (!common.guest).then_some(config),
        })
    }

    /// The kept seat that `--join` returns to, at the named server if there is one.
    fn kept_seat(
        &self,
        code: Code,
        seat: Option<Seat>,
    ) -> Result<Option<SavedSeat>, SavedSeatError> {
        if self.common.guest {
            return Ok(None);
        }
        let server = self.server.to_string();
        match self.seats.find(code, seat) {
            Ok(saved) if self.names_server && saved.server != server => Ok(None),
            Ok(saved) => Ok(Some(saved)),
            Err(SavedSeatError::None(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Takes a saved seat's guest and match, and its server unless another one is named.
    fn take_seat(&mut self, saved: SavedSeat) -> Result<(), Failure> {
        let SavedSeat {
            server, id, token, ..
        } = saved;
        // The server may have moved, and then the user names the new address.
        if !self.common.names_server() {
            self.server = server.parse().map_err(|_| {
                format!("the saved seat is at {server}, which is no server's address")
            })?;
        }
        self.following = Some(id);
        // The seat's token may have been renewed since; that of the identity file is the newest one.
        let server = self.server.to_string();
        let own = self.identity.as_ref().and_then(|it| it.token(&server));
        match own {
            Some(own) if guest_of(own) == guest_of(&token) => self.token = Some(own.to_owned()),
            _ => {
                self.token = Some(token);
                // The identity file is another guest's.
                self.identity = None;
            }
        }
        Ok(())
    }

    /// Starts the client, the state and the driver between them. `pause` is the solver's default
    /// pause.
    ///
    /// # Errors
    /// A match cannot be made in this process.
    pub fn start(
        self,
        pause: Duration,
    ) -> Result<(AppState, Driver, Option<RequestBody>), Failure> {
        let mut app = AppState::new(self.server.clone(), self.role);
        let pause = self.pause.unwrap_or(pause);
        let backend = self.backend(pause)?;
        if backend.is_here() {
            app.stay_here();
        }
        let mut driver = Driver::new(self.server.to_string(), backend, pause);
        driver.identity = self.identity;
        driver.seats = self.seats;
        driver.known_games = self.known_games;
        driver.config = self.config;
        Ok((app, driver, self.enter))
    }

    /// The place where the match is played.
    fn backend(&self, pause: Duration) -> Result<Backend, Failure> {
        let name = self.name.clone().unwrap_or_default();
        let local = match &self.enter {
            Some(RequestBody::Create(setup)) if matches!(setup.opponent, Opponent::Bot(_)) => {
                Some((setup.clone(), name))
            }
            _ => None,
        };
        if let (true, Some((setup, name))) = (self.offline, &local) {
            let local = LocalMatch::create(setup, name.clone(), pause);
            let local = local.map_err(|refusal| format!("the match was not made: {refusal}"))?;
            return Ok(Backend::here(local));
        }
        let is_known = self.token.is_some() && self.following.is_none();
        let new_guest = (is_known && self.is_own_identity)
            .then(|| (self.client_config(None), self.enter.clone()));
        let fallbacks = Fallbacks {
            // Programs read the server's own messages.
            local: local.filter(|_| !self.names_server && !self.common.json),
            new_guest,
        };
        let config = self.client_config(self.token.as_deref());
        Ok(Backend::server(config, fallbacks, pause))
    }

    /// Returns true if the user has an identity at the server.
    pub fn is_known(&self) -> bool {
        self.token.is_some()
    }

    /// Returns true if the identity is the one that is kept without being asked for, as the name is.
    pub fn is_own_identity(&self) -> bool {
        self.is_own_identity
    }

    /// Takes the identity file; none for a guest that is not kept.
    pub fn identity_file(&mut self) -> Option<IdentityFile> {
        self.identity.take()
    }

    /// Returns true if the protocol's messages are printed.
    pub fn prints_messages(&self) -> bool {
        self.common.json
    }

    /// Starts the client alone.
    pub fn connection(&self) -> Client {
        Client::connect(self.client_config(self.token.as_deref()))
    }

    fn client_config(&self, token: Option<&str>) -> ClientConfig {
        let mut config = ClientConfig::new(self.server.clone())
            .trust(self.trust.clone())
            .give_up_after(self.common.give_up_after)
            .raw_messages(self.common.json);
        if let Some(name) = &self.name {
            config = config.name(name.to_string());
        }
        if let Some(token) = token {
            config = config.token(token);
        }
        if let Some(id) = self.following {
            config = config.follow(id);
        }
        config
    }
}

/// The part of a token that names its guest.
fn guest_of(token: &str) -> Option<&str> {
    token.split('.').next()
}

/// Waits until this time; for ever if there is none.
pub async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}
