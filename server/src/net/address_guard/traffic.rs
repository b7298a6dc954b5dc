//! The bytes sent to an address and the time computed for it.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::row::NetworkRow;
use crate::limits::Rate;
use crate::net::client_address::ClientAddress;

/// The bytes sent to one address and the time computed for it, over all its connections.
#[derive(Clone)]
pub(crate) struct AddressTraffic {
    pub(super) address: ClientAddress,
    pub(super) row: Arc<NetworkRow>,
}

impl AddressTraffic {
    /// The address.
    pub(crate) fn address(&self) -> ClientAddress {
        self.address
    }

    /// Counts processor time that was used for the address.
    pub(crate) fn computed(&self, time: Duration, now: Instant) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.row.computed(micros, now);
    }

    /// The time until the address has paid for what was computed for it.
    pub(crate) fn owed(&self, now: Instant) -> Duration {
        self.row.owed(now)
    }

    /// Checks that the address may ask a question.
    ///
    /// # Errors
    /// The rate in microseconds, if what it asked for has taken too much time lately.
    pub(crate) fn may_ask(&self, now: Instant) -> Result<(), Rate> {
        self.row.may_ask(now)
    }

    /// Counts bytes sent to the address.
    pub(crate) fn sent(&self, bytes: usize, now: Instant) {
        self.row.sent(bytes, now);
    }

    /// Checks that no more bytes were sent to the address than its rate allows.
    ///
    /// # Errors
    /// The rate in bytes, if there were.
    pub(crate) fn may_receive(&self, now: Instant) -> Result<(), Rate> {
        self.row.may_receive(now)
    }
}
