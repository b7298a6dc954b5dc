//! What the full screen and the plain lines have in common: how a run in a match begins, and
//! the hands that carry its effects out.

use std::time::{Duration, Instant};

use fibfob_client::{CertificateFileError, Client, ClientConfig, ClientEvent, ServerUrl, Trust};
use fibfob_games::{Position, choose_move, chooses_first, random_move};
use fibfob_protocol::{MatchId, RequestBody, Version};
use rand::RngExt;
use thiserror::Error;
use tokio::sync::mpsc;

use crate::args::{
    Autoplay, ConnectionArgs, MatchEntry, OptionConflict, PlayArgs, ServerVariableError, WatchArgs,
};
use crate::exit::Exit;
use crate::keep::{Identity, KeepError, NoSeat, SavedSeat, Seats};
use crate::session::words::{Line, Tone};
use crate::session::{Effect, Riddle, Role, Session, Thought};

/// Moves found that wait to be taken; there is never more than one thought at a time.
const THOUGHTS: usize = 4;

/// A run that cannot begin.
#[derive(Debug, Error)]
pub enum CannotBegin {
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
    Keep(#[from] KeepError),
    /// No seat to come back to.
    #[error(transparent)]
    NoSeat(#[from] NoSeat),
    /// The saved seat's server has no address any more.
    #[error("the saved seat is at {0}, which is no server's address")]
    SavedServer(String),
}

impl CannotBegin {
    /// How the shell is told.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Variable(_) | Self::OptionConflict(_) => Exit::Usage,
            Self::Certificates(_) | Self::Keep(_) | Self::NoSeat(_) | Self::SavedServer(_) => {
                Exit::No
            }
        }
    }
}

/// A run that is about to begin.
pub struct Plan {
    /// Where.
    pub server: ServerUrl,
    /// As what.
    pub role: Role,
    /// How to get into the match, if that needs saying.
    pub enter: Option<RequestBody>,
    /// How long the solver waits before a move; none if nothing was said.
    pub pause: Option<Duration>,
    common: ConnectionArgs,
    trust: Trust,
    token: Option<String>,
    following: Option<MatchId>,
    identity: Option<Identity>,
    seats: Seats,
}

impl Plan {
    /// To play.
    ///
    /// # Errors
    /// [`CannotBegin`].
    pub fn play(args: &PlayArgs) -> Result<Self, CannotBegin> {
        let entry = args.entry()?;
        let mut plan = Self::new(&args.common, entry.link(), Role::Player(args.auto))?;
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
                Err(NoSeat::None(code)) if plan.token.is_some() => {
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
    /// [`CannotBegin`].
    pub fn watch(args: &WatchArgs) -> Result<Self, CannotBegin> {
        let mut plan = Self::new(&args.common, args.code.server.as_ref(), Role::Watcher)?;
        let code = args.code.code.to_string();
        plan.enter = Some(RequestBody::Spectate { code });
        Ok(plan)
    }

    /// To look at the lobby.
    ///
    /// # Errors
    /// [`CannotBegin`].
    pub fn lobby(common: &ConnectionArgs) -> Result<Self, CannotBegin> {
        Self::new(common, None, Role::Watcher)
    }

    fn new(
        common: &ConnectionArgs,
        link: Option<&ServerUrl>,
        role: Role,
    ) -> Result<Self, CannotBegin> {
        let server = common.server(link)?;
        let trust = match common.ca_cert() {
            Some(path) => Trust::only(&path)?,
            None => Trust::system(),
        };
        let identity = common.identity().map(Identity::open).transpose()?;
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
            seats: Seats::of_user(),
        })
    }

    /// Takes a saved seat: its guest, its match, and its server unless another one is named.
    fn sit(&mut self, saved: SavedSeat) -> Result<(), CannotBegin> {
        let SavedSeat {
            server, id, token, ..
        } = saved;
        // It may have moved since, and then the user says where to.
        if !self.common.names_server() {
            self.server = server
                .parse()
                .map_err(|_| CannotBegin::SavedServer(server))?;
        }
        self.token = Some(token);
        self.following = Some(id);
        // The file's own person may be another one.
        self.identity = None;
        Ok(())
    }

