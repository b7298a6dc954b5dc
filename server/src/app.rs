//! The state shared by all parts of a running server.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use fibfob_games::{GameId, MoveSet, Reasoner};
use fibfob_net::address_guard::{AddressAccount, AddressTable};
use fibfob_net::gate::Gate;
use fibfob_net::refusals::RefusedFor;
use fibfob_net::turns::Turns;
use fibfob_protocol::{Limits, PositionAnalysis, Refusal};
use fibfob_server_matches::clock::Clock;
use fibfob_server_matches::errands::Errands;
use fibfob_server_matches::lobby::Lobby;
use fibfob_server_matches::metrics::Metrics;
use fibfob_server_matches::random::Randomness;
use fibfob_server_matches::results::Results;
use fibfob_server_matches::service::ServiceState;
use fibfob_server_matches::{ConnectedGuests, Directory};
use fibfob_store::{Store, StoreRoom};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::calls::Calls;
use crate::credentials::Credentials;
use crate::limits::READY_WITHIN;
use crate::moderation::Moderation;
use crate::ops::config::Bounds;
use crate::persons::Persons;

/// The puzzles that were asked for lately, by game, grade and seed.
pub(crate) type Puzzles =
    Results<(GameId, Option<Reasoner>, u32), Result<Arc<StudiedPosition>, Refusal>>;

/// An answer to `study` or `puzzle` without its command.
pub(crate) type StudiedPosition = (GameId, MoveSet, PositionAnalysis);

/// One running server.
pub(crate) struct App {
    pub directory: Arc<Directory>,
    pub guests: ConnectedGuests,
    pub calls: Calls,
    pub errands: Errands,
    pub service: Arc<ServiceState>,
    pub lobby: Arc<Lobby>,
    pub moderation: Arc<Moderation>,
    pub puzzles: Arc<Puzzles>,
    pub credentials: Credentials,
    pub persons: Persons,
    pub store: Store,
    pub metrics: Arc<Metrics>,
    pub clock: Clock,
    pub randomness: Randomness,
    /// The limits of each connection, as its `welcome` tells them.
    pub limits: Limits,
    pub bounds: Bounds,
    pub addresses: Arc<AddressTable>,
    /// Permits for TCP connections.
    pub connections: Arc<Semaphore>,
    /// The turns of requests, and of sessions without a seat in a match in play.
    pub turns: Arc<Turns>,
    /// The result of the last look at the store. Everybody who asks shares it.
    pub looked: Mutex<Result<String, String>>,
    /// The most bytes that the store may take, if the operator has named a bound.
    pub store_quota: Option<u64>,
    pub open_for: Duration,
    pub grace: Duration,
    /// The address at which others reach the server, if the operator has named it.
    pub public_url: Option<String>,
    /// The version of the web page.
    pub page: String,
    /// The operator's texts, each under the path where it is shown.
    pub texts: BTreeMap<&'static str, String>,
    /// Cancelled when the server begins to shut down.
    pub draining: CancellationToken,
    /// The tasks of all sessions.
    pub sessions: TaskTracker,
}

impl App {
    /// Runs work for an address in a task of its own, after it has passed the gate; a player passes as at
    /// [`Gate::poll`]. So work under way holds nothing of others while its session waits at that gate.
    pub(crate) fn apart<T: Send + 'static>(
        &self,
        asker: AddressAccount,
        plays: bool,
        work: impl Future<Output = T> + Send + 'static,
    ) -> BoxFuture<'static, T> {
        let mut gate = Gate::new(&self.turns, asker);
        let working = self.directory.tasks().apart(async move {
            gate.enter(plays).await;
            gate.run(work).await
        });
        working.boxed()
    }

    /// Returns where an acknowledged event is kept, if the server takes requests, could write to its store at the
    /// last look, and has read the list of forgotten guests.
    ///
    /// # Errors
    /// The reason why not.
    pub(crate) fn readiness(&self) -> Result<String, String> {
        if self.draining.is_cancelled() {
            return Err("shutting down".to_owned());
        }
        let looked = self.looked.lock().clone();
        match self.persons.list_fault() {
            // Somebody who was erased could come back.
            Some(fault) => looked.and(Err(fault)),
            None => looked,
        }
    }

    /// Counts a client that was refused something.
    pub(crate) fn refused(&self, asker: &AddressAccount, reason: RefusedFor) {
        self.addresses.refusals.note(asker.address(), reason);
    }

    /// Reads the room of the store, and tells it the ledger of stored bytes. None if the store does not answer.
    pub(crate) async fn look_at_room(&self) -> Option<StoreRoom> {
        let room = timeout(READY_WITHIN, self.store.room()).await;
        let mut room = room.ok()?.ok()?;
        if let Some(quota) = self.store_quota {
            let left = quota.saturating_sub(room.bytes);
            room.free = Some(room.free.map_or(left, |free| free.min(left)));
        }
        self.directory.disk().set_free(room.free);
        Some(room)
    }

    /// Looks whether the store can write.
    pub(crate) async fn look_at_store(&self) {
        let found = match timeout(READY_WITHIN, self.store.ready()).await {
            Ok(Ok(durability)) => Ok(durability),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err("the store does not answer".to_owned()),
        };
        *self.looked.lock() = found;
    }
}
