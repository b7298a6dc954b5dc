//! The way to one match task: for requests, and for hints of other servers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use fibfob_protocol::{Refusal, Version};
use fibfob_store::{CarriedRecord, PresenceNote, ServerId};
use parking_lot::Mutex;
use tokio::sync::{Notify, mpsc};

use crate::cluster::Elsewhere;
use crate::limits::{CARRIED_RECORDS_MAX, PRESENCE_HINTS_MAX};
use crate::request::MatchRequest;

/// The way to a match task.
#[derive(Clone)]
pub(crate) struct MatchHandle {
    /// Boxed, because a channel has room for 32 requests from the start.
    pub(super) requests: mpsc::Sender<Box<MatchRequest>>,
    pub(super) hinted: Arc<Hinted>,
}

/// The inputs of a match task.
pub(crate) struct Inbox {
    pub requests: mpsc::Receiver<Box<MatchRequest>>,
    pub hinted: Arc<Hinted>,
}

/// Hints of other servers that a match's task has not taken yet.
#[derive(Default)]
pub(crate) struct Hinted {
    hints: Mutex<MatchHints>,
    /// Tells the task of new hints.
    news: Notify,
}

/// Other servers' hints about a match, since its task last looked.
#[derive(Default)]
pub(crate) struct MatchHints {
    /// The newest version that another server has told of.
    pub version: Version,
    /// The end of its log, if it was read.
    pub end: Option<Version>,
    /// True if the store has changed what was read of it.
    pub is_rewritten: bool,
    /// The number of its newest chat line.
    pub chat: u64,
    /// The records that the hints carried, oldest first.
    pub records: Vec<CarriedRecord>,
    /// The connections to it at other servers, if these were read.
    pub elsewhere: Option<Elsewhere>,
    /// Servers' notes that came after that.
    pub presence: BTreeMap<ServerId, PresenceNote>,
}

impl MatchHints {
    /// Adds an event that another server has stored, with its record if it came along.
    pub(crate) fn add_event(&mut self, version: Version, record: Option<CarriedRecord>) {
        if self.version < version {
            self.version = version;
            if self.records.len() < CARRIED_RECORDS_MAX {
                self.records.extend(record);
            }
        }
    }

    /// Adds a server's note. If there are too many, the task reads them from the store.
    pub(crate) fn add_note(&mut self, server: ServerId, note: PresenceNote) {
        let has_room = self.presence.len() < PRESENCE_HINTS_MAX;
        if has_room || self.presence.contains_key(&server) {
            self.presence.insert(server, note);
        }
    }
}

impl Hinted {
    /// Waits for hints, and takes them. Only the match's task does. Cancel safe.
    pub(crate) async fn next(&self) -> MatchHints {
        self.news.notified().await;
        std::mem::take(&mut *self.hints.lock())
    }

    pub(super) fn change(&self, change: impl FnOnce(&mut MatchHints)) {
        change(&mut self.hints.lock());
        self.news.notify_one();
    }
}

impl MatchHandle {
    pub(super) fn is_closed(&self) -> bool {
        self.requests.is_closed()
    }

    pub(super) fn waiting(&self) -> usize {
        self.requests.max_capacity() - self.requests.capacity()
    }

    /// Puts a request into the inbox, and waits for room for `wait` at most. Returns false if the task has
    /// ended.
    pub(super) async fn send(
        &self,
        request: Box<MatchRequest>,
        wait: Option<Duration>,
    ) -> Result<bool, Refusal> {
        let is_sent = match wait {
            None => self.requests.try_send(request).is_ok(),
            // Boxed, because otherwise the future of every request would have room for this rare timeout.
            Some(time) => Box::pin(self.requests.send_timeout(request, time))
                .await
                .is_ok(),
        };
        match is_sent || self.is_closed() {
            true => Ok(is_sent),
            false => Err(Refusal::Busy),
        }
    }
}
