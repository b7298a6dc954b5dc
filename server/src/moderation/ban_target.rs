//! The target of a ban, as an operator writes it.

use std::fmt;
use std::str::FromStr;

use fibfob_net::client_address::{ClientAddress, Network};
use fibfob_protocol::GuestId;
use thiserror::Error;

/// The target of a ban.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BanTarget {
    /// A guest, wherever it comes from.
    Guest(GuestId),
    /// All guests from a network.
    Network(Network),
}

/// The text names neither a guest nor a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected the id of a guest, an address, or a network such as 192.0.2.0/24")]
pub struct InvalidBanTarget;

as_text!(BanTarget);

impl FromStr for BanTarget {
    type Err = InvalidBanTarget;

    fn from_str(text: &str) -> Result<Self, InvalidBanTarget> {
        let network = || text.parse().map(Self::Network);
        let guest = guest_id(text).map(Self::Guest);
        guest.or_else(|_| network()).map_err(|_| InvalidBanTarget)
    }
}

impl fmt::Display for BanTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Guest(guest) => guest.fmt(f),
            Self::Network(network) => network.fmt(f),
        }
    }
}

impl BanTarget {
    /// Returns true if the ban concerns a guest from this address.
    pub(crate) fn has(&self, guest: GuestId, address: ClientAddress) -> bool {
        match self {
            Self::Guest(meant) => *meant == guest,
            Self::Network(network) => network.has(address),
        }
    }
}

/// Parses the id of a guest.
pub(crate) fn guest_id(text: &str) -> Result<GuestId, uuid::Error> {
    text.parse().map(GuestId)
}
