//! The way to one match task, for requests and for what other servers hint.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use fibfob_protocol::{MatchId, Refusal, Version};
use fibfob_store::{CarriedRecord, Head, PresenceNote, ServerId};
use parking_lot::Mutex;
use tokio::sync::mpsc::error::{SendTimeoutError, TrySendError};
use tokio::sync::{Notify, mpsc};

use super::Directory;
use crate::limits::{CARRIED_RECORDS_MAX, PRESENCE_HINTS_MAX};
use crate::matches::cluster::Elsewhere;
use crate::matches::request::MatchRequest;

/// The way to a match task.
#[derive(Clone)]
pub(in crate::matches) struct MatchHandle {
    /// Boxed, because the channel has room for 32 of them from the start.
    pub(super) requests: mpsc::Sender<Box<MatchRequest>>,
    pub(super) hinted: Arc<Hinted>,
}

/// The inputs of a match task.
pub(in crate::matches) struct Inbox {
    pub requests: mpsc::Receiver<Box<MatchRequest>>,
    pub hinted: Arc<Hinted>,
}

/// The hints of other servers that a match task has not followed.
#[derive(Default)]
pub(in crate::matches) struct Hinted {
    hints: Mutex<MatchHints>,
    /// Tells the task of new ones.
    news: Notify,
}

/// The newest hints of other servers for a match.
#[derive(Default)]
pub(in crate::matches) struct MatchHints {
    /// The newest version of its log.
    pub version: Version,
    /// The end of its log as it was read since the task looked.
    pub end: Option<Version>,
    /// Whether what was read of it is no longer what is stored.
    pub is_rewritten: bool,
    /// The number of its newest chat line.
    pub chat: u64,
    /// The records that the hints carried since the task looked, oldest first.
    pub records: Vec<CarriedRecord>,
    /// The connections to it at other servers, if they were read since the task looked.
    pub elsewhere: Option<Elsewhere>,
    /// Notes of servers since then.
    pub presence: BTreeMap<ServerId, PresenceNote>,
}

impl Hinted {
    /// Waits for hints, and takes them. Only the match's task does. Cancel safe.
    pub(in crate::matches) async fn next(&self) -> MatchHints {
        self.news.notified().await;
        let mut hints = self.hints.lock();
        MatchHints {
            version: hints.version,
            end: hints.end.take(),
            is_rewritten: std::mem::take(&mut hints.is_rewritten),
            chat: hints.chat,
            records: std::mem::take(&mut hints.records),
            elsewhere: hints.elsewhere.take(),
            presence: std::mem::take(&mut hints.presence),
        }
    }

    /// Changes the hints, and tells the task if there is something new.
    fn change(&self, change: impl FnOnce(&mut MatchHints) -> bool) {
        let is_new = change(&mut self.hints.lock());
        if is_new {
            self.news.notify_one();
        }
    }
}

/// The longest wait for room in an inbox.
#[derive(Clone, Copy)]
pub(super) enum InboxWait {
    None,
    AtMost(Duration),
}

impl MatchHandle {
    pub(super) fn is_closed(&self) -> bool {
        self.requests.is_closed()
    }

    pub(super) fn waiting(&self) -> usize {
        self.requests.max_capacity() - self.requests.capacity()
    }

    /// Puts a request into the inbox; returns false if the task has ended.
    pub(super) async fn send(
        &self,
        request: Box<MatchRequest>,
        wait: InboxWait,
    ) -> Result<bool, Refusal> {
        match wait {
            InboxWait::None => match self.requests.try_send(request) {
                Ok(()) => Ok(true),
                Err(TrySendError::Closed(_)) => Ok(false),
                Err(TrySendError::Full(_)) => Err(Refusal::Busy),
            },
            InboxWait::AtMost(time) => {
                // Boxed, because every request would have its room.
                match Box::pin(self.requests.send_timeout(request, time)).await {
                    Ok(()) => Ok(true),
                    Err(SendTimeoutError::Closed(_)) => Ok(false),
                    Err(SendTimeoutError::Timeout(_)) => Err(Refusal::Busy),
                }
            }
        }
    }
}

impl Directory {
    /// Passes the end of its log to a match, if it is in memory, and the record there if it is
    /// known.
    pub(in crate::matches) fn tell_head(&self, head: Head, record: Option<CarriedRecord>) {
        self.tell(head.id, |hinted| {
            let is_newer = hinted.version < head.version;
            if is_newer {
                hinted.version = head.version;
                if hinted.records.len() < CARRIED_RECORDS_MAX {
                    hinted.records.extend(record);
                }
            }
            is_newer
        });
    }

    /// Passes the end of its log, as it was read, to a match that is in memory.
    pub(in crate::matches) fn tell_end(&self, head: Head) {
        self.tell(head.id, |hinted| {
            hinted.version = hinted.version.max(head.version);
            hinted.end = Some(head.version);
            true
        });
    }

    /// Lets a match that is in memory be read anew.
    pub(in crate::matches) fn tell_rewritten(&self, id: MatchId) {
        self.tell(id, |hinted| {
            hinted.is_rewritten = true;
            true
        });
    }

    /// Passes the number of its newest chat line to a match, if it is in memory.
    pub(in crate::matches) fn tell_chat(&self, id: MatchId, number: u64) {
        self.tell(id, |hinted| {
            let is_newer = hinted.chat < number;
            hinted.chat = hinted.chat.max(number);
            is_newer
        });
    }

    /// Passes the connections at other servers to a match, if it is in memory.
    pub(in crate::matches) fn tell_elsewhere(&self, id: MatchId, elsewhere: Elsewhere) {
        self.tell(id, |hinted| {
            hinted.presence.clear();
            hinted.elsewhere = Some(elsewhere);
            true
        });
    }

    /// Passes what a server has noted to its match, if that is in memory.
    pub(in crate::matches) fn tell_presence(&self, server: ServerId, note: PresenceNote) {
        self.tell(note.id, |hinted| {
            // More servers at once are read.
            let has_room = hinted.presence.len() < PRESENCE_HINTS_MAX;
            if has_room || hinted.presence.contains_key(&server) {
                hinted.presence.insert(server, note);
            }
            true
        });
    }

    fn tell(&self, id: MatchId, change: impl FnOnce(&mut MatchHints) -> bool) {
        if let Some(handle) = self.in_memory.get(&id) {
            handle.hinted.change(change);
        }
    }
}
