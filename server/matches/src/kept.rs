//! A cache of a bounded number of results. Each is computed once.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::OnceCell;

/// The results that were asked for lately.
pub struct Kept<K, V> {
    most: usize,
    results: Mutex<VecDeque<(K, Arc<OnceCell<V>>)>>,
}

impl<K: PartialEq, V: Clone> Kept<K, V> {
    /// Makes room for `most` results.
    pub fn new(most: usize) -> Self {
        let results = Mutex::default();
        Self { most, results }
    }

    /// Returns the result for this key. The first who asks computes it; others wait for that.
    ///
    /// # Errors
    /// That of `make`; the next one who asks makes it again.
    pub async fn of<E, F>(&self, key: K, make: impl FnOnce() -> F) -> Result<V, E>
    where
        F: Future<Output = Result<V, E>>,
    {
        self.cell(key).get_or_try_init(make).await.cloned()
    }

    /// Returns the cell for a key, evicting the least recently used.
    fn cell(&self, key: K) -> Arc<OnceCell<V>> {
        let mut results = self.results.lock();
        let place = results.iter().position(|(kept, _)| *kept == key);
        let found = place.and_then(|place| results.remove(place));
        let (key, cell) = found.unwrap_or_else(|| (key, Arc::default()));
        results.push_back((key, Arc::clone(&cell)));
        while results.len() > self.most {
            results.pop_front();
        }
        cell
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn a_result_is_made_once_while_it_is_asked_for() {
        let (kept, made) = (Kept::new(2), AtomicUsize::new(0));
        let ask = async |key| {
            let make = async || {
                made.fetch_add(1, Ordering::SeqCst);
                tokio::task::yield_now().await;
                Ok::<_, ()>(key)
            };
            kept.of(key, make).await
        };
        assert_eq!(tokio::join!(ask("one"), ask("one")), (Ok("one"), Ok("one")));
        assert_eq!(
            made.load(Ordering::SeqCst),
            1,
            "those who come meanwhile wait"
        );
        for (key, times) in [("two", 2), ("one", 2), ("three", 3), ("one", 3), ("two", 4)] {
            assert_eq!(ask(key).await, Ok(key));
            assert_eq!(made.load(Ordering::SeqCst), times, "{key}");
        }
        let failed = kept.of("four", async || Err("no")).await;
        assert_eq!(failed, Err("no"));
        assert_eq!(ask("four").await, Ok("four"), "a failure is not kept");
    }
}
