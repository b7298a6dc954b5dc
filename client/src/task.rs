//! A client's task: connects, reconnects, and carries texts both ways.
//!
//! [`ClientState`] understands the texts. When its [`Client`](crate::Client) is gone, the task waits a short
//! time for answers, and ends.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fibfob_protocol::{MatchId, Request};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::{sleep_until, timeout};
use tokio_tungstenite::tungstenite::Message;

use crate::backoff::Backoff;
use crate::connection::{Connection, ConnectionError};
use crate::endpoint::{ConnectError, Endpoint};
use crate::event::{ClientEvent, StopReason};
use crate::silence::{Silence, in_time};
use crate::state::{ClientState, Handled};

/// The time limit for `welcome`.
const WELCOME_TIMEOUT: Duration = Duration::from_secs(5);

/// The longest wait that a server's `goodbye` can impose.
const GOODBYE_WAIT_MAX: Duration = Duration::from_secs(60);

/// The time to wait for outstanding answers before leaving.
pub(crate) const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// A command of the client's handle to its task.
#[derive(Debug)]
pub(crate) enum TaskCommand {
    Request(Request),
    /// Follow this match from its first event.
    Follow(MatchId),
    Rename(String),
}

pub(crate) struct ConnectionTask {
    pub(crate) endpoint: Endpoint,
    pub(crate) state: ClientState,
    pub(crate) connect_for: Duration,
    pub(crate) give_up_after: Duration,
    pub(crate) raw_messages: bool,
    pub(crate) commands: mpsc::Receiver<TaskCommand>,
    pub(crate) events: mpsc::Sender<ClientEvent>,
    /// The free slots for requests; the handle takes them, an answer gives one back.
    pub(crate) slots: Arc<Semaphore>,
    pub(crate) backoff: Backoff,
    /// The words of this connection's `goodbye`, and the time to stay away.
    pub(crate) goodbye: Option<(String, Duration)>,
}

/// The end of a connection.
enum ConnectionEnd {
    /// The client's handle is gone.
    Left,
    /// `hello` is to be said again, with another name.
    Renamed,
    /// The connection was lost; after `goodbye` with the time to stay away.
    Lost {
        cause: String,
        stay_away: Option<Duration>,
    },
    /// No further connection is to be tried.
    Stopped(StopReason),
}

impl ConnectionTask {
    pub(crate) async fn run(mut self) {
        let mut was_open = false;
        let mut down_since = Instant::now();
        loop {
            let end = match Connection::open(&self.endpoint).await {
                Ok(connection) => self.converse(connection).await,
                // A gateway answers for the server, which answered before and may come back.
                Err(error) if error.is_permanent() && !was_open => {
                    let (at, cause) = (self.at(), error.to_string());
                    ConnectionEnd::Stopped(match error {
                        ConnectError::Untrusted(_) => StopReason::Untrusted { at, cause },
                        _ => StopReason::OtherServer { at, cause },
                    })
                }
                Err(error) => ConnectionEnd::lost(error),
            };
            // The back-off was reset if the server greeted.
            if self.backoff.failures() == 0 && self.state.is_open() {
                was_open = true;
                down_since = Instant::now();
            }
            self.state.on_disconnected();
            let (cause, stay_away) = match end {
                ConnectionEnd::Left => return,
                ConnectionEnd::Renamed => continue,
                ConnectionEnd::Stopped(reason) => {
                    return self.emit(ClientEvent::Stopped(reason)).await;
                }
                ConnectionEnd::Lost { cause, stay_away } => (cause, stay_away),
            };
            let limit = match was_open {
                true => self.give_up_after,
                false => self.connect_for.min(self.give_up_after),
            };
            let left = limit.saturating_sub(down_since.elapsed());
            if left.is_zero() {
                let at = self.at();
                let reason = match was_open {
                    true => StopReason::ConnectionLost { at, cause },
                    false => StopReason::NoServer { at, cause },
                };
                return self.emit(ClientEvent::Stopped(reason)).await;
            }
            let pause = self.backoff.next(&mut rand::rng());
            let wait = stay_away.map_or(pause, |wait| wait.min(GOODBYE_WAIT_MAX) + pause);
            // The last attempt is made when the time is up, not after it.
            let retry_in = wait.min(left);
            let failures = self.backoff.failures();
            self.emit(ClientEvent::Disconnected {
                cause,
                retry_in,
                failures,
                unanswered: self.state.outbox.bodies(),
            })
            .await;
            if !self.wait_until(Instant::now() + retry_in).await {
                return;
            }
        }
    }

    fn at(&self) -> String {
        self.endpoint.server.authority().to_owned()
    }

    /// Takes commands until this time; returns false if the client's handle is gone.
    async fn wait_until(&mut self, time: Instant) -> bool {
        loop {
            tokio::select! {
                () = sleep_until(time.into()) => return true,
                command = self.commands.recv() => match command {
                    Some(command) => self.take(command),
                    None => return false,
                },
            }
        }
    }

