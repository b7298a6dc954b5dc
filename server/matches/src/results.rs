//! Results that were asked for lately. A result is put here once it is computed, so that nothing waits for it
//! here.

use std::hash::Hash;
use std::num::NonZeroUsize;

use lru::LruCache;
use parking_lot::Mutex;

/// A bounded number of results; the one that was not asked for the longest goes first.
pub struct Results<Q, T>(Mutex<LruCache<Q, T>>);

impl<Q: Eq + Hash, T: Clone> Results<Q, T> {
    /// Makes room for `most` results, at least one.
    #[must_use]
    pub fn new(most: usize) -> Self {
        let most = NonZeroUsize::new(most).unwrap_or(NonZeroUsize::MIN);
        Self(Mutex::new(LruCache::new(most)))
    }

    /// Returns the result of this question, if it is kept.
    pub fn get(&self, question: &Q) -> Option<T> {
        self.0.lock().get(question).cloned()
    }

    /// Keeps a result. Others may compute the same at the same time, and get the same.
    pub(crate) fn keep(&self, question: Q, result: T) {
        self.0.lock().put(question, result);
    }
}
