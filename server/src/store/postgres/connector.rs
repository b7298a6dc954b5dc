//! Connecting to the primary: each server in turn, each with bounds of its own, since a frozen one
//! accepts connections and says nothing.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use tokio_postgres::config::Host;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::durability::Settings;
use super::error::{NoPrimaryError, ServerError};
use super::link::Link;
use super::notification::HintReceiver;
use super::url::{PostgresUrl, server_name};
use super::{PostgresError, schema, trust};
use crate::identity::ServerKey;
use crate::limits::{
    ABANDONED_WRITES_MAX, DATABASE_ADDRESSES_MAX, HANDSHAKE_WITHIN, STATEMENT_WITHIN,
};

/// Writes nothing, durably: what is visible before it is answered is then durable too. A database
/// that has crashed shows what its standby does not have.
pub(super) const BARRIER: &str = "SELECT pg_logical_emit_message(true, 'fibfob', '')::text";
/// The connections among these that still wait for the standby.
const STILL_WAITING: &str = "SELECT pid FROM pg_stat_activity
     WHERE pid = ANY ($1) AND usename = current_user AND wait_event = 'SyncRep'";
/// The time without a byte after which the operating system asks whether the server is there.
const KEEPALIVE_AFTER: Duration = Duration::from_secs(5);

/// The purpose of a connection.
#[derive(Clone, Debug)]
pub(super) enum Purpose {
    /// To create the store if the database has none, and then as for `Use`.
    Open,
    /// To read and write, past the barrier.
    Use,
    /// To send and receive hints, which nobody waits for to be durable.
    Hints(HintReceiver),
}

/// Connects to the servers of one address.
pub(super) struct Connector {
    url: PostgresUrl,
    tls: Result<MakeRustlsConnect, NoPrimaryError>,
    allow_single_database: bool,
    /// The number of the server that was the primary last.
    primary: AtomicUsize,
    /// The server's processes whose writes were given up.
    abandoned: Mutex<Vec<i32>>,
    /// The key of a store that is created, if it is not to be drawn.
    key: Option<ServerKey>,
    /// The store that was opened.
    identity: OnceLock<i64>,
    /// Whether the log says which database this is.
    introduced: AtomicBool,
}

impl Connector {
    pub(super) fn new(url: PostgresUrl, allow_single_database: bool) -> Self {
        let tls = trust::connector(&url.encryption);
        let tls = tls.map_err(|error| {
            let server = url.servers().next();
            let server = server.map_or_else(String::new, |(host, port)| server_name(host, port));
            NoPrimaryError([(server, ServerError::Trust(error))].into())
        });
        Self {
            url,
            tls,
            allow_single_database,
            primary: AtomicUsize::new(0),
            abandoned: Mutex::default(),
            key: None,
            identity: OnceLock::new(),
            introduced: AtomicBool::new(false),
        }
    }

    /// The same, with this key for a store that is created.
    pub(super) fn with_key(self, key: Option<ServerKey>) -> Self {
        Self { key, ..self }
    }

    /// Returns whether a database without a standby is used.
    pub(super) fn allows_single_database(&self) -> bool {
        self.allow_single_database
    }

    /// Connects to the first server that is a primary, beginning with the last one.
    pub(super) async fn connect(&self, purpose: &Purpose) -> Result<Link, NoPrimaryError> {
        let tls = self.tls.as_ref().map_err(Clone::clone)?;
        let servers: Vec<_> = self.url.servers().collect();
        let last = self.primary.load(Ordering::Relaxed);
        let mut failures = Vec::new();
        for turn in 0..servers.len() {
            let number = (last + turn) % servers.len();
            let (host, port) = servers[number];
            match self.connect_to(host, port, tls, purpose).await {
                Ok(link) => {
                    self.primary.store(number, Ordering::Relaxed);
                    return Ok(link);
                }
                Err(error) => failures.push((server_name(host, port), error)),
            }
        }
        Err(NoPrimaryError(failures.into()))
    }

    /// Gives up a connection on which a write may be under way.
    pub(super) fn abandon(&self, link: &Link) {
        link.give_up();
        self.abandoned().push(link.process);
    }

