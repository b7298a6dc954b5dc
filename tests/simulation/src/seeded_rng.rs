//! Seeded randomness. Every part of a run has a generator of its own, forked from the seed's.

use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng, RngExt, SeedableRng};

/// A seeded generator. Clones draw from the same one.
#[derive(Clone)]
pub(super) struct SeededRng(Arc<Mutex<StdRng>>);

impl SeededRng {
    pub(super) fn seeded(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(StdRng::seed_from_u64(seed))))
    }

    /// Another generator, seeded by this one.
    pub(super) fn fork(&self) -> Self {
        Self::seeded(self.draw(|rng| rng.random()))
    }

    pub(super) fn draw<T>(&self, from: impl FnOnce(&mut StdRng) -> T) -> T {
        from(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn number(&self, range: RangeInclusive<u64>) -> u64 {
        self.draw(|rng| rng.random_range(range))
    }

    pub(super) fn below(&self, end: usize) -> usize {
        self.draw(|rng| rng.random_range(0..end))
    }

    /// Returns true `times` in a thousand.
    pub(super) fn permille(&self, times: u64) -> bool {
        self.number(1..=1_000) <= times
    }

    pub(super) fn millis(&self, range: RangeInclusive<u64>) -> Duration {
        Duration::from_millis(self.number(range))
    }

    /// A duration up to `most` milliseconds, short ones more often.
    pub(super) fn mostly_short(&self, most: u64) -> Duration {
        let magnitude = self.number(0..=u64::from(most.max(1).ilog2()));
        Duration::from_millis(self.number(0..=(1 << magnitude)).min(most))
    }

    pub(super) fn pick<'a, T>(&self, from: &'a [T]) -> Option<&'a T> {
        (!from.is_empty()).then(|| &from[self.below(from.len())])
    }

    /// One of the values, each with its weight.
    pub(super) fn weighted<'a, T>(&self, from: &'a [(u32, T)]) -> &'a T {
        let total: u32 = from.iter().map(|(weight, _)| weight).sum();
        let mut point = self.draw(|rng| rng.random_range(0..total));
        for (weight, value) in from {
            match point.checked_sub(*weight) {
                Some(rest) => point = rest,
                None => return value,
            }
        }
        unreachable!("the weights add up to the total")
    }

    pub(super) fn with<T>(&self, from: impl FnOnce(&mut dyn Rng) -> T) -> T {
        self.draw(|rng| from(rng))
    }
}
