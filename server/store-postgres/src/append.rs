//! The statement that stores a batch of appends.

use std::collections::{HashMap, HashSet};

use fibfob_protocol::MatchId;
use fibfob_store::{AppendError, MatchColumns, checksum};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::batch::WaitingAppend;
use super::error::PostgresError;
use super::link::Link;
use crate::limits::STATEMENT_WITHIN;

/// Stores what may be stored and returns the matches of it.
///
/// A first record goes in with its match's row, if id and code are free; another one only behind
/// its predecessor, because the primary key alone would let a writer that errs leave a gap. The
/// conditions within `CASE` are evaluated for each row by an index or a hash table, whatever the
/// planner thinks of the tables' sizes. Both insertions are sorted: batches of different processes
/// that share keys wait for each other in one direction.
const STORE: &str = "
    WITH batch AS MATERIALIZED (
        SELECT * FROM unnest($1::uuid[], $2::integer[], $3::bigint[], $4::text[],
                             $5::text[], $6::text[], $7::bigint[], $8::bigint[],
                             $9::uuid[], $10::text[], $11::uuid[], $12::text[], $13::bigint[],
                             $14::text[])
            AS batch (match_id, version, sum, record,
                      code, phase, created_at, expires_at,
                      creator, creator_name, joiner, joiner_name, persons_sum, lobby)
    ), born AS (
        INSERT INTO fibfob.match (id, code, phase, created_at, expires_at, creator, creator_name,
                                  joiner, joiner_name, persons_sum, lobby)
        SELECT match_id, code, phase, created_at, expires_at, creator, creator_name,
               joiner, joiner_name, persons_sum, lobby
        FROM batch WHERE version = 1 AND code IS NOT NULL ORDER BY match_id
        ON CONFLICT DO NOTHING
        RETURNING id
    ), stored AS (
        INSERT INTO fibfob.event (match_id, sum, version, record)
        SELECT match_id, sum, version, record FROM batch
        WHERE CASE version
            WHEN 1 THEN match_id IN (SELECT id FROM born)
            ELSE (SELECT true FROM fibfob.event AS before
                  WHERE before.match_id = batch.match_id AND before.version = batch.version - 1)
        END
        ORDER BY match_id, version
        ON CONFLICT DO NOTHING
        RETURNING match_id
    ), changed AS (
        UPDATE fibfob.match AS match
        SET phase = batch.phase, expires_at = batch.expires_at, creator = batch.creator,
            creator_name = batch.creator_name, joiner = batch.joiner,
            joiner_name = batch.joiner_name, persons_sum = batch.persons_sum, lobby = batch.lobby
        FROM batch
        WHERE match.id = batch.match_id AND CASE
            WHEN batch.version > 1 AND batch.code IS NOT NULL
            THEN batch.match_id IN (SELECT match_id FROM stored)
        END
    )
    SELECT match_id FROM stored";

/// [`STORE`] of a batch in which no match's row changes, as with almost every ply: it touches the log
/// alone, which halves the work of the database.
const STORE_EVENTS: &str = "
    INSERT INTO fibfob.event (match_id, sum, version, record)
    SELECT match_id, sum, version, record
    FROM unnest($1::uuid[], $2::integer[], $3::bigint[], $4::text[])
        AS batch (match_id, version, sum, record)
    WHERE (SELECT true FROM fibfob.event AS before
           WHERE before.match_id = batch.match_id AND before.version = batch.version - 1)
    ORDER BY match_id, version
    ON CONFLICT DO NOTHING
    RETURNING match_id";
/// The number of its parameters, the first ones of [`STORE`].
const EVENT_PARAMETERS: usize = 4;

/// The owners of codes.
const OWNERS: &str = "SELECT code, id FROM fibfob.match WHERE code = ANY ($1)";

/// The parameters of [`STORE`].
#[derive(Default)]
struct Columns {
    ids: Vec<Uuid>,
    versions: Vec<i32>,
    sums: Vec<i64>,
    records: Vec<String>,
    codes: Vec<Option<String>>,
    phases: Vec<Option<String>>,
    created_at: Vec<Option<i64>>,
    expires_at: Vec<Option<i64>>,
    creators: Vec<Option<Uuid>>,
    creator_names: Vec<Option<String>>,
    joiners: Vec<Option<Uuid>>,
    joiner_names: Vec<Option<String>>,
    persons_sums: Vec<Option<i64>>,
    lobby: Vec<Option<String>>,
}

