//! Token buckets in whole numbers, over the runtime's clock.
//!
//! The crate governor was considered. Its keyed limiters read a clock of their own, which a simulation cannot
//! drive through tokio, and they do not say whether a bucket is full again; that is how an address that holds
//! no information is found.

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
    /// The turn of the last one in line: of those that wait for a token, each is told a later instant.
    line_ends: Instant,
}

/// No token is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmptyBucket {
    /// The rate of the bucket.
    pub rate: Rate,
    /// The time until the turn of whoever asked. Several that wait get different turns.
    pub wait: Duration,
}

impl TokenBucket {
    /// A full bucket.
    pub fn new(rate: Rate, now: Instant) -> Self {
        Self {
            rate,
            parts: i64::from(rate.burst) * PARTS,
            refilled_at: now,
            line_ends: now,
        }
    }

    /// Takes one token.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn take(&mut self, now: Instant) -> Result<(), EmptyBucket> {
        self.check(now)?;
        self.parts -= PARTS;
        Ok(())
    }

    /// Takes `tokens`, going into debt if there are too few.
    pub fn owe(&mut self, tokens: u64, now: Instant) {
        self.refill(now);
        let parts = i64::try_from(tokens).unwrap_or(i64::MAX);
        self.parts = self.parts.saturating_sub(parts.saturating_mul(PARTS));
    }

    /// Puts back `tokens` that were taken for something that was not done.
    pub fn give_back(&mut self, tokens: u64, now: Instant) {
        self.refill(now);
        let parts = i64::try_from(tokens).unwrap_or(i64::MAX);
        let parts = self.parts.saturating_add(parts.saturating_mul(PARTS));
        self.parts = parts.min(self.capacity());
    }

    /// Returns how long until the debt is paid.
    pub fn owed(&mut self, now: Instant) -> Duration {
        self.refill(now);
        self.until(0)
    }

    /// Checks that there is at least one token.
    ///
    /// # Errors
    /// If there is none. Each error gives the next turn in line.
    pub fn check(&mut self, now: Instant) -> Result<(), EmptyBucket> {
        self.refill(now);
        match self.until(PARTS) {
            Duration::ZERO => Ok(()),
            first => Err(EmptyBucket {
                rate: self.rate,
                wait: self.line_up(first, now),
            }),
        }
    }

    /// Returns the wait until the next turn in line, which is at least `first`. If all who wait were told the same
    /// instant, they would all come back then, and only one would find a token.
    ///
    /// The line is as long as the bucket takes to fill. Then it starts again at the front, so that a client that asks
    /// without a pause does not push the turns of its neighbours ever further away.
    fn line_up(&mut self, first: Duration, now: Instant) -> Duration {
        let one_token = Duration::from_micros(1_000_000) / self.rate.per_second.max(1);
        let line = self.line_ends.saturating_duration_since(now);
        let longest = first + one_token * self.rate.burst;
        let wait = match line + one_token {
            next if !line.is_zero() && next <= longest => next.max(first),
            _ => first,
        };
        self.line_ends = now + wait;
        wait
    }

    /// Returns how long until the bucket has this many parts.
    fn until(&self, parts: i64) -> Duration {
        let missing = parts.saturating_sub(self.parts).max(0).unsigned_abs();
        Duration::from_micros(missing.div_ceil(u64::from(self.rate.per_second.max(1))))
    }

    /// Returns true if the bucket is the same as a new one.
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
        let mut taken = |millis| bucket.take(at(millis)).is_ok();
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
    fn clients_that_wait_as_asked_ask_twice_at_most() {
        let start = Instant::now();
        let rate = Rate {
            per_second: 1,
            burst: 128,
        };
        let mut bucket = TokenBucket::new(rate, start);
        // A class of bots, each of which wants one match at the same moment.
        let mut waiting: Vec<_> = (0..200).map(|client| (start, client)).collect();
        let mut asked = vec![0; waiting.len()];
        while let Some(next) = waiting.iter().min().copied() {
            waiting.retain(|other| *other != next);
            let (now, client) = next;
            asked[client] += 1;
            if let Err(empty) = bucket.take(now) {
                waiting.push((now + empty.wait, client));
            }
        }
        assert_eq!(asked.iter().max(), Some(&2), "{asked:?}");
        assert_eq!(asked.iter().filter(|asked| **asked == 2).count(), 72);
    }

    #[test]
    fn a_client_that_asks_without_a_pause_does_not_lengthen_the_line() {
        let start = Instant::now();
        let rate = Rate {
            per_second: 10,
            burst: 5,
        };
        let mut bucket = TokenBucket::new(rate, start);
        let waits = (0..1_000).filter_map(|_| bucket.take(start).err());
        let longest = waits.map(|empty| empty.wait).max();
        assert_eq!(longest, Some(Duration::from_millis(600)));
    }

    #[test]
    fn a_token_that_is_given_back_can_be_taken_again() {
        let start = Instant::now();
        let rate = Rate {
            per_second: 1,
            burst: 2,
        };
        let mut bucket = TokenBucket::new(rate, start);
        bucket.give_back(1, start);
        assert!(bucket.take(start).is_ok() && bucket.take(start).is_ok());
        assert!(bucket.take(start).is_err(), "never more than the burst");
        bucket.give_back(1, start);
        assert!(bucket.take(start).is_ok());
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
        let empty = bucket.check(at(2_099)).unwrap_err();
        assert_eq!(empty.wait, Duration::from_millis(1));
        assert_eq!(bucket.check(at(2_100)), Ok(()));
        bucket.owe(25, at(2_100));
        bucket.give_back(24, at(2_100));
        assert_eq!(bucket.owed(at(2_100)), Duration::ZERO);
        bucket.give_back(u64::MAX, at(2_100));
        assert!(bucket.is_full(at(2_100)), "and no more than that");
        bucket.owe(u64::MAX, at(2_100));
        bucket.owe(u64::MAX, at(2_100));
        assert!(bucket.check(at(3_600_000)).is_err());
    }
}
