//! The engine for many server processes: one PostgreSQL database with a synchronous standby.
//!
//! What keeps its promises was found by killing, freezing and overloading databases:
//! - Settings decide what an acknowledgement means; they are read on every connection
//!   (`durability`).
//! - A new connection writes before it reads, so that it never shows what a standby lacks
//!   (`connector`).
//! - A write is given up by closing its connection and never cancelled, because the database answers
//!   a cancelled wait for its standby as a success (`link`).
//! - One statement stores a sorted batch with one event of a match, each behind its predecessor
//!   (`writer`, `append`).
//! - Only the primary is read, and every wait has a bound. One that another one has succeeded may go
//!   on living: what it lacks is believed only after it has confirmed a write (`prover`).
//! - Hints are sent after the commit, on a connection that waits for nothing (`hints`).

#![expect(
    clippy::disallowed_methods,
    reason = "tasks and times of its own, outside of any simulation, wait for the database"
)]

mod append;
mod change;
mod check;
mod cleanup;
mod connector;
mod durability;
mod engine;
mod error;
mod hints;
mod lane;
mod limits;
mod link;
mod notes;
mod notification;
mod prover;
mod read;
mod schema;
mod service;
mod snapshot;
#[cfg(test)]
mod tests;
mod trust;
mod url;
mod writer;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fibfob_protocol::millis;
use fibfob_store::limits::{RECOVERY_PAUSE, SERVICE_GAP, START_WITHIN};
use fibfob_store::{Opening, whole};
use futures_util::future::OptionFuture;
use tokio::time::{Instant, sleep};
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

use crate::limits::READ_CONNECTIONS;

pub use check::check_database;
use connector::{Connector, Purpose};
pub use error::{NoPrimaryError, PostgresError, ServerError};
use hints::HintExchange;
use lane::Lane;
use link::Parameters;
use notification::Notifier;
use prover::Prover;
pub use url::{InvalidPostgresUrl, PostgresUrl};
use writer::BatchWriter;

/// A store in one PostgreSQL database, which other processes may use at the same time. Clones are the same store; once
/// the last one is dropped, what is queued is written and the connections are closed.
#[derive(Clone)]
pub struct Postgres(Arc<Lanes>);

struct Lanes {
    writer: BatchWriter,
    hints: HintExchange,
    readers: Vec<Arc<Lane>>,
    /// The number of reads so far, which take the readers in turn.
    reads: AtomicUsize,
    /// For rare writes: notes, changes beside events, heartbeats. They wait for the standby as events do.
    notes: Arc<Lane>,
    prover: Arc<Prover>,
    _proving: DropGuard,
}

impl Postgres {
    /// Opens the store in this database, to serve from it. Waits for a while if the database cannot be reached.
    ///
    /// # Errors
    /// If the database cannot be used, has a store of a newer format, or does not give the
    /// durability needed. Without a synchronous standby it is used only if that is allowed.
    pub async fn open(
        url: &PostgresUrl,
        allow_single_database: bool,
    ) -> Result<Self, PostgresError> {
        Self::open_for(url, allow_single_database, Opening::Serve).await
    }

    /// [`Self::open`] for this purpose.
    pub async fn open_for(
        url: &PostgresUrl,
        allow_single_database: bool,
        opening: Opening<'_>,
    ) -> Result<Self, PostgresError> {
        let mut connector = Connector::new(url, allow_single_database);
        let mut purpose = Purpose::Open;
        match opening {
            Opening::Serve => {}
            Opening::Move => purpose = Purpose::Use,
            Opening::Fill(key) => connector.key = Some(key.clone()),
        }
        let serves = matches!(opening, Opening::Serve);
        let opened = Self::connect(&purpose, connector, serves).await?;
        if !serves {
            opened.wait_until_unused().await?;
        }
        Ok(opened)
    }

    /// Connects, and cleans up in the background if asked: a migration compares notes that must stay meanwhile.
    async fn connect(
        purpose: &Purpose,
        connector: Connector,
        cleans: bool,
    ) -> Result<Self, PostgresError> {
        let connector = Arc::new(connector);
        let first = Lane::new(Arc::clone(&connector));
        let began = Instant::now();
        let mut is_logged = false;
        while let Err(error) = first.connect(purpose).await {
            if !error.is_passing() || began.elapsed() >= START_WITHIN {
                return Err(error.into());
            }
            if !is_logged {
                tracing::warn!(%error, "waiting for the database");
                is_logged = true;
            }
            sleep(RECOVERY_PAUSE).await;
        }
        let (_, rows) = first.read(read::KEY, &[]).await?;
        let key = read::key(&rows)?;
        let writer = BatchWriter::start(&connector);
        let prover = Arc::new(Prover {
            connector: Arc::clone(&connector),
            lane: first,
            written: Arc::clone(&writer.written),
            newest: tokio::sync::Mutex::default(),
        });
        let proving = CancellationToken::new();
        let work = Arc::clone(&prover);
        let lane = Lane::new(Arc::clone(&connector));
        let cleaning = OptionFuture::from(cleans.then(|| cleanup::run(lane)));
        let work = async move { tokio::join!(work.run(), cleaning) };
        tokio::spawn(proving.clone().run_until_cancelled_owned(work));
        let readers = (0..READ_CONNECTIONS).map(|_| Lane::new(Arc::clone(&connector)));
        let readers: Vec<_> = readers.inspect(Lane::begin).collect();
        Ok(Self(Arc::new(Lanes {
            writer,
            hints: HintExchange::start(Arc::clone(&connector), Notifier::new(Uuid::new_v4(), &key)),
            readers,
            reads: AtomicUsize::new(0),
            notes: Lane::new(connector),
            prover,
            _proving: proving.drop_guard(),
        })))
    }

    /// Waits until no server gives signs of life, for as long as one that has ended counts as running.
    async fn wait_until_unused(&self) -> Result<(), PostgresError> {
        let began = Instant::now();
        loop {
            let waited = began.elapsed();
            let gap: Parameters<'_> = &[&whole(millis(SERVICE_GAP))];
            let (_, rows) = self.reader().read(service::RUNNING, gap).await?;
            let row = rows.first().ok_or(PostgresError::Incomplete)?;
            match row.try_get(0)? {
                0_i64 => return Ok(()),
                servers if waited > SERVICE_GAP => {
                    return Err(PostgresError::InUse(servers.unsigned_abs()));
                }
                _ => sleep(RECOVERY_PAUSE).await,
            }
        }
    }

    /// Returns the reader whose turn it is. While that one connects, another one takes its place.
    fn reader(&self) -> &Arc<Lane> {
        let readers = &self.0.readers;
        let turn = self.0.reads.fetch_add(1, Ordering::Relaxed);
        let lane = &readers[turn % readers.len()];
        if lane.is_open() {
            return lane;
        }
        let other = readers.iter().find(|other| other.is_open());
        other.inspect(|_| lane.begin()).unwrap_or(lane)
    }
}
