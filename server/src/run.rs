//! A server from its start to the end of its drain.

use std::sync::Arc;

use fibfob_protocol::{Match, Timestamp};
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use crate::app::App;
use crate::clock::Clock;
use crate::http;
use crate::identity::Identity;
use crate::limits::{
    DRAIN_WITHIN, LOBBY_KEPT_MAX, PLAYERS_TIMES, SEAT_COUNTS_FOR, SEATS_KNOWN_MAX, STOP_WITHIN,
};
use crate::lobby::Lobby;
use crate::matches::seat_limits::Seats;
use crate::matches::{Directory, Setting};
use crate::net::address_limits::{Addresses, Share};
use crate::net::endpoints::{Doors, MetricsDoor};
use crate::net::listener::Door;
use crate::ops::config::Config;
use crate::ops::metrics::Metrics;
use crate::store::IndexRow;
use crate::store::{Store, StoreError};
use crate::tasks::Tasks;

/// Serves behind `doors` until `shutdown`, then lets clients and matches finish what they have
/// begun and returns. When it has returned, nothing of this server uses the store any more,
/// unless a bound of the drain was reached.
///
/// # Errors
/// If the store cannot be read at the start.
pub async fn run(
    doors: impl Into<Doors>,
    store: Store,
    config: Config,
    shutdown: CancellationToken,
) -> Result<(), StoreError> {
    let Doors {
        listener,
        tls,
        metrics: metrics_door,
    } = doors.into();
    let page = Arc::new(http::Page::new(config.web.clone()));
    let secure = tls.is_some();
    let server = Server::start(store, config, page, secure, Tasks::default()).await?;
    let connections = TaskTracker::new();
    let with_metrics = matches!(metrics_door, MetricsDoor::Same);
    let open = |listener, tls, router| {
        let door = Door::new(
            Arc::clone(&server.app),
            router,
            tls,
            connections.clone(),
            server.stop.clone(),
        );
        connections.spawn(door.accept(listener));
    };
    let router = http::router(Arc::clone(&server.app), with_metrics);
    open(listener, tls, router);
    if let MetricsDoor::Own(listener) = metrics_door {
        let router = http::operators_router(Arc::clone(&server.app));
        open(listener, None, router);
    }

    tracing::info!(version = env!("CARGO_PKG_VERSION"), "ready");
    shutdown.cancelled().await;
    tracing::info!("shutting down: clients are told, what was begun is finished");
    if !server.drain(&connections).await {
        tracing::warn!("some connections or matches did not end in time and were left");
    }
    tracing::info!("shut down");
    Ok(())
}

/// Notes who sits where, from how the newest matches began. One whose joiner came later than in the
/// second event notes itself when it is first looked at.
async fn remember(seats: &Seats, store: &Store, clock: &Clock) -> Result<(), StoreError> {
    let day = u64::try_from(SEAT_COUNTS_FOR.as_millis()).unwrap_or(u64::MAX);
    let since = Timestamp(clock.now().0.saturating_sub(day));
    for unfinished in store.unfinished_matches(since, SEATS_KNOWN_MAX).await? {
        // What cannot be read is told when somebody looks at it.
        if let Ok(live) = Match::replay(unfinished.id, &unfinished.records) {
            seats.note(unfinished.id, &IndexRow::of(&live, unfinished.created_at));
        }
    }
    Ok(())
}

/// A server without its listener. Dropped, it stops what it has started.
pub(crate) struct Server {
    pub(crate) app: Arc<App>,
    /// Cancelled when the sessions have ended: matches and connections end now.
    stop: CancellationToken,
    _guards: [DropGuard; 2],
}

impl Server {
    /// A server on the matches of `store`; `secure` where it speaks TLS itself.
    pub(crate) async fn start(
        store: Store,
        config: Config,
        page: Arc<http::Page>,
        secure: bool,
        tasks: Tasks,
    ) -> Result<Self, StoreError> {
        let identity = Identity::new(store.server_key().await?);
        let lobby_rows = store.lobby_rows(LOBBY_KEPT_MAX).await?;
        let seats = Seats::new(config.clock.clone());
        if let Err(error) = remember(&seats, &store, &config.clock).await {
            // A bound on guests is no reason not to serve them.
            tracing::warn!(%error, "seats taken before this start are not counted");
        }
        let lobby = Arc::new(Lobby::new(config.clock.clone(), lobby_rows));
        let metrics = Arc::new(Metrics::new(&store.meter(), config.clock.now()));
        let (draining, stop) = (CancellationToken::new(), CancellationToken::new());
        let guards = [draining.clone().drop_guard(), stop.clone().drop_guard()];
        tasks.spawn(publish(Arc::clone(&lobby), stop.clone()));
        let setting = Setting {
            store: store.clone(),
            lobby: Arc::clone(&lobby),
            seats,
            metrics: Arc::clone(&metrics),
            clock: config.clock.clone(),
            chance: config.chance.clone(),
            tasks,
            started_at: config.clock.now(),
            bot_pause: config.bot_pause,
            idle_after: config.idle_after,
            snapshot_after: config.snapshot_after,
        };
        let app = Arc::new(App {
            directory: Directory::new(setting, stop.clone()),
            lobby,
            identity,
            store,
            metrics,
            clock: config.clock,
            chance: config.chance,
            rate: config.rate,
            bounds: config.bounds,
            addresses: Addresses::new(Share {
                connections: config.connections_per_address,
                spectators: config.address_rate,
                players: config.address_rate.times(PLAYERS_TIMES),
            }),
            trusted_proxies: config.trusted_proxies,
            open_for: config.open_for,
            grace: config.grace,
            secure,
            allow_origins: config.allow_origins,
            page,
            draining,
            sessions: TaskTracker::new(),
        });
        Ok(Self {
            app,
            stop,
            _guards: guards,
        })
    }

    /// Lets sessions finish what they have begun, then matches and `connections`; whether all
    /// of them did in time.
    pub(crate) async fn drain(&self, connections: &TaskTracker) -> bool {
        self.app.draining.cancel();
        self.app.sessions.close();
        let drained = timeout(DRAIN_WITHIN, self.app.sessions.wait()).await;
        self.stop.cancel();
        connections.close();
        let stopped = timeout(STOP_WITHIN, async {
            tokio::join!(connections.wait(), self.app.directory.stopped());
        })
        .await;
        drained.and(stopped).is_ok()
    }
}

async fn publish(lobby: Arc<Lobby>, stop: CancellationToken) {
    tokio::select! {
        biased;
        () = stop.cancelled() => {}
        () = lobby.publish() => {}
    }
}
