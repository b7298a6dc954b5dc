//! Connecting to the primary: each server in turn, each with bounds of its own, since a frozen one
//! accepts connections and says nothing.

use std::sync::OnceLock;
use std::time::Duration;

use fibfob_store::identity::ServerKey;
use fibfob_store::limits::STORE_LOST_AFTER;
use fibfob_store::{FailureKind, warn_seldom};
use futures_util::future::join_all;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};
use tokio_postgres::Config;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::durability::{Leader, Primary, Settings};
use super::error::{NoPrimaryError, PostgresError, ServerError};
use super::link::{Link, Parameters};
use super::notification::Notifier;
use super::url::PostgresUrl;
use super::{schema, trust};
use crate::limits::{ABANDONED_WRITES_MAX, HANDSHAKE_WITHIN, STATEMENT_WITHIN};

/// Writes nothing, durably: what is visible before it is answered is then durable too. A database
/// that has crashed shows what its standby does not have.
pub(super) const BARRIER: &str = "SELECT pg_logical_emit_message(true, 'fibfob', '')::text";
/// The connections among these that still wait for the standby.
const STILL_WAITING: &str = "SELECT pid FROM pg_stat_activity
     WHERE pid = ANY ($1) AND usename = current_user AND wait_event = 'SyncRep'";

#[derive(Clone, Debug)]
pub(super) enum Purpose {
    /// To create the store if the database has none, and then as for `Use`.
    Open,
    /// To read and write, past the barrier.
    Use,
    /// To send and receive hints, which nobody waits for to be durable.
    Hints(Notifier),
}

pub(super) struct Connector {
    /// The name of each server of the address, and how to connect to it.
    servers: Vec<(String, Config)>,
    /// The reason why connections cannot be encrypted, which each server's failure then names.
    tls: Result<MakeRustlsConnect, String>,
    pub(super) allow_single_database: bool,
    /// The primary that every connection stands on, once it has confirmed a write.
    leader: watch::Sender<Option<Leader>>,
    /// The server's processes whose writes were given up.
    abandoned: Mutex<Vec<i32>>,
    /// The key of the store that is moved into this one.
    pub(super) key: Option<ServerKey>,
    identity: OnceLock<i64>,
}

impl Connector {
    pub(super) fn new(url: &PostgresUrl, allow_single_database: bool) -> Self {
        Self {
            tls: trust::connector(&url.encryption),
            servers: url.servers().collect(),
            allow_single_database,
            leader: watch::Sender::new(None),
            abandoned: Mutex::default(),
            key: None,
            identity: OnceLock::new(),
        }
    }

    /// Connects to the first server that is a primary, beginning with the one that leads.
    pub(super) async fn connect(&self, purpose: &Purpose) -> Result<Link, NoPrimaryError> {
        let leads = self.leader.borrow().as_ref().map(|leader| leader.server);
        let first = match leads {
            Some(server) => server,
            None => self.newest().await.map_or(0, |(server, _)| server),
        };
        let servers = self.servers.len();
        let mut failures = Vec::new();
        for turn in 0..servers {
            let number = (first + turn) % servers;
            match self.connect_to(number, purpose).await {
                Ok(link) => return Ok(link),
                Err(error) => failures.push((self.servers[number].0.clone(), error)),
            }
        }
        Err(NoPrimaryError(failures.into()))
    }

    /// Looks for a primary that was promoted since the one that leads, which may go on living, and
    /// lets it lead once it confirms a write.
    pub(super) async fn look(&self) {
        let Some((number, newest)) = self.newest().await else {
            return;
        };
        let is_promoted = {
            let leader = self.leader.borrow();
            leader
                .as_ref()
                .is_some_and(|leader| newest.succeeds(&leader.primary))
        };
        if is_promoted && let Err(error) = self.connect_to(number, &Purpose::Use).await {
            let (server, _) = &self.servers[number];
            warn_seldom!(server, %error, "cannot use a promoted database server yet; retrying");
        }
    }

    /// Returns the number of the server that was promoted last, of those that take writes.
    async fn newest(&self) -> Option<(usize, Primary)> {
        let asking = (0..self.servers.len()).map(async |number| {
            let link = self.handshake(number, &Purpose::Use).await.ok()?;
            let is_primary = link.settings.check(self.allow_single_database).is_ok();
            is_primary.then(|| (number, link.settings.primary.clone()))
        });
        let primaries = join_all(asking).await.into_iter().flatten();
        primaries.reduce(|one, other| match other.1.succeeds(&one.1) {
            true => other,
            false => one,
        })
    }

    /// Notes that a server has confirmed a write that began at an instant, if it is the leader.
    pub(super) fn confirm(&self, primary: &Primary, began: Instant) {
        self.leader.send_if_modified(|leader| {
            if let Some(leader) = leader.as_mut().filter(|leader| leader.primary == *primary) {
                leader.confirmed = leader.confirmed.max(began);
            }
            false
        });
    }

    /// Returns the leader, if it has confirmed a write lately.
    pub(super) fn confirmed(&self) -> Option<Primary> {
        let leader = self.leader.borrow();
        let lately = leader
            .as_ref()
            .filter(|leader| leader.confirmed.elapsed() < STORE_LOST_AFTER);
        lately.map(|leader| leader.primary.clone())
    }

