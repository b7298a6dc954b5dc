//! The run of a command that asks the server something and prints the answer.

use std::fmt::Display;
use std::io::{self, Write};
use std::pin::pin;

use fibfob_client::ClientEvent;
use fibfob_protocol::{RequestBody, Welcome};

use crate::app::text::NO_SERVER_HINT;
use crate::exit::Exit;
use crate::run::RunSetup;
use crate::signal::interrupted;

/// A request whose answer is printed.
pub trait PrintedRequest {
    /// The request, or that for the next page of its answer.
    fn request(&self) -> RequestBody;

    /// Returns true if the server forgets the request with the connection.
    fn ends_with_connection(&self) -> bool {
        false
    }

    /// Notes what the server says of itself.
    fn connected(&mut self, _welcome: &Welcome) {}

    /// Returns the text of an answer, and what comes after it; none if the event is no answer to
    /// the request.
    fn answered(&mut self, event: &ClientEvent) -> Option<(String, AfterAnswer)>;
}

/// The step that follows an answer.
pub enum AfterAnswer {
    /// The answer is whole.
    Finish,
    /// The text is an error.
    Fail,
    /// Wait for the next answer.
    Wait,
    /// Ask for the next page.
    Ask,
}

/// Sends a request and prints the answer, or the messages themselves if `json` is set.
///
/// # Errors
/// Standard output cannot be written to.
pub async fn run(setup: RunSetup, mut asked: impl PrintedRequest, json: bool) -> io::Result<Exit> {
    let mut client = setup.connection();
    let mut interrupted = pin!(interrupted());
    let mut is_requested = false;
    let at = setup.server.authority();
    let mut hint = NO_SERVER_HINT;
    let exit = loop {
        let event = tokio::select! {
            event = client.next_event() => match event {
                Some(event) => event,
                None => break Exit::No,
            },
            () = &mut interrupted => break Exit::Interrupted,
        };
        if let Some((text, after)) = asked.answered(&event) {
            if !json && !matches!(after, AfterAnswer::Fail) {
                print(&text)?;
            }
            match after {
                AfterAnswer::Fail => {
                    say(&text.trim_end());
                    break Exit::No;
                }
                AfterAnswer::Finish => break Exit::Done,
                AfterAnswer::Wait => {}
                AfterAnswer::Ask if client.request(asked.request()).is_ok() => {}
                AfterAnswer::Ask => break Exit::No,
            }
            continue;
        }
        match event {
            ClientEvent::Stopped(reason) => {
                say(&reason);
                break Exit::No;
            }
            ClientEvent::Disconnected {
                cause, retry_in, ..
            } => {
                let wait = format!("trying again in {:.1} s{hint}", retry_in.as_secs_f64());
                say(&format!("no server answers at {at} ({cause}); {wait}"));
                hint = " …";
                is_requested &= !asked.ends_with_connection();
            }
            ClientEvent::Connected { welcome, .. } => {
                asked.connected(&welcome);
                hint = " …";
                is_requested = is_requested || client.request(asked.request()).is_ok();
            }
            ClientEvent::Raw(text) => print(&format!("{text}\n"))?,
            ClientEvent::Refused { answer, .. } => {
                say(&answer.message);
                break Exit::No;
            }
            _ => {}
        }
    };
    client.close().await;
    Ok(exit)
}

fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    write!(out, "{text}")?;
    out.flush()
}

fn say(what: &dyn Display) {
    // Where even standard error is closed, the exit code remains.
    let _ = writeln!(io::stderr().lock(), "{what}");
}
