//! The counts that all clients of a soak test share.

use std::sync::atomic::{AtomicU64, Ordering};

use fibfob_client::ConnectionError;

/// A shared count.
#[derive(Debug, Default)]
pub(super) struct Count(AtomicU64);

impl Count {
    pub(super) fn more(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn less(&self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The counts of all clients. All but `connected` only grow.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub connected: Count,
    pub made: Count,
    pub over: Count,
    pub moves: Count,
    pub refused: Count,
    pub received: Count,
    pub ends: Ends,
}

/// Connections that ended without the client's doing.
#[derive(Debug, Default)]
pub(super) struct Ends {
    /// Closed as too slow (1013), or without a close frame while not reading, which is the same:
    /// a client that does not read receives no close frame.
    pub slow: Count,
    /// Closed as silent (1001): a reader that pauses answers no ping.
    pub silent: Count,
    /// Any end of a connection that reads steadily.
    pub steady: Count,
    /// Connections opened after an ended one.
    pub reconnected: Count,
}

impl Ends {
    pub(super) fn count(&self, ended: &ConnectionError, reads_slowly: bool) {
        match (reads_slowly, ended) {
            (false, _) => self.steady.more(),
            (
                true,
                ConnectionError::Closed {
                    code: Some(1001), ..
                },
            ) => self.silent.more(),
            (true, _) => self.slow.more(),
        }
    }
}
