//! What the parts of one running server share.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::chance::Chance;
use crate::clock::Clock;
use crate::config::Rate;
use crate::http::Page;
use crate::identity::Identity;
use crate::lobby::Lobby;
use crate::matches::Directory;
use crate::origin::Origin;
use crate::store::Store;

/// One running server.
pub(crate) struct App {
    pub directory: Arc<Directory>,
    pub lobby: Arc<Lobby>,
    pub identity: Identity,
    pub store: Store,
    pub clock: Clock,
    pub chance: Chance,
    pub rate: Rate,
    pub open_for: Duration,
    pub grace: Duration,
    pub allow_origins: Vec<Origin>,
    pub page: Arc<Page>,
    /// Cancelled when the server begins to shut down.
    pub draining: CancellationToken,
    /// Every WebSocket connection.
    pub sessions: TaskTracker,
}
