//! Counts refused clients by reason, and logs them once a minute, with a line for each address.
//!
//! Knows no client's text. The log shows as much of an address as the operator wants.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};

use ipnet::IpNet;
use parking_lot::Mutex;
use strum::{EnumString, IntoStaticStr, VariantArray, VariantNames};

use crate::client_address::ClientAddress;
use crate::limits::{LOGGED_PREFIX_V4, LOGGED_PREFIX_V6, REFUSED_ADDRESSES_MAX};

/// A reason why a connection, a request or a message was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum RefusedFor {
    /// Its address has as many connections as it may, or has opened too many lately.
    TooManyConnections,
    /// Too much was sent to its address.
    TooManyBytes,
    /// Its address has used up its processor time.
    TooMuchTime,
    /// Messages above a rate.
    TooFast,
    /// Its address has stored too much in the last day.
    TooMuchStored,
    /// TLS was expected and not spoken, or its handshake failed.
    NoTls,
    /// Bytes that are no request, no WebSocket, or no message.
    Malformed,
    /// A request, or its `hello`, was not complete in time.
    Late,
    /// The request names another host.
    WrongHost,
    /// The page that connects is of a foreign origin.
    WrongOrigin,
    /// The token is not of this server.
    BadToken,
}

/// The number of reasons.
const REASONS: usize = RefusedFor::VARIANTS.len();

/// The value of `--log-addresses`: how much of a client's address the log shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum LogAddresses {
    /// No part of it.
    Off,
    /// Its network: /24, or /48 of IPv6.
    #[default]
    Prefix,
    /// The address, for IPv6 its /64, by which clients are counted.
    Full,
}

impl LogAddresses {
    /// Returns the network that stands for an address in the log; none if the log shows none.
    fn shown(self, address: ClientAddress) -> Option<IpNet> {
        let network = address.network();
        let prefix = match network {
            IpAddr::V4(_) => LOGGED_PREFIX_V4,
            IpAddr::V6(_) => LOGGED_PREFIX_V6,
        };
        match self {
            Self::Off => None,
            Self::Prefix => Some(IpNet::new_assert(network, prefix).trunc()),
            Self::Full => Some(address.as_net()),
        }
    }
}

/// A server's refusals: all of them by reason, and those since the last log lines.
#[derive(Default)]
pub struct Refusals {
    shown: LogAddresses,
    counts: [AtomicU64; REASONS],
    /// By what the log shows of the address; none for all beyond [`REFUSED_ADDRESSES_MAX`].
    untold: Mutex<BTreeMap<Option<IpNet>, [u64; REASONS]>>,
}

impl Refusals {
    /// None so far.
    pub fn new(shown: LogAddresses) -> Self {
        Self {
            shown,
            ..Self::default()
        }
    }

    /// Counts a refusal.
    pub fn note(&self, address: ClientAddress, reason: RefusedFor) {
        self.counts[reason as usize].fetch_add(1, Ordering::Relaxed);
        let mut untold = self.untold.lock();
        let mut shown = self.shown.shown(address);
        if untold.len() >= REFUSED_ADDRESSES_MAX && !untold.contains_key(&shown) {
            shown = None;
        }
        untold.entry(shown).or_default()[reason as usize] += 1;
    }

    /// The number of refusals for this reason.
    pub fn count(&self, reason: RefusedFor) -> u64 {
        self.counts[reason as usize].load(Ordering::Relaxed)
    }

    /// Logs the refusals since the last time, with a line for each address.
    pub fn tell(&self) {
        let untold = std::mem::take(&mut *self.untold.lock());
        for (address, counts) in untold {
            let times: u64 = counts.iter().sum();
            let address = match address {
                Some(single) if single.prefix_len() == single.max_prefix_len() => {
                    single.addr().to_string()
                }
                Some(network) => network.to_string(),
                None if self.shown == LogAddresses::Off => "not logged".to_owned(),
                None => "others".to_owned(),
            };
            let reasons = in_words(&counts);
            tracing::info!(%address, times, reasons, "clients were refused");
        }
    }
}

/// The reasons with their counts, such as `too-fast 12, malformed 1`.
fn in_words(counts: &[u64; REASONS]) -> String {
    let counted = RefusedFor::VARIANTS.iter().zip(counts);
    let words = counted
        .filter(|(_, count)| **count > 0)
        .map(|(reason, count)| {
            let reason: &str = reason.into();
            format!("{reason} {count}")
        });
    words.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusals(shown: LogAddresses, addresses: &[&str]) -> Vec<String> {
        let refusals = Refusals::new(shown);
        for address in addresses {
            let address: IpAddr = address.parse().unwrap();
            refusals.note(address.into(), RefusedFor::Malformed);
        }
        let untold = refusals.untold.lock();
        let rows = untold.iter();
        rows.map(|(shown, counts)| {
            let shown = shown.map(|shown| shown.to_string());
            format!("{}: {}", shown.unwrap_or_default(), in_words(counts))
        })
        .collect()
    }

    #[test]
    fn the_log_shows_as_much_of_an_address_as_the_operator_wants() {
        let addresses = [
            "192.0.2.1",
            "192.0.2.9",
            "::ffff:192.0.2.9",
            "2001:db8:1:2::1",
        ];
        let shown = |shown| refusals(shown, &addresses);
        assert_eq!(shown(LogAddresses::Off), [": malformed 4"]);
        assert_eq!(
            shown(LogAddresses::Prefix),
            ["192.0.2.0/24: malformed 3", "2001:db8:1::/48: malformed 1"]
        );
        assert_eq!(
            shown(LogAddresses::Full),
            [
                "192.0.2.1/32: malformed 1",
                "192.0.2.9/32: malformed 2",
                "2001:db8:1:2::/64: malformed 1"
            ]
        );
    }

    #[test]
    fn refusals_of_many_addresses_share_a_line_and_none_is_lost() {
        let refusals = Refusals::new(LogAddresses::Full);
        let addresses = u32::try_from(REFUSED_ADDRESSES_MAX).unwrap() + 5;
        for number in 0..addresses {
            let address = IpAddr::V4(number.into());
            refusals.note(address.into(), RefusedFor::TooFast);
        }
        let first = IpAddr::V4(0.into());
        refusals.note(first.into(), RefusedFor::Malformed);
        let untold = refusals.untold.lock().clone();
        assert_eq!(untold.len(), REFUSED_ADDRESSES_MAX + 1);
        assert_eq!(in_words(&untold[&None]), "too-fast 5");
        let first = untold[&Some(IpNet::from(first))];
        assert_eq!(in_words(&first), "too-fast 1, malformed 1");
        assert_eq!(refusals.count(RefusedFor::TooFast), u64::from(addresses));
        refusals.tell();
        assert!(refusals.untold.lock().is_empty());
    }
}
