//! The address of a client: the TCP peer's, or what a trusted proxy forwards. Counting is done in
//! `address_guard`.

use std::fmt;
use std::iter::successors;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use ipnet::IpNet;
use thiserror::Error;

use crate::limits::IPV6_NETWORKS;

/// The unit by which clients are counted: an IPv4 address, or the first half of an IPv6 address; and the
/// wider networks that an IPv6 customer may own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientAddress(IpNet);

impl From<IpAddr> for ClientAddress {
    fn from(address: IpAddr) -> Self {
        match address.to_canonical() {
            v4 @ IpAddr::V4(_) => Self(v4.into()),
            v6 @ IpAddr::V6(_) => Self::of_width(v6, IPV6_NETWORKS[0].0),
        }
    }
}

impl ClientAddress {
    fn of_width(address: IpAddr, bits: u8) -> Self {
        Self(IpNet::new_assert(address, bits).trunc())
    }

    /// The network with its width.
    pub(crate) fn as_net(self) -> IpNet {
        self.0
    }

    /// The first address of the network.
    pub fn network(self) -> IpAddr {
        self.0.addr()
    }

    /// The next wider network that is counted; none for the widest, and for IPv4.
    pub(crate) fn wider(self) -> Option<Self> {
        let IpNet::V6(own) = self.0 else { return None };
        let mut widths = IPV6_NETWORKS.into_iter().map(|(bits, _)| bits);
        let next = widths.find(|bits| *bits < own.prefix_len())?;
        Some(Self::of_width(self.network(), next))
    }

    /// Lists this network and the wider ones counted around it, from the narrowest to the widest.
    pub fn networks(self) -> impl Iterator<Item = Self> {
        successors(Some(self), |network| network.wider())
    }

    /// The widest network that is counted around this one.
    pub fn widest(self) -> Self {
        self.networks().last().unwrap_or(self)
    }

    /// Returns this network's share, as a multiple of one address's.
    pub fn shares(self) -> u32 {
        let mut shares = IPV6_NETWORKS.into_iter();
        let own = shares.find(|(bits, _)| *bits == self.0.prefix_len());
        // For IPv4, that of one address.
        own.map_or(1, |(_, shares)| shares)
    }

    /// Returns this network's bound on things of which one address may have `most`.
    pub(crate) fn most(self, most: usize) -> usize {
        most.saturating_mul(self.shares() as usize)
    }
}

/// A network that an operator names: of proxies whose `X-Forwarded-For` is trusted, or of banned clients. However
/// it is written, it has one form: without the bits of a host in it, and IPv4 is not mapped into IPv6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network(IpNet);

