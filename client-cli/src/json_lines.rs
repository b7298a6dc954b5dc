//! The lines of `--json` that are not messages as a server sent them: the same messages about a match in this
//! process, and what only this program can say. Each line is an object with a `type`.

use std::io;

use fibfob_client::{ClientEvent, MatchUpdate};
use fibfob_protocol::{
    MoveForm, PastEvent, PhaseView, ServerMessage, Snapshot, TimedEvent, millis,
};
use fibfob_theory::print;
use serde::Serialize;
use serde_json::Value;

use crate::app::displayed_match::changes_position;

/// A line that no server sends.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum OwnLine<'a> {
    /// The connection was lost, or none came about. The next attempt follows after this time.
    Disconnected { cause: &'a str, retry_in_ms: u64 },
    /// A line of standard input that cannot be meant, and was not sent.
    Misread { message: &'a str },
    /// The match waits for a line of standard input.
    Prompt { message: &'a str },
    /// The match has ended; with the fields that its state has on the wire then.
    Result {
        message: &'a str,
        #[serde(flatten)]
        phase: Option<&'a PhaseView>,
    },
    /// Something else than asked for.
    Problem { message: &'a str },
    /// The run cannot go on.
    Stopped { message: &'a str },
}

impl OwnLine<'_> {
    pub fn print(&self) -> io::Result<()> {
        print_line(&serde_json::to_string(self)?)
    }
}

/// Prints a message as it was received. One message is one line, whatever white space the server sends.
pub fn print_line(text: &str) -> io::Result<()> {
    print(&format!("{}\n", text.replace(['\n', '\r'], " ")))
}

/// Prints an event's line. Most events of a server are its own messages; those of a match in this process
/// (`is_here`) are written as a server would.
pub fn print_event(event: &ClientEvent, is_here: bool) -> io::Result<()> {
    let message = match event {
        ClientEvent::Raw(text) => return print_line(text),
        ClientEvent::Disconnected {
            cause, retry_in, ..
        } => {
            let retry_in_ms = millis(*retry_in);
            return OwnLine::Disconnected { cause, retry_in_ms }.print();
        }
        ClientEvent::Stopped(reason) => {
            let message = &reason.to_string();
            return OwnLine::Stopped { message }.print();
        }
        ClientEvent::Connected { welcome, .. } => {
            // Whoever has the token is the user.
            return print_without(&ServerMessage::Welcome(welcome.clone()), &["token"]);
        }
        _ if !is_here => return Ok(()),
        ClientEvent::Accepted { answer, .. } => ServerMessage::Accepted(answer.clone()),
        ClientEvent::Refused { answer, .. } => ServerMessage::Refused(answer.clone()),
        ClientEvent::Update(update) => ServerMessage::Snapshot(Box::new(snapshot(update))),
        ClientEvent::Presence(presence) => ServerMessage::Presence(presence.clone()),
        _ => return Ok(()),
    };
    // As a server sends it to this program.
    print_line(&message.in_form(MoveForm::List).write())
}

/// Prints a message without these fields, which are secrets.
pub fn print_without(message: &ServerMessage, secrets: &[&str]) -> io::Result<()> {
    let mut message: Value = serde_json::from_str(&message.write())?;
    if let Some(fields) = message.as_object_mut() {
        fields.retain(|name, _| !secrets.contains(&name.as_str()));
    }
    print_line(&message.to_string())
}

/// The snapshot that tells what an update tells.
fn snapshot(update: &MatchUpdate) -> Snapshot {
    let past = |timed: &TimedEvent| PastEvent {
        position: changes_position(&timed.event).then(|| update.state.position.clone()),
        timed: timed.clone(),
    };
    Snapshot {
        match_id: update.match_id,
        code: update.code,
        version: update.version,
        events: update.events.iter().map(past).collect(),
        state: update.state.clone(),
    }
}
