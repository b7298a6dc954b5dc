//! The one writer: takes everything that waits into one transaction, and answers after its
//! commit. One flush to the disk then serves many matches.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Instant;

use fibfob_protocol::{MatchId, Version};
use rusqlite::{Connection, ErrorCode, Savepoint, TransactionBehavior, ffi};
use tokio::sync::{mpsc, oneshot};

use crate::limits::{APPEND_QUEUE_MAX, BATCH_MAX};
use crate::listing::{Listing, Shown};
use crate::metrics::{Fill, StoreMeter};
use crate::store::{AppendError, Written};

/// One event on its way to the disk.
pub(super) struct Append {
    pub id: MatchId,
    pub version: Version,
    pub record: String,
    /// The match's row, if it changes.
    pub listing: Option<Listing>,
    pub reply: oneshot::Sender<Result<(), AppendError>>,
}

/// The thread and its queue. Dropping it writes what is queued and ends the thread.
pub(super) struct Writer {
    /// Always there until the drop.
    queue: Option<mpsc::Sender<Append>>,
    thread: Option<JoinHandle<()>>,
    counts: Arc<Counts>,
    meter: StoreMeter,
}

#[derive(Default)]
struct Counts {
    events: AtomicU64,
    commits: AtomicU64,
}

impl Writer {
    pub(super) fn start(mut connection: Connection) -> Self {
        let (queue, waiting) = mpsc::channel(APPEND_QUEUE_MAX);
        let counts = Arc::new(Counts::default());
        let counted = Arc::clone(&counts);
        let meter = StoreMeter::default();
        let metered = meter.clone();
        let thread = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || write_all(&mut connection, waiting, &counted, &metered))
            .expect("a starting server may have one more thread");
        Self {
            queue: Some(queue),
            thread: Some(thread),
            counts,
            meter,
        }
    }

    /// Waits for room in the queue. An error is in doubt only formally: nothing was queued.
    pub(super) async fn submit(&self, append: Append) -> Result<(), AppendError> {
        let queue = self.queue.as_ref().expect("only the drop takes it");
        let sent = queue.send(append).await;
        sent.map_err(|_| AppendError::Unknown)
    }

    pub(super) fn has_stopped(&self) -> bool {
        self.queue.as_ref().is_none_or(mpsc::Sender::is_closed)
    }

    pub(super) fn meter(&self) -> StoreMeter {
        self.meter.clone()
    }

    pub(super) fn waiting(&self) -> Fill {
        let free = self.queue.as_ref().map_or(0, mpsc::Sender::capacity);
        Fill {
            length: APPEND_QUEUE_MAX - free,
            capacity: APPEND_QUEUE_MAX,
        }
    }

    pub(super) fn written(&self) -> Written {
        Written {
            events: self.counts.events.load(Ordering::Relaxed),
            commits: self.counts.commits.load(Ordering::Relaxed),
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the store's writer had panicked");
        }
    }
}

fn write_all(
    connection: &mut Connection,
    mut waiting: mpsc::Receiver<Append>,
    counts: &Counts,
    meter: &StoreMeter,
) {
    let mut batch = Vec::with_capacity(BATCH_MAX);
    while let Some(first) = waiting.blocking_recv() {
        batch.push(first);
        while batch.len() < BATCH_MAX
            && let Ok(next) = waiting.try_recv()
        {
            batch.push(next);
        }
        let begun = Instant::now();
        match commit(connection, &batch) {
            Ok(outcomes) => {
                let stored = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
                counts.events.fetch_add(stored as u64, Ordering::Relaxed);
                counts.commits.fetch_add(1, Ordering::Relaxed);
                meter.committed(stored as u64, begun.elapsed());
                tracing::trace!(stored, "committed");
                for (append, outcome) in batch.drain(..).zip(outcomes) {
                    // Nobody waiting any more is no fault: they will read the log.
                    let _ = append.reply.send(outcome);
                }
            }
            Err(error) => {
                meter.failed();
                tracing::error!(%error, events = batch.len(), "a commit failed");
                for append in batch.drain(..) {
                    let _ = append.reply.send(Err(AppendError::Unknown));
                }
            }
        }
    }
}

/// One transaction. An append that meets another event undoes only itself; any other error
/// undoes everything.
fn commit(
    connection: &mut Connection,
    batch: &[Append],
) -> rusqlite::Result<Vec<Result<(), AppendError>>> {
    let mut change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut outcomes = Vec::with_capacity(batch.len());
    for append in batch {
        let single = change.savepoint()?;
        let outcome = insert(&single, append)?;
        if outcome.is_ok() {
            single.commit()?;
        } else {
            // Dropped without a commit, the savepoint takes back what it has written.
            drop(single);
        }
        outcomes.push(outcome);
    }
    change.commit()?;
    Ok(outcomes)
}

fn insert(single: &Savepoint<'_>, append: &Append) -> rusqlite::Result<Result<(), AppendError>> {
    let id = append.id.0.as_bytes().as_slice();
    let event = single
        .prepare_cached("INSERT INTO event (match_id, version, record) VALUES (?1, ?2, ?3)")?
        .execute((id, whole(append.version.0), &append.record));
    if violates_uniqueness(&event) {
        return Ok(Err(AppendError::Conflict));
    }
    event?;
    let Some(listing) = &append.listing else {
        return Ok(Ok(()));
    };
    let (expires_at, entry) = match &listing.shown {
        Some(Shown::Open { expires_at, entry }) => (Some(whole(expires_at.0)), Some(entry)),
        Some(Shown::Playing { entry }) => (None, Some(entry)),
        None => (None, None),
    };
    let entry = entry.map(|entry| serde_json::to_string(entry).expect("entries have string keys"));
    let row = single
        .prepare_cached(
            "INSERT INTO match (id, code, phase, created_at, expires_at, lobby)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (id) DO UPDATE
             SET phase = excluded.phase, expires_at = excluded.expires_at, lobby = excluded.lobby",
        )?
        .execute((
            id,
            listing.code.as_str(),
            listing.phase,
            whole(listing.created_at.0),
            expires_at,
            entry,
        ));
    if violates_uniqueness(&row) {
        return Ok(Err(AppendError::CodeTaken));
    }
    row.map(|_| Ok(()))
}

/// SQLite's integers have a sign; instants and versions never come near the bound.
fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn violates_uniqueness(outcome: &rusqlite::Result<usize>) -> bool {
    matches!(
        outcome,
        Err(rusqlite::Error::SqliteFailure(
            ffi::Error {
                code: ErrorCode::ConstraintViolation,
                extended_code: ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_UNIQUE,
            },
            _
        ))
    )
}
