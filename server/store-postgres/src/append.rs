//! The statement that stores a batch of appends.

use std::collections::{HashMap, HashSet};

use fibfob_protocol::MatchId;
use fibfob_store::{AppendError, MatchColumns, QueuedAppend, checksum};
use tokio_postgres::Row;
use uuid::Uuid;

use super::error::PostgresError;
use super::link::{Link, Parameters};

/// Stores what may be stored and returns the matches of it.
///
/// A first record goes in with its match's row, if id and code are free; another one only behind its predecessor,
/// because the primary key alone would let a writer that errs leave a gap. The conditions within `CASE` are evaluated
/// for each row by an index or a hash table, whatever the planner thinks of the tables' sizes. Both insertions are
/// sorted: batches of different processes that share keys wait for each other in one direction.
const STORE: &str = "
    WITH batch AS MATERIALIZED (
        SELECT * FROM unnest($1::uuid[], $2::integer[], $3::bigint[], $4::text[], $5::text[])
            AS batch (match_id, version, sum, record, index_row)
            CROSS JOIN LATERAL json_populate_record(NULL::fibfob.match, index_row::json)
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

const OWNERS: &str = "SELECT code, id FROM fibfob.match WHERE code = ANY ($1)";

/// Stores a batch on this connection and returns what became of each append. After an error nothing
/// is known of any, except that an error of the statement itself has undone all of it.
pub(super) async fn store(
    link: &Link,
    batch: &[QueuedAppend],
) -> Result<Vec<Result<(), AppendError>>, PostgresError> {
    let ids: Vec<Uuid> = batch.iter().map(|append| append.id.0).collect();
    // A log that long conflicts with every predecessor.
    let version = |append: &QueuedAppend| i32::try_from(append.version.0).unwrap_or(i32::MAX);
    let versions: Vec<i32> = batch.iter().map(version).collect();
    let sum =
        |append: &QueuedAppend| checksum::of_record(append.id, append.version, &append.record);
    let sums: Vec<i64> = batch.iter().map(sum).collect();
    let records: Vec<&str> = batch.iter().map(|append| append.record.as_str()).collect();
    let index_rows: Vec<Option<String>> = batch.iter().map(index_row).collect();
    let parameters: Parameters<'_> = &[&ids, &versions, &sums, &records, &index_rows];
    let (statement, parameters) = match index_rows.iter().any(Option::is_some) {
        true => (STORE, parameters),
        false => (STORE_EVENTS, &parameters[..EVENT_PARAMETERS]),
    };
    let rows = link.run(statement, parameters).await?;
    let stored: Result<HashSet<Uuid>, _> = rows.iter().map(|row| row.try_get(0)).collect();
    let stored = stored?;
    let refused_code = |append: &&QueuedAppend| {
        let is_birth = append.version.0 == 1 && !stored.contains(&append.id.0);
        is_birth.then_some(append.row.as_ref()?.code)
    };
    let codes: Vec<_> = batch.iter().filter_map(|it| refused_code(&it)).collect();
    let owners = match codes.is_empty() {
        true => HashMap::new(),
        false => {
            let codes: Vec<_> = codes.iter().map(|code| code.as_str()).collect();
            let rows = link.run(OWNERS, &[&codes]).await?;
            let owner = |row: &Row| Ok((row.try_get(0)?, MatchId(row.try_get(1)?)));
            let owners: Result<HashMap<String, MatchId>, tokio_postgres::Error> =
                rows.iter().map(owner).collect();
            owners?
        }
    };
    let outcome = |append: &QueuedAppend| {
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

/// The index row of an append as JSON with the names of the columns.
fn index_row(append: &QueuedAppend) -> Option<String> {
    let columns = MatchColumns::of(append.id, append.row.as_ref()?);
    Some(serde_json::to_string(&columns).expect("columns have names"))
}
