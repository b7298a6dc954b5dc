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
//!   (`batch`, `append`).
//! - Only the primary is read, and every wait has a bound. One that another one has succeeded may go
//!   on living: what it lacks is believed only after it has confirmed a write (`prover`).
//! - Hints are sent after the commit, on a connection that waits for nothing (`hints`).

#![expect(
    clippy::disallowed_methods,
    reason = "tasks and times of its own, outside of any simulation, wait for the database"
)]

mod append;
mod backup;
mod batch;
mod check;
mod cleanup;
mod connector;
mod durability;
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

use fibfob_protocol::{Code, GuestId, MatchId, MatchPlace, Record, Timestamp, Version};
use fibfob_store::identity::ServerKey;
use fibfob_store::limits::{RECOVERY_PAUSE, SERVICE_GAP, START_WITHIN};
use fibfob_store::{
    AppendError, Beat, Durability, Engine, EngineFuture, Head, HeldSeats, Hint, Hints, IndexRow,
    LobbyRow, Note, NoteKey, NoteKind, QueueFill, Service, StoreError, StoreMeter, UnfinishedMatch,
    stored_text, whole,
};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};
use tokio_postgres::Row;
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

use crate::limits::READ_CONNECTIONS;

pub use backup::backup_database;
use batch::WaitingAppend;
pub use check::check_database;
use connector::{Connector, Purpose};
pub use error::{NoPrimaryError, PostgresError, ServerError};
use hints::HintExchange;
use lane::Lane;
use link::Parameters;
use notification::Sender;
use prover::Prover;
pub use url::{InvalidPostgresUrl, PostgresUrl};
use writer::BatchWriter;

/// A store in one PostgreSQL database, which other processes may use at the same time. Clones are
/// the same store; once the last one is dropped, what is queued is written and the connections are
/// closed.
#[derive(Clone)]
pub struct Postgres(Arc<Lanes>);

struct Lanes {
    writer: BatchWriter,
    hints: HintExchange,
    readers: Vec<Arc<Lane>>,
    /// The number of reads so far, which take the readers in turn.
    reads: AtomicUsize,
    /// For what is rarely written, and for what is lost with a crash of the database.
    notes: Arc<Lane>,
    prover: Arc<Prover>,
    allow_single_database: bool,
    _proving: DropGuard,
}

impl Postgres {
    /// Opens the store in this database, and creates it in one without. Waits for a while if the
    /// database cannot be reached.
    ///
    /// # Errors
    /// If the database cannot be used, has a store of a newer format, or does not give the
    /// durability needed. Without a synchronous standby it is used only if that is allowed.
    pub async fn open(
        url: &PostgresUrl,
        allow_single_database: bool,
    ) -> Result<Self, PostgresError> {
        let connector = Connector::new(url, allow_single_database);
        Self::open_for(&Purpose::Open, connector).await
    }

    /// [`Self::open`], to move another store into it, which has this key. No server may use it. Until
    /// it is [filled](Engine::filled) it is refused to everybody else.
    ///
    /// # Errors
    /// As [`Self::open`], and if a server uses it.
    pub async fn open_to_fill(
        url: &PostgresUrl,
        allow_single_database: bool,
        key: &ServerKey,
    ) -> Result<Self, PostgresError> {
        let connector = Connector::new(url, allow_single_database).filling(key.clone());
        let opened = Self::open_for(&Purpose::Open, connector).await?;
        opened.wait_until_unused().await?;
        let unfinished: Parameters<'_> = &[&schema::UNFINISHED_FORMAT];
        opened.0.notes.write(schema::SET_FORMAT, unfinished).await?;
        Ok(opened)
    }

    /// [`Self::open`] of a store that is there: none is created.
    ///
    /// # Errors
    /// As [`Self::open`], and if the database has no store.
    pub async fn open_existing(
        url: &PostgresUrl,
        allow_single_database: bool,
    ) -> Result<Self, PostgresError> {
        let connector = Connector::new(url, allow_single_database);
        Self::open_for(&Purpose::Use, connector).await
    }

