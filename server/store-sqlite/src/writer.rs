//! The writer thread: takes all appends that wait into one transaction, and answers after its
//! commit. One flush to the disk then serves many matches.
//!
//! After a commit that failed, the writer closes the file and starts again as a server does: it
//! checks that there is room, opens the file, rewrites and flushes its journal, and makes a write
//! durable. It repeats that until it succeeds; until then every append is refused. SQLite has then
//! rolled back what failed, so that no reader of this process ever sees it; a later process may
//! find it in the journal, and flushes it before anything reads it.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

use fibfob_store::WriteHealth;
use fibfob_store::limits::{APPEND_QUEUE_MAX, BATCH_MAX, GROUP_YIELDS, RECOVERY_PAUSE};
use fibfob_store::{AppendError, FailureKind, QueueFill, StoreError, StoreMeter};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TryRecvError;

use super::commit::{OpenJournal, Outcomes, Queued, QueuedAppend, QueuedNotes, QueuedSign};
use super::file::StoreFile;
use super::journal::Tails;
use super::mover::MoveBounds;
use super::{SqliteError, open_writer};
use crate::limits::GROUP_DELAY;

/// The thread and its queue. Dropping it writes what is queued and ends the thread.
pub(super) struct Writer {
    /// Always there until the drop.
    queue: Option<mpsc::Sender<Queued>>,
    thread: Option<JoinHandle<()>>,
    health: Arc<WriteHealth>,
    meter: StoreMeter,
}

