//! The history of one client: everything it sent and received, in order.

use std::sync::Arc;

use fibfob_protocol::{GuestId, Request, ServerMessage};
use tokio::time::Instant;

/// The history of one client, over all its connections.
#[derive(Clone, Debug)]
pub struct History {
    /// The client's name in reports.
    pub name: String,
    /// The observations, oldest first.
    pub entries: Vec<Entry>,
}

/// One observation of a client.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The position in the order of all observations of the run.
    pub order: u64,
    /// The instant at which it was made.
    pub at: Instant,
    /// The client's connection, numbered in the order of opening.
    pub connection: u32,
    /// The message sent or received.
    pub observation: Observation,
}

/// A message that a client sent or received.
#[derive(Clone, Debug)]
pub enum Observation {
    /// Sent `hello`, with the token of this guest if it had one.
    Greeted(Option<GuestId>),
    /// Sent a request, for the first time or again.
    Sent(Request),
    /// Sent text that is no message.
    SentMalformed,
    /// Received a message. Equal frames may share one allocation.
    Received(Arc<ServerMessage>),
    /// Received text that is no message, for this reason.
    Unreadable(String),
}
