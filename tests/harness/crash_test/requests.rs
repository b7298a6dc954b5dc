//! The unanswered requests of a client, over all its connections.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use fibfob_protocol::{CommandId, Refused, Request, RequestBody};
use tokio::time::Instant;

use super::counters::Counters;

/// The pause before a refused request is sent again that may be.
pub(super) const RETRY_PAUSE: Duration = Duration::from_millis(100);

/// The requests that were not answered on the client's first connection.
pub(super) struct OpenRequests {
    open: BTreeMap<CommandId, OpenRequest>,
    counters: Arc<Counters>,
}

/// An unanswered request.
pub(super) struct OpenRequest {
    /// The part of the client that it is for.
    pub participant: usize,
    pub body: RequestBody,
    /// The time to send it again, after it was refused for now.
    retry_at: Option<Instant>,
    refused: Option<RefusedForNow>,
}

/// What is known of a request that was refused for now.
struct RefusedForNow {
    /// The time of the first refusal.
    since: Instant,
    /// The failures that had begun by then.
    failures: usize,
    /// The newest refusal.
    refusal: String,
}

impl OpenRequests {
    pub(super) fn new(counters: Arc<Counters>) -> Self {
        Self {
            open: BTreeMap::new(),
            counters,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    pub(super) fn insert(&mut self, id: CommandId, participant: usize, body: RequestBody) {
        let open = OpenRequest {
            participant,
            body,
            retry_at: None,
            refused: None,
        };
        self.open.insert(id, open);
    }

    /// Returns true if a match of this part is about to be followed.
    pub(super) fn is_resuming(&self, participant: usize) -> bool {
        self.open.values().any(|open| {
            open.participant == participant && matches!(open.body, RequestBody::Resume { .. })
        })
    }

    /// Takes a request that was answered for good.
    pub(super) fn answered(&mut self, id: &CommandId) -> Option<OpenRequest> {
        let open = self.open.remove(id)?;
        if let Some(refused) = &open.refused {
            let (time, refusal) = (refused.since.elapsed(), &refused.refusal);
            self.counters.retried_for(time, refusal, refused.failures);
        }
        Some(open)
    }

    /// Notes a refusal for now of this request.
    pub(super) fn refused_for_now(&mut self, id: &CommandId, refused: &Refused) {
        let Some(open) = self.open.get_mut(id) else {
            return;
        };
        let now = Instant::now();
        open.retry_at = Some(now + RETRY_PAUSE);
        let failures = self.counters.failures();
        let known = open.refused.get_or_insert_with(|| RefusedForNow {
            since: now,
            failures,
            refusal: String::new(),
        });
        known.refusal = format!("{:?}: {}", refused.reason, refused.message);
    }

    /// The earliest time to send a request again.
    pub(super) fn next_retry(&self) -> Option<Instant> {
        self.open.values().filter_map(|open| open.retry_at).min()
    }

    /// Returns the requests to send again by now.
    pub(super) fn due(&mut self) -> Vec<Request> {
        let now = Instant::now();
        let open = self.open.iter_mut();
        let due = open.filter(|(_, open)| open.retry_at.is_some_and(|at| at <= now));
        due.map(|(id, open)| open.again(id)).collect()
    }

    /// Forgets what was refused: the time in which the client is away is no retry.
    pub(super) fn forget_refusals(&mut self) {
        for open in self.open.values_mut() {
            open.refused = None;
        }
    }

    /// Drops the requests to follow and to leave, which are made anew on another connection, and
    /// returns the others to be sent again there.
    pub(super) fn on_new_connection(&mut self) -> Vec<Request> {
        self.open.retain(|_, open| {
            !matches!(
                open.body,
                RequestBody::Resume { .. } | RequestBody::Leave { .. }
            )
        });
        let resent = self.open.len() as u64;
        self.counters.resent.fetch_add(resent, Ordering::Relaxed);
        let open = self.open.iter_mut();
        open.map(|(id, open)| open.again(id)).collect()
    }
}

impl OpenRequest {
    fn again(&mut self, id: &CommandId) -> Request {
        self.retry_at = None;
        Request {
            id: id.clone(),
            body: self.body.clone(),
        }
    }
}
