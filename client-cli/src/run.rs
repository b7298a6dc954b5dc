//! The start of a run from its arguments. The full screen and the plain lines share it.

mod driver;

use std::time::Duration;

use fibfob_client::{Client, ClientConfig, MatchLink, ServerUrl, Trust};
use fibfob_games::GameId;
use fibfob_protocol::{GuestId, MatchId, MatchSetup, MoveForm, PlayerName, Refusal, RequestBody};
use fibfob_theory::{Failure, read_named_position};

use crate::app::analysis::AnalysisBoard;
use crate::app::{AppState, Effect, Recording, UserRole};
use crate::args::{AnalyseArgs, ConnectionArgs, PlayArgs};
use crate::local::LocalMatch;
use crate::storage::{
    ConfigurationFile, IdentityFile, KnownGames, SavedSeat, SavedSeatError, SeatFiles,
};
use driver::Backend;

pub use driver::{Driver, DriverEvent};

/// A run that is about to start, with the user's files.
pub struct RunSetup {
    pub server: ServerUrl,
    pub role: UserRole,
    /// The request that enters the match; none if it is followed already.
    pub enter: Option<RequestBody>,
    /// The pause before the solver's moves; none for the default.
    pub pause: Option<Duration>,
    pub theme: Option<String>,
    /// True if the bell may be rung.
    pub rings: bool,
    pub token: Option<String>,
    /// The file that keeps the token; none for a guest that is not kept.
    pub identity: Option<IdentityFile>,
    /// The file that keeps the name; none for a guest that is not kept.
    config: Option<ConfigurationFile>,
    seats: SeatFiles,
    /// The games whose rules need not be shown by themselves; none if no rules are.
    known_games: Option<KnownGames>,
    pub common: ConnectionArgs,
    trust: Trust,
    following: Option<MatchId>,
    name: Option<PlayerName>,
    /// The user in matches without a server. One for the run, because others see an unnamed guest by a name
    /// that follows from it.
    guest_here: GuestId,
    /// True if the user has named the server.
    names_server: bool,
    offline: bool,
    recording: Recording,
    /// The analysis of this run, if it is not a match.
    analysis: Option<AnalysisBoard>,
}

impl RunSetup {
    /// Returns a run at the server that the options, a link or the configuration name.
    pub fn new(
        common: &ConnectionArgs,
        link: Option<&ServerUrl>,
        role: UserRole,
    ) -> Result<Self, Failure> {
        let mut config = ConfigurationFile::of_user()?;
        let named = common.server(link)?;
        let named = named.or_else(|| config.values.server.clone());
        let names_server = named.is_some();
        let server = named.unwrap_or_default();
        let mut name = common.name()?;
        if !common.guest {
            if let Some(name) = &common.name {
                config.keep_name(name)?;
            }
            name = name.or_else(|| config.values.name.clone());
        }
        let trust = match common.ca_cert() {
            Some(path) => Trust::only(&path)?,
            None => Trust::system(),
        };
        let own = || (!common.guest).then(IdentityFile::path_of_user);
        let identity = common
            .identity()
            .or_else(own)
            .map(IdentityFile::open)
            .transpose()?;
        let token = identity.as_ref().and_then(|file| file.token(&server));
        Ok(Self {
            token: token.map(str::to_owned),
            server,
            role,
            enter: None,
            pause: None,
            theme: config.values.theme.clone(),
            rings: !common.no_bell && config.values.bell != Some(false),
            identity,
            config: (!common.guest).then_some(config),
            seats: SeatFiles::of_user(),
            known_games: None,
            common: common.clone(),
            trust,
            following: None,
            name,
            guest_here: GuestId::fresh(),
            names_server,
            offline: false,
            recording: Recording::AtEnd,
            analysis: None,
        })
    }

    pub fn play(args: &PlayArgs) -> Result<Self, Failure> {
        let link = args.join.as_ref().or(args.resume.as_ref());
        let created = match link {
            Some(_) => None,
            None => Some(RequestBody::Create(args.setup.setup()?)),
        };
        let server = link.and_then(|link| link.server.as_ref());
        let mut setup = Self::new(&args.common, server, UserRole::Player(args.auto))?;
        setup.enter = created;
        setup.pause = args.pause;
        setup.offline = args.offline;
        // Whom the solver plays for needs no rules, and neither does a program.
        let is_read = args.auto.is_none() && !args.common.json && !args.no_rules;
        setup.known_games = is_read.then(|| KnownGames::of_user(args.common.guest));
        if let Some(link) = &args.join {
            // A new guest has no seat, and one at another server is that of another match.
            let found = (!args.common.guest).then(|| setup.seats.find(link.code, args.seat));
            let server = setup.server.to_string();
            match found {
                Some(Ok(saved)) if !setup.names_server || saved.server == server => {
                    setup.take_seat(saved)?;
                }
                None | Some(Ok(_) | Err(SavedSeatError::None(_))) => {
                    let code = link.code.to_string();
                    setup.enter = Some(RequestBody::Join { code });
                }
                Some(Err(error)) => return Err(error.into()),
            }
        }
        if let Some(link) = &args.resume {
            match setup.seats.find(link.code, args.seat) {
                Ok(saved) => setup.take_seat(saved)?,
                // The seat's own guest needs no saved seat.
                Err(SavedSeatError::None(code)) if setup.token.is_some() => {
                    let code = code.to_string();
                    setup.enter = Some(RequestBody::Spectate { code });
                }
                Err(none) => return Err(none.into()),
            }
        }
        Ok(setup)
    }

