//! The writer thread: takes all appends that wait into one transaction, and answers after its
//! commit. One flush to the disk then serves many matches. Finished matches are packed between two
//! such transactions, mostly while nothing waits.
//!
//! After a commit that failed, the writer closes the file and starts again as a server does: it
//! checks that there is room, opens the file, rewrites and flushes its journal, and makes a write
//! durable. It repeats that until it succeeds; until then every append is refused. SQLite has then
//! rolled back what failed, so that no reader of this process ever sees it; a later process may
//! find it in the journal, and flushes it before anything reads it.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

use fibfob_store::limits::{APPEND_QUEUE_MAX, BATCH_MAX, GROUP_YIELDS, RECOVERY_PAUSE};
use fibfob_store::{AppendError, FailureKind, QueuedAppend, StoreError, StoreMeter, WriteHealth};
use tokio::sync::mpsc;

use super::commit::{OpenLog, Queued, QueuedChange};
use super::error::SqliteError;
use super::file::StoreFile;
use super::open_writer;
use crate::limits::{GROUP_DELAY, PACK_MATCHES, PACK_OVERDUE_MATCHES};

/// The thread and its queue. Dropping it writes what is queued and ends the thread.
pub(super) struct Writer {
    /// Its other end is closed once the writer has stopped. Dropped before the thread, which ends then.
    pub(super) queue: mpsc::Sender<Queued>,
    _thread: RunningThread,
    health: Arc<WriteHealth>,
    pub(super) meter: StoreMeter,
}

impl Writer {
    /// Starts the thread on a file that was opened and written, or with the error that kept it
    /// from being written.
    pub(super) fn start(file: StoreFile, opened: Result<OpenLog, SqliteError>) -> Self {
        let (queue, waiting) = mpsc::channel(APPEND_QUEUE_MAX);
        let health = Arc::<WriteHealth>::default();
        if let Err(error) = &opened {
            health.failed(Instant::now(), error.kind(), error, 0);
        }
        let meter = StoreMeter::default();
        let worker = WriterThread {
            file,
            waiting,
            health: Arc::clone(&health),
            meter: meter.clone(),
        };
        let thread = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || worker.run(opened))
            .expect("a starting server may have one more thread");
        Self {
            queue,
            _thread: RunningThread(Some(thread)),
            health,
            meter,
        }
    }

    /// Lets the writer look whether its file is still in its place. With a full queue there is no
    /// need: each commit looks.
    pub(super) fn look(&self) {
        let _ = self.queue.try_send(Queued::Look);
    }

    pub(super) fn check(&self) -> Result<(), StoreError> {
        if self.queue.is_closed() {
            return Err(StoreError::Stopped);
        }
        self.health.check(Instant::now())
    }
}

/// A thread whose end is waited for.
struct RunningThread(Option<JoinHandle<()>>);

impl Drop for RunningThread {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take()
            && thread.join().is_err()
        {
            tracing::error!("the store's writer thread panicked");
        }
    }
}

struct WriterThread {
    file: StoreFile,
    waiting: mpsc::Receiver<Queued>,
    health: Arc<WriteHealth>,
    meter: StoreMeter,
}

impl WriterThread {
    /// Runs until no sender is left.
    fn run(mut self, opened: Result<OpenLog, SqliteError>) {
        // Also damage that a start has met is looked at again.
        let mut opened = opened.ok();
        while let Some(log) = opened.take().or_else(|| self.recover()) {
            match self.write_all(log) {
                Ok(()) => return,
                Err(FailureKind::Damaged) => return self.refuse_all(),
                Err(_) => {}
            }
        }
    }

