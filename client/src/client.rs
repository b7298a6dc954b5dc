//! The handle of a client, and its configuration.

use std::collections::VecDeque;
use std::future::ready;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use fibfob_protocol::{
    Action, CommandId, GuestId, Hello, MatchId, MoveForm, PhaseView, Program, Refused, Request,
    RequestBody, ServerMessage,
};
use thiserror::Error;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::address::ServerUrl;
use crate::backoff::Backoff;
use crate::connection::hello;
use crate::endpoint::Endpoint;
use crate::event::{ClientEvent, MatchUpdate};
use crate::state::ClientState;
use crate::task::{CLOSE_TIMEOUT, ConnectionTask, TaskCommand};

/// The default of [`ClientConfig::connect_for`]. The server may just be starting.
const CONNECT_FOR: Duration = Duration::from_secs(8);

/// The default of [`ClientConfig::give_up_after`].
const GIVE_UP_AFTER: Duration = Duration::from_secs(15 * 60);

/// The most requests that may be without a final answer at once. A player has one or two.
const REQUESTS_MAX: usize = 16;

/// The most commands that may wait for the task: the requests, and matches to follow.
const COMMANDS_MAX: usize = 4 * REQUESTS_MAX;

/// The most events that may wait for [`Client::next_event`]. When so many do, the client reads
/// no more from the server.
const EVENTS_MAX: usize = 64;

/// The most events that are kept while something else is awaited.
const KEPT_MAX: usize = 1024;

/// The settings of a [`Client`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClientConfig {
    /// The server, and how to connect to it.
    pub endpoint: Endpoint,
    /// The name that other players see.
    pub name: Option<String>,
    /// The token of an earlier `welcome`, to be the same guest again.
    pub token: Option<String>,
    /// That a program plays, and what it is, so that nobody takes it for a person.
    pub program: Option<Program>,
    /// The form of legal and winning moves in what the server sends: families, unless it is changed.
    pub legal: MoveForm,
    /// The matches to follow from their first event, as in [`Client::follow`].
    pub following: Vec<MatchId>,
    /// The time limit for reaching a server that has never answered, at most `give_up_after`. Zero allows one
    /// attempt.
    pub connect_for: Duration,
    /// The time limit for restoring a lost connection.
    pub give_up_after: Duration,
    /// Whether messages are also returned as they are received, as [`ClientEvent::Raw`].
    pub raw_messages: bool,
}

impl ClientConfig {
    /// Configures a new guest without a name, who gives a lost connection up after 15 minutes.
    #[must_use]
    pub fn new(server: ServerUrl) -> Self {
        Self {
            endpoint: Endpoint::new(server),
            name: None,
            token: None,
            legal: MoveForm::Families,
            program: None,
            following: Vec::new(),
            connect_for: CONNECT_FOR,
            give_up_after: GIVE_UP_AFTER,
            raw_messages: false,
        }
    }
}

/// A guest of a server, across connections.
///
/// A background task connects, and reconnects after a loss with exponential back-off. Each new connection is
/// for the same guest, resumes the followed matches after the last version seen, and sends unanswered
/// requests again under the same id, so that none is lost and none counts twice. Dropping the client ends the
/// task.
///
/// Call [`Client::next_event`] again and again, because the task waits for it. Other calls that wait keep the
/// events that come meanwhile, at most 1024.
#[derive(Debug)]
pub struct Client {
    commands: mpsc::Sender<TaskCommand>,
    events: mpsc::Receiver<ClientEvent>,
    /// Events that came while something else was awaited.
    kept: VecDeque<ClientEvent>,
    guest: Option<GuestId>,
    slots: Arc<Semaphore>,
    task: JoinHandle<()>,
}

/// A request that was not taken, or not done.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RequestError {
    /// Too many events wait to be read.
    #[error("{KEPT_MAX} events wait for `next_event`")]
    EventsUnread,
    /// The server refused it for good, and nothing was changed.
    #[error("{}", .0.message)]
    Refused(Box<Refused>),
    /// The client has stopped; the last event says why.
    #[error("the client has stopped")]
    Stopped,
}

impl Client {
    /// Starts to connect.
    ///
    /// # Panics
    /// Outside a Tokio runtime.
    #[must_use]
    pub fn connect(config: ClientConfig) -> Self {
        let (commands, received) = mpsc::channel(COMMANDS_MAX);
        let (emitted, events) = mpsc::channel(EVENTS_MAX);
        let slots = Arc::new(Semaphore::new(REQUESTS_MAX));
        let mut state = ClientState::new(Hello {
            program: config.program,
            legal: config.legal,
            ..hello(config.name, config.token)
        });
        for id in config.following {
            state.follow(id);
        }
        let task = ConnectionTask {
            endpoint: config.endpoint,
            state,
            connect_for: config.connect_for,
            give_up_after: config.give_up_after,
            raw_messages: config.raw_messages,
            commands: received,
            events: emitted,
            slots: Arc::clone(&slots),
            backoff: Backoff::default(),
            goodbye: None,
        };
        Self {
            commands,
            events,
            kept: VecDeque::new(),
            guest: None,
            slots,
            task: tokio::spawn(task.run()),
        }
    }

