//! The table of addresses, and the guard of each connection.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::time::{Instant, sleep};

use super::account::{AddressAccount, AddressSlot, HeldByAll};
use super::share::{AddressShare, Held, Spent};
use crate::client_address::ClientAddress;
use crate::limits::{ADDRESSES_MAX, ADDRESSES_SWEPT_FROM, UNTAKEN_FREE};
use crate::refusals::{LogAddresses, Refusals, RefusedFor};

/// All addresses for which something is counted.
pub struct AddressTable {
    share: AddressShare,
    all: Arc<HeldByAll>,
    rows: Mutex<AddressRows>,
    /// The clients that were refused.
    pub refusals: Refusals,
}

#[derive(Default)]
struct AddressRows {
    by_network: HashMap<ClientAddress, AddressAccount>,
    /// With this many rows, those that hold no information are removed.
    sweep_at: usize,
}

/// One connection, counted until it is dropped.
pub struct AddressGuard {
    account: AddressAccount,
    _connection: AddressSlot,
}

impl AddressTable {
    /// Makes a table for a server that takes `connections` at once.
    pub fn new(share: AddressShare, connections: usize) -> Arc<Self> {
        Self::logging(share, connections, LogAddresses::default())
    }

    /// Like [`AddressTable::new`]; `logged` says how much of an address the log shows.
    pub fn logging(share: AddressShare, connections: usize, logged: LogAddresses) -> Arc<Self> {
        Arc::new(Self {
            share,
            all: Arc::new(HeldByAll::new(connections)),
            rows: Mutex::default(),
            refusals: Refusals::new(logged),
        })
    }

    /// Counts one more connection of this address. None if it has as many as it may, or has opened too many
    /// lately.
    pub fn admit(&self, address: ClientAddress) -> Option<AddressGuard> {
        let admitted = self.admit_counted(address);
        if admitted.is_none() {
            self.refusals.note(address, RefusedFor::TooManyConnections);
        }
        admitted
    }

    fn admit_counted(&self, address: ClientAddress) -> Option<AddressGuard> {
        let now = Instant::now();
        // Locked until the end, so that no other connection comes between check and count. The listener's own
        // permits bound all connections together.
        let mut rows = self.rows.lock();
        let account = rows.row_of(address, self, now);
        account.check(Spent::Opened, now).ok()?;
        let connection = account.hold(Held::Connections).ok()?;
        account.owe(Spent::Opened, 1, now);
        Some(AddressGuard {
            account,
            _connection: connection,
        })
    }

    /// Counts a rejected connection of this address. Returns true if it is told the reason.
    pub fn explains_to(&self, address: ClientAddress) -> bool {
        let rejected = self.account(address).take(Spent::Rejected, Instant::now());
        rejected.is_ok()
    }

    /// Returns the account of this address.
    pub fn account(&self, address: ClientAddress) -> AddressAccount {
        let mut rows = self.rows.lock();
        rows.row_of(address, self, Instant::now())
    }
}

impl AddressRows {
    fn row_of(
        &mut self,
        network: ClientAddress,
        table: &AddressTable,
        now: Instant,
    ) -> AddressAccount {
        if let Some(row) = self.by_network.get(&network) {
            return row.clone();
        }
        self.make_room(now);
        let wider = network.wider().map(|wider| self.row_of(wider, table, now));
        let row = AddressAccount::new(network, &table.share, &table.all, wider, now);
        self.by_network.insert(network, row.clone());
        row
    }

    /// Removes networks without connections. Not as soon as the last one closes: a client that reconnects
    /// must find its buckets as it left them, or reconnecting would refill them.
    fn make_room(&mut self, now: Instant) {
        let rows = &mut self.by_network;
        if rows.len() >= self.sweep_at.max(ADDRESSES_SWEPT_FROM) {
            rows.retain(|_, row| !row.is_as_new(now));
            if rows.len() >= ADDRESSES_MAX {
                rows.retain(|_, row| row.holds());
            }
            self.sweep_at = (2 * rows.len()).min(ADDRESSES_MAX);
        }
    }
}

impl AddressGuard {
    /// Waits until the connection may be served. Many new connections of one address are served one by one.
    pub async fn start(&self) {
        let now = Instant::now();
        self.owe(Spent::Started, 1, now);
        let wait = self.owed_of(Spent::Started, now);
        if !wait.is_zero() {
            sleep(wait).await;
        }
    }
}

impl Deref for AddressGuard {
    type Target = AddressAccount;

    fn deref(&self) -> &AddressAccount {
        &self.account
    }
}

/// The bytes sent to one connection that the client has not taken yet, counted against its address
/// until this is dropped.
pub struct UntakenBytes {
    /// The bytes beyond [`UNTAKEN_FREE`].
    counted: AddressSlot,
    _guard: Arc<AddressGuard>,
}

impl UntakenBytes {
    /// A connection to which nothing was sent.
    pub fn new(guard: Arc<AddressGuard>) -> Self {
        Self {
            counted: guard.hold_none(Held::Untaken),
            _guard: guard,
        }
    }

    /// Notes that this many bytes wait to be taken. Returns false if there is no room for them.
    pub fn set(&mut self, bytes: usize) -> bool {
        let (before, now) = (self.counted.count, bytes.saturating_sub(UNTAKEN_FREE));
        if now > before {
            return self.counted.add(now - before, (1, 1)).is_ok();
        }
        // Most flushes find that nothing had waited, and take no lock.
        if now < before {
            self.counted.release(before - now);
        }
        true
    }
}

#[cfg(test)]
mod tests;
