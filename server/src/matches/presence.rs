//! What is shown of who is there and who is away, to whoever follows a match, at a bounded rate.

use axum::extract::ws::Utf8Bytes;
use fibfob_protocol::{Match, Seat, ServerMessage, Timestamp};
use tokio::sync::watch;
use tokio::time::Instant;

use super::absence::Absence;
use super::roll::Roll;
use crate::limits::PRESENCE_EVERY;

/// The roll of one match, since when who is missing from it, and the newest message of both.
pub(super) struct PresenceBoard {
    pub roll: Roll,
    absence: Absence,
    shown: watch::Sender<Utf8Bytes>,
    /// Whether something may have changed since it was shown.
    is_old: bool,
    /// Before this, nothing further is shown.
    rests_until: Instant,
}

impl PresenceBoard {
    /// A board on which nobody is there yet, at `now`.
    pub(super) fn new(live: &Match, now: Timestamp) -> Self {
        let roll = Roll::new();
        let mut absence = Absence::default();
        absence.note(&roll, live, now);
        let shown = watch::Sender::new(message(&roll, live, &absence));
        Self {
            roll,
            absence,
            shown,
            is_old: false,
            rests_until: Instant::now(),
        }
    }

    pub(super) fn watch(&self) -> watch::Receiver<Utf8Bytes> {
        self.shown.subscribe()
    }

    /// Looks who is there at `now`.
    pub(super) fn look(&mut self, live: &Match, now: Timestamp) {
        self.absence.note(&self.roll, live, now);
        self.is_old = true;
    }

    /// How long the player of `seat` has been away at `now`, in milliseconds; none while they
    /// are there.
    pub(super) fn away_millis(&self, seat: Seat, now: Timestamp) -> Option<u64> {
        self.absence.millis(seat, now)
    }

    /// When to show what may have changed; none if nothing has.
    pub(super) fn next_show(&self) -> Option<Instant> {
        self.is_old.then_some(self.rests_until)
    }

    /// Shows what has changed, if it is time.
    pub(super) fn show(&mut self, live: &Match) {
        let now = Instant::now();
        if self.next_show().is_none_or(|at| now < at) {
            return;
        }
        self.is_old = false;
        let message = message(&self.roll, live, &self.absence);
        let changed = self.shown.send_if_modified(|shown| {
            let changed = *shown != message;
            *shown = message;
            changed
        });
        if changed {
            self.rests_until = now + PRESENCE_EVERY;
        }
    }
}

fn message(roll: &Roll, live: &Match, absence: &Absence) -> Utf8Bytes {
    ServerMessage::Presence(roll.presence(live, absence))
        .write()
        .into()
}
