//! The store's weather: slow, silent, failing before or after an event is durable, or gone.
//!
//! A write goes its way whether or not somebody still waits for it: given up as too slow, it
//! may become durable later, also after the server that made it has crashed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::oneshot;
use tokio::time::sleep;

use super::dice::Dice;
use super::scheduler::{Host, Scheduler};
use super::tally::Tally;
use crate::store::faulty::{FaultInjector, PendingAppend};
use crate::store::{AppendError, StoreError};

/// The longest that a write or an answer takes in bad weather, in milliseconds; more than the
/// server waits for either.
const SLOW_MS_MAX: u64 = 16_000;
/// The longest in good weather, in milliseconds.
const QUICK_MS_MAX: u64 = 60;

/// Clones are the same disk.
#[derive(Clone)]
pub(super) struct Disk {
    scheduler: Scheduler,
    dice: Dice,
    tally: Tally,
    /// How many writes in a thousand meet with trouble; 1000 and more: the disk is gone.
    trouble: Arc<AtomicU64>,
}

/// What becomes of one write.
enum Fate {
    Fine,
    Slow,
    /// Not stored, and nobody can tell.
    Lost,
    /// Stored, and nobody can tell.
    AnswerLost,
    /// No answer ever comes.
    Silence {
        stored: bool,
    },
    /// The place is said to be taken.
    Conflict,
}

const TROUBLES: [(u32, fn() -> Fate); 6] = [
    (6, || Fate::Slow),
    (3, || Fate::Lost),
    (3, || Fate::AnswerLost),
    (1, || Fate::Silence { stored: true }),
    (1, || Fate::Silence { stored: false }),
    (2, || Fate::Conflict),
];

impl Disk {
    pub(super) fn new(scheduler: Scheduler, dice: Dice, tally: Tally) -> Self {
        Self {
            scheduler,
            dice,
            tally,
            trouble: Arc::default(),
        }
    }

    /// How many in a thousand writes and reads meet with trouble from now on.
    pub(super) fn trouble(&self, permille: u64) {
        self.trouble.store(permille, Ordering::SeqCst);
    }

    fn is_troubled(&self) -> bool {
        self.dice.permille(self.trouble.load(Ordering::SeqCst))
    }

    fn pace(&self, slow: bool) -> Duration {
        let most = if slow { SLOW_MS_MAX } else { QUICK_MS_MAX };
        self.dice.mostly_short(most)
    }

    async fn write(self, append: PendingAppend, fate: Fate) -> Option<Result<(), AppendError>> {
        let slow = matches!(fate, Fate::Slow);
        sleep(self.pace(slow)).await;
        let stores = !matches!(
            fate,
            Fate::Lost | Fate::Conflict | Fate::Silence { stored: false }
        );
        let stored = if stores { append.store().await } else { Ok(()) };
        if stored == Err(AppendError::Conflict) {
            self.tally.count("append met another writer");
        }
        sleep(self.pace(slow)).await;
        match fate {
            Fate::Fine | Fate::Slow => Some(stored),
            Fate::Lost | Fate::AnswerLost => Some(Err(AppendError::Unknown)),
            Fate::Conflict => Some(Err(AppendError::Conflict)),
            Fate::Silence { .. } => None,
        }
    }
}

impl FaultInjector for Disk {
    fn append(&self, append: PendingAppend) -> BoxFuture<'static, Result<(), AppendError>> {
        let fate = match self.is_troubled() {
            true => self.dice.weighed(&TROUBLES)(),
            false => Fate::Fine,
        };
        let (answer, answered) = oneshot::channel();
        let disk = self.clone();
        self.scheduler.spawn(Host::Disk, async move {
            let given_up = disk.tally.clone();
            if let Some(outcome) = disk.write(append, fate).await
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

    fn read(&self) -> BoxFuture<'static, Result<(), StoreError>> {
        let troubled = self.is_troubled();
        let fails = troubled && self.dice.permille(500);
        let pace = self.pace(troubled);
        Box::pin(async move {
            sleep(pace).await;
            if fails {
                Err(StoreError::Stopped)
            } else {
                Ok(())
            }
        })
    }
}