    /// Sends and receives on a new connection until it ends.
    async fn converse(&mut self, mut connection: Connection) -> ConnectionEnd {
        self.state.on_connected();
        let opened_at = Instant::now();
        let mut silence = Silence::new();
        let mut leave_at: Option<Instant> = None;
        self.goodbye = None;
        let mut renamed = false;
        loop {
            // Before `welcome` a new guest has no token, and would become another one.
            if renamed && self.state.is_open() {
                let _ = timeout(CLOSE_TIMEOUT, connection.close()).await;
                return ConnectionEnd::Renamed;
            }
            if let Err(cause) = self.send_due(&mut connection, &mut silence).await {
                return ConnectionEnd::lost(cause);
            }
            if leave_at.is_some_and(|until| self.state.outbox.len() == 0 || Instant::now() >= until)
            {
                let _ = timeout(CLOSE_TIMEOUT, connection.close()).await;
                return ConnectionEnd::Left;
            }
            let check_at = silence.check_at(&self.state);
            let welcome_by = (!self.state.is_open()).then_some(opened_at + WELCOME_TIMEOUT);
            let others = [welcome_by, self.state.wake(), leave_at].into_iter();
            let wake = others.flatten().fold(check_at, Instant::min);
            tokio::select! {
                frame = connection.receive_frame() => {
                    silence = Silence::new();
                    match frame {
                        Ok(Message::Text(text)) => {
                            if let Err(reason) = self.handle(&text, silence.since).await {
                                return ConnectionEnd::Stopped(reason);
                            }
                        }
                        // Pings are answered by the WebSocket library.
                        Ok(_) => {}
                        Err(error) => return self.end_broken(error),
                    }
                }
                command = self.commands.recv(), if leave_at.is_none() => match command {
                    Some(command) => {
                        renamed |= matches!(command, TaskCommand::Rename(_));
                        self.take(command);
                    }
                    None => leave_at = Some(Instant::now() + CLOSE_TIMEOUT),
                },
                () = sleep_until(wake.into()) => {
                    if welcome_by.is_some_and(|until| Instant::now() >= until) {
                        return ConnectionEnd::lost("it did not greet in time");
                    }
                    if Instant::now() >= check_at
                        && let Err(cause) = silence.check(&mut connection).await
                    {
                        return ConnectionEnd::lost(cause);
                    }
                }
            }
        }
    }

    /// Sends all texts that are due.
    async fn send_due(
        &mut self,
        connection: &mut Connection,
        silence: &mut Silence,
    ) -> Result<(), String> {
        loop {
            let was_waiting = self.state.is_waiting();
            let Some(text) = self.state.next(Instant::now()) else {
                return Ok(());
            };
            if !was_waiting {
                silence.note_request();
            }
            in_time(connection.send_text(text)).await?;
        }
    }

    /// Returns how a connection ends that cannot be read any more, perhaps after a goodbye.
    fn end_broken(&mut self, error: ConnectionError) -> ConnectionEnd {
        match self.goodbye.take() {
            Some((cause, wait)) => ConnectionEnd::Lost {
                cause,
                stay_away: Some(wait),
            },
            None => ConnectionEnd::lost(error),
        }
    }

    fn take(&mut self, command: TaskCommand) {
        match command {
            TaskCommand::Follow(id) => self.state.follow(id),
            TaskCommand::Request(request) => self.state.outbox.push(request),
            TaskCommand::Rename(name) => self.state.hello.name = Some(name),
        }
    }

    /// Handles a server's text: emits it if that is wanted, and emits the event made from it. An error says
    /// why no further connection is tried.
    async fn handle(&mut self, text: &str, at: Instant) -> Result<(), StopReason> {
        let pending = self.state.outbox.len();
        let Handled { public, event } = self.state.on_text(text, at);
        self.slots.add_permits(pending - self.state.outbox.len());
        if let Some(ClientEvent::Connected { .. }) = event {
            self.backoff.reset();
        }
        if public && self.raw_messages {
            self.emit(ClientEvent::Raw(text.to_owned())).await;
        }
        match event {
            Some(ClientEvent::Stopped(reason)) => return Err(reason),
            Some(event) => {
                if let ClientEvent::Goodbye {
                    message,
                    retry_after,
                } = &event
                {
                    self.goodbye = Some((message.clone(), *retry_after));
                }
                self.emit(event).await;
            }
            None => {}
        }
        Ok(())
    }

    async fn emit(&self, event: ClientEvent) {
        // An error means that the handle is gone; the end of the commands shows that too.
        let _ = self.events.send(event).await;
    }
}

impl ConnectionEnd {
    fn lost(cause: impl ToString) -> Self {
        Self::Lost {
            cause: cause.to_string(),
            stay_away: None,
        }
    }
}
