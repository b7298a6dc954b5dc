//! The life of a server: start, serve, drain.

use std::net::IpAddr;
use std::sync::Arc;

use fibfob_net::address_guard::{AddressShare, AddressTable};
use fibfob_net::admission::{AdmissionPolicy, StreamBounds};
use fibfob_net::client_address::ClientAddress;
use fibfob_net::endpoints::{Endpoints, MetricsEndpoint};
use fibfob_net::limits::REFUSED_TOLD_EVERY;
use fibfob_net::listener::Listener;
use fibfob_net::tls::Tls;
use fibfob_net::turns::Turns;
use fibfob_page::WebPage;
use fibfob_protocol::{MatchId, Refusal};
use fibfob_server_matches::errands::Errands;
use fibfob_server_matches::results::Results;
use fibfob_server_matches::tasks::Tasks;
use fibfob_server_matches::{MatchEnv, Seams, sweep};
use fibfob_store::limits::{BEAT_EVERY, UPTIME_NOTED_EVERY};
use fibfob_store::{NotedAbsence, Sign, Store, StoreError};
use parking_lot::Mutex;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use crate::admin::{self, AdminError, Answer, Command};
use crate::app::App;
use crate::calls::Calls;
use crate::credentials::Credentials;
use crate::http::{self, HttpState};
use crate::identity::TokenAuthority;
use crate::limits::{
    self, DRAIN_WITHIN, FILES_KEPT, PUZZLES_KEPT, READY_EVERY, STOP_WITHIN, TURNS_PART,
    TURNS_WAITING_MAX,
};
use crate::moderation::Moderation;
use crate::ops::VERSION;
use crate::ops::config::{Config, MIB};
use crate::ops::service_manager;
use crate::persons::Persons;
use crate::session::{self, SessionEnd, SessionSocket};

/// Serves at `endpoints` until `shutdown`, then lets clients and matches finish what is pending, and returns.
/// After that, nothing of this server uses the store any more, unless a bound of the drain was reached.
///
/// ```no_run
/// use fibfob_server::{CancellationToken, Config, run};
/// use fibfob_store::{Memory, Store};
/// use tokio::net::TcpListener;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let listener = TcpListener::bind("127.0.0.1:7171").await?;
/// let shutdown = CancellationToken::new();
/// run(listener, Store::new(Memory::default()), Config::default(), shutdown).await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// If the store cannot be read at the start.
pub async fn run(
    endpoints: impl Into<Endpoints>,
    store: Store,
    config: Config,
    shutdown: CancellationToken,
) -> Result<(), StoreError> {
    let Endpoints {
        listener,
        tls,
        metrics,
        admin,
    } = endpoints.into();
    let _beating = config.clock.beat();
    let server = Server::start(store, &config, Tasks::default()).await?;
    let state = Arc::new(http_state(&server.app, &config, tls.clone()));
    let policy = admission_policy(&server.app, &config);
    let connections = TaskTracker::new();
    let probed = config.clock;
    let probing = async move { probed.probe().await };
    connections.spawn(until(server.stop.clone(), probing));
    let with_metrics = matches!(metrics, MetricsEndpoint::Same);
    let open = |policy, listener, tls, router| {
        let acceptor = Listener::new(
            Arc::new(policy),
            router,
            tls,
            connections.clone(),
            server.stop.clone(),
        );
        connections.spawn(acceptor.accept(listener));
    };
    // Before the first request, which asks for this result.
    server.app.look_at_store().await;
    let router = http::router(Arc::clone(&state), with_metrics);
    let tls = tls.map(|tls| (tls, http::plain_router(Arc::clone(&state))));
    open(policy.clone(), listener, tls, router);
    if let MetricsEndpoint::Own(listener) = metrics {
        // On a port of its own, an operator can look while clients have all connections.
        let permits = Arc::new(Semaphore::new(config.bounds.connections));
        let policy = AdmissionPolicy { permits, ..policy };
        open(policy, listener, None, http::operators_router(state));
    }
    if let Some(socket) = admin {
        let app = Arc::clone(&server.app);
        connections.spawn(admin::serve(socket, app, server.stop.clone()));
    }

    tokio::select! {
        // First, so that even a short run logs that it was ready.
        biased;
        () = watch_readiness(&server.app) => {}
        () = shutdown.cancelled() => {}
    }
    end(&server, &connections).await;
    Ok(())
}

async fn end(server: &Server, connections: &TaskTracker) {
    service_manager::tell("STOPPING=1");
    tracing::info!("shutting down: clients are notified, pending requests are finished");
    if !server.drain(connections).await {
        tracing::warn!("some connections or matches did not end in time; exiting without them");
    }
    tracing::info!("shut down");
}

fn admission_policy(app: &App, config: &Config) -> AdmissionPolicy {
    AdmissionPolicy {
        addresses: Arc::clone(&app.addresses),
        stream: StreamBounds {
            head_within: config.bounds.http_head_within,
            read_rate: limits::read_rate(config.rate),
            write_within: config.bounds.write_within,
        },
        trusted_proxies: config.trusted_proxies.clone(),
        permits: Arc::clone(&app.connections),
    }
}

