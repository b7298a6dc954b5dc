//! The one writer: takes everything that waits into one transaction, and answers after its
//! commit. One flush to the disk then serves many matches.
//!
//! After a commit that failed, the writer closes the file and begins as a start does: it makes
//! sure that there is room, opens the file, flushes anew what is in it, and makes a write
//! durable. It tries that until it succeeds; until then everything is refused. SQLite has then
//! taken back what failed, so that no reader of this process ever sees it; a later process may
//! find it, and flushes it before anything reads it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Instant;

use fibfob_protocol::{MatchId, Version};
use rusqlite::Connection;
use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::{mpsc, oneshot};

use super::commit::commit;
use super::file::Place;
use super::{open, schema};
use crate::limits::{APPEND_QUEUE_MAX, BATCH_MAX, MEND_EVERY};
use crate::store::IndexRow;
use crate::store::health::Health;
use crate::store::{AppendError, FailureKind, StoreError, WriteCounts};
use crate::store::{Fill, StoreMeter};

/// One event on its way to the disk.
pub(super) struct Append {
    pub id: MatchId,
    pub version: Version,
    pub record: String,
    /// The match's row, if it changes.
    pub listing: Option<IndexRow>,
    pub reply: oneshot::Sender<Result<(), AppendError>>,
}

/// The thread and its queue. Dropping it writes what is queued and ends the thread.
pub(super) struct Writer {
    /// Always there until the drop.
    queue: Option<mpsc::Sender<Append>>,
    thread: Option<JoinHandle<()>>,
    counts: Arc<Counts>,
    health: Arc<Health>,
    meter: StoreMeter,
}

#[derive(Default)]
struct Counts {
    events: AtomicU64,
    commits: AtomicU64,
}

impl Writer {
    /// With a file that was opened and written, or with what kept it from being written.
    pub(super) fn start(place: Place, opened: Result<Connection, StoreError>) -> Self {
        let (queue, waiting) = mpsc::channel(APPEND_QUEUE_MAX);
        let (counts, health) = (Arc::<Counts>::default(), Arc::<Health>::default());
        if let Err(error) = &opened {
            health.fails(Instant::now(), error, 0);
        }
        let meter = StoreMeter::default();
        let worker = Worker {
            place,
            waiting,
            counts: Arc::clone(&counts),
            health: Arc::clone(&health),
            meter: meter.clone(),
        };
        let thread = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || worker.run(opened.map_err(|error| error.failure_kind())))
            .expect("a starting server may have one more thread");
        Self {
            queue: Some(queue),
            thread: Some(thread),
            counts,
            health,
            meter,
        }
    }

    /// Waits for room in the queue. An error is in doubt only formally: nothing was queued.
    pub(super) async fn submit(&self, append: Append) -> Result<(), AppendError> {
        let queue = self.queue.as_ref().expect("only the drop takes it");
        let sent = queue.send(append).await;
        sent.map_err(|_| AppendError::Unknown)
    }

    /// Whether what is submitted is written.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        if self.queue.as_ref().is_none_or(mpsc::Sender::is_closed) {
            return Err(StoreError::Stopped);
        }
        self.health.check(Instant::now())
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

    pub(super) fn write_counts(&self) -> WriteCounts {
        WriteCounts {
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

/// What the thread works with.
struct Worker {
    place: Place,
    waiting: mpsc::Receiver<Append>,
    counts: Arc<Counts>,
    health: Arc<Health>,
    meter: StoreMeter,
}

impl Worker {
    /// Until nobody can append any more.
    fn run(mut self, opened: Result<Connection, FailureKind>) {
        let mut state = opened;
        loop {
            let mended = match state {
                Ok(connection) => match self.write_all(connection) {
                    Ok(()) => return,
                    Err(kind) => Err(kind),
                },
                Err(FailureKind::Damaged) => return self.refuse_for_good(),
                Err(_) => match self.mend() {
                    Some(mended) => mended,
                    None => return,
                },
            };
            state = mended;
        }
    }

    /// Until nobody can append any more, or a commit fails.
    fn write_all(&mut self, mut connection: Connection) -> Result<(), FailureKind> {
        let mut batch = Vec::with_capacity(BATCH_MAX);
        while let Some(first) = self.waiting.blocking_recv() {
            batch.push(first);
            while batch.len() < BATCH_MAX
                && let Ok(next) = self.waiting.try_recv()
            {
                batch.push(next);
            }
            let begun = Instant::now();
            self.health.begins(begun);
            let committed = commit(&mut connection, &batch);
            let ended = Instant::now();
            self.health.ends(ended);
            let outcomes = match committed {
                Ok(outcomes) => outcomes,
                Err(error) => {
                    let kind = FailureKind::of(&error);
                    self.meter.failed();
                    self.health
                        .fails(Instant::now(), &error.into(), batch.len() as u64);
                    batch.drain(..).for_each(refuse);
                    return Err(kind);
                }
            };
            let stored = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
            self.counts
                .events
                .fetch_add(stored as u64, Ordering::Relaxed);
            self.counts.commits.fetch_add(1, Ordering::Relaxed);
            self.meter.committed(stored as u64, ended - begun);
            tracing::trace!(stored, "committed");
            for (append, outcome) in batch.drain(..).zip(outcomes) {
                // Nobody waiting any more is no fault: they will read the log.
                let _ = append.reply.send(outcome);
            }
        }
        Ok(())
    }

    /// Tries until the file can be written again, or is found damaged; none if nobody can
    /// append any more.
    fn mend(&mut self) -> Option<Result<Connection, FailureKind>> {
        loop {
            // Not a wait for anything: a bound on how often a sick disk is tried.
            std::thread::sleep(MEND_EVERY);
            let error = match self.try_to_mend() {
                Ok(connection) => {
                    self.health.recovers(Instant::now());
                    return Some(Ok(connection));
                }
                Err(error) => error,
            };
            let mut refused = 0;
            let closed = loop {
                match self.waiting.try_recv() {
                    Ok(append) => {
                        refuse(append);
                        refused += 1;
                    }
                    Err(TryRecvError::Empty) => break false,
                    Err(TryRecvError::Disconnected) => break true,
                }
            };
            self.health.fails(Instant::now(), &error, refused);
            if closed {
                return None;
            }
            if error.failure_kind() == FailureKind::Damaged {
                return Some(Err(FailureKind::Damaged));
            }
        }
    }

    fn try_to_mend(&self) -> Result<Connection, StoreError> {
        self.place.is_as_it_was()?;
        let mut connection = open(&self.place)?;
        schema::write_nothing(&mut connection)?;
        Ok(connection)
    }

    /// Until nobody can append any more.
    fn refuse_for_good(&mut self) {
        while let Some(append) = self.waiting.blocking_recv() {
            refuse(append);
        }
    }
}

/// In doubt: after a failed commit the event may be in the file, though nobody sees it.
fn refuse(append: Append) {
    let _ = append.reply.send(Err(AppendError::Unknown));
}
