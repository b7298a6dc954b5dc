//! Bounds per address: its connections are counted, and share token buckets by what they do.
//!
//! Many clients behind one address (a school, a provider's gateway) are not one client, so the
//! bounds are generous. Players have a bucket of their own, which spectators cannot empty.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use crate::limits::{ADDRESSES_MAX, ADDRESSES_SWEPT_FROM, Rate};
use crate::net::client_address::ClientAddress;
use crate::net::token_bucket::TokenBucket;

/// The token bucket of an address that a connection's messages are taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrafficClass {
    /// The connection has a seat in none of the matches it follows.
    Spectator,
    /// The connection has a seat in a match it follows.
    Player,
}

impl TrafficClass {
    /// The name of all connections of this class.
    pub(crate) fn plural(self) -> &'static str {
        match self {
            Self::Spectator => "spectators",
            Self::Player => "players",
        }
    }
}

/// The share of one address: bounds on all its connections together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AddressShare {
    pub connections: usize,
    pub spectators: Rate,
    pub players: Rate,
}

/// The addresses that have open connections, or had some recently.
pub(crate) struct AddressTable {
    share: AddressShare,
    rows: Mutex<AddressRows>,
}

#[derive(Default)]
struct AddressRows {
    by_address: HashMap<ClientAddress, AddressRow>,
    /// The number of rows at which those that hold no information are removed.
    sweep_at: usize,
}

struct AddressRow {
    connections: usize,
    spectators: TokenBucket,
    players: TokenBucket,
}

/// One connection counted against its address, until this is dropped.
pub(crate) struct AddressGuard {
    table: Arc<AddressTable>,
    address: ClientAddress,
}

impl AddressTable {
    pub(crate) fn new(share: AddressShare) -> Arc<Self> {
        let rows = Mutex::default();
        Arc::new(Self { share, rows })
    }

    /// Counts one more connection of this address; none if it has as many as it may.
    pub(crate) fn admit(self: &Arc<Self>, address: ClientAddress) -> Option<AddressGuard> {
        let now = Instant::now();
        let mut rows = self.rows();
        if !rows.by_address.contains_key(&address) {
            rows.make_room(now);
        }
        let row = rows
            .by_address
            .entry(address)
            .or_insert_with(|| AddressRow {
                connections: 0,
                spectators: TokenBucket::new(self.share.spectators, now),
                players: TokenBucket::new(self.share.players, now),
            });
        if row.connections >= self.share.connections {
            return None;
        }
        row.connections += 1;
        let table = Arc::clone(self);
        Some(AddressGuard { table, address })
    }