fn http_state(app: &Arc<App>, config: &Config, tls: Option<Tls>) -> HttpState {
    let allowed = config.allow_origins.iter();
    HttpState {
        app: Arc::clone(app),
        page: WebPage::new(config.web.clone()),
        files: Arc::new(Results::new(FILES_KEPT)),
        tls,
        // The public address is this server's own name.
        allow_origins: allowed.chain(&config.public_url).cloned().collect(),
        public_url: config.public_url.clone(),
    }
}

/// Logs once that the server is ready, and tells a service manager, when `/readyz` says so. Keeps checking,
/// because a store that nobody asks would not notice that its file is gone.
async fn watch_readiness(app: &App) {
    let (mut was_ready, mut was_late) = (false, false);
    loop {
        match app.readiness() {
            Ok(store) if !was_ready => {
                tracing::info!(version = VERSION, %store, "ready");
                service_manager::tell("READY=1");
                was_ready = true;
            }
            Err(_) if !was_ready && !was_late => {
                tracing::warn!("not ready yet: see the lines above, or /readyz");
                was_late = true;
            }
            Ok(_) | Err(_) => {}
        }
        sleep(READY_EVERY).await;
        app.look_at_store().await;
    }
}

/// Looks at the room of the store, so that addresses that fill it are refused before it is full.
async fn watch_room(app: Arc<App>) {
    loop {
        app.look_at_room().await;
        sleep(app.bounds.room_looked_every).await;
    }
}

/// Sends heartbeats to the store. Others see that this server lives; after a kill, the next one knows how
/// long players had thought and been away. Also logs which clients were refused.
async fn keep_beating(app: Arc<App>) {
    let mut absences_noted = Instant::now();
    let mut refusals_logged = Instant::now();
    loop {
        sleep(BEAT_EVERY).await;
        if refusals_logged.elapsed() >= REFUSED_TOLD_EVERY {
            app.addresses.refusals.tell();
            refusals_logged = Instant::now();
        }
        let mut absences = None;
        if absences_noted.elapsed() >= UPTIME_NOTED_EVERY {
            absences = app.directory.absences().changed();
            absences_noted = Instant::now();
        }
        note_sign(&app, Sign::Runs, absences).await;
    }
}

async fn note_sign(app: &App, sign: Sign, absences: Option<Vec<NotedAbsence>>) {
    let has_absences = absences.is_some();
    let is_idle = app.directory.live_matches() == 0;
    if let Err(error) = app.service.beat(sign, is_idle, absences).await {
        tracing::debug!(%error, "heartbeat to the store failed");
        if has_absences {
            app.directory.absences().was_not_noted();
        }
    }
}

/// A server without its listener, as [`run()`] uses it. Dropping it stops everything it started. Public for
/// simulations, which pass sockets and tasks of their own.
pub struct Server {
    app: Arc<App>,
    /// Cancelled after the sessions have ended; then matches and connections end.
    stop: CancellationToken,
    _guards: [DropGuard; 2],
}