    /// Writes until no sender is left, or a commit fails.
    fn write_all(&mut self, mut log: OpenLog) -> Result<(), FailureKind> {
        let mut group = QueuedGroup::default();
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
                group.push(entry);
                let has_room = group.appends.len() < BATCH_MAX;
                next = has_room.then(|| self.waiting.try_recv().ok()).flatten();
            }
            is_busy = group.appends.len() > 1;
            let is_idle = group.is_empty();
            if is_idle {
                log.check_file(&self.file)
                    .map_err(|error| self.note_failure(&error, 0))?;
            } else {
                self.write(&mut log, &mut group)?;
            }
            self.pack(&mut log, is_idle)?;
        }
        let finished = log.check_file(&self.file);
        if let Err(error) = finished.and_then(|()| log.finish()) {
            // Everything is durable as it is; the next server packs it.
            tracing::warn!(%error, "could not compress finished matches; they stay readable as they are");
        }
        Ok(())
    }

    /// Commits a group and answers it; after a failure it is left to be dropped.
    fn write(&self, log: &mut OpenLog, group: &mut QueuedGroup) -> Result<(), FailureKind> {
        let began = Instant::now();
        self.health.write_begins(began);
        let mut is_again = false;
        let committed = self.file.certainly(|| {
            if is_again {
                *log = self.reopen()?;
            }
            is_again = true;
            self.commit(log, group)
        });
        let ended = Instant::now();
        self.health.write_ends(ended);
        match committed {
            Ok(appended) => {
                if !appended.is_empty() {
                    let stored = appended.iter().filter(|outcome| outcome.is_ok()).count();
                    self.meter.committed(stored as u64, ended - began);
                    tracing::trace!(stored, "committed");
                }
                group.answer(appended);
                Ok(())
            }
            Err(error) => {
                self.meter.failures.inc();
                Err(self.note_failure(&error, group.appends.len() as u64))
            }
        }
    }

    /// Packs finished matches if nothing waits, some at a time, or if too many have gathered.
    fn pack(&self, log: &mut OpenLog, is_idle: bool) -> Result<(), FailureKind> {
        // While appends come, only as many at once as share the pages that they are removed from.
        let wanted = if is_idle { 1 } else { PACK_MATCHES };
        while log.unpacked() >= wanted
            && (self.waiting.is_empty() || log.unpacked() >= PACK_OVERDUE_MATCHES)
        {
            self.health.write_begins(Instant::now());
            let packed = log
                .check_file(&self.file)
                .and_then(|()| log.pack())
                .and_then(|()| log.check_file(&self.file));
            self.health.write_ends(Instant::now());
            match packed {
                Ok(()) => {}
                Err(error) if error.kind() == FailureKind::Damaged => {
                    tracing::error!(%error, "could not compress a damaged match; see `fibfob-server check`");
                    log.packs = false;
                }
                Err(error) => return Err(self.note_failure(&error, 0)),
            }
        }
        Ok(())
    }

    /// Notes a failure that refuses this many events, and returns its kind.
    fn note_failure(&self, error: &SqliteError, refused: u64) -> FailureKind {
        let kind = error.kind();
        self.health.failed(Instant::now(), kind, error, refused);
        kind
    }

    /// Commits what waits, in the file that was opened and no other: nothing counts in one that was moved
    /// away or replaced meanwhile.
    fn commit(
        &self,
        log: &mut OpenLog,
        group: &QueuedGroup,
    ) -> Result<Vec<Result<(), AppendError>>, SqliteError> {
        log.check_file(&self.file)?;
        let appended = log.commit(&group.appends, &group.changes)?;
        log.check_file(&self.file)?;
        Ok(appended)
    }

    /// Tries until the file can be written again; none if no sender is left. In a damaged file nothing is
    /// written any more: everything is refused.
    fn recover(&mut self) -> Option<OpenLog> {
        loop {
            // Waits for nothing: a bound on how often a failing disk is tried.
            std::thread::sleep(RECOVERY_PAUSE);
            let error = match self.reopen() {
                Ok(log) => {
                    self.health.recovered(Instant::now());
                    return Some(log);
                }
                Err(error) => error,
            };
            let mut group = QueuedGroup::default();
            while let Ok(entry) = self.waiting.try_recv() {
                group.push(entry);
            }
            let kind = self.note_failure(&error, group.appends.len() as u64);
            if kind == FailureKind::Damaged {
                self.refuse_all();
            }
            if self.waiting.is_closed() && self.waiting.is_empty() {
                return None;
            }
        }
    }

    /// Opens the file again.
    fn reopen(&self) -> Result<OpenLog, SqliteError> {
        self.file.certainly(|| {
            self.file.check_unchanged()?;
            OpenLog::begin_run(open_writer(&self.file, None)?, &self.file)
        })
    }

    /// Refuses appends until no sender is left.
    fn refuse_all(&mut self) {
        while self.waiting.blocking_recv().is_some() {}
    }
}

/// Entries that wait for one commit. One that is dropped without an answer is refused: after a failed commit
/// an event may be in the file, though no reader sees it.
#[derive(Default)]
struct QueuedGroup {
    appends: Vec<QueuedAppend>,
    changes: Vec<QueuedChange>,
}

impl QueuedGroup {
    fn push(&mut self, entry: Queued) {
        match entry {
            Queued::Append(append) => self.appends.push(append),
            Queued::Change(change) => self.changes.push(change),
            Queued::Look => {}
        }
    }

    fn is_empty(&self) -> bool {
        self.appends.is_empty() && self.changes.is_empty()
    }

    /// Answers all entries after their commit. A caller that no longer waits is no failure: it will
    /// read the log.
    fn answer(&mut self, appended: Vec<Result<(), AppendError>>) {
        for change in self.changes.drain(..) {
            let _ = change.committed.send(());
        }
        for (append, outcome) in self.appends.drain(..).zip(appended) {
            let _ = append.reply.send(outcome);
        }
    }
}
