//! A server from its start to the end of its drain.

use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};
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
use crate::tasks::Tasks;

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
    let page = Arc::new(http::Page::new(config.web.clone()));
    let server = Server::start(store, config, page, Tasks::default()).await?;
    let connections = TaskTracker::new();
    let router = http::router(Arc::clone(&server.app));
    let stop = server.stop.clone();
    connections.spawn(accept(listener, router, connections.clone(), stop));

    shutdown.cancelled().await;
    tracing::info!("shutting down: clients are told, what was begun is finished");
    if !server.drain(&connections).await {
        tracing::warn!("some connections or matches did not end in time and were left");
    }
    tracing::info!("shut down");
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
    /// A server on the matches of `store`.
    pub(crate) async fn start(
        store: Store,
        config: Config,
        page: Arc<http::Page>,
        tasks: Tasks,
    ) -> Result<Self, StoreError> {
        let identity = Identity::new(store.server_key().await?);
        let shown = store.shown(LOBBY_KEPT_MAX).await?;
        let lobby = Arc::new(Lobby::new(config.clock.clone(), shown));
        let (draining, stop) = (CancellationToken::new(), CancellationToken::new());
        let guards = [draining.clone().drop_guard(), stop.clone().drop_guard()];
        tasks.spawn(publish(Arc::clone(&lobby), stop.clone()));
        let setting = Setting {
            store: store.clone(),
            lobby: Arc::clone(&lobby),
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
            clock: config.clock,
            chance: config.chance,
            rate: config.rate,
            open_for: config.open_for,
            grace: config.grace,
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
