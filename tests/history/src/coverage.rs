//! Counts of what a run met: a run that meets no trouble proves nothing.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Counts by name. Clones share the counts.
#[derive(Clone, Default)]
pub struct Coverage(Arc<Mutex<BTreeMap<Cow<'static, str>, u64>>>);

impl Coverage {
    fn counts(&self) -> MutexGuard<'_, BTreeMap<Cow<'static, str>, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds one.
    pub fn count(&self, name: impl Into<Cow<'static, str>>) {
        self.add(name, 1);
    }

    /// Adds `times`.
    pub fn add(&self, name: impl Into<Cow<'static, str>>, times: u64) {
        *self.counts().entry(name.into()).or_default() += times;
    }

    /// Adds all counts of `other`.
    pub fn merge(&self, other: &Self) {
        let counts = other.counts().clone();
        for (name, times) in counts {
            self.add(name, times);
        }
    }

    /// Returns the count of `name`, 0 if it was never met.
    #[must_use]
    pub fn get(&self, name: &str) -> u64 {
        self.counts().get(name).copied().unwrap_or(0)
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, count) in self.counts().iter() {
            writeln!(f, "{count:>9}  {name}")?;
        }
        Ok(())
    }
}