    async fn open_for(purpose: &Purpose, connector: Connector) -> Result<Self, PostgresError> {
        let allow_single_database = connector.allow_single_database;
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
        let key = read::key(&first.read(read::KEY, &[]).await?)?;
        let writer = BatchWriter::start(&connector);
        let prover = Prover::new(Arc::clone(&connector), first, Arc::clone(&writer.written));
        let (prover, proving) = (Arc::new(prover), CancellationToken::new());
        let work = Arc::clone(&prover);
        let cleaning = cleanup::run(Lane::new(Arc::clone(&connector)));
        let work = async move { tokio::join!(work.run(), cleaning) };
        tokio::spawn(proving.clone().run_until_cancelled_owned(work));
        let readers = (0..READ_CONNECTIONS).map(|_| Lane::new(Arc::clone(&connector)));
        let readers: Vec<_> = readers.inspect(Lane::begin).collect();
        Ok(Self(Arc::new(Lanes {
            writer,
            hints: HintExchange::start(Arc::clone(&connector), Sender::new(Uuid::new_v4(), &key)),
            readers,
            reads: AtomicUsize::new(0),
            notes: Lane::new(connector),
            prover,
            allow_single_database,
            _proving: proving.drop_guard(),
        })))
    }

    /// Waits until no server gives signs of life, for as long as one that has ended counts as running.
    ///
    /// # Errors
    /// If some still do, or the database cannot be read.
    pub async fn wait_until_unused(&self) -> Result<(), PostgresError> {
        let began = Instant::now();
        loop {
            let waited = began.elapsed();
            let rows = self.read(service::RUNNING, &[&service::gap()]).await?;
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

    async fn read(
        &self,
        sql: &'static str,
        parameters: Parameters<'_>,
    ) -> Result<Vec<Row>, PostgresError> {
        self.reader().read(sql, parameters).await
    }

    /// [`Self::read`], where it matters that what is missing is nowhere.
    async fn read_all(
        &self,
        sql: &'static str,
        parameters: Parameters<'_>,
    ) -> Result<Vec<Row>, PostgresError> {
        let (link, rows) = self.reader().read_on(sql, parameters).await?;
        if rows.is_empty() {
            self.0.prover.prove(&link.primary).await?;
        }
        Ok(rows)
    }

    /// [`Self::read`] of what decides something and is in no log.
    async fn read_lately(
        &self,
        sql: &'static str,
        parameters: Parameters<'_>,
    ) -> Result<Vec<Row>, PostgresError> {
        let (link, rows) = self.reader().read_on(sql, parameters).await?;
        self.0.prover.prove_lately(&link.primary).await?;
        Ok(rows)
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

    async fn read_notes(
        &self,
        sql: &'static str,
        parameters: Parameters<'_>,
    ) -> Result<Vec<Note>, StoreError> {
        Ok(notes::read_notes(
            &self.read_lately(sql, parameters).await?,
        )?)
    }
}

impl Engine for Postgres {
    fn read(&self, id: MatchId, after: Version) -> EngineFuture<'_, Vec<Record>> {
        Box::pin(async move {
            // No record has a version beyond the column's.
            let end = i32::try_from(after.0).unwrap_or(i32::MAX);
            let rows = self.read_all(read::LOG, &[&id.0, &end]).await?;
            Ok(read::records(&rows, id, after)?)
        })
    }

    fn append<'a>(
        &'a self,
        id: MatchId,
        record: &'a Record,
        row: Option<&'a IndexRow>,
    ) -> EngineFuture<'a, (), AppendError> {
        Box::pin(async move {
            let (reply, stored) = oneshot::channel();
            let append = WaitingAppend {
                id,
                version: record.version,
                at: record.at,
                record: stored_text(record),
                row: row.cloned(),
                reply,
            };
            self.0.writer.submit(append).await?;
            stored.await.unwrap_or(Err(AppendError::Unknown))
        })
    }

