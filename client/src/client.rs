//! The handle of a client, and its configuration.

use std::sync::Arc;
use std::time::Duration;

use fibfob_protocol::{CommandId, MatchId, Program, Request, RequestBody};
use thiserror::Error;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::address::ServerUrl;
use crate::backoff::Backoff;
use crate::endpoint::Endpoint;
use crate::event::ClientEvent;
use crate::state::ClientState;
use crate::task::{CLOSE_TIMEOUT, ConnectionTask, TaskCommand};
use crate::trust::Trust;

/// The default time for which a lost connection is tried again.
const GIVE_UP_AFTER: Duration = Duration::from_secs(15 * 60);

/// The most requests that may be without a final answer at once. A player has one or two.
const REQUESTS_MAX: usize = 16;

/// The most commands that may wait for the task: the requests, and matches to follow.
const COMMANDS_MAX: usize = 4 * REQUESTS_MAX;

/// The most events that may wait for [`Client::next_event`]. When so many do, the client reads
/// no more from the server.
const EVENTS_MAX: usize = 64;

/// The configuration of a [`Client`].
#[derive(Clone, Debug)]
pub struct ClientConfig {
    endpoint: Endpoint,
    name: Option<String>,
    token: Option<String>,
    program: Option<Program>,
    following: Vec<MatchId>,
    give_up_after: Duration,
    raw_messages: bool,
}

impl ClientConfig {
    /// A new guest of this server, who trusts the operating system's certificate authorities and
    /// gives a lost connection up after 15 minutes.
    #[must_use]
    pub fn new(server: ServerUrl) -> Self {
        Self {
            endpoint: Endpoint::new(server),
            name: None,
            token: None,
            program: None,
            following: Vec::new(),
            give_up_after: GIVE_UP_AFTER,
            raw_messages: false,
        }
    }

    /// Sets the name that other players see.
    #[must_use]
    pub fn name(self, name: impl Into<String>) -> Self {
        Self {
            name: Some(name.into()),
            ..self
        }
    }

    /// Sets the token of an earlier `welcome`, to be the same guest again.
    #[must_use]
    pub fn token(self, token: impl Into<String>) -> Self {
        Self {
            token: Some(token.into()),
            ..self
        }
    }

    /// Says that a program plays, so that nobody takes it for a person, and what it is.
    #[must_use]
    pub fn program(self, program: Program) -> Self {
        Self {
            program: Some(program),
            ..self
        }
    }

    /// Adds a match to follow from its first event, as in [`Client::follow`].
    #[must_use]
    pub fn follow(mut self, id: MatchId) -> Self {
        self.following.push(id);
        self
    }

    /// Sets the certificate authorities to trust; without TLS they are not used.
    #[must_use]
    pub fn trust(self, trust: Trust) -> Self {
        Self {
            endpoint: self.endpoint.trust(trust),
            ..self
        }
    }

    /// Sets the time for which a lost connection is tried again. A server that never answered is
    /// tried for 8 seconds at most.
    #[must_use]
    pub fn give_up_after(self, give_up_after: Duration) -> Self {
        Self {
            give_up_after,
            ..self
        }
    }

    /// Sets whether messages are also returned as they are received, as [`ClientEvent::Raw`].
    #[must_use]
    pub fn raw_messages(self, raw_messages: bool) -> Self {
        Self {
            raw_messages,
            ..self
        }
    }
}

/// A guest of a server, across connections.
///
/// A background task connects, and connects again after a loss with exponential back-off. On each
/// new connection it is the same guest, resumes the followed matches after the last version seen,
/// and sends requests without an answer again under the same id, so that none is lost and none
/// counts twice. Dropping the client lets the task end.
///
/// [`Client::next_event`] must be called again and again: the task waits for it.
#[derive(Debug)]
pub struct Client {
    commands: mpsc::Sender<TaskCommand>,
    events: mpsc::Receiver<ClientEvent>,
    slots: Arc<Semaphore>,
    task: JoinHandle<()>,
}

/// A request that was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RequestError {
    /// Too many requests are without an answer.
    #[error("{REQUESTS_MAX} requests wait for the server already; this one was not taken")]
    QueueFull,
    /// The client has stopped.
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
        let mut state = ClientState::new(config.name, config.token, config.program);
        for id in config.following {
            state.follow(id);
        }
        let task = ConnectionTask {
            endpoint: config.endpoint,
            state,
            give_up_after: config.give_up_after,
            raw_messages: config.raw_messages,
            commands: received,
            events: emitted,
            slots: Arc::clone(&slots),
            backoff: Backoff::default(),
        };
        Self {
            commands,
            events,
            slots,
            task: tokio::spawn(task.run()),
        }
    }

    /// Queues a request and returns the id under which it is sent. The answer comes as
    /// [`ClientEvent::Accepted`], [`ClientEvent::Refused`] or the query's own kind of answer.
    ///
    /// A match that is created, joined or spectated is followed from then on, until it is left.
    ///
    /// # Errors
    /// [`RequestError`]; the request is not sent then.
    pub fn request(&self, ask: RequestBody) -> Result<CommandId, RequestError> {
        let slot = self.slots.try_acquire();
        let slot = slot.map_err(|_| RequestError::QueueFull)?;
        let id = CommandId::fresh();
        self.command(TaskCommand::Request(Request {
            id: id.clone(),
            body: ask,
        }))?;
        // The task gives it back with the final answer.
        slot.forget();
        Ok(id)
    }

    /// Follows a match from its first event, in whatever role the guest has in it: one that an
    /// earlier client of this guest followed, or a rematch. Leave it with `leave`.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn follow(&self, id: MatchId) -> Result<(), RequestError> {
        self.command(TaskCommand::Follow(id))
    }

    /// Takes another name. The client says `hello` with it on a new connection; all else goes on as
    /// after a lost one, and [`ClientEvent::Connected`] tells when.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn rename(&self, name: impl Into<String>) -> Result<(), RequestError> {
        self.command(TaskCommand::Rename(name.into()))
    }

    /// Returns the next event; none after the last one. Cancel safe.
    pub async fn next_event(&mut self) -> Option<ClientEvent> {
        self.events.recv().await
    }

    /// Leaves: waits up to two seconds for outstanding answers, and closes the connection.
    pub async fn close(self) {
        drop(self.commands);
        drop(self.events);
        // The task bounds itself; an error means that it is gone already.
        let _ = timeout(2 * CLOSE_TIMEOUT, self.task).await;
    }

    fn command(&self, command: TaskCommand) -> Result<(), RequestError> {
        self.commands
            .try_send(command)
            .map_err(|refused| match refused {
                mpsc::error::TrySendError::Full(_) => RequestError::QueueFull,
                mpsc::error::TrySendError::Closed(_) => RequestError::Stopped,
            })
    }
}

#[cfg(test)]
mod tests;
