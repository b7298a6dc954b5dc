//! A server from its start to the end of its drain.

use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::accept::accept;
use crate::app::App;
use crate::config::Config;
use crate::http;
use crate::identity::Identity;
use crate::limits::{DRAIN_WITHIN, LOBBY_KEPT_MAX, STOP_WITHIN};
use crate::lobby::Lobby;
use crate::matches::{Directory, Setting};
use crate::store::{Store, StoreError};

/// Serves on `listener` until `shutdown`, then lets clients and matches finish what they have
/// begun and returns. When it has returned, nothing of this server uses the store any more,
/// unless a bound of the drain was reached.
///
/// # Errors
/// If the store cannot be read at the start.
pub async fn run(
    listener: TcpListener,
    store: Store,
    config: Config,
    shutdown: CancellationToken,
) -> Result<(), StoreError> {
    let identity = Identity::new(store.server_key().await?);
    let shown = store.shown(LOBBY_KEPT_MAX).await?;
    let lobby = Arc::new(Lobby::new(config.clock.clone(), shown));
    // Dropped with this future, the guards stop what it has started.
    let (draining, stop) = (CancellationToken::new(), CancellationToken::new());
    let _guards = (draining.clone().drop_guard(), stop.clone().drop_guard());
    let setting = Setting {
        store: store.clone(),
        lobby: Arc::clone(&lobby),
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
        clock: config.clock,
        rate: config.rate,
        open_for: config.open_for,
        grace: config.grace,
        allow_origins: config.allow_origins,
        page: http::Page::new(config.web),
        draining: draining.clone(),
        sessions: TaskTracker::new(),
    });
    let connections = TaskTracker::new();
    let router = http::router(Arc::clone(&app));
    connections.spawn(accept(listener, router, connections.clone(), stop.clone()));
    connections.spawn(publish(lobby, stop.clone()));

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

async fn publish(lobby: Arc<Lobby>, stop: CancellationToken) {
    tokio::select! {
        () = stop.cancelled() => {}
        () = lobby.publish() => {}
    }
}
