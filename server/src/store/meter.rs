//! What a store counts while it writes. It is made with the store, which is there before any server is.

use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};

/// From a quarter of a millisecond to four seconds: a flush to a good disk, and one to a disk that is about to be given up.
const COMMIT_BUCKETS: (f64, f64, u16) = (0.000_25, 2.0, 15);
/// From a single event to [`crate::limits::BATCH_MAX`].
const BATCH_BUCKETS: (f64, f64, u16) = (1.0, 2.0, 9);

/// How full something is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fill {
    pub length: usize,
    pub capacity: usize,
}

/// What was written, and how long it took. Cheap to clone; clones count together.
#[derive(Clone, Debug)]
pub(crate) struct StoreMeter {
    pub(crate) time: Histogram,
    pub(crate) batch: Histogram,
    pub(crate) events: Counter,
    pub(crate) failures: Counter,
}

impl Default for StoreMeter {
    fn default() -> Self {
        Self {
            time: buckets(COMMIT_BUCKETS),
            batch: buckets(BATCH_BUCKETS),
            events: Counter::default(),
            failures: Counter::default(),
        }
    }
}

impl StoreMeter {
    /// A transaction made so many events durable.
    pub(crate) fn committed(&self, events: u64, time: Duration) {
        self.time.observe(time.as_secs_f64());
        #[expect(clippy::cast_precision_loss, reason = "a batch is small")]
        self.batch.observe(events as f64);
        self.events.inc_by(events);
    }

    /// A transaction failed.
    pub(crate) fn failed(&self) {
        self.failures.inc();
    }

    /// An engine without transactions has kept an event.
    pub(crate) fn kept(&self) {
        self.events.inc();
    }
}

fn buckets((first, factor, count): (f64, f64, u16)) -> Histogram {
    Histogram::new(exponential_buckets(first, factor, count))
}