impl Network {
    /// Returns true if this client is in it. An IPv6 client is known by the first half of its address.
    #[must_use]
    pub fn has(&self, client: ClientAddress) -> bool {
        self.0.contains(&client.0) || client.0.contains(&self.0)
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The bits before an IPv4 address that is mapped into IPv6 (RFC 4291, 2.5.5.2).
const MAPPED_BITS: u8 = 96;

/// The error of a text that names no network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected an address or a network such as `127.0.0.1`, `10.0.0.0/8` or `fd00::/8`")]
pub struct InvalidNetwork;

impl FromStr for Network {
    type Err = InvalidNetwork;

    fn from_str(text: &str) -> Result<Self, InvalidNetwork> {
        let single = || text.parse::<IpAddr>().map(IpNet::from);
        let network: IpNet = text
            .parse()
            .or_else(|_| single())
            .map_err(|_| InvalidNetwork)?;
        // Clients are compared by their canonical addresses, which are never mapped.
        let unmapped = match network.addr().to_canonical() {
            IpAddr::V4(v4) => network
                .prefix_len()
                .checked_sub(MAPPED_BITS)
                .map(|bits| (v4, bits)),
            IpAddr::V6(_) => None,
        };
        let unmapped = unmapped.filter(|_| matches!(network, IpNet::V6(_)));
        let network = unmapped.map_or(network, |(v4, bits)| IpNet::new_assert(v4.into(), bits));
        Ok(Self(network.trunc()))
    }
}

/// Returns true if `peer` is one of the trusted proxies.
pub fn is_proxy(peer: IpAddr, trusted: &[Network]) -> bool {
    let peer = peer.to_canonical();
    trusted.iter().any(|proxy| proxy.0.contains(&peer))
}

/// Returns the address of the client that `peer` forwards for; its own, unless it is a trusted proxy. Each
/// proxy appends the address it received from, so the list is read from its end, as long as trusted proxies
/// wrote the entries. Earlier entries may be forged.
pub fn client_address<'a>(
    peer: IpAddr,
    forwarded: impl DoubleEndedIterator<Item = &'a str>,
    trusted: &[Network],
) -> IpAddr {
    let mut known = peer.to_canonical();
    let entries = forwarded.flat_map(|list| list.split(',')).rev();
    for entry in entries {
        if !is_proxy(known, trusted) {
            break;
        }
        match parse_entry(entry.trim()) {
            Some(before) => known = before.to_canonical(),
            // An unreadable entry counts for the proxy that sent it, so it is bounded too.
            None => break,
        }
    }
    known
}

/// Parses an address as proxies write it; some add a port.
fn parse_entry(entry: &str) -> Option<IpAddr> {
    let bare = entry
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let with_port = || entry.parse().ok().map(|address: SocketAddr| address.ip());
    bare.unwrap_or(entry).parse().ok().or_else(with_port)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn an_ipv6_client_is_counted_by_its_network() {
        let same = |one, two| ClientAddress::from(ip(one)) == ClientAddress::from(ip(two));
        assert!(same("2001:db8:1:2::1", "2001:db8:1:2:ffff::9"));
        assert!(!same("2001:db8:1:2::1", "2001:db8:1:3::1"));
        assert!(!same("192.0.2.1", "192.0.2.2"));
        assert!(
            same("::ffff:192.0.2.1", "192.0.2.1"),
            "an IPv4 address mapped into IPv6 is the same client"
        );
        let wider = |text, times| {
            let mut address = Some(ClientAddress::from(ip(text)));
            for _ in 0..times {
                address = address.and_then(ClientAddress::wider);
            }
            address
        };
        for (times, same, other) in [
            (1, "2001:db8:1:fff::", "2001:db8:1:e00::"),
            (2, "2001:db8:1::", "2001:db8:2::"),
        ] {
            let network = wider("2001:db8:1:f00::1", times).unwrap();
            assert_eq!(Some(network), wider(same, times));
            assert_ne!(Some(network), wider(other, times));
        }
        assert_eq!(wider("2001:db8::", 3), None);
        assert_eq!(wider("192.0.2.1", 1), None);
    }

    #[test]
    fn a_network_has_the_clients_whose_addresses_are_in_it() {
        for (network, inside, outside) in [
            ("192.0.2.0/24", "192.0.2.9", "192.0.3.9"),
            ("192.0.2.9", "::ffff:192.0.2.9", "192.0.2.8"),
            ("2001:db8::/32", "2001:db8:1:2::1", "2001:db9::1"),
            ("2001:db8:1:2::7", "2001:db8:1:2::9", "2001:db8:1:3::7"),
        ] {
            let network: Network = network.parse().unwrap();
            assert!(network.has(ip(inside).into()), "{network} {inside}");
            assert!(!network.has(ip(outside).into()), "{network} {outside}");
        }
    }

    #[test]
    fn a_network_has_one_form_however_it_is_written() {
        for (written, form) in [
            ("192.0.2.1", "192.0.2.1/32"),
            ("192.0.2.9/24", "192.0.2.0/24"),
            ("::ffff:192.0.2.1", "192.0.2.1/32"),
            ("::ffff:c000:201", "192.0.2.1/32"),
            ("::ffff:192.0.2.9/120", "192.0.2.0/24"),
            ("::ffff:0:0/96", "0.0.0.0/0"),
            ("::ffff:192.0.2.1/95", "::fffe:0:0/95"),
            ("2001:db8:1::9/48", "2001:db8:1::/48"),
        ] {
            let network: Network = written.parse().unwrap();
            assert_eq!(network.to_string(), form, "{written}");
            assert_eq!(form.parse(), Ok(network), "{written}");
        }
        let proxy = "::ffff:10.0.0.0/104".parse().unwrap();
        assert!(is_proxy(ip("10.1.2.3"), &[proxy]));
        assert!(
            "::ffff:192.0.2.0/120"
                .parse::<Network>()
                .unwrap()
                .has(ip("192.0.2.7").into())
        );
    }

    #[test]
    fn forwarded_addresses_count_only_from_trusted_proxies() {
        let trusted: Vec<Network> = ["10.0.0.0/8", "fd00::/8", "127.0.0.1"]
            .map(|text| text.parse().unwrap())
            .into();
        for (peer, forwarded, expected) in [
            ("192.0.2.1", vec![], "192.0.2.1"),
            ("192.0.2.1", vec!["203.0.113.5"], "192.0.2.1"),
            ("10.0.0.1", vec![], "10.0.0.1"),
            ("10.0.0.1", vec!["203.0.113.5"], "203.0.113.5"),
            ("::ffff:10.0.0.1", vec!["203.0.113.5"], "203.0.113.5"),
            ("10.0.0.1", vec!["6.6.6.6, 203.0.113.5"], "203.0.113.5"),
            ("10.0.0.1", vec!["6.6.6.6", "203.0.113.5"], "203.0.113.5"),
            ("10.0.0.1", vec!["203.0.113.5, 10.9.9.9"], "203.0.113.5"),
            (
                "10.0.0.1",
                vec!["6.6.6.6, 203.0.113.5,10.9.9.9"],
                "203.0.113.5",
            ),
            ("127.0.0.1", vec!["203.0.113.5:4711"], "203.0.113.5"),
            ("127.0.0.1", vec!["[2001:db8::1]:4711"], "2001:db8::1"),
            ("127.0.0.1", vec!["[2001:db8::1]"], "2001:db8::1"),
            ("127.0.0.2", vec!["203.0.113.5"], "127.0.0.2"),
            ("fd00::1", vec!["2001:db8::1"], "2001:db8::1"),
            ("10.0.0.1", vec!["unknown"], "10.0.0.1"),
            ("10.0.0.1", vec!["6.6.6.6, _hidden, 10.9.9.9"], "10.9.9.9"),
            ("10.0.0.1", vec!["10.0.0.2, 10.0.0.3"], "10.0.0.2"),
        ] {
            let found = client_address(ip(peer), forwarded.clone().into_iter(), &trusted);
            assert_eq!(found, ip(expected), "{peer} for {forwarded:?}");
        }
    }

    #[test]
    fn a_proxy_is_an_address_or_a_network() {
        for right in ["127.0.0.1", "::1", "10.0.0.0/8", "fd00::/8"] {
            assert!(right.parse::<Network>().is_ok(), "{right}");
        }
        for wrong in ["", "*", "10.0.0.0/33", "proxy.example", "10.0.0.1:80"] {
            assert_eq!(wrong.parse::<Network>(), Err(InvalidNetwork), "{wrong}");
        }
    }
}
