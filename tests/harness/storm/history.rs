//! What one client did and was told, complete and in order: the evidence that is judged.
//!
//! Everything carries a moment of one count that all clients share, so that "before" means
//! before for the whole storm.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use fibfob_protocol::{Accepted, GuestId, Refused, Request};

/// One client's evidence.
#[derive(Clone, Debug)]
pub struct History {
    /// The name it is spoken of by.
    pub name: String,
    /// Who it is to the server.
    pub guest: GuestId,
    /// What happened to it, oldest first.
    pub entries: Vec<Entry>,
}

/// One thing that happened to a client.
#[derive(Clone, Debug)]
pub struct Entry {
    /// When, in the count of the storm.
    pub moment: u64,
    /// On which of the client's connections, numbered as they were opened.
    pub line: u32,
    /// What.
    pub what: What,
}

/// What can happen to a client.
#[derive(Clone, Debug)]
pub enum What {
    /// It sent a request, for the first time or again.
    Sent(Request),
    /// A request of its own was done.
    Accepted(Accepted),
    /// A request of its own was not done.
    Refused(Refused),
    /// A frame or a snapshot, as it came.
    Shown(Arc<str>),
}

/// Every text that was shown to anybody, once: many viewers are shown the same.
#[derive(Default)]
pub struct Shown(Mutex<HashSet<Arc<str>>>);

impl Shown {
    /// The one copy of `text`.
    pub fn keep(&self, text: &str) -> Arc<str> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.get(text) {
            return Arc::clone(known);
        }
        let new: Arc<str> = text.into();
        kept.insert(Arc::clone(&new));
        new
    }
}
