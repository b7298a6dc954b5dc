//! A connection to one database server.
//!
//! Knows statements as texts, and nothing of what they mean.

use std::collections::HashMap;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::TryStreamExt;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::types::ToSql;
use tokio_postgres::{AsyncMessage, Client, Connection, Row, Socket, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_util::sync::CancellationToken;

use super::durability::{Leader, Settings};
use super::error::PostgresError;
use super::notification::Notifier;
use crate::limits::STATEMENT_WITHIN;

/// The function of the database that waits for the standby. It warns only if that wait is
/// cancelled, and a warning has the function's name in every language.
const STANDBY_WAIT: &str = "SyncRepWaitForLSN";

pub(super) type Parameters<'a> = &'a [&'a (dyn ToSql + Sync)];
/// The part of a connection that moves its bytes.
type Driven = Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>;

/// A connection. Statements may be sent before earlier ones have been answered.
pub(super) struct Link {
    pub(super) client: Client,
    pub(super) settings: Settings,
    /// True if somebody awaits the answer to a statement after its caller gave up.
    pub(super) is_watched: AtomicBool,
    statements: Mutex<HashMap<&'static str, Statement>>,
    wait_cancelled: Arc<AtomicBool>,
    closed: CancellationToken,
    driver: JoinHandle<()>,
}

impl Link {
    /// Starts to drive a connection; notifications from other ones are hints for `hints`.
    pub(super) fn start(client: Client, connection: Driven, hints: Option<Notifier>) -> Self {
        let wait_cancelled = Arc::<AtomicBool>::default();
        let closed = CancellationToken::new();
        let closes = closed.clone().drop_guard();
        let driving = drive(connection, Arc::clone(&wait_cancelled), hints);
        let driver = tokio::spawn(async move {
            driving.await;
            drop(closes);
        });
        Self {
            client,
            settings: Settings::default(),
            is_watched: AtomicBool::new(false),
            statements: Mutex::default(),
            wait_cancelled,
            closed,
            driver,
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.is_cancelled()
    }

    pub(super) async fn closed(&self) {
        self.closed.cancelled().await;
    }

    /// Closes the connection at once, whatever it waits for. A statement under way is not
    /// cancelled: the server may finish it.
    pub(super) fn give_up(&self) {
        self.driver.abort();
    }

    /// Closes the connection as soon as another server leads than this one's.
    pub(super) fn end_with(&self, mut leader: watch::Receiver<Option<Leader>>) {
        let (own, driver) = (self.settings.primary.clone(), self.driver.abort_handle());
        let following = async move {
            while leader.changed().await.is_ok() {
                let leader = leader.borrow_and_update();
                if leader.as_ref().is_some_and(|leader| leader.primary != own) {
                    driver.abort();
                }
            }
        };
        tokio::spawn(self.closed.clone().run_until_cancelled_owned(following));
    }

    /// Runs a statement for a bounded time; after that, or if it fails for more than itself, the
    /// connection must be [given up](Self::give_up).
    pub(super) async fn run(
        &self,
        sql: &'static str,
        parameters: Parameters<'_>,
    ) -> Result<Vec<Row>, PostgresError> {
        let running = async {
            let statement = self.prepared(sql).await?;
            self.client.query(&statement, parameters).await
        };
        let rows = in_time(running).await?;
        // Whether or not this statement was the one that waited.
        match self.wait_cancelled.load(Ordering::Acquire) {
            true => Err(PostgresError::WaitCancelled),
            false => Ok(rows),
        }
    }

    /// Runs a statement and passes each row to `visit` as it arrives, so that no more than a few are in
    /// memory; each is waited for as an answer is.
    ///
    /// # Errors
    /// That of `visit`, which ends the reading, or a [`PostgresError`]; after either the connection
    /// is of use to nobody who does not know how much of the answer is still to come.
    pub(super) async fn each_row<E: From<PostgresError>>(
        &self,
        sql: &'static str,
        parameters: Parameters<'_>,
        mut visit: impl FnMut(Row) -> Result<(), E>,
    ) -> Result<(), E> {
        let asking = async {
            let statement = self.prepared(sql).await?;
            let parameters = parameters.iter().copied();
            self.client.query_raw(&statement, parameters).await
        };
        let mut rows = pin!(in_time(asking).await?);
        while let Some(row) = in_time(rows.try_next()).await? {
            visit(row)?;
        }
        Ok(())
    }

    async fn prepared(&self, sql: &'static str) -> Result<Statement, tokio_postgres::Error> {
        if let Some(statement) = self.statements.lock().get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(sql).await?;
        self.statements.lock().insert(sql, statement.clone());
        Ok(statement)
    }
}

pub(super) async fn in_time<T>(
    answering: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, PostgresError> {
    let answered = timeout(STATEMENT_WITHIN, answering).await;
    Ok(answered.map_err(|_| PostgresError::Unanswered)??)
}

/// Moves bytes in both directions until the connection ends. A notice is seen here before the end
/// of the statement that it belongs to is.
async fn drive(mut connection: Driven, wait_cancelled: Arc<AtomicBool>, hints: Option<Notifier>) {
    loop {
        match poll_fn(|context| connection.poll_message(context)).await {
            Some(Ok(AsyncMessage::Notice(notice))) => {
                if notice.routine() == Some(STANDBY_WAIT) {
                    wait_cancelled.store(true, Ordering::Release);
                }
                tracing::debug!(notice = notice.message(), "notice from the database");
            }
            Some(Ok(AsyncMessage::Notification(notification))) => {
                if let Some(hints) = &hints {
                    hints.take(notification.payload());
                }
            }
            Some(Ok(_)) => {}
            Some(Err(error)) => {
                tracing::debug!(%error, "lost a connection to the database");
                return;
            }
            None => return,
        }
    }
}
