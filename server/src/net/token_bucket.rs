//! How fast somebody may send: a bucket of credits that fills at a steady rate. Whose bucket it is, its
//! owner knows.

use tokio::time::Instant;

use crate::ops::config::Rate;

/// What one credit is made of, so that filling it needs no fractions.
const PARTS: u64 = 1_000_000;

/// A bucket of credits.
pub(crate) struct Credits {
    rate: Rate,
    /// In parts of a credit; never more than the burst's.
    parts: u64,
    filled_at: Instant,
}

impl Credits {
    /// A full bucket.
    pub(crate) fn new(rate: Rate, now: Instant) -> Self {
        Self {
            rate,
            parts: u64::from(rate.burst) * PARTS,
            filled_at: now,
        }
    }

    /// How fast it fills.
    pub(crate) fn rate(&self) -> Rate {
        self.rate
    }

    /// Takes one credit; false if there is none.
    pub(crate) fn spend(&mut self, now: Instant) -> bool {
        self.fill(now);
        match self.parts.checked_sub(PARTS) {
            Some(left) => {
                self.parts = left;
                true
            }
            None => false,
        }
    }

    /// Whether it differs in nothing from a new one.
    pub(crate) fn is_full(&mut self, now: Instant) -> bool {
        self.fill(now);
        self.parts == self.full()
    }

    fn full(&self) -> u64 {
        u64::from(self.rate.burst) * PARTS
    }

    fn fill(&mut self, now: Instant) {
        let micros = now.saturating_duration_since(self.filled_at).as_micros();
        let micros = u64::try_from(micros).unwrap_or(u64::MAX);
        // A rate of one credit a second is one part a microsecond.
        let earned = micros.saturating_mul(u64::from(self.rate.per_second));
        self.parts = self.parts.saturating_add(earned).min(self.full());
        self.filled_at = now;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_burst_and_then_a_steady_rate() {
        let start = Instant::now();
        let rate = Rate {
            per_second: 4,
            burst: 3,
        };
        let mut credits = Credits::new(rate, start);
        let at = |millis| start + Duration::from_millis(millis);
        let mut spent = |millis| credits.spend(at(millis));
        assert!(spent(0) && spent(0) && spent(0), "the burst");
        assert!(!spent(0) && !spent(249));
        assert!(spent(250), "refusals cost nothing");
        assert!(!spent(250));
        assert!(spent(500) && spent(750));
        assert!(spent(3_600_000) && spent(3_600_000) && spent(3_600_000));
        assert!(!spent(3_600_000), "an hour earns no more than a burst");
        assert!(
            !spent(0),
            "a clock cannot go back, and earns nothing if it does"
        );
    }
}
