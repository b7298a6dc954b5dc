//! What the parts of one running server share.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::address::TrustedProxy;
use crate::addresses::Addresses;
use crate::clock::Clock;
use crate::config::{Bounds, Rate};
use crate::http::Page;
use crate::identity::Identity;
use crate::lobby::Lobby;
use crate::matches::Directory;
use crate::metrics::Metrics;
use crate::origin::Origin;
use crate::store::Store;

/// One running server.
pub(crate) struct App {
    pub directory: Arc<Directory>,
    pub lobby: Arc<Lobby>,
    pub identity: Identity,
    pub store: Store,
    pub metrics: Arc<Metrics>,
    pub clock: Clock,
    pub rate: Rate,
    pub bounds: Bounds,
    pub addresses: Arc<Addresses>,
    pub trusted_proxies: Vec<TrustedProxy>,
    pub open_for: Duration,
    pub grace: Duration,
    /// Whether TLS is spoken here, and not only by a proxy.
    pub secure: bool,
    pub allow_origins: Vec<Origin>,
    pub page: Page,
    /// Cancelled when the server begins to shut down.
    pub draining: CancellationToken,
    /// Every WebSocket connection.
    pub sessions: TaskTracker,
}
