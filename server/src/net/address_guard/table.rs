//! The table of addresses, and the guard of each connection.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::time::{Instant, sleep};

use super::TrafficClass;
use super::row::NetworkRow;
use super::share::AddressShare;
use super::traffic::AddressTraffic;
use crate::limits::{ADDRESSES_MAX, ADDRESSES_SWEPT_FROM, REQUESTS_MAX, Rate, UNTAKEN_MAX};
use crate::net::address_guard::shared_bound::SharedBound;
use crate::net::client_address::ClientAddress;

/// The addresses that have open connections, or had some recently.
pub(crate) struct AddressTable {
    share: AddressShare,
    connections: SharedBound,
    /// Bytes sent and not taken yet.
    pub(super) untaken: SharedBound,
    /// Unanswered requests.
    pub(super) requests: SharedBound,
    rows: Mutex<AddressRows>,
}

#[derive(Default)]
struct AddressRows {
    by_network: HashMap<ClientAddress, Arc<NetworkRow>>,
    /// The number of rows at which those that hold no information are removed.
    sweep_at: usize,
}

/// One connection counted against its address, until this is dropped.
pub(crate) struct AddressGuard {
    pub(super) table: Arc<AddressTable>,
    address: ClientAddress,
    pub(super) row: Arc<NetworkRow>,
}

impl AddressTable {
    /// A table for a server that takes `connections` at once.
    pub(crate) fn new(share: AddressShare, connections: usize) -> Arc<Self> {
        Arc::new(Self {
            share,
            connections: SharedBound::new(connections),
            untaken: SharedBound::new(UNTAKEN_MAX),
            requests: SharedBound::new(REQUESTS_MAX),
            rows: Mutex::default(),
        })
    }

    /// Counts one more connection of this address; none if it has as many as it may, or has opened
    /// too many lately.
    pub(crate) fn admit(self: &Arc<Self>, address: ClientAddress) -> Option<AddressGuard> {
        let now = Instant::now();
        let mut rows = self.rows.lock();
        let row = rows.row_of(address, &self.share, now);
        // The listener's own permits bound the connections of all.
        let room = self.connections.has_common_room(1) || row.has_few_connections(1);
        if !room || !row.connect(now) {
            return None;
        }
        drop(rows);
        self.connections.add(1);
        let table = Arc::clone(self);
        Some(AddressGuard {
            table,
            address,
            row,
        })
    }

    /// Counts a rejected connection of this address; returns true if it is answered the reason.
    pub(crate) fn explains_to(&self, address: ClientAddress) -> bool {
        let now = Instant::now();
        let row = self.rows.lock().row_of(address, &self.share, now);
        row.reject(now).is_ok()
    }

    /// The bytes sent to this address, and the time computed for it.
    pub(crate) fn traffic(&self, address: ClientAddress) -> AddressTraffic {
        let row = self
            .rows
            .lock()
            .row_of(address, &self.share, Instant::now());
        AddressTraffic { address, row }
    }
}

impl AddressRows {
    fn row_of(
        &mut self,
        network: ClientAddress,
        share: &AddressShare,
        now: Instant,
    ) -> Arc<NetworkRow> {
        if let Some(row) = self.by_network.get(&network) {
            return Arc::clone(row);
        }
        self.make_room(now);
        let wider = network.wider().map(|wider| self.row_of(wider, share, now));
        let row = Arc::new(NetworkRow::new(network, share, wider, now));
        self.by_network.insert(network, Arc::clone(&row));
        row
    }

    /// Removes networks without connections. Not as soon as the last one closes: a client that
    /// reconnects must find the buckets as it left them, or reconnecting would refill them.
    fn make_room(&mut self, now: Instant) {
        let rows = &mut self.by_network;
        if rows.len() >= self.sweep_at.max(ADDRESSES_SWEPT_FROM) {
            // A row that a narrower one refers to stays with it.
            rows.retain(|_, row| Arc::strong_count(row) > 1 || !row.is_as_new(now));
            if rows.len() >= ADDRESSES_MAX {
                rows.retain(|_, row| row.has_connections());
            }
            self.sweep_at = (2 * rows.len()).min(ADDRESSES_MAX);
        }
    }
}

impl AddressGuard {
    /// Waits until the connection may be served: many new ones of its address are served one after
    /// the other.
    pub(crate) async fn start(&self) {
        let wait = self.row.start(Instant::now());
        if !wait.is_zero() {
            sleep(wait).await;
        }
    }

    /// The address that the connection comes from.
    pub(crate) fn address(&self) -> ClientAddress {
        self.address
    }

    /// Takes one token of the address's bucket for messages of this class.
    ///
    /// # Errors
    /// The bucket's rate, if it is empty.
    pub(crate) fn take_message(&self, class: TrafficClass, now: Instant) -> Result<(), Rate> {
        self.row.take_message(class, now)
    }

    /// Takes one token of the address's bucket for new matches.
    ///
    /// # Errors
    /// The bucket's rate, if it is empty.
    pub(crate) fn take_creation(&self, now: Instant) -> Result<(), Rate> {
        self.row.take_creation(now)
    }

    /// Takes one token of the address's bucket for requests about devices.
    ///
    /// # Errors
    /// The bucket's rate, if it is empty.
    pub(crate) fn take_device_request(&self, now: Instant) -> Result<(), Rate> {
        self.row.take_device_request(now)
    }

    /// The bytes sent to the address, and the time computed for it.
    pub(crate) fn traffic(&self) -> AddressTraffic {
        let (address, row) = (self.address, Arc::clone(&self.row));
        AddressTraffic { address, row }
    }

    /// Returns true if the connections of the address follow few matches.
    pub(crate) fn follows_few(&self) -> bool {
        self.row.follows_few()
    }
}

impl Drop for AddressGuard {
    fn drop(&mut self) {
        self.row.disconnect();
        self.table.connections.subtract(1);
    }
}

#[cfg(test)]
mod tests;
