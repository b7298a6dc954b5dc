//! A gauge by state: counts an object in the state it is in, until it ends.

use prometheus_client::metrics::gauge::Gauge;

use super::labels::Labelled;

/// One object counted in a gauge by state, until this is dropped.
#[derive(Debug)]
pub struct GaugeGuard<V: Copy + Into<&'static str>> {
    counts: Labelled<Gauge>,
    current: V,
}

impl<V: Copy + PartialEq + Into<&'static str>> GaugeGuard<V> {
    pub(super) fn new(counts: &Labelled<Gauge>, first: V) -> Self {
        counts.of(first).inc();
        Self {
            counts: counts.clone(),
            current: first,
        }
    }

    /// Counts it in another state from now on.
    pub fn set(&mut self, next: V) {
        if next != self.current {
            self.counts.of(next).inc();
            self.counts.of(self.current).dec();
            self.current = next;
        }
    }

    /// Returns its state.
    #[must_use]
    pub fn get(&self) -> V {
        self.current
    }
}

impl<V: Copy + Into<&'static str>> Drop for GaugeGuard<V> {
    fn drop(&mut self) {
        self.counts.of(self.current).dec();
    }
}