    /// Gives up a connection on which a write may be under way.
    pub(super) fn abandon(&self, link: &Link) {
        link.give_up();
        self.abandoned.lock().push(link.settings.process);
    }

    async fn connect_to(&self, number: usize, purpose: &Purpose) -> Result<Link, ServerError> {
        let link = self.handshake(number, purpose).await?;
        let settings = &link.settings;
        settings.check(self.allow_single_database)?;
        link.end_with(self.leader.subscribe());
        self.check_leader(&settings.primary, purpose)?;
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
            schema::identity(&link.client, self.key.is_some()).await
        };
        let identity = match timeout(STATEMENT_WITHIN, opening).await {
            Ok(identity) => identity?,
            Err(_) => {
                self.abandon(&link);
                return Err(settings.unconfirmed());
            }
        };
        let began = Instant::now();
        self.cross_barrier(&link).await?;
        // Only what was read before the barrier was answered is compared.
        if *self.identity.get_or_init(|| identity) != identity {
            return Err(ServerError::new(
                FailureKind::Missing,
                "its store is not the one that was opened",
            ));
        }
        self.lead(settings, number, began)?;
        Ok(link)
    }

    /// Checks that no other server was promoted after this one had led: then each may lack what the
    /// other one has. Hints do not choose the leader.
    fn check_leader(&self, primary: &Primary, purpose: &Purpose) -> Result<(), ServerError> {
        match &*self.leader.borrow() {
            Some(leader) if leader.primary.succeeds(primary) => Err(leader.supersedes(primary)),
            Some(leader) if leader.primary != *primary && matches!(purpose, Purpose::Hints(_)) => {
                Err(ServerError::new(
                    FailureKind::Standby,
                    "it has not confirmed a write yet",
                ))
            }
            _ => Ok(()),
        }
    }

    /// Makes the server of this connection, which has confirmed a write, the one that all stand on.
    fn lead(
        &self,
        settings: &Settings,
        server: usize,
        confirmed: Instant,
    ) -> Result<(), ServerError> {
        let primary = &settings.primary;
        let mut former = Ok(None);
        let is_new = self.leader.send_if_modified(|leader| match leader {
            Some(leader) if leader.primary == *primary => {
                leader.confirmed = leader.confirmed.max(confirmed);
                false
            }
            Some(leader) if leader.primary.succeeds(primary) => {
                former = Err(leader.supersedes(primary));
                false
            }
            _ => {
                former = Ok(leader.replace(Leader {
                    primary: primary.clone(),
                    server,
                    confirmed,
                }));
                true
            }
        });
        let (name, _) = &self.servers[server];
        match former?.map(|former| former.primary) {
            Some(former) if former.is_of_the_time_of(primary) => {
                tracing::info!(server = name, "the database server was restarted");
            }
            Some(_) => {
                tracing::warn!(
                    server = name,
                    timeline = primary.timeline,
                    "another database server was promoted and is the primary now; end the old primary, \
                     or copy it anew as a standby"
                );
                settings.introduce(name);
            }
            None if is_new => settings.introduce(name),
            None => {}
        }
        Ok(())
    }

    /// Connects, authenticates and reads the settings: what a server does without its disk.
    async fn handshake(&self, number: usize, purpose: &Purpose) -> Result<Link, ServerError> {
        let tls = self.tls.clone();
        let tls = tls.map_err(|why| ServerError::new(FailureKind::Refused, why))?;
        let (_, config) = &self.servers[number];
        let hints = match purpose {
            Purpose::Hints(hints) => Some(hints.clone()),
            Purpose::Open | Purpose::Use => None,
        };
        let shaking_hands = async {
            let (client, connection) = config.connect(tls).await?;
            let mut link = Link::start(client, connection, hints);
            link.settings = Settings::read(&link.client).await?;
            Ok(link)
        };
        let done = timeout(HANDSHAKE_WITHIN, shaking_hands).await;
        done.map_err(|_| ServerError::silent(HANDSHAKE_WITHIN))?
    }

    /// Makes what is visible durable, unless too many writes that were given up still wait for
    /// that: each keeps one of the server's connections.
    async fn cross_barrier(&self, link: &Link) -> Result<(), ServerError> {
        let abandoned = self.abandoned.lock().clone();
        if !abandoned.is_empty() {
            let parameters: Parameters<'_> = &[&abandoned];
            let asking = link.client.query(STILL_WAITING, parameters);
            let rows = within(HANDSHAKE_WITHIN, asking).await?;
            let waiting: Vec<i32> = rows.iter().map(|row| row.get(0)).collect();
            let count = waiting.len();
            *self.abandoned.lock() = waiting;
            if count >= ABANDONED_WRITES_MAX {
                let why = format!("{count} writes of this server still wait for its standby");
                return Err(ServerError::new(FailureKind::Unanswered, why));
            }
        }
        match link.run(BARRIER, &[]).await {
            Ok(_) => Ok(()),
            Err(PostgresError::Statement(error)) => Err(error.into()),
            Err(_) => {
                self.abandon(link);
                Err(link.settings.unconfirmed())
            }
        }
    }
}

async fn within<T>(
    bound: Duration,
    asking: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, ServerError> {
    let answered = timeout(bound, asking).await;
    Ok(answered.map_err(|_| ServerError::silent(bound))??)
}
