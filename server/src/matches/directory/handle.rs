//! The way to one match task, for requests and for what other servers hint.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fibfob_protocol::{MatchId, Refusal, Version};
use tokio::sync::mpsc::error::{SendTimeoutError, TrySendError};
use tokio::sync::{mpsc, watch};

use super::Directory;
use crate::limits::CARRIED_RECORDS_MAX;
use crate::matches::cluster::Elsewhere;
use crate::matches::request::MatchRequest;
use crate::store::{CarriedRecord, Head};

/// The way to a match task.
#[derive(Clone)]
pub(in crate::matches) struct MatchHandle {
    pub(super) requests: mpsc::Sender<MatchRequest>,
    pub(super) hinted: Arc<watch::Sender<Hinted>>,
}

/// The inputs of a match task.
pub(in crate::matches) struct Inbox {
    pub requests: mpsc::Receiver<MatchRequest>,
    pub hinted: watch::Receiver<Hinted>,
}

/// The newest hints of other servers for a match.
#[derive(Default)]
pub(in crate::matches) struct Hinted {
    /// The newest version of its log.
    pub version: Version,
    /// The number of its newest chat line.
    pub chat: u64,
    /// Everything that came since the task looked.
    fresh: Mutex<Fresh>,
}

/// Everything that hints brought of a match since its task looked.
#[derive(Default)]
pub(in crate::matches) struct Fresh {
    /// The newest records, oldest first, where the hints carried them.
    pub records: Vec<CarriedRecord>,
    /// The connections to it at other servers, if they were read.
    pub elsewhere: Option<Arc<Elsewhere>>,
}

impl Hinted {
    /// Takes what has come since this was last called.
    pub(in crate::matches) fn take_fresh(&self) -> Fresh {
        std::mem::take(&mut *self.fresh.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn fresh(&mut self) -> &mut Fresh {
        self.fresh.get_mut().unwrap_or_else(PoisonError::into_inner)
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
        request: MatchRequest,
        wait: InboxWait,
    ) -> Result<bool, Refusal> {
        match wait {
            InboxWait::None => match self.requests.try_send(request) {
                Ok(()) => Ok(true),
                Err(TrySendError::Closed(_)) => Ok(false),
                Err(TrySendError::Full(_)) => Err(Refusal::Busy),
            },
            InboxWait::AtMost(time) => match self.requests.send_timeout(request, time).await {
                Ok(()) => Ok(true),
                Err(SendTimeoutError::Closed(_)) => Ok(false),
                Err(SendTimeoutError::Timeout(_)) => Err(Refusal::Busy),
            },
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
                let records = &mut hinted.fresh().records;
                if records.len() < CARRIED_RECORDS_MAX {
                    records.extend(record);
                }
            }
            is_newer
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
    pub(in crate::matches) fn tell_elsewhere(&self, id: MatchId, elsewhere: Arc<Elsewhere>) {
        self.tell(id, |hinted| {
            hinted.fresh().elsewhere = Some(elsewhere);
            true
        });
    }

    fn tell(&self, id: MatchId, change: impl FnOnce(&mut Hinted) -> bool) {
        if let Some(handle) = self.in_memory.get(&id) {
            handle.hinted.send_if_modified(change);
        }
    }
}
