//! The questions of a command to the server, whose answers are printed.

use std::pin::Pin;

use fibfob_client::{Client, ClientEvent};
use fibfob_protocol::{RequestBody, Welcome};
use fibfob_theory::{Failure, complain, print};
use thiserror::Error;

use crate::app::text::NO_SERVER_HINT;
use crate::run::RunSetup;
use crate::signal::interrupted;

/// A connection for questions.
pub struct Questions {
    client: Client,
    /// The server.
    at: String,
    /// The words after the next report that no server answers.
    hint: &'static str,
    /// True if the messages themselves are printed, and no text.
    json: bool,
    interrupted: Pin<Box<dyn Future<Output = ()>>>,
}

/// A run that a signal ends.
#[derive(Debug, Error)]
#[error("interrupted")]
pub struct Interrupted;

impl Questions {
    /// Connects to the server.
    pub fn open(setup: &RunSetup) -> Self {
        Self {
            client: setup.connection(),
            at: setup.server.authority().to_owned(),
            hint: NO_SERVER_HINT,
            json: setup.prints_messages(),
            interrupted: Box::pin(interrupted()),
        }
    }

    /// Makes a request.
    ///
    /// # Errors
    /// As [`Client::request`].
    pub fn request(&self, body: RequestBody) -> Result<(), Failure> {
        self.client.request(body)?;
        Ok(())
    }

    /// Returns the next event that is no failure. A lost connection is reported and tried again.
    ///
    /// # Errors
    /// The server refuses a request or cannot be reached, or a signal ends the run.
    pub async fn next(&mut self) -> Result<ClientEvent, Failure> {
        loop {
            let event = tokio::select! {
                event = self.client.next_event() => event.ok_or("the client has stopped")?,
                () = &mut self.interrupted => return Err(Interrupted.into()),
            };
            match event {
                ClientEvent::Stopped(reason) => return Err(reason.into()),
                ClientEvent::Refused { answer, .. } => return Err(answer.message.into()),
                ClientEvent::Raw(text) => print(&format!("{text}\n"))?,
                ClientEvent::Disconnected {
                    cause, retry_in, ..
                } => {
                    let (at, hint) = (&self.at, self.hint);
                    let seconds = retry_in.as_secs_f64();
                    complain(&format_args!(
                        "no server answers at {at} ({cause}); trying again in {seconds:.1} s{hint}"
                    ));
                    self.hint = " …";
                }
                event => return Ok(event),
            }
        }
    }

    /// Returns the first of the next events that `read` takes for an answer.
    ///
    /// # Errors
    /// As [`Self::next`].
    pub async fn answer<T>(
        &mut self,
        read: impl Fn(ClientEvent) -> Option<T>,
    ) -> Result<T, Failure> {
        loop {
            if let Some(answer) = read(self.next().await?) {
                return Ok(answer);
            }
        }
    }

    /// Returns the answer to a request.
    ///
    /// # Errors
    /// As [`Self::request`] and [`Self::next`].
    pub async fn ask<T>(
        &mut self,
        body: RequestBody,
        read: impl Fn(ClientEvent) -> Option<T>,
    ) -> Result<T, Failure> {
        self.request(body)?;
        self.answer(read).await
    }

    /// Returns what the server says of itself and the guest.
    ///
    /// # Errors
    /// As [`Self::next`].
    pub async fn greeting(&mut self) -> Result<Welcome, Failure> {
        self.answer(|event| match event {
            ClientEvent::Connected { welcome, .. } => Some(*welcome),
            _ => None,
        })
        .await
    }

    /// Prints an answer as text, unless the messages themselves are printed.
    ///
    /// # Errors
    /// Standard output cannot be written to.
    pub fn show(&self, text: &str) -> Result<(), Failure> {
        if !self.json {
            print(text)?;
        }
        Ok(())
    }

    /// Leaves the server.
    pub async fn close(self) {
        self.client.close().await;
    }
}
