//! Whether a store writes: one flag, set by the outcome of real writes, and one line in the
//! log at each change.
//!
//! Knows no disk: who writes tells it, and who is asked whether the store is ready asks it.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::{FailureKind, StoreError};
use crate::limits::STORE_LATE_AFTER;

/// What the last writes came to.
#[derive(Default)]
pub(super) struct Health(Mutex<State>);

#[derive(Default)]
struct State {
    down: Option<Down>,
    /// Since when the writer has been at one write.
    at_it_since: Option<Instant>,
    /// Whether the log says that this write takes long.
    late_is_said: bool,
}

struct Down {
    kind: FailureKind,
    since: Instant,
    /// Events refused or left in doubt meanwhile.
    refused: u64,
}

impl Health {
    /// A write begins.
    pub(super) fn begins(&self, now: Instant) {
        let mut state = self.state();
        state.at_it_since = Some(now);
        state.late_is_said = false;
    }

    /// The write has an outcome.
    pub(super) fn ends(&self, now: Instant) {
        let mut state = self.state();
        if let Some(since) = state.at_it_since.take()
            && state.late_is_said
        {
            let seconds = now.duration_since(since).as_secs();
            tracing::info!(
                seconds,
                "the store has finished the write that took so long"
            );
        }
    }

    /// A write failed, or a try to write again did, and `refused` events with it.
    pub(super) fn fails(&self, now: Instant, error: &StoreError, refused: u64) {
        let kind = error.failure_kind();
        let mut state = self.state();
        match &mut state.down {
            Some(down) => {
                down.kind = kind;
                down.refused += refused;
                tracing::debug!(%error, "the store still cannot write");
            }
            None => {
                tracing::error!(
                    %error,
                    "the store cannot write: {kind}; no move is accepted until it can"
                );
                state.down = Some(Down {
                    kind,
                    since: now,
                    refused,
                });
            }
        }
    }

    /// A write succeeded.
    pub(super) fn recovers(&self, now: Instant) {
        if let Some(down) = self.state().down.take() {
            let (seconds, refused) = (now.duration_since(down.since).as_secs(), down.refused);
            tracing::info!(seconds, refused, "the store writes again");
        }
    }

    /// Whether writes get through.
    ///
    /// # Errors
    /// [`StoreError::CannotWrite`], or [`StoreError::Late`] if one write has taken longer
    /// than anybody waits for it.
    pub(super) fn check(&self, now: Instant) -> Result<(), StoreError> {
        let mut state = self.state();
        if let Some(down) = &state.down {
            return Err(StoreError::CannotWrite(down.kind));
        }
        let taken = state
            .at_it_since
            .map_or_else(Default::default, |since| now.duration_since(since));
        if taken < STORE_LATE_AFTER {
            return Ok(());
        }
        if !state.late_is_said {
            state.late_is_said = true;
            let seconds = taken.as_secs();
            tracing::error!(
                seconds,
                "the store does not finish a write: the disk hangs; no move is accepted until it does"
            );
        }
        Err(StoreError::Late(taken))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change above is complete before anything in it can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_failure_counts_until_a_success() {
        let (health, now) = (Health::default(), Instant::now());
        assert!(health.check(now).is_ok());
        health.fails(now, &StoreError::CannotWrite(FailureKind::Full), 3);
        health.fails(now, &StoreError::CannotWrite(FailureKind::Locked), 2);
        assert!(matches!(
            health.check(now),
            Err(StoreError::CannotWrite(FailureKind::Locked))
        ));
        assert_eq!(health.state().down.as_ref().unwrap().refused, 5);
        health.recovers(now);
        assert!(health.check(now).is_ok());
    }

    #[test]
    fn a_write_without_an_end_counts_as_down_until_it_ends() {
        let (health, start) = (Health::default(), Instant::now());
        health.begins(start);
        let early = start + STORE_LATE_AFTER - Duration::from_millis(1);
        assert!(health.check(early).is_ok());
        let late = start + STORE_LATE_AFTER;
        assert!(
            matches!(health.check(late), Err(StoreError::Late(taken)) if taken == STORE_LATE_AFTER)
        );
        assert!(health.state().late_is_said);
        health.ends(late);
        assert!(health.check(late).is_ok());
        health.begins(late);
        assert!(!health.state().late_is_said, "each one is said anew");
    }
}