impl Writer {
    /// Starts the thread on a file that was opened and written, or with the error that kept it
    /// from being written.
    pub(super) fn start(
        file: StoreFile,
        tails: Arc<Tails>,
        bounds: MoveBounds,
        opened: Result<OpenJournal, SqliteError>,
    ) -> Self {
        let (queue, waiting) = mpsc::channel(APPEND_QUEUE_MAX);
        let health = Arc::<WriteHealth>::default();
        if let Err(error) = &opened {
            health.failed(Instant::now(), error.kind(), error, 0);
        }
        let meter = StoreMeter::default();
        let worker = WriterThread {
            file,
            tails,
            bounds,
            waiting,
            health: Arc::clone(&health),
            meter: meter.clone(),
        };
        let thread = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || worker.run(opened.map_err(|error| error.kind())))
            .expect("a starting server may have one more thread");
        Self {
            queue: Some(queue),
            thread: Some(thread),
            health,
            meter,
        }
    }

    /// Waits for room in the queue. An error is in doubt only formally: nothing was queued.
    pub(super) async fn submit(&self, entry: Queued) -> Result<(), AppendError> {
        let queue = self.queue.as_ref().expect("only the drop takes it");
        let sent = queue.send(entry).await;
        sent.map_err(|_| AppendError::Unknown)
    }

    /// Lets the writer look whether its file is still in its place. With a full queue there is no
    /// need: each commit looks.
    pub(super) fn look(&self) {
        if let Some(queue) = &self.queue {
            let _ = queue.try_send(Queued::Look);
        }
    }

    /// Checks that queued appends are written.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        if self.queue.as_ref().is_none_or(mpsc::Sender::is_closed) {
            return Err(StoreError::Stopped);
        }
        self.health.check(Instant::now())
    }

    pub(super) fn meter(&self) -> StoreMeter {
        self.meter.clone()
    }

    pub(super) fn queue(&self) -> QueueFill {
        let free = self.queue.as_ref().map_or(0, mpsc::Sender::capacity);
        QueueFill {
            length: APPEND_QUEUE_MAX - free,
            capacity: APPEND_QUEUE_MAX,
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

/// The state of the writer's thread.
struct WriterThread {
    file: StoreFile,
    tails: Arc<Tails>,
    bounds: MoveBounds,
    waiting: mpsc::Receiver<Queued>,
    health: Arc<WriteHealth>,
    meter: StoreMeter,
}

impl WriterThread {
    /// Runs until no sender is left.
    fn run(mut self, opened: Result<OpenJournal, FailureKind>) {
        let mut state = match opened {
            Ok(journal) => Ok(journal),
            // Also damage is looked at again.
            Err(_) => match self.recover() {
                Some(recovered) => recovered,
                None => return,
            },
        };
        loop {
            state = match state {
                Ok(journal) => match self.write_all(journal) {
                    Ok(()) => return,
                    Err(kind) => Err(kind),
                },
                Err(FailureKind::Damaged) => return self.refuse_all(),
                Err(_) => match self.recover() {
                    Some(recovered) => recovered,
                    None => return,
                },
            };
        }
    }

    /// Writes until no sender is left, or a commit fails.
    fn write_all(&mut self, mut journal: OpenJournal) -> Result<(), FailureKind> {
        let mut batch = Vec::with_capacity(BATCH_MAX);
        let (mut signs, mut notes) = (Vec::new(), Vec::new());
        // Whether the last group had several appends.
        let mut is_busy = false;
        while let Some(first) = self.waiting.blocking_recv() {
            // Each commit costs a flush: a busy server shares it among more appends. A match that
            // is played alone never waits.
            if is_busy {
                std::thread::sleep(GROUP_DELAY);
                // The tasks that are ready to run may append as well. On an idle processor there
                // are none, and this returns at once.
                for _ in 0..GROUP_YIELDS {
                    std::thread::yield_now();
                }
            }
            let mut next = Some(first);
            while let Some(entry) = next {
                match entry {
                    Queued::Append(append) => batch.push(append),
                    Queued::Sign(sign) => signs.push(sign),
                    Queued::Notes(put) => notes.push(put),
                    Queued::Look => {}
                }
                let has_room = batch.len() < BATCH_MAX;
                next = has_room.then(|| self.waiting.try_recv().ok()).flatten();
            }
            is_busy = batch.len() > 1;
            if batch.is_empty() && signs.is_empty() && notes.is_empty() {
                if let Err(error) = journal.check_file(&self.file) {
                    let kind = error.kind();
                    self.health.failed(Instant::now(), kind, &error, 0);
                    return Err(kind);
                }
                continue;
            }
            let began = Instant::now();
            self.health.write_begins(began);
            let mut committed = self.commit(&mut journal, &mut batch, &signs, &notes);
            if is_damage(&committed) {
                committed = self
                    .file
                    .read_through()
                    .and_then(|()| self.reopen())
                    .and_then(|again| {
                        journal = again;
                        self.commit(&mut journal, &mut batch, &signs, &notes)
                    });
            }
            let ended = Instant::now();
            self.health.write_ends(ended);
            let Outcomes { appended, noted } = match committed {
                Ok(outcomes) => outcomes,
                Err(error) => {
                    let kind = error.kind();
                    self.meter.failed();
                    self.health
                        .failed(Instant::now(), kind, &error, batch.len() as u64);
                    batch.drain(..).for_each(refuse);
                    signs.drain(..).for_each(refuse_sign);
                    notes.drain(..).for_each(refuse_notes);
                    return Err(kind);
                }
            };
            for sign in signs.drain(..) {
                let _ = sign.reply.send(Ok(()));
            }
            for (put, outcome) in notes.drain(..).zip(noted) {
                let _ = put.reply.send(outcome.map_err(StoreError::from));
            }
            let stored = appended.iter().filter(|outcome| outcome.is_ok()).count();
            if batch.is_empty() {
                continue;
            }
            self.meter.committed(stored as u64, ended - began);
            tracing::trace!(stored, "committed");
            for (append, outcome) in batch.drain(..).zip(appended) {
                // A caller that no longer waits is no failure: it will read the log.
                let _ = append.reply.send(outcome);
            }
        }
        let finished = journal.check_file(&self.file);
        if let Err(error) = finished.and_then(|()| journal.finish(&self.tails)) {
            // Everything is durable as it is; the next server moves it.
            tracing::warn!(%error, "the store's journal was left as it is");
        }
        Ok(())
    }

    /// Commits what waits, in the file that was opened and no other: nothing counts in one that was moved
    /// away or replaced meanwhile.
    fn commit(
        &self,
        journal: &mut OpenJournal,
        batch: &mut [QueuedAppend],
        signs: &[QueuedSign],
        notes: &[QueuedNotes],
    ) -> Result<Outcomes, SqliteError> {
        journal.check_file(&self.file)?;
        let outcomes = journal.commit(&self.tails, batch, signs, notes)?;
        journal.check_file(&self.file)?;
        Ok(outcomes)
    }

    /// Tries until the file can be written again, or is found damaged; `None` if no sender is
    /// left.
    fn recover(&mut self) -> Option<Result<OpenJournal, FailureKind>> {
        loop {
            // Waits for nothing: a bound on how often a failing disk is tried.
            std::thread::sleep(RECOVERY_PAUSE);
            let error = match self.reopen() {
                Ok(journal) => {
                    self.health.recovered(Instant::now());
                    return Some(Ok(journal));
                }
                Err(error) => error,
            };
            let mut refused = 0;
            let closed = loop {
                match self.waiting.try_recv() {
                    Ok(entry) => refused += refuse_entry(entry),
                    Err(TryRecvError::Empty) => break false,
                    Err(TryRecvError::Disconnected) => break true,
                }
            };
            let kind = error.kind();
            self.health.failed(Instant::now(), kind, &error, refused);
            if closed {
                return None;
            }
            if kind == FailureKind::Damaged {
                return Some(Err(kind));
            }
        }
    }

    /// Opens the file again, and once more if it seems damaged.
    fn reopen(&self) -> Result<OpenJournal, SqliteError> {
        let open = || {
            self.file.check_unchanged()?;
            let connection = open_writer(&self.file, None)?;
            let mut journal = OpenJournal::read(connection, &self.file, &self.tails, self.bounds)?;
            journal.begin_run()?;
            Ok(journal)
        };
        let opened = open();
        if is_damage(&opened) {
            self.file.read_through()?;
            return open();
        }
        opened
    }

    /// Refuses appends until no sender is left.
    fn refuse_all(&mut self) {
        while let Some(entry) = self.waiting.blocking_recv() {
            refuse_entry(entry);
        }
    }
}

fn is_damage<T>(done: &Result<T, SqliteError>) -> bool {
    done.as_ref()
        .is_err_and(|error| error.kind() == FailureKind::Damaged)
}

/// Refuses an entry of the queue; returns the number of refused events.
fn refuse_entry(entry: Queued) -> u64 {
    match entry {
        Queued::Append(append) => {
            refuse(append);
            1
        }
        Queued::Sign(sign) => {
            refuse_sign(sign);
            0
        }
        Queued::Notes(notes) => {
            refuse_notes(notes);
            0
        }
        Queued::Look => 0,
    }
}

fn refuse_sign(sign: QueuedSign) {
    let _ = sign.reply.send(Err(StoreError::NotNoted));
}

fn refuse_notes(notes: QueuedNotes) {
    let _ = notes.reply.send(Err(StoreError::NotNoted));
}

/// Answers `Unknown`: after a failed commit the event may be in the file, though no reader sees it.
fn refuse(append: QueuedAppend) {
    let _ = append.reply.send(Err(AppendError::Unknown));
}