    /// The guest that this client is; none before the server's first greeting.
    #[must_use]
    pub fn guest(&self) -> Option<GuestId> {
        self.guest
    }

    /// Returns true if this guest is to move after an update.
    #[must_use]
    pub fn is_my_turn(&self, update: &MatchUpdate) -> bool {
        let seat = self.guest.and_then(|guest| update.seat_of(guest));
        matches!(update.state.phase, PhaseView::Playing { turn, .. } if seat == Some(turn))
    }

    /// Requests a move in the position of an update, in the notation of the game. The next update shows
    /// it; a move for an older position is refused.
    ///
    /// # Errors
    /// As [`Client::request`].
    pub async fn play(
        &mut self,
        update: &MatchUpdate,
        moved: impl ToString,
    ) -> Result<CommandId, RequestError> {
        let action = Action::Play {
            expecting: update.version,
            text: moved.to_string(),
        };
        let id = update.match_id;
        self.request(RequestBody::Act { id, action }).await
    }

    /// Sends a request, and returns its id; waits while 16 others are unanswered. The answer comes as
    /// [`ClientEvent::Accepted`], [`ClientEvent::Refused`] or [`ClientEvent::Answer`].
    ///
    /// A match that is created, joined or spectated is followed from then on, until it is left. Cancel safe:
    /// a request that is not taken yet is not sent.
    ///
    /// # Errors
    /// [`RequestError::Stopped`] and [`RequestError::EventsUnread`]; the request is not sent then.
    pub async fn request(&mut self, body: RequestBody) -> Result<CommandId, RequestError> {
        let slots = Arc::clone(&self.slots);
        let slot = self.keep_until(slots.acquire()).await?;
        let slot = slot.map_err(|_| RequestError::Stopped)?;
        let id = CommandId::fresh();
        let request = Request {
            id: id.clone(),
            body,
        };
        self.command(TaskCommand::Request(request)).await?;
        // The task gives it back with the final answer.
        slot.forget();
        Ok(id)
    }

    /// Sends a request and waits for its answer, across connections. If this is cancelled, the answer is
    /// an event.
    ///
    /// # Errors
    /// [`RequestError`].
    pub async fn ask(&mut self, body: RequestBody) -> Result<ServerMessage, RequestError> {
        let id = self.request(body).await?;
        while self.kept.len() < KEPT_MAX {
            match self.receive().await.ok_or(RequestError::Stopped)? {
                ClientEvent::Accepted { answer, .. } if answer.id == id => {
                    return Ok(ServerMessage::Accepted(answer));
                }
                ClientEvent::Refused { answer, .. } if answer.id.as_ref() == Some(&id) => {
                    return Err(RequestError::Refused(Box::new(answer)));
                }
                ClientEvent::Answer(answer) if answer.answers() == Some(&id) => {
                    return Ok(answer);
                }
                event => self.kept.push_back(event),
            }
        }
        Err(RequestError::EventsUnread)
    }

    /// Follows a match from its first event, in the guest's role there: a match that an earlier client of
    /// this guest followed, or a rematch. Leave it with `leave`.
    ///
    /// # Errors
    /// As [`Client::request`].
    pub async fn follow(&mut self, id: MatchId) -> Result<(), RequestError> {
        self.command(TaskCommand::Follow(id)).await
    }

    /// Takes another name. The client says `hello` with it on a new connection. Everything else goes on as
    /// after a lost connection, and [`ClientEvent::Connected`] says when.
    ///
    /// # Errors
    /// As [`Client::request`].
    pub async fn rename(&mut self, name: impl Into<String>) -> Result<(), RequestError> {
        self.command(TaskCommand::Rename(name.into())).await
    }

    /// Returns the next event; none after the last one. Cancel safe.
    pub async fn next_event(&mut self) -> Option<ClientEvent> {
        match self.kept.pop_front() {
            Some(event) => Some(event),
            None => self.receive().await,
        }
    }

    /// Leaves: waits up to two seconds for outstanding answers, and closes the connection.
    pub async fn close(self) {
        drop(self.commands);
        drop(self.events);
        // The task bounds itself; an error means that it is gone already.
        let _ = timeout(2 * CLOSE_TIMEOUT, self.task).await;
    }

    async fn command(&mut self, command: TaskCommand) -> Result<(), RequestError> {
        let commands = self.commands.clone();
        let sent = self.keep_until(commands.send(command)).await?;
        sent.map_err(|_| RequestError::Stopped)
    }

    /// Waits for something that the task does, and keeps the events for which the task itself may wait.
    async fn keep_until<T>(&mut self, done: impl Future<Output = T>) -> Result<T, RequestError> {
        let mut done = pin!(done);
        loop {
            let has_room = self.kept.len() < KEPT_MAX;
            tokio::select! {
                biased;
                done = &mut done => return Ok(done),
                event = self.receive(), if has_room => {
                    self.kept.push_back(event.ok_or(RequestError::Stopped)?);
                }
                () = ready(()), if !has_room => return Err(RequestError::EventsUnread),
            }
        }
    }

    async fn receive(&mut self) -> Option<ClientEvent> {
        let event = self.events.recv().await;
        if let Some(ClientEvent::Connected { welcome, .. }) = &event {
            self.guest = Some(welcome.guest);
        }
        event
    }
}

#[cfg(test)]
mod tests;