    async fn connect_to(
        &self,
        host: &Host,
        port: u16,
        tls: &MakeRustlsConnect,
        purpose: &Purpose,
    ) -> Result<Link, ServerError> {
        let (link, settings) = self.handshake(host, port, tls, purpose).await?;
        settings.check(self.allow_single_database)?;
        if let Purpose::Hints(_) = purpose {
            // A hint waits for no disk and no standby, and holds up no other.
            let relaxed = link
                .client
                .batch_execute("SET synchronous_commit = off; LISTEN fibfob");
            return within(HANDSHAKE_WITHIN, relaxed).await.map(|()| link);
        }
        let opening = async {
            if matches!(purpose, Purpose::Open) && !settings.has_store {
                schema::create(&link.client, self.key.as_ref()).await?;
            }
            schema::identity(&link.client).await
        };
        let identity = match timeout(STATEMENT_WITHIN, opening).await {
            Ok(identity) => identity?,
            Err(_) => {
                self.abandon(&link);
                return Err(ServerError::Unconfirmed(STATEMENT_WITHIN));
            }
        };
        self.cross_barrier(&link).await?;
        // Only what was read before the barrier was answered is compared.
        if *self.identity.get_or_init(|| identity) != identity {
            return Err(ServerError::Replaced);
        }
        if !self.introduced.swap(true, Ordering::Relaxed) {
            settings.introduce(&server_name(host, port));
        }
        Ok(link)
    }

    /// Connects, authenticates and reads the settings: what a server does without its disk.
    async fn handshake(
        &self,
        host: &Host,
        port: u16,
        tls: &MakeRustlsConnect,
        purpose: &Purpose,
    ) -> Result<(Link, Settings), ServerError> {
        match host {
            Host::Tcp(name) => {
                let resolving = timeout(HANDSHAKE_WITHIN, lookup_host((name.as_str(), port)));
                let resolved = resolving.await;
                let resolved = resolved.map_err(|_| ServerError::Silent(HANDSHAKE_WITHIN))?;
                let unknown = || ServerError::Unresolved(io::ErrorKind::NotFound.into());
                let addresses = resolved.map_err(ServerError::Unresolved)?;
                let mut failure = unknown();
                for address in addresses.take(DATABASE_ADDRESSES_MAX) {
                    let connecting = async {
                        let stream = TcpStream::connect(address).await?;
                        stream.set_nodelay(true)?;
                        let keepalive = TcpKeepalive::new().with_time(KEEPALIVE_AFTER);
                        SockRef::from(&stream).set_tcp_keepalive(&keepalive)?;
                        Ok(stream)
                    };
                    match self.handshake_over(connecting, name, tls, purpose).await {
                        Ok(done) => return Ok(done),
                        Err(error) => failure = error,
                    }
                }
                Err(failure)
            }
            #[cfg(unix)]
            Host::Unix(folder) => {
                let path = folder.join(format!(".s.PGSQL.{port}"));
                let connecting = tokio::net::UnixStream::connect(path);
                self.handshake_over(connecting, "", tls, purpose).await
            }
        }
    }

    async fn handshake_over<S>(
        &self,
        connecting: impl Future<Output = io::Result<S>>,
        name: &str,
        tls: &MakeRustlsConnect,
        purpose: &Purpose,
    ) -> Result<(Link, Settings), ServerError>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let hints = match purpose {
            Purpose::Hints(hints) => Some(hints.clone()),
            Purpose::Open | Purpose::Use => None,
        };
        let shaking_hands = async {
            let stream = connecting.await.map_err(ServerError::Unconnected)?;
            let mut tls = tls.clone();
            let Ok(tls) = MakeTlsConnect::<S>::make_tls_connect(&mut tls, name);
            let (client, connection) = self.url.config.connect_raw(stream, tls).await?;
            let mut link = Link::start(client, connection, hints);
            let settings = Settings::read(&link.client).await?;
            link.process = settings.process;
            Ok((link, settings))
        };
        let done = timeout(HANDSHAKE_WITHIN, shaking_hands).await;
        done.map_err(|_| ServerError::Silent(HANDSHAKE_WITHIN))?
    }

    /// Makes what is visible durable, unless too many writes that were given up still wait for
    /// that: each keeps one of the server's connections.
    async fn cross_barrier(&self, link: &Link) -> Result<(), ServerError> {
        let abandoned = self.abandoned().clone();
        if !abandoned.is_empty() {
            let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 1] = [&abandoned];
            let asking = link.client.query(STILL_WAITING, &parameters);
            let rows = within(HANDSHAKE_WITHIN, asking).await?;
            let waiting: Vec<i32> = rows.iter().map(|row| row.get(0)).collect();
            let count = waiting.len();
            *self.abandoned() = waiting;
            if count >= ABANDONED_WRITES_MAX {
                return Err(ServerError::StillWaiting(count));
            }
        }
        match link.run(BARRIER, &[], STATEMENT_WITHIN).await {
            Ok(_) => Ok(()),
            Err(PostgresError::Statement(error)) => Err(ServerError::Refused(error)),
            Err(_) => {
                self.abandon(link);
                Err(ServerError::Unconfirmed(STATEMENT_WITHIN))
            }
        }
    }

    fn abandoned(&self) -> std::sync::MutexGuard<'_, Vec<i32>> {
        self.abandoned
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

async fn within<T>(
    bound: Duration,
    asking: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, ServerError> {
    let answered = timeout(bound, asking).await;
    Ok(answered.map_err(|_| ServerError::Silent(bound))??)
}
