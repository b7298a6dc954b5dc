//! The writer: one task takes all appends that wait into one statement, on one of a few
//! connections, and answers once the database has made them durable.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fibfob_store::limits::{APPEND_QUEUE_MAX, BATCH_MAX, GROUP_YIELDS};
use fibfob_store::{AppendError, QueuedAppend, StoreMeter, WriteHealth};
use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::sync::mpsc;
use tokio::task::yield_now;
use tokio::time::Instant;

use super::append;
use super::batch;
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
        self.meter.failed();
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
            let batch = batch::take(&mut waiting);
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
        Err(error) => {
            written.failed(&error, batch.len());
            for append in batch {
                let _ = append.reply.send(Err(AppendError::Unknown));
            }
        }
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