    fn rows(&self) -> MutexGuard<'_, AddressRows> {
        // Every change of the rows is complete before anything in it can panic.
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AddressRows {
    /// Removes addresses without connections. Not as soon as the last one closes: a client that
    /// reconnects must find the buckets as it left them, or reconnecting would refill them.
    fn make_room(&mut self, now: Instant) {
        let rows = &mut self.by_address;
        if rows.len() >= self.sweep_at.max(ADDRESSES_SWEPT_FROM) {
            rows.retain(|_, row| !row.is_as_new(now));
            if rows.len() >= ADDRESSES_MAX {
                rows.retain(|_, row| row.connections > 0);
            }
            self.sweep_at = (2 * rows.len()).min(ADDRESSES_MAX);
        }
    }
}

impl AddressRow {
    fn is_as_new(&mut self, now: Instant) -> bool {
        self.connections == 0 && self.spectators.is_full(now) && self.players.is_full(now)
    }
}

impl AddressGuard {
    /// Takes one token of the address's bucket for this class.
    ///
    /// # Errors
    /// The bucket's rate, if it is empty.
    pub(crate) fn try_take(&self, class: TrafficClass, now: Instant) -> Result<(), Rate> {
        let mut rows = self.table.rows();
        let row = rows.by_address.get_mut(&self.address);
        let row = row.expect("a row stays while it has connections");
        let bucket = match class {
            TrafficClass::Spectator => &mut row.spectators,
            TrafficClass::Player => &mut row.players,
        };
        if bucket.try_take(now) {
            Ok(())
        } else {
            Err(bucket.rate())
        }
    }
}

impl Drop for AddressGuard {
    fn drop(&mut self) {
        if let Some(row) = self.table.rows().by_address.get_mut(&self.address) {
            row.connections -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::time::Duration;

    use super::*;

    fn addresses(connections: usize) -> Arc<AddressTable> {
        let rate = |burst| Rate {
            per_second: 1,
            burst,
        };
        AddressTable::new(AddressShare {
            connections,
            spectators: rate(2),
            players: rate(3),
        })
    }

    fn address(number: u32) -> ClientAddress {
        IpAddr::from(Ipv4Addr::from_bits(number)).into()
    }

    fn rows(addresses: &AddressTable) -> usize {
        addresses.rows().by_address.len()
    }

    #[tokio::test(start_paused = true)]
    async fn connections_are_bounded_per_address() {
        let addresses = addresses(2);
        let first = addresses.admit(address(1)).unwrap();
        let _second = addresses.admit(address(1)).unwrap();
        assert!(addresses.admit(address(1)).is_none());
        let _other = addresses.admit(address(2)).unwrap();
        drop(first);
        let _third = addresses
            .admit(address(1))
            .expect("one connection has closed");
        assert!(addresses.admit(address(1)).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn spectators_cannot_empty_the_bucket_of_players() {
        let addresses = addresses(2);
        let (one, two) = (addresses.admit(address(1)), addresses.admit(address(1)));
        let (one, two) = (one.unwrap(), two.unwrap());
        let now = Instant::now();
        assert!(
            one.try_take(TrafficClass::Spectator, now).is_ok()
                && two.try_take(TrafficClass::Spectator, now).is_ok()
        );
        let rate = one.try_take(TrafficClass::Spectator, now).unwrap_err();
        assert_eq!(rate.burst, 2, "both connections share it");
        assert!(two.try_take(TrafficClass::Spectator, now).is_err());
        for _ in 0..3 {
            two.try_take(TrafficClass::Player, now).unwrap();
        }
        assert!(two.try_take(TrafficClass::Player, now).is_err());
        let other = addresses.admit(address(2)).unwrap();
        assert!(other.try_take(TrafficClass::Spectator, now).is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn reconnecting_does_not_refill_the_buckets() {
        let addresses = addresses(1);
        let guard = addresses.admit(address(1)).unwrap();
        let now = Instant::now();
        while guard.try_take(TrafficClass::Spectator, now).is_ok() {}
        drop(guard);
        let guard = addresses.admit(address(1)).unwrap();
        assert!(guard.try_take(TrafficClass::Spectator, now).is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn the_table_is_bounded_and_drops_addresses_without_connections() {
        let addresses = addresses(1);
        let visit = |from: u32, count: usize| {
            for number in from..from + u32::try_from(count).unwrap() {
                let guard = addresses.admit(address(number)).unwrap();
                guard
                    .try_take(TrafficClass::Spectator, Instant::now())
                    .unwrap();
            }
        };
        let stayed = addresses.admit(address(0)).unwrap();
        let now = Instant::now();
        while stayed.try_take(TrafficClass::Spectator, now).is_ok() {}
        visit(1, 3 * ADDRESSES_MAX);
        assert!(
            rows(&addresses) <= ADDRESSES_MAX,
            "although no bucket is full"
        );
        tokio::time::advance(Duration::from_secs(60)).await;
        visit(0x0100_0000, ADDRESSES_MAX);
        tokio::time::advance(Duration::from_secs(60)).await;
        visit(0x0200_0000, ADDRESSES_MAX / 2);
        let (kept, now) = (rows(&addresses), Instant::now());
        let mut table = addresses.rows();
        table.by_address.retain(|_, row| !row.is_as_new(now));
        assert!(kept <= table.by_address.len() + ADDRESSES_MAX / 2, "{kept}");
        drop(table);
        assert!(
            addresses.admit(address(0)).is_none(),
            "an address with connections stays"
        );
        drop(stayed);
    }
}
