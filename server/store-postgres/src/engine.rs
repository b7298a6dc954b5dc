//! The operations of the contract, each a statement on one of the connections.

use fibfob_protocol::{MatchId, Record, Timestamp, Version};
use fibfob_store::identity::ServerKey;
use fibfob_store::sql::{Certainty, ReadRow, SqlEngine, SqlValue, StoredRow};
use fibfob_store::{
    AppendError, Beat, DatabasePlace, Engine, EngineFuture, Head, Hint, Hints, IndexRow,
    MatchChange, Note, NoteKey, NoteKind, QueueFill, QueuedAppend, Service, StoreError, StoreMeter,
    StoreRoom, hints_of, whole,
};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::error::PostgresError;
use super::link::Parameters;
use super::read::{self, each};
use super::{Postgres, change, notes, schema, service};

/// A parameter of a statement that reads.
type Parameter = Box<dyn ToSql + Sync + Send>;

impl Postgres {
    /// Runs a statement that reads, as an operation of the contract.
    fn reading<T: Send>(
        &self,
        certainty: Certainty,
        sql: &'static str,
        parameters: Vec<Parameter>,
        read: impl FnOnce(&[Row]) -> Result<T, PostgresError> + Send + 'static,
    ) -> EngineFuture<'_, T> {
        Box::pin(async move {
            let parameters: Vec<_> = parameters.iter().map(|value| &**value as _).collect();
            let (link, rows) = self.reader().read(sql, &parameters).await?;
            let prover = &self.0.prover;
            match certainty {
                Certainty::IfEmpty if rows.is_empty() => {
                    prover.prove(&link.settings.primary).await?
                }
                Certainty::Lately => prover.prove_lately(&link.settings.primary).await?,
                Certainty::IfEmpty | Certainty::None => {}
            }
            Ok(read(&rows)?)
        })
    }
}

impl SqlEngine for Postgres {
    type Error = PostgresError;

    fn rows<T: Send + 'static>(
        &self,
        certainty: Certainty,
        sql: &'static str,
        values: Vec<SqlValue>,
        read: ReadRow<T, PostgresError>,
    ) -> EngineFuture<'_, Vec<T>> {
        let value = |value| match value {
            SqlValue::Number(number) => Box::new(number) as Parameter,
            SqlValue::Id(id) => Box::new(id),
            SqlValue::Text(text) => Box::new(text),
        };
        let values = values.into_iter().map(value).collect();
        self.reading(certainty, sql, values, each(move |row| read(row)))
    }
}

impl Engine for Postgres {
    fn read(&self, id: MatchId, after: Version) -> EngineFuture<'_, Vec<Record>> {
        // No record has a version beyond the column's.
        let end = i32::try_from(after.0).unwrap_or(i32::MAX);
        let records = move |rows: &[Row]| read::records(rows, id, after);
        let parameters: Vec<Parameter> = vec![Box::new(id.0), Box::new(end)];
        self.reading(Certainty::IfEmpty, read::LOG, parameters, records)
    }

    fn append<'a>(
        &'a self,
        id: MatchId,
        record: &'a Record,
        row: Option<&'a IndexRow>,
    ) -> EngineFuture<'a, (), AppendError> {
        Box::pin(QueuedAppend::send(&self.0.writer.queue, id, record, row))
    }

    fn heads(&self, ids: Vec<MatchId>) -> EngineFuture<'_, Vec<(Head, u64)>> {
        let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
        let chat = NoteKind::Chat.number();
        let values: Vec<Parameter> = vec![Box::new(ids), Box::new(chat)];
        self.reading(Certainty::Lately, read::HEADS, values, each(read::head))
    }

    fn put_notes(&self, put: Vec<Note>, removed: Vec<NoteKey>) -> EngineFuture<'_, Vec<Note>> {
        Box::pin(async move { Ok(notes::put(&self.0.notes, put, &removed).await?) })
    }

    fn change_match(&self, id: MatchId, change: MatchChange) -> EngineFuture<'_, bool> {
        Box::pin(async move { Ok(change::change(&self.0.notes, id, &change).await?) })
    }

    fn notes(&self, kind: NoteKind, about: Vec<Uuid>, above: u64) -> EngineFuture<'_, Vec<Note>> {
        let (kind, about) = (Box::new(kind.number()), Box::new(about));
        let parameters: Vec<Parameter> = vec![kind, about, Box::new(whole(above))];
        self.reading(Certainty::Lately, notes::NOTES, parameters, each(Row::note))
    }

    fn hint(&self, hint: Hint) {
        let _ = self.0.hints.outgoing.try_send(hint);
    }

    fn hints(&self) -> Hints {
        hints_of(self.0.hints.notifier.incoming.subscribe())
    }

    fn server_key(&self) -> EngineFuture<'_, ServerKey> {
        self.reading(Certainty::None, read::KEY, Vec::new(), read::key)
    }

    fn beat(&self, beat: Beat) -> EngineFuture<'_, Service> {
        Box::pin(async move {
            let newest = Timestamp(self.0.writer.written.newest());
            Ok(service::beat(&self.0.notes, &beat, newest).await?)
        })
    }

    fn begin_filling(&self) -> EngineFuture<'_, ()> {
        Box::pin(async move {
            // A server may have begun since the store was opened.
            self.wait_until_unused().await?;
            let unfinished: Parameters<'_> = &[&schema::UNFINISHED_FORMAT];
            self.0.notes.write(schema::SET_FORMAT, unfinished).await?;
            Ok(())
        })
    }

    fn filled(&self) -> EngineFuture<'_, ()> {
        Box::pin(async move {
            let finished: Parameters<'_> = &[&schema::FORMAT];
            self.0.notes.write(schema::SET_FORMAT, finished).await?;
            Ok(())
        })
    }

    fn ready(&self) -> EngineFuture<'_, String> {
        Box::pin(async move {
            if self.0.writer.queue.is_closed() {
                return Err(StoreError::Stopped);
            }
            let written = &self.0.writer.written;
            written.health.check(std::time::Instant::now())?;
            let settings = self.rows(Certainty::Lately, read::DURABILITY, Vec::new(), |row| {
                let text = |column| Ok::<_, PostgresError>(row.text(column)?.map(str::to_owned));
                Ok(text(0)?.zip(text(1)?))
            });
            let settings = settings.await?.pop().flatten();
            let (version, standbys) = settings.ok_or(PostgresError::Incomplete)?;
            match standbys.is_empty() {
                true if !self.0.prover.connector.allow_single_database => {
                    Err(PostgresError::StandbyLost.into())
                }
                true => Ok(format!(
                    "PostgreSQL {version}, on one database server's disk"
                )),
                false => Ok(format!(
                    "PostgreSQL {version}, on the disks of two database servers: commits wait for \
                     {standbys}"
                )),
            }
        })
    }

    fn room(&self) -> EngineFuture<'_, StoreRoom> {
        Box::pin(async move {
            let room = self.rows(Certainty::None, read::ROOM, Vec::new(), |row| {
                let database = DatabasePlace {
                    system: row.number(1)?,
                    timeline: row.number(2)?,
                    disks: row.number(3)?,
                };
                Ok(StoreRoom {
                    bytes: row.number(0)?,
                    // The room of another machine's disk is not in a database.
                    free: None,
                    database: Some(database),
                })
            });
            Ok(room.await?.pop().unwrap_or_default())
        })
    }

    fn meter(&self) -> StoreMeter {
        self.0.writer.written.meter.clone()
    }

    fn queue(&self) -> QueueFill {
        QueueFill::of(&self.0.writer.queue)
    }
}
