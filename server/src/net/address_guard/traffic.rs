//! The bytes sent to an address and the time computed for it.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::row::NetworkRow;
use crate::limits::Rate;

/// The bytes sent to one address and the time computed for it, over all its connections.
#[derive(Clone)]
pub(crate) struct AddressTraffic(pub(super) Arc<NetworkRow>);

impl AddressTraffic {
    /// Counts the time of a computation for a question.
    pub(crate) fn computed(&self, time: Duration, now: Instant) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.0.computed(micros, now);
    }

    /// Checks that the address may ask a question.
    ///
    /// # Errors
    /// The rate in microseconds, if its questions have taken too much time lately.
    pub(crate) fn may_ask(&self, now: Instant) -> Result<(), Rate> {
        self.0.may_ask(now)
    }

    /// Counts bytes sent to the address.
    pub(crate) fn sent(&self, bytes: usize, now: Instant) {
        self.0.sent(bytes, now);
    }

    /// Checks that no more bytes were sent to the address than its rate allows.
    ///
    /// # Errors
    /// The rate in bytes, if there were.
    pub(crate) fn may_receive(&self, now: Instant) -> Result<(), Rate> {
        self.0.may_receive(now)
    }
}
