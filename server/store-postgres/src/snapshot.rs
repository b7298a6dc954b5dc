//! Reading the whole store as it is at one moment, beside servers that write it: some matches at a
//! time, and of their logs one record at a time.

use fibfob_protocol::MatchId;
use fibfob_store::limits::CHECK_PAGE;
use fibfob_store::sql::StoredRow;
use fibfob_store::{MatchColumns, whole};
use tokio_postgres::Row;
use uuid::Uuid;

use super::connector::{Connector, Purpose};
use super::error::PostgresError;
use super::link::{Link, in_time};
use super::read::select_records;

/// Begins a transaction that sees one moment, and lets it see it: the moment is that of the first
/// statement which reads. No setting of the server may end it while its rows are written elsewhere.
const BEGIN: &str = "ROLLBACK;
     BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
     SET LOCAL idle_in_transaction_session_timeout = 0;
     SELECT one FROM fibfob.store";
/// The first rows of the index after an id.
const ROWS: &str = "SELECT code, phase, created_at, expires_at, lobby,
            creator, creator_name, joiner, joiner_name, persons_sum, id
     FROM fibfob.match WHERE id > $1 ORDER BY id LIMIT $2";
/// The logs of all matches after an id up to another one, whether or not the index has them.
const LOGS: &str = select_records!("match_id > $1 AND match_id <= $2 ORDER BY match_id, version");

/// A transaction that sees the store as it is at one moment.
pub(super) struct DatabaseSnapshot {
    pub(super) link: Link,
}

/// A match as it is stored. Either the index or the events may lack it.
pub(super) struct StoredMatch {
    pub(super) id: MatchId,
    /// Its row in the index, as far as it can be read.
    pub(super) columns: Option<Result<MatchColumns, PostgresError>>,
    /// The rows of its log, as [`select_records`] selects them.
    pub(super) log: Vec<Row>,
}

impl DatabaseSnapshot {
    /// Connects to the primary of a store that is there, and begins.
    pub(super) async fn begin(connector: &Connector) -> Result<Self, PostgresError> {
        let link = connector.connect(&Purpose::Use).await?;
        let snapshot = Self { link };
        snapshot.renew().await?;
        Ok(snapshot)
    }

    /// Begins again, with a snapshot of this moment.
    pub(super) async fn renew(&self) -> Result<(), PostgresError> {
        self.execute(BEGIN).await
    }

    /// Ends the transaction, and lets go of what it holds in the database.
    pub(super) async fn end(self) -> Result<(), PostgresError> {
        self.execute("ROLLBACK").await
    }

    async fn execute(&self, statements: &str) -> Result<(), PostgresError> {
        in_time(self.link.client.batch_execute(statements)).await
    }

    /// Reads matches of the index after an id, without their logs, and the id after which others follow; none
    /// at the end. No id is nil.
    pub(super) async fn page(
        &self,
        after: Uuid,
    ) -> Result<(Vec<StoredMatch>, Option<Uuid>), PostgresError> {
        let limit = whole(CHECK_PAGE as u64);
        let rows = self.link.run(ROWS, &[&after, &limit]).await?;
        let matches = rows.iter().map(|row| {
            Ok::<_, PostgresError>(StoredMatch {
                id: row.match_id(10)?,
                columns: Some(row.match_columns()),
                log: Vec::new(),
            })
        });
        let matches = matches.collect::<Result<Vec<_>, _>>()?;
        let next = matches.get(CHECK_PAGE - 1).map(|full| full.id.0);
        Ok((matches, next))
    }

    /// Passes the matches of a page to `visit` in the order of their ids, each with its log, and those
    /// between them that have only a log.
    pub(super) async fn read_page<E: From<PostgresError>>(
        &self,
        matches: Vec<StoredMatch>,
        (after, next): (Uuid, Option<Uuid>),
        mut visit: impl FnMut(StoredMatch) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut indexed = matches.into_iter().peekable();
        let mut current: Option<StoredMatch> = None;
        let add = |event: Row| {
            let id = event.match_id(8)?;
            if let Some(same) = current.as_mut().filter(|current| current.id == id) {
                same.log.push(event);
                return Ok::<_, E>(());
            }
            current.take().map_or(Ok(()), &mut visit)?;
            while let Some(without_log) = indexed.next_if(|next| next.id < id) {
                visit(without_log)?;
            }
            let row = indexed.next_if(|next| next.id == id);
            let columns = row.and_then(|row| row.columns);
            let log = vec![event];
            current = Some(StoredMatch { id, columns, log });
            Ok(())
        };
        let last = next.unwrap_or(Uuid::max());
        self.link.each_row(LOGS, &[&after, &last], add).await?;
        current.into_iter().chain(indexed).try_for_each(visit)
    }
}
