//! The questions of a command to the server, whose answers are printed.

use std::io::{self, IsTerminal};
use std::pin::Pin;

use fibfob_client::{Client, ClientEvent, ServerUrl};
use fibfob_protocol::{RequestBody, ServerMessage, Welcome};
use fibfob_theory::{Exit, Failure, complain, in_window, print};
use thiserror::Error;

use crate::app::UserRole;
use crate::app::text::{connection_lost, describe_stop};
use crate::args::ConnectionArgs;
use crate::json_lines::{print_event, print_without};
use crate::plain::stdin_lines;
use crate::run::RunSetup;
use crate::signal::wait_for_interrupt;

pub struct Questions {
    client: Client,
    server: ServerUrl,
    /// True if the messages themselves are printed, and no text.
    json: bool,
    interrupted: Pin<Box<dyn Future<Output = ()>>>,
}

/// Said if the server answers something else than was asked, which is the server's fault.
pub const OTHER_ANSWER: &str = "the server has not answered what was asked";

/// A run that a signal ends.
#[derive(Debug, Error)]
#[error("interrupted")]
pub struct Interrupted;

impl Questions {
    /// Connects to the server that the options or the configuration name.
    pub fn open(common: &ConnectionArgs) -> Result<Self, Failure> {
        RunSetup::new(common, None, UserRole::Watcher).map(|setup| Self::of(&setup))
    }

    pub fn of(setup: &RunSetup) -> Self {
        Self {
            client: setup.connection(),
            server: setup.server.clone(),
            json: setup.common.json,
            interrupted: Box::pin(wait_for_interrupt()),
        }
    }

    pub async fn request(&mut self, body: RequestBody) -> Result<(), Failure> {
        self.client.request(body).await?;
        Ok(())
    }

    /// Returns the next event. An error if the server refuses a request or cannot be reached, or if a signal
    /// ends the run. A connection lost later is reported and tried again.
    pub async fn next(&mut self) -> Result<ClientEvent, Failure> {
        loop {
            let event = tokio::select! {
                event = self.client.next_event() => event.ok_or("the client has stopped")?,
                () = &mut self.interrupted => return Err(Interrupted.into()),
            };
            if self.json {
                print_event(&event, false)?;
            }
            match event {
                ClientEvent::Stopped(reason) => return Err(describe_stop(&reason).into()),
                ClientEvent::Refused { answer, .. } => return Err(answer.message.into()),
                ClientEvent::Raw(_) => {}
                ClientEvent::Disconnected {
                    cause, retry_in, ..
                } => {
                    complain(&connection_lost(&self.server, &cause, retry_in));
                }
                event => return Ok(event),
            }
        }
    }

    /// Waits for the first event that `read` takes for an answer.
    async fn answer<T>(&mut self, read: impl Fn(ClientEvent) -> Option<T>) -> Result<T, Failure> {
        loop {
            if let Some(answer) = read(self.next().await?) {
                return Ok(answer);
            }
        }
    }

    pub async fn ask(&mut self, body: RequestBody) -> Result<ServerMessage, Failure> {
        self.request(body).await?;
        self.answer(|event| match event {
            ClientEvent::Answer(answer) => Some(answer),
            _ => None,
        })
        .await
    }

    pub async fn order(&mut self, body: RequestBody) -> Result<(), Failure> {
        self.request(body).await?;
        let is_done = |event| matches!(event, ClientEvent::Accepted { .. }).then_some(());
        self.answer(is_done).await
    }

    /// Asks the user to agree by the word `yes`. Fails with `declined` if they do not, with `unasked` if there
    /// is nobody to ask.
    pub async fn agree(&self, declined: &str, unasked: &str) -> Result<(), Failure> {
        if !io::stdin().is_terminal() {
            return Err(unasked.into());
        }
        self.show("Type yes to go on: ")?;
        let mut lines = stdin_lines();
        let line = tokio::select! {
            line = lines.recv() => line,
            () = wait_for_interrupt() => return Err(Interrupted.into()),
        };
        match line.is_some_and(|line| line.eq_ignore_ascii_case("yes")) {
            true => Ok(()),
            false => Err(declined.into()),
        }
    }

    /// Returns what the server says of itself and the guest.
    pub async fn greeting(&mut self) -> Result<Welcome, Failure> {
        self.answer(|event| match event {
            ClientEvent::Connected { welcome, .. } => Some(*welcome),
            _ => None,
        })
        .await
    }

    /// Prints an answer as text, unless the messages themselves are printed.
    pub fn show(&self, text: &str) -> Result<(), Failure> {
        if !self.json {
            print(&in_window(text))?;
        }
        Ok(())
    }

    /// Prints an answer that the client does not emit as a message: as text, or as the message without these fields.
    pub fn show_secret(
        &self,
        text: &str,
        message: &ServerMessage,
        secrets: &[&str],
    ) -> Result<(), Failure> {
        match self.json {
            true => Ok(print_without(message, secrets)?),
            false => Ok(print(text)?),
        }
    }

    /// Ends a command that has done what was asked of it.
    pub async fn close(self) -> Result<Exit, Failure> {
        self.client.close().await;
        Ok(Exit::Done)
    }
}
