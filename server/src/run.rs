//! A server from its start to the end of its drain.

use std::sync::Arc;

use fibfob_protocol::{Match, Timestamp};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::accept::Door;
use crate::addresses::{Addresses, Share};
use crate::app::App;
use crate::clock::Clock;
use crate::config::Config;
use crate::doors::{Doors, MetricsDoor};
use crate::http;
use crate::identity::Identity;
use crate::limits::{
    DRAIN_WITHIN, LOBBY_KEPT_MAX, PLAYERS_TIMES, SEAT_COUNTS_FOR, SEATS_KNOWN_MAX, STOP_WITHIN,
};
use crate::listing::Listing;
use crate::lobby::Lobby;
use crate::matches::{Directory, Setting};
use crate::metrics::Metrics;
use crate::seats::Seats;
use crate::store::{Store, StoreError};

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
    let identity = Identity::new(store.server_key().await?);
    let shown = store.shown(LOBBY_KEPT_MAX).await?;
    let seats = Seats::new(config.clock.clone());
    if let Err(error) = remember(&seats, &store, &config.clock).await {
        // A bound on guests is no reason not to serve them.
        tracing::warn!(%error, "seats taken before this start are not counted");
    }
    let lobby = Arc::new(Lobby::new(config.clock.clone(), shown));
    // Dropped with this future, the guards stop what it has started.
    let (draining, stop) = (CancellationToken::new(), CancellationToken::new());
    let _guards = (draining.clone().drop_guard(), stop.clone().drop_guard());
    let metrics = Arc::new(Metrics::new(&store.meter(), config.clock.now()));
    let setting = Setting {
        store: store.clone(),
        lobby: Arc::clone(&lobby),
        seats,
        metrics: Arc::clone(&metrics),
        clock: config.clock.clone(),
        started_at: config.clock.now(),
        bot_pause: config.bot_pause,
        idle_after: config.idle_after,
        snapshot_after: config.snapshot_after,
    };
    let directory = Directory::new(setting, stop.clone());
    let app = Arc::new(App {
        directory: Arc::clone(&directory),
        lobby: Arc::clone(&lobby),
        identity,
        store,
        metrics,
        clock: config.clock,
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
        secure: tls.is_some(),
        allow_origins: config.allow_origins,
        page: http::Page::new(config.web),
        draining: draining.clone(),
        sessions: TaskTracker::new(),
    });
    let connections = TaskTracker::new();
    let with_metrics = matches!(metrics_door, MetricsDoor::Same);
    let open = |listener, tls, router| {
        let door = Door::new(
            Arc::clone(&app),
            router,
            tls,
            connections.clone(),
            stop.clone(),
        );
        connections.spawn(door.accept(listener));
    };
    open(listener, tls, http::router(Arc::clone(&app), with_metrics));
    if let MetricsDoor::Own(listener) = metrics_door {
        open(listener, None, http::operators_router(Arc::clone(&app)));
    }
    connections.spawn(publish(lobby, stop.clone()));

    tracing::info!(version = env!("CARGO_PKG_VERSION"), "ready");
    shutdown.cancelled().await;
    tracing::info!("shutting down: clients are told, what was begun is finished");
    draining.cancel();
    app.sessions.close();
    let drained = timeout(DRAIN_WITHIN, app.sessions.wait()).await;
    stop.cancel();
    connections.close();
    let stopped = timeout(STOP_WITHIN, async {
        tokio::join!(connections.wait(), directory.stopped());
    })
    .await;
    if drained.and(stopped).is_err() {
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
    for beginning in store.beginnings(since, SEATS_KNOWN_MAX).await? {
        // What cannot be read is told when somebody looks at it.
        if let Ok(live) = Match::replay(beginning.id, &beginning.records) {
            seats.note(beginning.id, &Listing::of(&live, beginning.created_at));
        }
    }
    Ok(())
}

async fn publish(lobby: Arc<Lobby>, stop: CancellationToken) {
    tokio::select! {
        () = stop.cancelled() => {}
        () = lobby.publish() => {}
    }
}
