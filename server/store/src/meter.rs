//! Counters that a store engine updates while it writes. They are made with the store, before any server; the
//! server publishes them.

use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use tokio::sync::mpsc;

/// From a quarter of a millisecond (a flush to a good disk) to four seconds (a write that is about to be
/// given up). First bound in seconds, factor, count.
const COMMIT_BUCKETS: (f64, f64, u16) = (0.000_25, 2.0, 15);
/// From a single event to [`crate::limits::BATCH_MAX`].
const BATCH_BUCKETS: (f64, f64, u16) = (1.0, 2.0, 9);

/// The length and capacity of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueFill {
    /// The number of entries that wait.
    pub length: usize,
    /// The number of entries that may wait.
    pub capacity: usize,
}

impl QueueFill {
    /// The fill of a bounded channel.
    pub fn of<T>(queue: &mpsc::Sender<T>) -> Self {
        let capacity = queue.max_capacity();
        Self {
            length: capacity - queue.capacity(),
            capacity,
        }
    }
}

/// The room that a store takes, and what is left for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreRoom {
    /// Its length, in bytes.
    pub bytes: u64,
    /// The bytes that are free where it is kept, if that is known.
    pub free: Option<u64>,
    /// The database that it is in, if it is in one.
    pub database: Option<DatabasePlace>,
}

/// The database of a store, as its primary describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DatabasePlace {
    /// Its system identifier. Servers that were copied from each other have the same one.
    pub system: u64,
    /// The timeline of the primary. Each promotion begins a new one.
    pub timeline: u64,
    /// The database servers that have a move on their disks when it counts: two if commits wait for a
    /// standby, otherwise one.
    pub disks: u64,
}

/// Counters of what was written, and how long it took. Cheap to clone; clones count together.
#[derive(Clone, Debug)]
pub struct StoreMeter {
    /// The time of a transaction, in seconds.
    pub time: Histogram,
    /// The events of a transaction.
    pub batch: Histogram,
    /// The events that were stored.
    pub events: Counter,
    /// The transactions that failed.
    pub failures: Counter,
    /// The transactions that made them durable.
    pub commits: Counter,
}

impl Default for StoreMeter {
    fn default() -> Self {
        Self {
            time: buckets(COMMIT_BUCKETS),
            batch: buckets(BATCH_BUCKETS),
            events: Counter::default(),
            failures: Counter::default(),
            commits: Counter::default(),
        }
    }
}

impl StoreMeter {
    /// Counts a transaction that made `events` events durable.
    pub fn committed(&self, events: u64, time: Duration) {
        self.time.observe(time.as_secs_f64());
        #[expect(clippy::cast_precision_loss, reason = "a batch is small")]
        self.batch.observe(events as f64);
        self.events.inc_by(events);
        self.commits.inc();
    }
}

fn buckets((first, factor, count): (f64, f64, u16)) -> Histogram {
    Histogram::new(exponential_buckets(first, factor, count))
}