/// Stores a batch on this connection and returns what became of each append. After an error nothing
/// is known of any, except that an error of the statement itself has undone all of it.
pub(super) async fn store(
    link: &Link,
    batch: &[WaitingAppend],
) -> Result<Vec<Result<(), AppendError>>, PostgresError> {
    let columns = Columns::of(batch);
    let parameters = columns.parameters();
    let (statement, parameters) = match batch.iter().any(|append| append.row.is_some()) {
        true => (STORE, parameters.as_slice()),
        false => (STORE_EVENTS, &parameters[..EVENT_PARAMETERS]),
    };
    let rows = link.run(statement, parameters, STATEMENT_WITHIN).await?;
    let stored: Result<HashSet<Uuid>, _> = rows.iter().map(match_id).collect();
    let stored = stored?;
    let refused_code = |append: &&WaitingAppend| {
        let is_birth = append.version.0 == 1 && !stored.contains(&append.id.0);
        is_birth.then_some(append.row.as_ref()?.code)
    };
    let codes: Vec<_> = batch.iter().filter_map(|it| refused_code(&it)).collect();
    let owners = match codes.is_empty() {
        true => HashMap::new(),
        false => {
            let codes: Vec<_> = codes.iter().map(|code| code.as_str()).collect();
            let rows = link.run(OWNERS, &[&codes], STATEMENT_WITHIN).await?;
            let owner = |row: &Row| Ok((row.try_get(0)?, MatchId(row.try_get(1)?)));
            let owners: Result<HashMap<String, MatchId>, tokio_postgres::Error> =
                rows.iter().map(owner).collect();
            owners?
        }
    };
    let outcome = |append: &WaitingAppend| {
        if stored.contains(&append.id.0) {
            return Ok(());
        }
        let owner = refused_code(&append).and_then(|code| owners.get(code.as_str()));
        Err(match owner {
            Some(owner) if *owner != append.id => AppendError::CodeTaken,
            _ => AppendError::Conflict,
        })
    };
    Ok(batch.iter().map(outcome).collect())
}

fn match_id(row: &Row) -> Result<Uuid, tokio_postgres::Error> {
    row.try_get(0)
}

impl Columns {
    fn of(batch: &[WaitingAppend]) -> Self {
        let mut columns = Self::default();
        for append in batch {
            columns.push(append);
        }
        columns
    }

    fn push(&mut self, append: &WaitingAppend) {
        self.ids.push(append.id.0);
        // A log that long conflicts with every predecessor.
        self.versions
            .push(i32::try_from(append.version.0).unwrap_or(i32::MAX));
        self.sums.push(checksum::of_record(
            append.id,
            append.version,
            &append.record,
        ));
        self.records.push(append.record.clone());
        let row = append.row.as_ref();
        let row = row.map(|row| MatchColumns::of(append.id, row));
        self.lobby
            .push(row.as_ref().and_then(MatchColumns::lobby_text));
        self.created_at.push(row.as_ref().map(|row| row.created_at));
        self.expires_at
            .push(row.as_ref().and_then(|row| row.expires_at));
        let (code, phase, persons) = match row {
            Some(row) => (Some(row.code), Some(row.phase), Some(row.persons)),
            None => (None, None, None),
        };
        self.codes.push(code);
        self.phases.push(phase);
        self.persons_sums.push(persons.as_ref().map(|row| row.sum));
        let persons = persons.unwrap_or_default();
        self.creators.push(persons.creator);
        self.creator_names.push(persons.creator_name);
        self.joiners.push(persons.joiner);
        self.joiner_names.push(persons.joiner_name);
    }

    fn parameters(&self) -> [&(dyn ToSql + Sync); 14] {
        [
            &self.ids,
            &self.versions,
            &self.sums,
            &self.records,
            &self.codes,
            &self.phases,
            &self.created_at,
            &self.expires_at,
            &self.creators,
            &self.creator_names,
            &self.joiners,
            &self.joiner_names,
            &self.persons_sums,
            &self.lobby,
        ]
    }
}
