//! The writer: one task takes all appends that wait into one statement, on one of a few
//! connections, and answers once the database has made them durable.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fibfob_store::limits::{APPEND_QUEUE_MAX, BATCH_MAX, GROUP_YIELDS};
use fibfob_store::{AppendError, QueuedAppend, StoreMeter, WriteHealth};
use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::sync::mpsc;
use tokio::task::yield_now;
use tokio::time::Instant;

use super::append;
use super::connector::Connector;
use super::error::PostgresError;
use super::lane::Lane;
use crate::limits::{RIVALRY_TRIES, WRITE_CONNECTIONS};

/// The queue of the writer's task, which ends once this is dropped and everything queued is written.
pub(super) struct BatchWriter {
    pub(super) queue: mpsc::Sender<QueuedAppend>,
    pub(super) written: Arc<Written>,
}

/// Counts of what was written, and the health of writes.
#[derive(Default)]
pub(super) struct Written {
    pub(super) health: WriteHealth,
    /// The time of the newest record that was stored, in milliseconds.
    newest: AtomicU64,
    pub(super) meter: StoreMeter,
}

impl BatchWriter {
    pub(super) fn start(connector: &Arc<Connector>) -> Self {
        let (queue, waiting) = mpsc::channel(APPEND_QUEUE_MAX);
        let written = Arc::<Written>::default();
        let lanes = (0..WRITE_CONNECTIONS).map(|_| Lane::new(Arc::clone(connector)));
        tokio::spawn(write_all(waiting, lanes.collect(), Arc::clone(&written)));
        Self { queue, written }
    }
}

impl Written {
    /// The time of the newest record that was stored, in milliseconds; zero before the first.
    pub(super) fn newest(&self) -> u64 {
        self.newest.load(Ordering::Relaxed)
    }

    /// Notes a write that failed, with the number of appends that it leaves in doubt.
    pub(super) fn failed(&self, error: &PostgresError, appends: usize) {
        self.meter.failures.inc();
        let now = std::time::Instant::now();
        self.health.failed(now, error.kind(), error, appends as u64);
    }

    pub(super) fn succeeded(&self) {
        self.health.recovered(std::time::Instant::now());
    }
}

/// Writes until no sender is left.
async fn write_all(
    mut queue: mpsc::Receiver<QueuedAppend>,
    mut idle: Vec<Arc<Lane>>,
    written: Arc<Written>,
) {
    let mut waiting = VecDeque::new();
    let mut writing = FuturesUnordered::new();
    loop {
        while let Some(lane) = idle.pop() {
            let batch = take_batch(&mut waiting);
            if batch.is_empty() {
                idle.push(lane);
                break;
            }
            writing.push(write(lane, batch, &written));
        }
        tokio::select! {
            Some(lane) = writing.next() => idle.push(lane),
            first = queue.recv(), if !idle.is_empty() => match first {
                Some(first) => {
                    waiting.push_back(first);
                    for _ in 0..GROUP_YIELDS {
                        yield_now().await;
                    }
                }
                None => break,
            },
        }
        while waiting.len() < BATCH_MAX
            && let Ok(next) = queue.try_recv()
        {
            waiting.push_back(next);
        }
    }
    while writing.next().await.is_some() {}
}

/// Stores a batch and answers its callers.
async fn write(lane: Arc<Lane>, mut batch: Vec<QueuedAppend>, written: &Written) -> Arc<Lane> {
    let began = Instant::now();
    match store(&lane, &mut batch).await {
        Ok(outcomes) => {
            let stored = outcomes.iter().filter(|outcome| outcome.is_ok()).count() as u64;
            let newest = batch.iter().map(|append| append.at.0).max();
            written
                .newest
                .fetch_max(newest.unwrap_or_default(), Ordering::Relaxed);
            written.meter.committed(stored, began.elapsed());
            written.succeeded();
            for (append, outcome) in batch.into_iter().zip(outcomes) {
                // A caller that no longer waits is no failure: it will read the log.
                let _ = append.reply.send(outcome);
            }
        }
        // Whoever gets no answer is in doubt.
        Err(error) => written.failed(&error, batch.len()),
    }
    lane
}

