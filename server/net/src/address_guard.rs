//! Bounds per address: counts what an address's connections have and do.
//!
//! Many clients behind one address (a school, a provider's gateway) are not one client, so the bounds are
//! generous. Players have a bucket of their own, which spectators cannot empty. An IPv6 address also counts
//! in the wider networks that one customer may own. Part of what all addresses share is kept for those that
//! use little of it.

mod account;
mod share;
mod table;
mod tally;
mod timed;

pub use account::{AddressAccount, AddressSlot};
pub use share::{AddressShare, Held, Spent};
pub use table::{AddressGuard, AddressTable, UntakenBytes};
pub use tally::AddressTally;
pub use timed::TimedSlots;

/// The class of a connection, which decides the bucket that pays for its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrafficClass {
    /// The connection has a seat in none of the matches it follows.
    Spectator,
    /// The connection has a seat in a match it follows.
    Player,
}

impl TrafficClass {
    /// The name of all connections of this class.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Spectator => "spectators",
            Self::Player => "players",
        }
    }

    /// Returns the bucket that pays for its messages.
    pub fn spent(self) -> Spent {
        match self {
            Self::Spectator => Spent::SpectatorMessages,
            Self::Player => Spent::PlayerMessages,
        }
    }
}
