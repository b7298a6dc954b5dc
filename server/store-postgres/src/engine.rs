//! The operations of the contract, each a statement on one of the connections.

use fibfob_protocol::{GuestId, MatchId, Record, Timestamp, Version};
use fibfob_store::identity::ServerKey;
use fibfob_store::{
    AppendError, Beat, Durability, Engine, EngineFuture, Head, HeldSeats, Hint, Hints, IndexRow,
    IndexedMatch, Listing, LobbyRow, Note, NoteKey, NoteKind, QueueFill, QueuedAppend, Service,
    StoreError, StoreMeter, StoredRow, oldest_first, whole,
};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::error::PostgresError;
use super::link::Parameters;
use super::read::{self, each};
use super::{Postgres, notes, schema, service};

/// A parameter of a statement that reads.
type Parameter = Box<dyn ToSql + Sync + Send>;

macro_rules! parameters {
    ($($value:expr),*) => { vec![$(Box::new($value) as Parameter),*] };
}

/// The certainty that a read needs, because the server that was read may be a former primary.
enum Certainty {
    /// None: what it lacks is found later.
    None,
    /// If it finds nothing, nothing was ever there.
    IfEmpty,
    /// It lacks what was written just now at the most: for what decides something and is in no log.
    Lately,
}

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
                Certainty::IfEmpty if rows.is_empty() => prover.prove(&link.primary).await?,
                Certainty::Lately => prover.prove_lately(&link.primary).await?,
                Certainty::IfEmpty | Certainty::None => {}
            }
            Ok(read(&rows)?)
        })
    }
}

impl Engine for Postgres {
    fn read(&self, id: MatchId, after: Version) -> EngineFuture<'_, Vec<Record>> {
        // No record has a version beyond the column's.
        let end = i32::try_from(after.0).unwrap_or(i32::MAX);
        let records = move |rows: &[Row]| read::records(rows, id, after);
        self.reading(
            Certainty::IfEmpty,
            read::LOG,
            parameters![id.0, end],
            records,
        )
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
        self.reading(
            Certainty::Lately,
            read::HEADS,
            parameters![ids],
            each(read::head),
        )
    }

    fn lobby_rows(&self, limit: usize) -> EngineFuture<'_, Vec<(MatchId, LobbyRow)>> {
        let rows = |rows: &[Row]| Ok(oldest_first(each(Row::lobby_row)(rows)?));
        self.reading(
            Certainty::None,
            read::LOBBY,
            parameters![whole(limit as u64)],
            rows,
        )
    }

    fn list(&self, listing: Listing, limit: usize) -> EngineFuture<'_, Vec<IndexedMatch>> {
        let rows = whole(limit as u64);
        let (certainty, sql, parameters) = match listing {
            Listing::OfCode(code) => {
                let parameters = parameters![rows, code.as_str().to_owned()];
                (Certainty::IfEmpty, read::OF_CODE, parameters)
            }
            Listing::UnfinishedAfter(place) => {
                let parameters = parameters![rows, whole(place.created_at.0), place.match_id.0];
                (Certainty::None, read::UNFINISHED_AFTER, parameters)
            }
            Listing::OfGuest {
                guest,
                finished,
                before,
            } => {
                let (created_at, id) = before.map_or((i64::MAX, Uuid::nil()), |place| {
                    (whole(place.created_at.0), place.match_id.0)
                });
                let phases = Listing::phases(finished);
                let parameters = parameters![rows, guest.0, phases, created_at, id];
                let newest =
                    move |rows: &[Row]| Ok(IndexedMatch::newest(each(Row::listed)(rows)?, limit));
                return self.reading(Certainty::None, read::OF_GUEST, parameters, newest);
            }
            Listing::After(id) => (Certainty::None, read::AFTER, parameters![rows, id.0]),
        };
        self.reading(certainty, sql, parameters, each(Row::listed))
    }

    fn held_seats(
        &self,
        guest: GuestId,
        since: Timestamp,
        now: Timestamp,
    ) -> EngineFuture<'_, HeldSeats> {
        let parameters = parameters![guest.0, whole(since.0), whole(now.0)];
        self.reading(
            Certainty::None,
            read::HELD_SEATS,
            parameters,
            read::held_seats,
        )
    }

    fn put_notes(&self, put: Vec<Note>, removed: Vec<NoteKey>) -> EngineFuture<'_, Vec<Note>> {
        Box::pin(async move { Ok(notes::put(&self.0.notes, put, &removed).await?) })
    }

    fn notes(&self, kind: NoteKind, about: Vec<Uuid>, above: u64) -> EngineFuture<'_, Vec<Note>> {
        let parameters = parameters![kind.number(), about, whole(above)];
        self.reading(Certainty::Lately, notes::NOTES, parameters, each(Row::note))
    }

    fn notes_of(&self, kind: NoteKind, after: Uuid, limit: usize) -> EngineFuture<'_, Vec<Note>> {
        let parameters = parameters![kind.number(), after, whole(limit as u64)];
        self.reading(
            Certainty::Lately,
            notes::NOTES_OF,
            parameters,
            each(Row::note),
        )
    }

    fn hint(&self, hint: Hint) {
        self.0.hints.send(hint);
    }

    fn hints(&self) -> Hints {
        self.0.hints.subscribe()
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

    fn filled(&self) -> EngineFuture<'_, ()> {
        Box::pin(async move {
            let finished: Parameters<'_> = &[&schema::FORMAT];
            self.0.notes.write(schema::SET_FORMAT, finished).await?;
            Ok(())
        })
    }

    fn ready(&self) -> EngineFuture<'_, Durability> {
        Box::pin(async move {
            if self.0.writer.queue.is_closed() {
                return Err(StoreError::Stopped);
            }
            let written = &self.0.writer.written;
            written.health.check(std::time::Instant::now())?;
            let read = self.reading(
                Certainty::Lately,
                read::DURABILITY,
                Vec::new(),
                read::durability,
            );
            let durability = read.await?;
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
        QueueFill::of(&self.0.writer.queue)
    }
}
