//! The wait before the next attempt to connect.

use std::time::Duration;

use rand::{Rng, RngExt};

/// The first wait, before jitter.
const FIRST: Duration = Duration::from_millis(250);

/// The longest wait, before jitter.
const LONGEST: Duration = Duration::from_secs(8);

/// Exponential back-off with jitter, so that the clients of a restarted server do not all
/// reconnect at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Backoff {
    failures: u32,
}

impl Backoff {
    /// Counts one more failure and returns the wait after it: a random part, at least half, of a
    /// span that doubles up to a bound.
    pub(crate) fn next(&mut self, rng: &mut dyn Rng) -> Duration {
        let span = FIRST
            .saturating_mul(1 << self.failures.min(16))
            .min(LONGEST);
        self.failures = self.failures.saturating_add(1);
        span.mul_f64(rng.random_range(0.5..=1.0))
    }

    /// The number of failures in a row.
    pub(crate) fn failures(&self) -> u32 {
        self.failures
    }

    /// Starts over after a success: the next wait is short again.
    pub(crate) fn reset(&mut self) {
        self.failures = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_bound_and_keep_at_least_half_of_it() {
        let mut rng = rand::rng();
        let mut backoff = Backoff::default();
        let mut span = FIRST;
        for _ in 0..100 {
            let wait = backoff.next(&mut rng);
            assert!(span / 2 <= wait && wait <= span, "{wait:?} of {span:?}");
            span = (span * 2).min(LONGEST);
        }
        assert_eq!(backoff.failures(), 100);
        backoff.reset();
        assert!(backoff.next(&mut rng) <= FIRST);
    }
}