/// Stores a batch on the lane's connection, once there is one. Given up by closing the connection,
/// never by a cancellation, which the database would answer as a success.
async fn store(
    lane: &Arc<Lane>,
    batch: &mut Vec<QueuedAppend>,
) -> Result<Vec<Result<(), AppendError>>, PostgresError> {
    for _ in 1..RIVALRY_TRIES {
        match store_once(lane, batch).await {
            // All of it was undone.
            Err(error) if error.is_rivalry() => {}
            stored => return stored,
        }
    }
    store_once(lane, batch).await
}

async fn store_once(
    lane: &Arc<Lane>,
    batch: &mut Vec<QueuedAppend>,
) -> Result<Vec<Result<(), AppendError>>, PostgresError> {
    let link = lane.link().await?;
    // Connecting takes longer than callers wait.
    batch.retain(|append| !append.reply.is_closed());
    if batch.is_empty() {
        return Ok(Vec::new());
    }
    let stored = append::store(&link, batch).await;
    if let Err(error) = &stored
        && !error.is_rivalry()
    {
        lane.leave(&link, error);
    }
    stored
}

/// Takes a batch out of `waiting`, sorted by match, so that two batches of different processes
/// never wait for each other in a circle. A second append of a match stays for a later batch: the
/// database tells which match it has stored, and one answer must not acknowledge two appends.
fn take_batch(waiting: &mut VecDeque<QueuedAppend>) -> Vec<QueuedAppend> {
    let mut matches = HashSet::new();
    let mut batch = Vec::new();
    for append in std::mem::take(waiting) {
        if append.reply.is_closed() {
            // Its caller has given up, and may be in here again.
            continue;
        }
        if batch.len() < BATCH_MAX && matches.insert(append.id) {
            batch.push(append);
        } else {
            waiting.push_back(append);
        }
    }
    batch.sort_unstable_by_key(|append| (append.id, append.version));
    batch
}

#[cfg(test)]
mod tests {
    use fibfob_protocol::{MatchId, Timestamp, Version};
    use fibfob_store::AppendError;
    use tokio::sync::oneshot;
    use uuid::Uuid;

    use super::*;

    type Answer = oneshot::Receiver<Result<(), AppendError>>;

    fn append(id: u128, version: u64) -> (QueuedAppend, Answer) {
        let (reply, answer) = oneshot::channel();
        let append = QueuedAppend {
            id: MatchId(Uuid::from_u128(id)),
            version: Version(version),
            at: Timestamp(0),
            record: String::new(),
            row: None,
            reply,
        };
        (append, answer)
    }

    fn keys(batch: &[QueuedAppend]) -> Vec<(u128, u64)> {
        let key = |append: &QueuedAppend| (append.id.0.as_u128(), append.version.0);
        batch.iter().map(key).collect()
    }

    #[test]
    fn a_batch_is_sorted_and_has_one_append_of_a_match() {
        let queued = [(9, 1), (3, 5), (9, 2), (3, 5), (1, 8)].map(|(id, at)| append(id, at));
        let (appends, _answers): (Vec<_>, Vec<_>) = queued.into_iter().unzip();
        let mut waiting = VecDeque::from(appends);
        assert_eq!(keys(&take_batch(&mut waiting)), [(1, 8), (3, 5), (9, 1)]);
        assert_eq!(keys(&take_batch(&mut waiting)), [(3, 5), (9, 2)]);
        assert!(take_batch(&mut waiting).is_empty());
    }

    #[test]
    fn an_abandoned_append_gives_way_to_its_retry() {
        let ((first, given_up), (again, _answer)) = (append(3, 5), append(3, 5));
        drop(given_up);
        let mut waiting = VecDeque::from([first, again]);
        let batch = take_batch(&mut waiting);
        assert_eq!(batch.len(), 1);
        assert!(!batch[0].reply.is_closed());
        assert!(waiting.is_empty());
    }

    #[test]
    fn a_batch_is_bounded_and_the_rest_keeps_its_order() {
        let count = BATCH_MAX as u128 + 2;
        let queued = (0..count).rev().map(|id| append(id, 1));
        let (appends, _answers): (Vec<_>, Vec<_>) = queued.unzip();
        let mut waiting = VecDeque::from(appends);
        assert_eq!(take_batch(&mut waiting).len(), BATCH_MAX);
        let rest: Vec<_> = waiting.iter().map(|append| append.id.0.as_u128()).collect();
        assert_eq!(rest, [1, 0]);
    }
}
