//! A place for one connection, which is made anew when it has broken. A bounded number of lanes is
//! a bounded number of connections.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use fibfob_store::limits::RECOVERY_PAUSE;
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::time::{Instant, timeout};
use tokio_postgres::Row;

use super::connector::{Connector, Purpose};
use super::durability::Primary;
use super::error::{NoPrimaryError, PostgresError};
use super::link::{Link, Parameters};
use crate::limits::{RECONNECT_PAUSE_MAX, STATEMENT_WITHIN};

/// One connection to the primary, as long as there is one.
pub(super) struct Lane {
    connector: Arc<Connector>,
    current: Mutex<Option<Arc<Link>>>,
    /// Held while connecting, so that one attempt serves all who wait.
    failed: tokio::sync::Mutex<Option<FailedAttempt>>,
}

struct FailedAttempt {
    error: NoPrimaryError,
    pause: Duration,
    until: Instant,
}

impl Lane {
    pub(super) fn new(connector: Arc<Connector>) -> Arc<Self> {
        Arc::new(Self {
            connector,
            current: Mutex::default(),
            failed: tokio::sync::Mutex::default(),
        })
    }

    /// Returns the connection, or a new one. After a failed attempt there is a pause, in which the
    /// error is returned at once.
    pub(super) async fn link(self: &Arc<Self>) -> Result<Arc<Link>, NoPrimaryError> {
        if let Some(link) = self.open_link() {
            return Ok(link);
        }
        // In a task of its own: callers who give up must not each begin another attempt.
        let lane = Arc::clone(self);
        let connecting = tokio::spawn(async move { lane.connect(&Purpose::Use).await });
        connecting.await.expect("no attempt to connect panics")
    }

    pub(super) fn is_open(&self) -> bool {
        self.open_link().is_some()
    }

    /// Begins to connect, unless that is under way.
    pub(super) fn begin(self: &Arc<Self>) {
        if self.failed.try_lock().is_ok() {
            let lane = Arc::clone(self);
            // Whoever needs the connection receives the reason why there is none.
            tokio::spawn(async move { lane.connect(&Purpose::Use).await.is_ok() });
        }
    }

    /// Connects for this purpose, unless another caller just has, or has just failed.
    pub(super) async fn connect(&self, purpose: &Purpose) -> Result<Arc<Link>, NoPrimaryError> {
        let mut failed = self.failed.lock().await;
        if let Some(link) = self.open_link() {
            return Ok(link);
        }
        if let Some(attempt) = &*failed
            && Instant::now() < attempt.until
        {
            return Err(attempt.error.clone());
        }
        match self.connector.connect(purpose).await {
            Ok(link) => {
                let link = Arc::new(link);
                *self.current.lock() = Some(Arc::clone(&link));
                *failed = None;
                Ok(link)
            }
            Err(error) => {
                let pause = match &*failed {
                    Some(attempt) => (attempt.pause * 2).min(RECONNECT_PAUSE_MAX),
                    None => RECOVERY_PAUSE,
                };
                *failed = Some(FailedAttempt {
                    error: error.clone(),
                    pause,
                    until: Instant::now() + pause,
                });
                Err(error)
            }
        }
    }

    /// Runs a statement that reads, bounded. Returns the connection too.
    pub(super) async fn read(
        self: &Arc<Self>,
        sql: &'static str,
        parameters: Parameters<'_>,
    ) -> Result<(Arc<Link>, Vec<Row>), PostgresError> {
        self.run(sql, parameters, false).await
    }

    /// Runs a statement that writes, bounded. After any failure the connection is given up: the
    /// next one begins with a write that shows whether the database works again.
    pub(super) async fn write(
        self: &Arc<Self>,
        sql: &'static str,
        parameters: Parameters<'_>,
    ) -> Result<Vec<Row>, PostgresError> {
        let written = self.run(sql, parameters, true).await;
        written.map(|(_, rows)| rows)
    }

    /// [`Self::write`] of a statement that writes in any case, so that its answer shows that the
    /// primary confirms. Returns that one too.
    pub(super) async fn confirm(
        self: &Arc<Self>,
        sql: &'static str,
        parameters: Parameters<'_>,
    ) -> Result<(Primary, Vec<Row>), PostgresError> {
        let began = Instant::now();
        let (link, rows) = self.run(sql, parameters, true).await?;
        let primary = &link.settings.primary;
        self.connector.confirm(primary, began);
        Ok((primary.clone(), rows))
    }

    async fn run(
        self: &Arc<Self>,
        sql: &'static str,
        parameters: Parameters<'_>,
        writes: bool,
    ) -> Result<(Arc<Link>, Vec<Row>), PostgresError> {
        let link = self.link().await?;
        let mut watch = Watch(Some((Arc::clone(self), Arc::clone(&link))));
        let rows = link.run(sql, parameters).await;
        watch.0 = None;
        if let Err(error) = &rows
            && (writes || matches!(error, PostgresError::Unanswered))
        {
            self.leave(&link, error);
        }
        rows.map(|rows| (link, rows))
    }

    /// Gives up a connection after a write on it failed, or a read was not answered.
    pub(super) fn leave(&self, link: &Link, error: &PostgresError) {
        match error {
            PostgresError::Unanswered => self.connector.abandon(link),
            _ => link.give_up(),
        }
    }

    fn open_link(&self) -> Option<Arc<Link>> {
        let mut current = self.current.lock();
        if current.as_ref().is_some_and(|link| link.is_closed()) {
            *current = None;
        }
        current.clone()
    }
}

/// The bound of a statement whose caller may give up before it. Without it, callers who are less
/// patient than the bound would use a connection for ever on which nothing is answered.
struct Watch(Option<(Arc<Lane>, Arc<Link>)>);

impl Drop for Watch {
    fn drop(&mut self) {
        // Without a runtime the program ends.
        let (Some((lane, link)), Ok(runtime)) = (self.0.take(), Handle::try_current()) else {
            return;
        };
        if link.is_watched.swap(true, Ordering::Relaxed) {
            return;
        }
        runtime.spawn(async move {
            // Answered after all statements before it.
            let asking = timeout(STATEMENT_WITHIN, link.client.check_connection());
            if asking.await.is_err() {
                lane.leave(&link, &PostgresError::Unanswered);
            }
            link.is_watched.store(false, Ordering::Relaxed);
        });
    }
}
