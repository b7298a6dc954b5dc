//! The injected faults of one process's store: slow or unanswered writes, failures before or after
//! an event is durable, and an outage.
//!
//! A write goes on whether or not its caller still waits: given up as too slow, it may become
//! durable later, even after the server that made it has crashed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::oneshot;
use tokio::time::sleep;

use fibfob_history::Coverage;
use fibfob_store::{AppendError, StoreError};
use fibfob_store_contract::faulty::{FaultInjector, PendingAppend};

use crate::scheduler::{Host, Scheduler};
use crate::seeded_rng::SeededRng;

/// The longest duration of a slow write or answer, in milliseconds; more than the server waits
/// for either.
const SLOW_MS_MAX: u64 = 16_000;
/// The longest duration without a fault, in milliseconds.
const QUICK_MS_MAX: u64 = 60;

/// The faults of one process. Clones are the same.
#[derive(Clone)]
pub(super) struct StoreFaults {
    host: Host,
    scheduler: Scheduler,
    rng: SeededRng,
    coverage: Coverage,
    /// The writes and reads in a thousand that have a fault; with 1000 it is an outage.
    rate: Arc<AtomicU64>,
}

/// The fault of one write.
enum WriteFault {
    None,
    Slow,
    /// Not stored, with an unknown result.
    Lost,
    /// Stored, with an unknown result.
    AnswerLost,
    /// No answer ever comes.
    Silence {
        stored: bool,
    },
    /// Answered as a conflict.
    Conflict,
}

const WRITE_FAULTS: [(u32, fn() -> WriteFault); 6] = [
    (6, || WriteFault::Slow),
    (3, || WriteFault::Lost),
    (3, || WriteFault::AnswerLost),
    (1, || WriteFault::Silence { stored: true }),
    (1, || WriteFault::Silence { stored: false }),
    (2, || WriteFault::Conflict),
];

impl StoreFaults {
    pub(super) fn new(
        host: Host,
        scheduler: Scheduler,
        rng: SeededRng,
        coverage: Coverage,
    ) -> Self {
        Self {
            host,
            scheduler,
            rng,
            coverage,
            rate: Arc::default(),
        }
    }

    /// Sets the writes and reads in a thousand that have a fault from now on.
    pub(super) fn set_rate(&self, permille: u64) {
        self.rate.store(permille, Ordering::SeqCst);
    }

    fn has_fault(&self) -> bool {
        self.rng.permille(self.rate.load(Ordering::SeqCst))
    }

    fn delay(&self, slow: bool) -> Duration {
        let most = if slow { SLOW_MS_MAX } else { QUICK_MS_MAX };
        self.rng.mostly_short(most)
    }

    async fn write(
        self,
        append: PendingAppend,
        fault: WriteFault,
    ) -> Option<Result<(), AppendError>> {
        let slow = matches!(fault, WriteFault::Slow);
        sleep(self.delay(slow)).await;
        let stores = !matches!(
            fault,
            WriteFault::Lost | WriteFault::Conflict | WriteFault::Silence { stored: false }
        );
        let stored = if stores { append.store().await } else { Ok(()) };
        if stored == Err(AppendError::Conflict) {
            self.coverage.count("append met another writer");
        }
        sleep(self.delay(slow)).await;
        match fault {
            WriteFault::None | WriteFault::Slow => Some(stored),
            WriteFault::Lost | WriteFault::AnswerLost => Some(Err(AppendError::Unknown)),
            WriteFault::Conflict => Some(Err(AppendError::Conflict)),
            WriteFault::Silence { .. } => None,
        }
    }
}

impl FaultInjector for StoreFaults {
    fn append(&self, append: PendingAppend) -> BoxFuture<'static, Result<(), AppendError>> {
        let fault = match self.has_fault() {
            true => self.rng.weighted(&WRITE_FAULTS)(),
            false => WriteFault::None,
        };
        let (answer, answered) = oneshot::channel();
        let faults = self.clone();
        self.scheduler.spawn(self.host, async move {
            let given_up = faults.coverage.clone();
            if let Some(outcome) = faults.write(append, fault).await
                && answer.send(outcome) == Err(Ok(()))
            {
                given_up.count("append durable after it was given up");
            }
        });
        Box::pin(async move {
            match answered.await {
                Ok(outcome) => outcome,
                Err(_) => std::future::pending().await,
            }
        })
    }

    fn hint(&self) -> BoxFuture<'static, usize> {
        let has_fault = self.has_fault();
        let times = match has_fault {
            true => self.rng.below(3),
            false => 1,
        };
        let delay = self.delay(has_fault);
        Box::pin(async move {
            sleep(delay).await;
            times
        })
    }

    fn read(&self) -> BoxFuture<'static, Result<(), StoreError>> {
        let has_fault = self.has_fault();
        let fails = has_fault && self.rng.permille(500);
        let delay = self.delay(has_fault);
        Box::pin(async move {
            sleep(delay).await;
            if fails {
                Err(StoreError::Stopped)
            } else {
                Ok(())
            }
        })
    }
}
