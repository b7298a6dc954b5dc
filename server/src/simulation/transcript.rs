//! What was said and stored in one world: its digest always, its text when somebody reads it.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::time::Instant;

/// A transcript. Clones write into the same one.
#[derive(Clone)]
pub(super) struct Transcript(Arc<Mutex<State>>);

struct State {
    digest: DefaultHasher,
    text: Option<String>,
    begun: Option<Instant>,
}

impl Transcript {
    pub(super) fn new(readable: bool) -> Self {
        Self(Arc::new(Mutex::new(State {
            // Not `RandomState`'s: keyed with zeros, the same in every run.
            digest: DefaultHasher::new(),
            text: readable.then(String::new),
            begun: None,
        })))
    }

    /// Notes `what` about the `number`-th of its kind.
    pub(super) fn note(&self, what: &str, number: u64, text: &str) {
        let now = Instant::now();
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = now
            .duration_since(*state.begun.get_or_insert(now))
            .as_millis();
        (at, what, number, text).hash(&mut state.digest);
        if let Some(written) = &mut state.text {
            let _ = writeln!(written, "{at:>8} {what:<9} {number:>3}  {text}");
        }
    }

    /// A number that differs where anything else does.
    pub(super) fn digest(&self) -> u64 {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.digest.finish()
    }

    /// All of it, if it was to be readable.
    pub(super) fn text(&self) -> String {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.text.clone().unwrap_or_default()
    }
}
