//! The text that the program prints at its start: the address, and the commands to begin with.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4};

use fibfob_net::origin::Origin;

use crate::ops::store_url::StoreUrl;

/// The address that `fibfob` connects to by default.
const DEFAULT_ADDRESS: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 7171));

/// The facts that the text shows.
#[expect(missing_docs, reason = "the rest is what it is called")]
pub struct Banner<'a> {
    /// The address that the server listens on.
    pub address: SocketAddr,
    pub tls: bool,
    pub public_url: Option<&'a Origin>,
    /// The separate address of the metrics.
    pub metrics: Option<SocketAddr>,
    pub store: &'a StoreUrl,
}

impl Banner<'_> {
    /// The address at which this machine reaches the server.
    fn here(&self) -> String {
        let scheme = if self.tls { "https" } else { "http" };
        format!("{scheme}://{}", reachable(self.address))
    }

    /// Returns the address alone, for programs that start a server.
    #[must_use]
    pub fn line(&self) -> String {
        format!("Fib Fob at {}\n", self.here())
    }

    /// The text, for people.
    #[must_use]
    pub fn text(&self) -> String {
        let here = self.here();
        let url = self.public_url.map_or(here.clone(), Origin::to_string);
        let is_default = self.address == DEFAULT_ADDRESS && !self.tls && self.public_url.is_none();
        let server = match is_default {
            true => String::new(),
            false => format!(" --server {url}"),
        };
        let hint = match self.public_url {
            Some(_) => &format!("This server listens at {here}\n"),
            None if self.address.ip().is_loopback() => {
                "Only this machine reaches it; for friends elsewhere see --listen and --public-url.\n"
            }
            None if self.address.ip().is_unspecified() => {
                "For friends elsewhere --public-url names the address in these links.\n"
            }
            None => "",
        };
        let metrics = self
            .metrics
            .map(|at| format!("Prometheus metrics at http://{at}/metrics\n"));
        let metrics = metrics.unwrap_or_default();
        const CONTINUED: &str = "matches continue when it runs again";
        let (store, after) = match self.store {
            StoreUrl::Memory => ("memory".to_owned(), "all matches are LOST with it"),
            StoreUrl::Sqlite(path) => (path.display().to_string(), CONTINUED),
            StoreUrl::Postgres(url) => (url.to_string(), CONTINUED),
        };
        format!(
            "Fib Fob at {url} for a browser; in a terminal:\n\n  \
             fibfob play --bot casual{server}    against the server's solver\n  \
             fibfob play{server}                 against a friend: prints a code\n  \
             fibfob play --join CODE{server}     the friend\n  \
             fibfob lobby{server}                open matches and matches in play\n\n\
             {hint}Matches are kept in {store}\n{metrics}\
             Ctrl-C ends the server; {after}.\n"
        )
    }

    /// Returns whether tokens cross a network unencrypted: other machines reach the server, and neither it
    /// nor, as far as it knows, a proxy speaks TLS.
    #[must_use]
    pub fn is_exposed(&self) -> bool {
        let by_proxy = self.public_url.is_some_and(Origin::is_secure);
        !self.address.ip().is_loopback() && !self.tls && !by_proxy
    }
}

/// The address under which this machine reaches the server.
pub(super) fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    fn banner(address: &str, public_url: Option<&str>) -> (String, bool) {
        let public_url: Option<Origin> = public_url.map(|url| url.parse().unwrap());
        let banner = Banner {
            address: address.parse().unwrap(),
            tls: false,
            public_url: public_url.as_ref(),
            metrics: None,
            store: &StoreUrl::Memory,
        };
        (banner.text(), banner.is_exposed())
    }

    #[test]
    fn printed_links_use_the_address_that_a_friend_can_reach() {
        let (text, _) = banner("0.0.0.0:7171", Some("https://fib.example"));
        assert!(text.starts_with("Fib Fob at https://fib.example for"));
        assert!(text.contains("fibfob play --join CODE --server https://fib.example "));
        assert!(text.contains("\nThis server listens at http://127.0.0.1:7171\n"));
        assert_eq!(text.matches("127.0.0.1").count(), 1);
        let (text, _) = banner("0.0.0.0:7171", None);
        assert!(text.starts_with("Fib Fob at http://127.0.0.1:7171 for"));
        assert!(text.contains("--public-url names"));
        let (text, _) = banner("127.0.0.1:7171", None);
        assert!(text.contains("fibfob play --join CODE     the friend"));
        assert!(text.contains("Only this machine reaches it"));
    }

    #[test]
    fn only_a_store_that_is_kept_promises_that_matches_continue() {
        let text = |store: &StoreUrl| {
            Banner {
                address: DEFAULT_ADDRESS,
                tls: false,
                public_url: None,
                metrics: None,
                store,
            }
            .text()
        };
        let memory = text(&StoreUrl::Memory);
        assert!(
            memory.contains("LOST") && !memory.contains("continue"),
            "{memory}"
        );
        assert!(text(&StoreUrl::Sqlite("matches.sqlite".into())).contains("continue"));
    }

    #[test]
    fn a_clear_address_beyond_loopback_is_exposed() {
        assert!(banner("0.0.0.0:1", None).1);
        assert!(banner("192.0.2.1:1", Some("http://fib.example")).1);
        assert!(!banner("192.0.2.1:1", Some("https://fib.example")).1);
        assert!(!banner("[::1]:1", None).1);
    }
}
