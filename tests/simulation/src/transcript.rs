//! The transcript of a run, everything sent, received and stored: a digest, and the text on demand.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::time::Instant;

/// A transcript. Clones write into the same one.
#[derive(Clone)]
pub(super) struct Transcript(Arc<Mutex<TranscriptState>>);

struct TranscriptState {
    digest: DefaultHasher,
    text: Option<String>,
    started: Option<Instant>,
}

impl Transcript {
    pub(super) fn new(readable: bool) -> Self {
        Self(Arc::new(Mutex::new(TranscriptState {
            // Not `RandomState`'s: keyed with zeros, the same in every run.
            digest: DefaultHasher::new(),
            text: readable.then(String::new),
            started: None,
        })))
    }

    /// Notes an entry of this kind about the connection, server or log `number`.
    pub(super) fn note(&self, kind: &str, number: u64, text: &str) {
        let now = Instant::now();
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = now
            .duration_since(*state.started.get_or_insert(now))
            .as_millis();
        (at, kind, number, text).hash(&mut state.digest);
        if let Some(written) = &mut state.text {
            let _ = writeln!(written, "{at:>8} {kind:<9} {number:>3}  {text}");
        }
    }

    /// Returns a digest of all entries.
    pub(super) fn digest(&self) -> u64 {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.digest.finish()
    }

    /// Returns the text, empty if it was not asked for.
    pub(super) fn text(&self) -> String {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.text.clone().unwrap_or_default()
    }
}
