//! Whether a store's writes succeed: one flag, set by the outcome of real writes, and one line in the log at
//! each change.
//!
//! It knows no disk. The writer reports to it, and the readiness check asks it.

use std::fmt::Display;
use std::time::Instant;

use parking_lot::Mutex;

use super::error::StoreError;
use super::failure::FailureKind;
use crate::limits::WRITE_OVERDUE_AFTER;

/// The outcome of the last writes.
#[derive(Default)]
pub struct WriteHealth(Mutex<HealthState>);

#[derive(Default)]
struct HealthState {
    outage: Option<Outage>,
    /// The start of the write that is under way.
    write_began: Option<Instant>,
    /// True if a log line has said that this write takes long.
    overdue_logged: bool,
}

/// A time in which every write fails.
struct Outage {
    kind: FailureKind,
    since: Instant,
    /// Events refused or left in doubt meanwhile.
    refused: u64,
}

impl WriteHealth {
    /// Notes that a write begins.
    pub fn write_begins(&self, now: Instant) {
        let mut state = self.0.lock();
        state.write_began = Some(now);
        state.overdue_logged = false;
    }

    /// Notes that the write has an outcome.
    pub fn write_ends(&self, now: Instant) {
        let mut state = self.0.lock();
        if let Some(since) = state.write_began.take()
            && state.overdue_logged
        {
            let seconds = now.duration_since(since).as_secs();
            tracing::info!(seconds, "the store has finished the write that was overdue");
        }
    }

    /// Notes that a write or an attempt to recover failed, and `refused` events with it.
    pub fn failed(&self, now: Instant, kind: FailureKind, error: &impl Display, refused: u64) {
        let mut state = self.0.lock();
        match &mut state.outage {
            Some(outage) => {
                outage.kind = kind;
                outage.refused += refused;
                tracing::debug!(%error, "the store still cannot write");
            }
            None => {
                tracing::error!(
                    %error,
                    "the store cannot write: {kind}; no move is accepted until it can"
                );
                state.outage = Some(Outage {
                    kind,
                    since: now,
                    refused,
                });
            }
        }
    }

    /// Notes that the store writes again.
    pub fn recovered(&self, now: Instant) {
        if let Some(outage) = self.0.lock().outage.take() {
            let seconds = now.duration_since(outage.since).as_secs();
            tracing::info!(seconds, refused = outage.refused, "the store writes again");
        }
    }

    /// Checks that writes succeed.
    ///
    /// # Errors
    /// [`StoreError::CannotWrite`], or [`StoreError::WriteOverdue`] if one write has taken longer
    /// than any caller waits for it.
    pub fn check(&self, now: Instant) -> Result<(), StoreError> {
        let mut state = self.0.lock();
        if let Some(outage) = &state.outage {
            return Err(StoreError::CannotWrite(outage.kind));
        }
        let taken = state
            .write_began
            .map_or_else(Default::default, |since| now.duration_since(since));
        if taken < WRITE_OVERDUE_AFTER {
            return Ok(());
        }
        if !state.overdue_logged {
            state.overdue_logged = true;
            let seconds = taken.as_secs();
            tracing::error!(
                seconds,
                "the store does not finish a write: the disk hangs; no move is accepted until it does"
            );
        }
        Err(StoreError::WriteOverdue(taken))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_failure_lasts_until_a_success() {
        let (health, now) = (WriteHealth::default(), Instant::now());
        assert!(health.check(now).is_ok());
        health.failed(now, FailureKind::Full, &"full", 3);
        health.failed(now, FailureKind::Locked, &"locked", 2);
        assert!(matches!(
            health.check(now),
            Err(StoreError::CannotWrite(FailureKind::Locked))
        ));
        assert_eq!(health.0.lock().outage.as_ref().unwrap().refused, 5);
        health.recovered(now);
        assert!(health.check(now).is_ok());
    }

    #[test]
    fn an_overdue_write_counts_as_a_failure_until_it_ends() {
        let (health, start) = (WriteHealth::default(), Instant::now());
        health.write_begins(start);
        let early = start + WRITE_OVERDUE_AFTER - Duration::from_millis(1);
        assert!(health.check(early).is_ok());
        let late = start + WRITE_OVERDUE_AFTER;
        assert!(matches!(
            health.check(late),
            Err(StoreError::WriteOverdue(taken)) if taken == WRITE_OVERDUE_AFTER
        ));
        assert!(health.0.lock().overdue_logged);
        health.write_ends(late);
        assert!(health.check(late).is_ok());
        health.write_begins(late);
        assert!(!health.0.lock().overdue_logged, "each write is logged anew");
    }
}
