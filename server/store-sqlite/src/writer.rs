//! The writer thread: takes all waiting appends into one transaction, and answers after its commit. So one
//! flush to the disk serves many matches. Finished matches are packed between such transactions, mostly while
//! nothing waits.
//!
//! After a failed commit, the writer closes the file and starts as a server does: it checks that there is
//! room, opens the file, rewrites and flushes its journal, and makes a write durable. It repeats that until
//! it succeeds, and refuses every append meanwhile. SQLite has rolled back what failed, so no reader of this
//! process ever sees it. A later process may find it in the journal; it flushes that before anything reads
//! it.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

use fibfob_store::limits::{APPEND_QUEUE_MAX, BATCH_MAX, GROUP_YIELDS, RECOVERY_PAUSE};
use fibfob_store::{AppendError, FailureKind, QueuedAppend, StoreError, StoreMeter, WriteHealth};
use tokio::sync::mpsc;

use super::commit::{OpenLog, Queued, QueuedChange};
use super::error::SqliteError;
use super::file::StoreFile;
use super::log_watch::LogWatch;
use super::open_writer;
use crate::limits::{GROUP_DELAY, PACK_MATCHES, PACK_OVERDUE_MATCHES};

/// The thread and its queue. Dropping it writes what is queued and ends the thread.
pub(super) struct Writer {
    /// Closed at the other end once the writer has stopped. Dropped before the thread, so that the thread
    /// ends.
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

    /// Lets the writer check that its file is still in place. Not needed if the queue is full, because each
    /// commit checks it.
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

/// A thread that is joined when this is dropped.
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
        // The writer looks again at damage that was met at the start.
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
        let mut watch = LogWatch::default();
        // Whether the last group had several appends.
        let mut is_busy = false;
        while let Some(first) = self.waiting.blocking_recv() {
            // Each commit costs a flush, so a busy server shares it among more appends. A match that is
            // played alone never waits.
            if is_busy {
                std::thread::sleep(GROUP_DELAY);
                // Ready tasks may append as well. On an idle processor there are none, and this returns at
                // once.
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
            watch.look(&self.file.path);
            if is_idle {
                log.wipe_log()
                    .map_err(|error| self.note_failure(&error, 0))?;
            }
        }
        let finished = log.check_file(&self.file);
        if let Err(error) = finished.and_then(|()| log.finish()) {
            // Nothing is lost: the next server packs them.
            tracing::warn!(%error, "could not compress finished matches; they stay readable as they are");
        }
        Ok(())
    }

    /// Commits a group and answers it. After a failure, the caller drops the group, which refuses it.
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

    /// Packs finished matches: some at a time if nothing waits, or if too many are unpacked.
    fn pack(&self, log: &mut OpenLog, is_idle: bool) -> Result<(), FailureKind> {
        // While appends come, only as many at once as share the pages from which they are removed.
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

    /// Notes a failure that refused this many events, and returns its kind.
    fn note_failure(&self, error: &SqliteError, refused: u64) -> FailureKind {
        let kind = error.kind();
        self.health.failed(Instant::now(), kind, error, refused);
        kind
    }

    /// Commits what waits, after a check that the opened file is still in place: nothing counts in one that
    /// was moved away or replaced.
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

    /// Tries until the file can be written again; none if no sender is left. A damaged file is not written
    /// any more, so everything is refused.
    fn recover(&mut self) -> Option<OpenLog> {
        loop {
            // Does not wait for anything: it bounds how often a failing disk is tried.
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
            OpenLog::begin_run(open_writer(&self.file)?, &self.file)
        })
    }

    /// Refuses appends until no sender is left.
    fn refuse_all(&mut self) {
        while self.waiting.blocking_recv().is_some() {}
    }
}

/// Entries that wait for one commit. Dropping one refuses it as in doubt: after a failed commit an event may
/// be in the file, though no reader sees it.
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

    /// Answers all entries after their commit. A caller that has given up is no failure, because it reads the
    /// log.
    fn answer(&mut self, appended: Vec<Result<(), AppendError>>) {
        for change in self.changes.drain(..) {
            let _ = change.committed.send(());
        }
        for (append, outcome) in self.appends.drain(..).zip(appended) {
            let _ = append.reply.send(outcome);
        }
    }
}
