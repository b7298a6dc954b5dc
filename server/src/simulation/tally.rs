//! How often each kind of thing has happened in all worlds: a simulation that meets no trouble
//! proves nothing.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Counts by name. Clones count into the same table.
#[derive(Clone, Default)]
pub(super) struct Tally(Arc<Mutex<BTreeMap<String, u64>>>);

impl Tally {
    fn counts(&self) -> MutexGuard<'_, BTreeMap<String, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn count(&self, what: impl Into<String>) {
        self.add(what, 1);
    }

    pub(super) fn add(&self, what: impl Into<String>, times: u64) {
        *self.counts().entry(what.into()).or_default() += times;
    }

    pub(super) fn of(&self, what: &str) -> u64 {
        self.counts().get(what).copied().unwrap_or(0)
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (what, count) in self.counts().iter() {
            writeln!(f, "{count:>9}  {what}")?;
        }
        Ok(())
    }
}