    fn heads(&self, ids: Vec<MatchId>) -> EngineFuture<'_, Vec<(Head, u64)>> {
        Box::pin(async move {
            let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
            Ok(read::heads(&self.read_lately(read::HEADS, &[&ids]).await?)?)
        })
    }

    fn find(&self, code: Code) -> EngineFuture<'_, Option<MatchId>> {
        Box::pin(async move {
            let rows = self.read_all(read::OWNER, &[&code.as_str()]).await?;
            let owner = rows.first().map(|row| row.try_get(0)).transpose();
            Ok(owner.map_err(PostgresError::Statement)?.map(MatchId))
        })
    }

    fn lobby_rows(&self, limit: usize) -> EngineFuture<'_, Vec<(MatchId, LobbyRow)>> {
        Box::pin(async move {
            let rows = self.read(read::LOBBY, &[&whole(limit as u64)]).await?;
            Ok(read::lobby_rows(&rows)?)
        })
    }

    fn unfinished_after(
        &self,
        (created_at, id): (Timestamp, MatchId),
        limit: usize,
    ) -> EngineFuture<'_, Vec<UnfinishedMatch>> {
        Box::pin(async move {
            let ((created_at, id), limit) = (read::place(created_at, id), whole(limit as u64));
            let parameters: Parameters<'_> = &[&created_at, &id, &limit];
            let rows = self.read(read::UNFINISHED_AFTER, parameters).await?;
            Ok(read::unfinished(&rows)?)
        })
    }

    fn matches_of(
        &self,
        guest: GuestId,
        finished: bool,
        before: Option<MatchPlace>,
        limit: usize,
    ) -> EngineFuture<'_, Vec<MatchPlace>> {
        Box::pin(async move {
            let phases = match finished {
                true => ["over"].as_slice(),
                false => ["open", "playing"].as_slice(),
            };
            let (created_at, id) = read::before(before);
            let rows = whole(limit as u64);
            let parameters: Parameters<'_> = &[&guest.0, &phases, &created_at, &id, &rows];
            let rows = self.read(read::MATCHES_OF, parameters).await?;
            Ok(read::places(&rows, limit)?)
        })
    }

    fn match_ids(&self, after: Option<MatchId>, limit: usize) -> EngineFuture<'_, Vec<MatchId>> {
        Box::pin(async move {
            let Some(first) = read::first_after(after.map(|id| id.0)) else {
                return Ok(Vec::new());
            };
            let parameters: Parameters<'_> = &[&first, &whole(limit as u64)];
            let rows = self.read(read::MATCH_IDS, parameters).await?;
            Ok(read::match_ids(&rows)?)
        })
    }

    fn held_seats(
        &self,
        guest: GuestId,
        since: Timestamp,
        now: Timestamp,
    ) -> EngineFuture<'_, HeldSeats> {
        Box::pin(async move {
            let (since, now) = (whole(since.0), whole(now.0));
            let parameters: Parameters<'_> = &[&guest.0, &since, &now];
            let rows = self.read(read::HELD_SEATS, parameters).await?;
            Ok(read::held_seats(&rows)?)
        })
    }

    fn put_notes(&self, put: Vec<Note>, removed: Vec<NoteKey>) -> EngineFuture<'_, Vec<Note>> {
        Box::pin(async move { Ok(notes::put(&self.0.notes, put, &removed).await?) })
    }

    fn notes(&self, kind: NoteKind, about: Vec<Uuid>, above: u64) -> EngineFuture<'_, Vec<Note>> {
        Box::pin(async move {
            let parameters: Parameters<'_> = &[&kind.number(), &about, &whole(above)];
            self.read_notes(notes::NOTES, parameters).await
        })
    }

    fn notes_after(
        &self,
        kind: NoteKind,
        after: Option<Uuid>,
        limit: usize,
    ) -> EngineFuture<'_, Vec<Note>> {
        Box::pin(async move {
            let Some(first) = read::first_after(after) else {
                return Ok(Vec::new());
            };
            let parameters: Parameters<'_> = &[&kind.number(), &first, &whole(limit as u64)];
            self.read_notes(notes::NOTES_FROM, parameters).await
        })
    }

    fn hint(&self, hint: Hint) {
        self.0.hints.send(hint);
    }

    fn hints(&self) -> Hints {
        self.0.hints.subscribe()
    }

    fn server_key(&self) -> EngineFuture<'_, ServerKey> {
        Box::pin(async move { Ok(read::key(&self.read(read::KEY, &[]).await?)?) })
    }

    fn beat(&self, beat: Beat) -> EngineFuture<'_, Service> {
        Box::pin(async move {
            let newest = Timestamp(self.0.writer.written.newest());
            Ok(service::beat(&self.0.notes, &beat, newest).await?)
        })
    }

    fn filled(&self) -> EngineFuture<'_, ()> {
        Box::pin(async move {
            let finished: Parameters<'_> = &[&schema::FORMAT];
            self.0.notes.write(schema::SET_FORMAT, finished).await?;
            Ok(())
        })
    }

    fn ready(&self) -> EngineFuture<'_, Durability> {
        Box::pin(async move {
            if self.0.writer.is_stopped() {
                return Err(StoreError::Stopped);
            }
            let written = &self.0.writer.written;
            written.health.check(std::time::Instant::now())?;
            let durability = read::durability(&self.read_lately(read::DURABILITY, &[]).await?)?;
            let is_single = matches!(durability, Durability::OneDatabase { .. });
            if is_single && !self.0.allow_single_database {
                return Err(PostgresError::StandbyLost.into());
            }
            Ok(durability)
        })
    }

    fn meter(&self) -> StoreMeter {
        self.0.writer.written.meter.clone()
    }

    fn queue(&self) -> QueueFill {
        self.0.writer.queue()
    }
}
