//! Bounds per address: what its connections have and do is counted, by what they do.
//!
//! Many clients behind one address (a school, a provider's gateway) are not one client, so the
//! bounds are generous. Players have a bucket of their own, which spectators cannot empty. An IPv6
//! address is also counted in the wider networks that one customer may own. A part of what all share
//! stays free for addresses with little of it.

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

/// The token bucket of an address that a connection's messages are taken from.
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

    /// The bucket of an address that its messages are taken from.
    pub fn spent(self) -> Spent {
        match self {
            Self::Spectator => Spent::SpectatorMessages,
            Self::Player => Spent::PlayerMessages,
        }
    }
}