impl Server {
    /// Starts a server on the matches of `store`.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn start(store: Store, config: &Config, tasks: Tasks) -> Result<Self, StoreError> {
        let contact = config.public_url.as_ref().map(ToString::to_string);
        let (clock, services) = (|| config.clock.clone(), config.push_services.clone());
        let calls = Calls::new(store.clone(), clock(), services, contact.clone());
        let errands = calls.is_on().then(Errands::new).unwrap_or_default();
        let env = match_env(store.clone(), config, tasks.clone(), errands.clone()).await?;
        let (lobby, cluster) = (Arc::clone(&env.lobby), Arc::clone(&env.cluster));
        let (guests, service) = (env.guests.clone(), Arc::clone(&env.service));
        let metrics = Arc::clone(&env.metrics);
        let key = store.server_key().await?;
        let authority = TokenAuthority::new(key.clone());
        let (hints, drawn) = (Arc::clone(&cluster), (clock(), config.randomness.clone()));
        let credentials = Credentials::new(authority, store.clone(), hints, guests.clone(), drawn);
        let (draining, stop) = (CancellationToken::new(), CancellationToken::new());
        let guards = [draining.clone().drop_guard(), stop.clone().drop_guard()];
        let directory = fibfob_server_matches::directory(env, stop.clone());
        let moderation = Moderation::begin(store.clone(), cluster, clock(), Arc::clone(&lobby));
        let moderation = moderation.await;
        let (around, list) = ((clock(), tasks.clone()), config.forgotten.clone());
        let persons = Persons::open(store.clone(), key, around, list, Arc::clone(&directory)).await;
        let threads = tokio::runtime::Handle::current().metrics().num_workers();
        let turns = Turns::new((threads / TURNS_PART).max(1), TURNS_WAITING_MAX);
        let app = Arc::new(App {
            directory,
            guests,
            calls,
            errands,
            service,
            lobby,
            moderation,
            puzzles: Arc::new(Results::new(PUZZLES_KEPT)),
            credentials,
            persons,
            store,
            metrics,
            clock: config.clock.clone(),
            randomness: config.randomness.clone(),
            limits: config.limits(),
            bounds: config.bounds,
            addresses: address_table(config),
            connections: Arc::new(Semaphore::new(config.bounds.connections)),
            turns,
            looked: Mutex::new(Err("the store was not looked at yet".to_owned())),
            store_quota: config.store_quota.map(|quota| quota.saturating_mul(MIB)),
            open_for: config.open_for,
            grace: config.grace,
            public_url: contact,
            page: fibfob_page::version(config.web.as_deref()),
            texts: config.texts(),
            draining,
            sessions: TaskTracker::new(),
        });
        keep_running(&app, &tasks, &stop);
        Ok(Self {
            app,
            stop,
            _guards: guards,
        })
    }

    /// Returns the session of a connection from `address`, to be run as a task. None if the server drains, or
    /// the address has too many connections.
    pub fn connect(
        &self,
        socket: impl SessionSocket + 'static,
        address: IpAddr,
    ) -> Option<impl Future<Output = ()> + Send + 'static> {
        if self.app.draining.is_cancelled() {
            return None;
        }
        let guard = self.app.addresses.admit(ClientAddress::from(address))?;
        let app = Arc::clone(&self.app);
        let session = session::serve(Box::new(socket), app, Arc::new(guard), ());
        Some(self.app.sessions.track_future(session))
    }

    /// Loads a match, and applies the events that are due.
    ///
    /// # Errors
    /// As for a request of a client.
    pub async fn load(&self, id: MatchId) -> Result<(), Refusal> {
        self.app.directory.inspect(id).await.map(drop)
    }

    /// Runs an operator's command for the machine's user `by`.
    pub async fn perform(&self, command: Command, by: &str) -> Result<Answer, AdminError> {
        admin::perform(&self.app, command, by).await
    }

    /// Returns the number of matches in memory.
    #[must_use]
    pub fn live_matches(&self) -> usize {
        self.app.directory.live_matches()
    }

    /// Returns the JSON text of the lobby, as a client receives it.
    #[must_use]
    pub fn lobby(&self) -> Vec<u8> {
        self.app.lobby.message(0).as_bytes().to_vec()
    }

    /// Lets sessions finish pending requests, then ends matches and `connections`; returns true if
    /// all of them ended in time.
    pub async fn drain(&self, connections: &TaskTracker) -> bool {
        self.app.draining.cancel();
        self.app.sessions.close();
        let drained = timeout(DRAIN_WITHIN, self.app.sessions.wait()).await;
        self.stop.cancel();
        connections.close();
        let stopped = timeout(STOP_WITHIN, async {
            tokio::join!(connections.wait(), self.app.directory.stopped());
        })
        .await;
        self.app.addresses.refusals.tell();
        // The next server charges players' time up to here.
        note_sign(
            &self.app,
            Sign::Ends,
            self.app.directory.absences().changed(),
        )
        .await;
        drained.and(stopped).is_ok()
    }
}

fn address_table(config: &Config) -> Arc<AddressTable> {
    let share = AddressShare::of(
        config.connections_per_address,
        config.matches_per_address,
        config.address_rate,
        config.bounds.computed,
    );
    AddressTable::logging(share, config.bounds.connections, config.log_addresses)
}

/// Makes this server one of those on the store.
async fn match_env(
    store: Store,
    config: &Config,
    tasks: Tasks,
    errands: Errands,
) -> Result<MatchEnv, StoreError> {
    let seams = Seams {
        clock: config.clock.clone(),
        randomness: config.randomness.clone(),
        tasks,
    };
    MatchEnv::begin(
        store,
        config.matches(),
        seams,
        errands,
        &SessionEnd::labels(),
    )
    .await
}

/// Starts the server's work in the background, until it stops.
fn keep_running(app: &Arc<App>, tasks: &Tasks, stop: &CancellationToken) {
    let following = fibfob_server_matches::follow_cluster(Arc::clone(&app.directory));
    tasks.spawn(until(stop.clone(), following));
    let publishing = Arc::clone(&app.lobby);
    let publishing = async move { publishing.publish().await };
    tasks.spawn(until(stop.clone(), publishing));
    if app.calls.is_on() {
        let notifying = session::notify_guests(Arc::clone(app));
        tasks.spawn(until(stop.clone(), notifying));
    }
    let sweeping = sweep(Arc::clone(&app.directory), app.bounds.sweep_every);
    tasks.spawn(until(stop.clone(), sweeping));
    tasks.spawn(until(stop.clone(), keep_beating(Arc::clone(app))));
    tasks.spawn(until(stop.clone(), watch_room(Arc::clone(app))));
    let (forgetting, moderating) = (Arc::clone(app), Arc::clone(app));
    let forgetting = async move { forgetting.persons.keep_forgetting().await };
    tasks.spawn(until(stop.clone(), forgetting));
    let moderating = async move { moderating.moderation.follow().await };
    tasks.spawn(until(stop.clone(), moderating));
}

async fn until(stop: CancellationToken, work: impl Future<Output = ()>) {
    tokio::select! {
        biased;
        () = stop.cancelled() => {}
        () = work => {}
    }
}

#[cfg(test)]
mod tests;
