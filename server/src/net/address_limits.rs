//! Who is here from which address: connections are counted by it, and share credits by their role.
//!
//! A crowd behind one address (a school, a provider's gateway) is not one client, so that its bounds
//! are generous; but it is not many either. Players have credits of their own: whoever only watches
//! cannot use them up.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use crate::limits::{ADDRESSES_MAX, ADDRESSES_SWEPT_FROM};
use crate::net::client_address::Address;
use crate::net::token_bucket::Credits;
use crate::ops::config::Rate;

/// What a connection is to the matches it follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It has a seat in none of them.
    Spectator,
    /// It has a seat in one of them.
    Player,
}

impl Role {
    /// All who have it, in words.
    pub(crate) fn crowd(self) -> &'static str {
        match self {
            Self::Spectator => "spectators",
            Self::Player => "players",
        }
    }
}

/// What the connections of one address have together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    pub connections: usize,
    pub spectators: Rate,
    pub players: Rate,
}

/// All addresses from which somebody is here.
pub(crate) struct Addresses {
    share: Share,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    rows: HashMap<Address, Row>,
    /// When there are so many rows, those that tell nothing are looked for.
    sweep_at: usize,
}

struct Row {
    connections: usize,
    spectators: Credits,
    players: Credits,
}

/// One connection among those of its address; dropping it makes room for another one.
pub(crate) struct Visitor {
    addresses: Arc<Addresses>,
    address: Address,
}

impl Addresses {
    pub(crate) fn new(share: Share) -> Arc<Self> {
        let table = Mutex::default();
        Arc::new(Self { share, table })
    }

    /// Lets one more connection of this address in; none if it has as many as it may.
    pub(crate) fn enter(self: &Arc<Self>, address: Address) -> Option<Visitor> {
        let now = Instant::now();
        let mut table = self.table();
        if !table.rows.contains_key(&address) {
            table.make_room(now);
        }
        let row = table.rows.entry(address).or_insert_with(|| Row {
            connections: 0,
            spectators: Credits::new(self.share.spectators, now),
            players: Credits::new(self.share.players, now),
        });
        if row.connections >= self.share.connections {
            return None;
        }
        row.connections += 1;
        let addresses = Arc::clone(self);
        Some(Visitor { addresses, address })
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        // Every change of the table is complete before anything in it can panic.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// Forgets addresses that nobody is here from any more. Not at once: who comes back must find the
    /// credits as they were left, or coming back would be a way to new ones.
    fn make_room(&mut self, now: Instant) {
        if self.rows.len() >= self.sweep_at.max(ADDRESSES_SWEPT_FROM) {
            self.rows.retain(|_, row| !row.is_as_new(now));
            if self.rows.len() >= ADDRESSES_MAX {
                self.rows.retain(|_, row| row.connections > 0);
            }
            self.sweep_at = (2 * self.rows.len()).min(ADDRESSES_MAX);
        }
    }
}

impl Row {
    fn is_as_new(&mut self, now: Instant) -> bool {
        self.connections == 0 && self.spectators.is_full(now) && self.players.is_full(now)
    }
}

impl Visitor {
    /// Takes one credit of those that the address has for this role.
    ///
    /// # Errors
    /// The rate, where there is none left.
    pub(crate) fn spend(&self, role: Role, now: Instant) -> Result<(), Rate> {
        let mut table = self.addresses.table();
        let row = table.rows.get_mut(&self.address);
        let row = row.expect("a row stays while its connections do");
        let credits = match role {
            Role::Spectator => &mut row.spectators,
            Role::Player => &mut row.players,
        };
        if credits.spend(now) {
            Ok(())
        } else {
            Err(credits.rate())
        }
    }
}

impl Drop for Visitor {
    fn drop(&mut self) {
        if let Some(row) = self.addresses.table().rows.get_mut(&self.address) {
            row.connections -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::time::Duration;

    use super::*;

    fn addresses(connections: usize) -> Arc<Addresses> {
        let rate = |burst| Rate {
            per_second: 1,
            burst,
        };
        Addresses::new(Share {
            connections,
            spectators: rate(2),
            players: rate(3),
        })
    }

    fn address(number: u32) -> Address {
        IpAddr::from(Ipv4Addr::from_bits(number)).into()
    }

    fn rows(addresses: &Addresses) -> usize {
        addresses.table().rows.len()
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_has_so_many_connections_and_others_have_theirs() {
        let addresses = addresses(2);
        let first = addresses.enter(address(1)).unwrap();
        let _second = addresses.enter(address(1)).unwrap();
        assert!(addresses.enter(address(1)).is_none());
        let _other = addresses.enter(address(2)).unwrap();
        drop(first);
        let _third = addresses.enter(address(1)).expect("a place is free again");
        assert!(addresses.enter(address(1)).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn spectators_cannot_use_up_what_players_have() {
        let addresses = addresses(2);
        let (one, two) = (addresses.enter(address(1)), addresses.enter(address(1)));
        let (one, two) = (one.unwrap(), two.unwrap());
        let now = Instant::now();
        assert!(one.spend(Role::Spectator, now).is_ok() && two.spend(Role::Spectator, now).is_ok());
        let rate = one.spend(Role::Spectator, now).unwrap_err();
        assert_eq!(rate.burst, 2, "shared by both connections");
        assert!(two.spend(Role::Spectator, now).is_err());
        for _ in 0..3 {
            two.spend(Role::Player, now).unwrap();
        }
        assert!(two.spend(Role::Player, now).is_err());
        let other = addresses.enter(address(2)).unwrap();
        assert!(other.spend(Role::Spectator, now).is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn coming_back_brings_no_new_credits() {
        let addresses = addresses(1);
        let visitor = addresses.enter(address(1)).unwrap();
        let now = Instant::now();
        while visitor.spend(Role::Spectator, now).is_ok() {}
        drop(visitor);
        let visitor = addresses.enter(address(1)).unwrap();
        assert!(visitor.spend(Role::Spectator, now).is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn the_table_is_bounded_and_forgets_who_has_left() {
        let addresses = addresses(1);
        let visit = |from: u32, count: usize| {
            for number in from..from + u32::try_from(count).unwrap() {
                let visitor = addresses.enter(address(number)).unwrap();
                visitor.spend(Role::Spectator, Instant::now()).unwrap();
            }
        };
        let stayed = addresses.enter(address(0)).unwrap();
        let now = Instant::now();
        while stayed.spend(Role::Spectator, now).is_ok() {}
        visit(1, 3 * ADDRESSES_MAX);
        assert!(rows(&addresses) <= ADDRESSES_MAX, "though none is as new");
        tokio::time::advance(Duration::from_secs(60)).await;
        visit(0x0100_0000, ADDRESSES_MAX);
        tokio::time::advance(Duration::from_secs(60)).await;
        visit(0x0200_0000, ADDRESSES_MAX / 2);
        let (kept, now) = (rows(&addresses), Instant::now());
        let mut table = addresses.table();
        table.rows.retain(|_, row| !row.is_as_new(now));
        assert!(kept <= table.rows.len() + ADDRESSES_MAX / 2, "{kept}");
        drop(table);
        assert!(
            addresses.enter(address(0)).is_none(),
            "who is here is not forgotten"
        );
        drop(stayed);
    }
}
