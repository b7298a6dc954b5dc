//! Token buckets in whole numbers, over the runtime's clock.
//!
//! The crate governor was considered: its keyed limiters read a clock of their own, which a
//! simulation cannot drive through tokio, and do not say whether a bucket is full again, which is
//! how an address is known to hold no information any more.

use std::time::Duration;

use tokio::time::Instant;

use crate::limits::Rate;

/// The parts of one token, so that refilling needs no fractions.
const PARTS: i64 = 1_000_000;

/// A token bucket: full after a silence, refilled at a steady rate.
pub struct TokenBucket {
    rate: Rate,
    /// In parts of a token; never more than the burst, and below zero after a debt.
    parts: i64,
    refilled_at: Instant,
}

impl TokenBucket {
    /// A full bucket.
    pub fn new(rate: Rate, now: Instant) -> Self {
        Self {
            rate,
            parts: i64::from(rate.burst) * PARTS,
            refilled_at: now,
        }
    }

    /// The rate at which it is refilled.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// Takes one token; false if there is none.
    pub fn try_take(&mut self, now: Instant) -> bool {
        self.refill(now);
        let takes = self.parts >= PARTS;
        if takes {
            self.parts -= PARTS;
        }
        takes
    }

    /// Takes `tokens`, also those that come later.
    pub fn owe(&mut self, tokens: u64, now: Instant) {
        self.refill(now);
        let parts = i64::try_from(tokens).unwrap_or(i64::MAX);
        self.parts = self.parts.saturating_sub(parts.saturating_mul(PARTS));
    }

    /// The time until no token is owed any more.
    pub fn owed(&mut self, now: Instant) -> Duration {
        self.refill(now);
        let owed = self.parts.min(0).unsigned_abs();
        Duration::from_micros(owed.div_ceil(u64::from(self.rate.per_second.max(1))))
    }

    /// Returns true if there is at least one token.
    pub fn has_some(&mut self, now: Instant) -> bool {
        self.refill(now);
        self.parts >= PARTS
    }

    /// Returns true if it does not differ from a new bucket.
    pub fn is_full(&mut self, now: Instant) -> bool {
        self.refill(now);
        self.parts == self.capacity()
    }

    fn capacity(&self) -> i64 {
        i64::from(self.rate.burst) * PARTS
    }

    fn refill(&mut self, now: Instant) {
        let micros = now.saturating_duration_since(self.refilled_at).as_micros();
        let micros = i64::try_from(micros).unwrap_or(i64::MAX);
        // One token per second is one part per microsecond.
        let gained = micros.saturating_mul(i64::from(self.rate.per_second));
        self.parts = self.parts.saturating_add(gained).min(self.capacity());
        self.refilled_at = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_allows_a_burst_and_then_its_rate() {
        let start = Instant::now();
        let rate = Rate {
            per_second: 4,
            burst: 3,
        };
        let mut bucket = TokenBucket::new(rate, start);
        let at = |millis| start + Duration::from_millis(millis);
        let mut taken = |millis| bucket.try_take(at(millis));
        assert!(taken(0) && taken(0) && taken(0), "the burst");
        assert!(!taken(0) && !taken(249));
        assert!(taken(250), "a failed attempt takes nothing");
        assert!(!taken(250));
        assert!(taken(500) && taken(750));
        assert!(taken(3_600_000) && taken(3_600_000) && taken(3_600_000));
        assert!(!taken(3_600_000), "an hour refills no more than a burst");
        assert!(!taken(0), "an earlier instant refills nothing");
    }

    #[test]
    fn a_debt_is_paid_at_the_rate() {
        let start = Instant::now();
        let rate = Rate {
            per_second: 10,
            burst: 5,
        };
        let mut bucket = TokenBucket::new(rate, start);
        let at = |millis| start + Duration::from_millis(millis);
        bucket.owe(25, at(0));
        assert_eq!(bucket.owed(at(0)), Duration::from_secs(2));
        assert!(!bucket.has_some(at(2_099)) && bucket.has_some(at(2_100)));
        bucket.owe(u64::MAX, at(2_100));
        bucket.owe(u64::MAX, at(2_100));
        assert!(!bucket.has_some(at(3_600_000)));
    }
}