    /// FirstMoveRule: the line, the session, and the hands between them. `pause` is for a run that
    /// was not told one.
    pub fn begin(self, pause: Duration) -> (Session, Hands, Option<RequestBody>) {
        let session = Session::new(self.server.clone(), self.role);
        let (thinker, thoughts) = mpsc::channel(THOUGHTS);
        let hands = Hands {
            server: self.server.to_string(),
            pause: self.pause.unwrap_or(pause),
            client: self.connection(),
            identity: self.identity,
            seats: self.seats,
            thinker,
            thoughts,
        };
        (session, hands, self.enter)
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
pub async fn reached(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}

/// What a front end must show or obey by itself.
#[derive(Debug, PartialEq, Eq)]
pub enum Shown {
    /// Tell the user.
    Say(Line),
    /// Show what can be typed.
    Help,
    /// The match has ended and nothing is unanswered.
    Settled(Exit),
    /// End the run.
    Stop(Exit),
}

/// Carries effects out: speaks, thinks, writes files.
pub struct Hands {
    server: String,
    pause: Duration,
    client: Client,
    identity: Option<Identity>,
    seats: Seats,
    thinker: mpsc::Sender<(Version, Thought)>,
    thoughts: mpsc::Receiver<(Version, Thought)>,
}

/// What comes back to the hands.
pub enum Felt {
    /// The line's keeper says something; nothing, if it is gone.
    Client(Option<ClientEvent>),
    /// The solver has found out what it was asked at this version.
    Thought(Version, Thought),
}

impl Hands {
    /// Waits for what comes next. May be dropped at any time without loss.
    pub async fn feel(&mut self) -> Felt {
        tokio::select! {
            event = self.client.next_event() => Felt::Client(event),
            Some((version, thought)) = self.thoughts.recv() => Felt::Thought(version, thought),
        }
    }

    /// Does what can be done here, and gives back the rest in order.
    pub fn carry_out(&mut self, session: &mut Session, effects: Vec<Effect>) -> Vec<Shown> {
        let mut shown = Vec::new();
        for effect in effects {
            match effect {
                Effect::Say(line) => shown.push(Shown::Say(line)),
                Effect::Help => shown.push(Shown::Help),
                Effect::Settled(exit) => shown.push(Shown::Settled(exit)),
                Effect::Stop(exit) => shown.push(Shown::Stop(exit)),
                Effect::Think {
                    version,
                    position,
                    riddle,
                    auto,
                } => self.think(version, *position, riddle, auto),
                Effect::ForgetSeat(saved) => self.seats.forget(saved.code, saved.seat, saved.id),
                Effect::KeepSeat(saved) => {
                    let kept = self.seats.keep(&saved);
                    shown.extend(
                        kept.err()
                            .map(|error| complaint(&error, "the seat cannot be kept")),
                    );
                }
                Effect::KeepToken(token) => {
                    let kept = self
                        .identity
                        .as_mut()
                        .map(|it| it.keep(&self.server, &token));
                    let error = kept.and_then(Result::err);
                    shown
                        .extend(error.map(|error| complaint(&error, "who you are cannot be kept")));
                }
                Effect::Request(ask) => {
                    if let Err(error) = self.client.request(ask) {
                        let effects = session.on_not_sent(error);
                        shown.extend(self.carry_out(session, effects));
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

    fn think(&self, version: Version, position: Position, riddle: Riddle, auto: Autoplay) {
        let (thinker, pause) = (self.thinker.clone(), self.pause);
        tokio::spawn(async move {
            if !pause.is_zero() {
                tokio::time::sleep(pause).await;
            }
            // Off the runtime: a big position may take its time.
            let found = tokio::task::spawn_blocking(move || find(&position, riddle, auto)).await;
            // When nobody waits for it any more, it is not missed.
            let _ = thinker
                .send((version, found.unwrap_or(Thought::Nothing)))
                .await;
        });
    }
}

fn find(position: &Position, riddle: Riddle, auto: Autoplay) -> Thought {
    let rng = &mut rand::rng();
    let found = match (riddle, auto) {
        (Riddle::Move, Autoplay::Solver(level)) => choose_move(position, level, rng),
        (Riddle::Move, Autoplay::Random) => random_move(position, rng),
        (Riddle::Begin, Autoplay::Solver(level)) => {
            return Thought::Begin(chooses_first(position, level, rng));
        }
        (Riddle::Begin, Autoplay::Random) => return Thought::Begin(rng.random()),
    };
    found.map_or(Thought::Nothing, |found| Thought::Move(found.to_string()))
}

fn complaint(error: &KeepError, what: &str) -> Shown {
    Shown::Say(Line::new(Tone::Trouble, format!("{what}: {error}")))
}
