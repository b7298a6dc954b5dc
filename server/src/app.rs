//! The state shared by all parts of a running server.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::clock::Clock;
use crate::identity::TokenAuthority;
use crate::limits::{READY_WITHIN, Rate};
use crate::lobby::Lobby;
use crate::matches::{AbsenceLedger, ConnectedGuests, Directory};
use crate::net::address_guard::AddressTable;
use crate::ops::config::Bounds;
use crate::ops::metrics::Metrics;
use crate::random::Randomness;
use crate::store::Store;

/// One running server.
pub(crate) struct App {
    pub directory: Arc<Directory>,
    pub guests: ConnectedGuests,
    pub absences: Arc<AbsenceLedger>,
    pub lobby: Arc<Lobby>,
    pub identity: TokenAuthority,
    pub store: Store,
    pub metrics: Arc<Metrics>,
    pub clock: Clock,
    pub randomness: Randomness,
    pub rate: Rate,
    pub bounds: Bounds,
    pub addresses: Arc<AddressTable>,
    pub open_for: Duration,
    pub grace: Duration,
    /// The address that others reach the server at, if the operator has named it.
    pub public_url: Option<String>,
    /// Cancelled when the server begins to shut down.
    pub draining: CancellationToken,
    /// The tasks of all sessions.
    pub sessions: TaskTracker,
}

impl App {
    /// Checks that the server accepts requests and its store can write.
    ///
    /// # Errors
    /// The reason why not.
    pub(crate) async fn readiness(&self) -> Result<(), String> {
        if self.draining.is_cancelled() {
            return Err("shutting down".to_owned());
        }
        match timeout(READY_WITHIN, self.store.ready()).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err("the store does not answer".to_owned()),
        }
    }
}
