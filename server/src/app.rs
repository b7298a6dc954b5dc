//! What the parts of one running server share.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::chance::Chance;
use crate::clock::Clock;
use crate::http::Page;
use crate::identity::Identity;
use crate::lobby::Lobby;
use crate::matches::Directory;
use crate::net::address_limits::Addresses;
use crate::net::client_address::TrustedProxy;
use crate::net::origin::Origin;
use crate::ops::config::{Bounds, Rate};
use crate::ops::metrics::Metrics;
use crate::store::Store;

/// One running server.
pub(crate) struct App {
    pub directory: Arc<Directory>,
    pub lobby: Arc<Lobby>,
    pub identity: Identity,
    pub store: Store,
    pub metrics: Arc<Metrics>,
    pub clock: Clock,
    pub chance: Chance,
    pub rate: Rate,
    pub bounds: Bounds,
    pub addresses: Arc<Addresses>,
    pub trusted_proxies: Vec<TrustedProxy>,
    pub open_for: Duration,
    pub grace: Duration,
    /// Whether TLS is spoken here, and not only by a proxy.
    pub secure: bool,
    pub allow_origins: Vec<Origin>,
    pub page: Arc<Page>,
    /// Cancelled when the server begins to shut down.
    pub draining: CancellationToken,
    /// Every WebSocket connection.
    pub sessions: TaskTracker,
}
