//! A gauge by state: counts an object in the state it is in, until it ends.

use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;

use super::labels::{LabelValue, OneLabel};

/// One object counted in a gauge by state, until this is dropped.
#[derive(Debug)]
pub(crate) struct GaugeGuard<V: LabelValue> {
    counts: Family<OneLabel<V>, Gauge>,
    current: V,
}

impl<V: LabelValue> GaugeGuard<V> {
    pub(super) fn new(counts: &Family<OneLabel<V>, Gauge>, first: V) -> Self {
        counts.get_or_create(&OneLabel(first)).inc();
        Self {
            counts: counts.clone(),
            current: first,
        }
    }

    /// Counts the object in this state from now on.
    pub(crate) fn set(&mut self, next: V) {
        if next != self.current {
            self.counts.get_or_create(&OneLabel(next)).inc();
            self.counts.get_or_create(&OneLabel(self.current)).dec();
            self.current = next;
        }
    }

    /// The state that the object is counted in.
    pub(crate) fn get(&self) -> V {
        self.current
    }
}

impl<V: LabelValue> Drop for GaugeGuard<V> {
    fn drop(&mut self) {
        self.counts.get_or_create(&OneLabel(self.current)).dec();
    }
}
