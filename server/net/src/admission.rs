//! Admits a connection: checks the bounds, gives it a permit, and finds the client behind it.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::http::HeaderMap;
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::address_guard::{AddressAccount, AddressGuard, AddressTable};
use crate::client_address::{Network, client_address};
use crate::limits::Rate;
use crate::refusals::RefusedFor;
use crate::throttle::Throttled;

/// The bounds on the connections that a listener accepts.
#[derive(Clone)]
pub struct AdmissionPolicy {
    /// The addresses with open connections, shared by all listeners of a server.
    pub addresses: Arc<AddressTable>,
    /// Proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Vec<Network>,
    /// Permits for the connections of one listener at once.
    pub permits: Arc<Semaphore>,
    /// The bounds of each.
    pub stream: StreamBounds,
}

/// The bounds of one connection.
#[derive(Clone, Copy)]
pub struct StreamBounds {
    /// The longest time for the head of a request.
    pub head_within: Duration,
    /// The rate at which bytes are read, per second.
    pub read_rate: Rate,
    /// The time that a write may make no progress.
    pub write_within: Duration,
}

impl StreamBounds {
    pub(crate) fn throttled(self, stream: TcpStream) -> Throttled<TcpStream> {
        Throttled::new(stream, self.read_rate, self.write_within)
    }
}

/// The headers by which a proxy says that it forwards for somebody.
const FORWARDED: [&str; 4] = ["forwarded", "x-forwarded-for", "x-real-ip", "via"];

/// The permit of one connection, counted against the server's and its address's bounds until the
/// last clone is dropped.
#[derive(Clone)]
pub struct ConnectionPermit {
    pub(crate) peer: IpAddr,
    /// None for a trusted proxy, which is not counted itself.
    pub(crate) guard: Option<Arc<AddressGuard>>,
    pub(crate) policy: Arc<AdmissionPolicy>,
    pub(crate) _open: Arc<OwnedSemaphorePermit>,
}

impl ConnectionPermit {
    /// Counts the client behind a request against its address; none if the address has too many connections.
    /// A client behind a proxy waits for its turn here.
    pub async fn address_guard(&self, headers: &HeaderMap) -> Option<Arc<AddressGuard>> {
        if let Some(guard) = &self.guard {
            return Some(Arc::clone(guard));
        }
        let client = self.client(headers);
        let guard = Arc::new(self.policy.addresses.admit(client.into())?);
        guard.start().await;
        Some(guard)
    }

    /// The account of the client behind a request on this connection.
    pub fn account(&self, headers: &HeaderMap) -> AddressAccount {
        match &self.guard {
            Some(guard) => AddressAccount::clone(guard),
            None => self.policy.addresses.account(self.client(headers).into()),
        }
    }

    /// Returns true if the client is on this machine, and no proxy says that it forwards for somebody else.
    pub fn is_local(&self, headers: &HeaderMap) -> bool {
        let is_forwarded = FORWARDED.iter().any(|name| headers.contains_key(*name));
        self.peer.to_canonical().is_loopback() && !is_forwarded
    }

    fn client(&self, headers: &HeaderMap) -> IpAddr {
        let forwarded = headers.get_all("x-forwarded-for");
        let forwarded: Vec<_> = forwarded
            .iter()
            .map(|list| list.to_str().unwrap_or(""))
            .collect();
        let trusted = &self.policy.trusted_proxies;
        client_address(self.peer, forwarded.into_iter(), trusted)
    }
}

/// The other side of a connection, against which refusals are counted.
#[derive(Clone)]
pub(crate) struct Peer {
    pub address: IpAddr,
    pub addresses: Arc<AddressTable>,
}

impl Peer {
    /// Counts a refusal of it.
    pub(crate) fn refused(&self, reason: RefusedFor) {
        let refusals = &self.addresses.refusals;
        refusals.note(self.address.into(), reason);
    }

    /// Counts the failure of a connection that was served. Browsers open spare connections and send nothing,
    /// which counts as no failure.
    pub(crate) fn note_failure(&self, served: &hyper::Result<()>, received: &AtomicBool) {
        let Err(error) = served else { return };
        tracing::debug!(%error, "a connection failed");
        if error.is_parse() {
            self.refused(RefusedFor::Malformed);
        } else if error.is_timeout() && received.load(Ordering::Relaxed) {
            self.refused(RefusedFor::Late);
        }
    }
}