    pub fn watch(
        common: &ConnectionArgs,
        link: &MatchLink,
        recording: Recording,
    ) -> Result<Self, Failure> {
        let mut setup = Self::new(common, link.server.as_ref(), UserRole::Watcher)?;
        let code = link.code.to_string();
        setup.enter = Some(RequestBody::Spectate { code });
        setup.recording = recording;
        Ok(setup)
    }

    /// Analyses a position without a match; at the named server, or here.
    pub fn analyse(args: &AnalyseArgs) -> Result<Self, Failure> {
        let position = read_named_position(&args.position.join(" "), GameId::FibFob)?;
        let mut setup = Self::new(&args.common, None, UserRole::Player(None))?;
        setup.offline = !setup.names_server;
        setup.analysis = Some(AnalysisBoard::new(vec![position], None));
        Ok(setup)
    }

    /// Takes a saved seat's guest and match, and its server unless another one is named.
    fn take_seat(&mut self, saved: SavedSeat) -> Result<(), Failure> {
        let (server, token) = (saved.server, saved.token);
        // The server may have moved, and then the user names the new address.
        if self.common.server.is_none() {
            let wrong = |_| format!("the saved seat is at {server}, which is no server's address");
            self.server = server.parse().map_err(wrong)?;
        }
        self.following = Some(saved.id);
        // The seat's token may have been renewed since; that of the identity file is the newest one.
        let own = self.identity.as_ref().and_then(|it| it.token(&self.server));
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

    /// Returns the state, the driver and the effects that enter the match. `pause` is the solver's default pause.
    pub fn start(mut self, pause: Duration) -> Result<(AppState, Driver, Vec<Effect>), Failure> {
        let mut app = AppState::new(self.server.clone(), self.role);
        let pause = self.pause.unwrap_or(pause);
        let backend = if self.offline {
            app.stay_here();
            Backend::Alone
        } else {
            Backend::Server(self.connection())
        };
        app.recording = match self.recording {
            Recording::AtEnd if self.common.json => Recording::Off,
            recording => recording,
        };
        let effects = match self.analysis.take() {
            Some(analysis) => app.begin_analysis(analysis),
            None => app.start(self.enter.clone()),
        };
        Ok((app, Driver::new(self, backend, pause), effects))
    }

    /// Plays in this process, which only a match against the bot can be.
    fn here(&self, setup: &MatchSetup, pause: Duration) -> Result<Backend, Refusal> {
        let name = self.name.clone().unwrap_or_default();
        let local = LocalMatch::create(setup, (self.guest_here, name), pause)?;
        Ok(Backend::Here(Box::new(local)))
    }

    /// Plays in this process if no server answers, unless the user has named one.
    fn without_server(&self, pause: Duration) -> Option<Backend> {
        match &self.enter {
            Some(RequestBody::Create(setup)) if !self.names_server => self.here(setup, pause).ok(),
            _ => None,
        }
    }

    /// Returns true for an analysis, which a server helps only if it answers.
    fn needs_no_server(&self) -> bool {
        self.enter.is_none() && self.following.is_none()
    }

    /// Plays as a new guest if the server has forgotten its guests, unless the user wants a certain guest.
    fn as_new_guest(&mut self) -> Option<Backend> {
        if self.following.is_some() || self.common.identity().is_some() {
            return None;
        }
        self.token.take()?;
        Some(Backend::Server(self.connection()))
    }

    pub fn connection(&self) -> Client {
        let mut config = ClientConfig::new(self.server.clone());
        config.endpoint.trust = self.trust.clone();
        config.name = self.name.as_ref().map(ToString::to_string);
        config.token.clone_from(&self.token);
        config.program.clone_from(&self.common.program);
        config.following.extend(self.following);
        // The user hears at once that no server answers.
        config.connect_for = Duration::ZERO;
        config.give_up_after = self.common.give_up_after;
        config.raw_messages = self.common.json;
        if self.common.json {
            // A program chooses from a list without a parser for families.
            config.legal = MoveForm::List;
        }
        Client::connect(config)
    }
}

/// The part of a token that names its guest.
fn guest_of(token: &str) -> Option<&str> {
    token.split('.').next()
}
