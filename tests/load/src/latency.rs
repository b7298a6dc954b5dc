//! Durations that were measured, and their percentiles.

use std::time::Duration;

/// Durations of one kind. As many as the plies of a run, which are bounded.
#[derive(Clone, Debug, Default)]
pub struct Latencies(Vec<Duration>);

impl Latencies {
    /// Adds one.
    pub fn record(&mut self, latency: Duration) {
        self.0.push(latency);
    }

    /// Adds those of another list.
    pub fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// The durations below which these shares lie, by nearest rank; none if there are none.
    #[must_use]
    pub fn percentiles<const N: usize>(&self, shares: [f64; N]) -> Option<[Duration; N]> {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let last = sorted.len().checked_sub(1)?;
        Some(shares.map(|share| {
            let rank = (share * sorted.len() as f64).ceil() as usize;
            sorted[rank.saturating_sub(1).min(last)]
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_nearest_rank() {
        let mut latencies = Latencies::default();
        assert_eq!(latencies.percentiles([0.5]), None);
        for millis in (1..=100).rev() {
            latencies.record(Duration::from_millis(millis));
        }
        let found = latencies.percentiles([0.0, 0.5, 0.99, 1.0]).unwrap();
        assert_eq!(found.map(|found| found.as_millis()), [1, 50, 99, 100]);
    }
}
