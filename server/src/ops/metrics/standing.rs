//! Something that is always in one of several states, and is counted there until it ends.

use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;

use super::labels::{Of, Value};

/// One thing's place in a number by state.
#[derive(Debug)]
pub(crate) struct Standing<V: Value> {
    counts: Family<Of<V>, Gauge>,
    now: V,
}

impl<V: Value> Standing<V> {
    pub(super) fn new(counts: &Family<Of<V>, Gauge>, now: V) -> Self {
        counts.get_or_create(&Of(now)).inc();
        Self {
            counts: counts.clone(),
            now,
        }
    }

    /// Counts it in this state from now on.
    pub(crate) fn becomes(&mut self, next: V) {
        if next != self.now {
            self.counts.get_or_create(&Of(next)).inc();
            self.counts.get_or_create(&Of(self.now)).dec();
            self.now = next;
        }
    }

    /// The state it is counted in.
    pub(crate) fn now(&self) -> V {
        self.now
    }
}

impl<V: Value> Drop for Standing<V> {
    fn drop(&mut self) {
        self.counts.get_or_create(&Of(self.now)).dec();
    }
}
