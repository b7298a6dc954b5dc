//! Notes of servers about their running, by the clock of the database.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use fibfob_protocol::Timestamp;
use fibfob_store::limits::{BEAT_EVERY, CORRECTION_LOGGED_FROM};
use fibfob_store::sql::StoredRow;
use fibfob_store::{Beat, NotedAbsence, NotedRuns, ServerId, Service, Sign, parsed, warn_seldom};

use super::error::PostgresError;
use super::lane::Lane;
use super::link::{Link, Parameters};
use crate::limits::NOTE_TRIES;

/// Notes that a server gives signs of life, and reads what all of them have noted.
const BEAT: &str = "WITH noted AS (
         INSERT INTO fibfob.server AS server (id, beat_at) VALUES ($1, fibfob.now())
         ON CONFLICT (id) DO UPDATE SET beat_at = greatest(server.beat_at, excluded.beat_at)
     )
     SELECT fibfob.now(), runs, absences,
            (SELECT coalesce(json_object_agg(id, beat_at), '{}') FROM fibfob.server)::text
     FROM fibfob.service";
const END: &str = "DELETE FROM fibfob.server WHERE id = $1";
/// Replaces the noted runs, unless another server has done so.
const NOTE: &str = "UPDATE fibfob.service
     SET runs = $2, absences = coalesce($3, absences) WHERE runs = $1 RETURNING one";
const NOTED: &str = "SELECT runs, absences FROM fibfob.service";
/// The number of servers that have given a sign of life within a time, in milliseconds.
pub(super) const RUNNING: &str =
    "SELECT count(*) FROM fibfob.server WHERE beat_at > fibfob.now() - $1";
/// Notes that a server runs. Notes of several servers at the same time are made one after the other;
/// one that is noted anyway by then waits for nothing.
pub(super) async fn beat(
    lane: &Arc<Lane>,
    beat: &Beat,
    newest: Timestamp,
) -> Result<Service, PostgresError> {
    let absences = beat.absences.as_ref().map(serde_json::to_string);
    let absences = absences.map(|text| text.expect("absences have string keys"));
    for _ in 0..NOTE_TRIES {
        let (_, rows) = lane.confirm(BEAT, &[&beat.server.0]).await?;
        let row = rows.first().ok_or(PostgresError::Incomplete)?;
        let (now, text) = (Timestamp(row.number(0)?), row.try_get(1)?);
        let (mut runs, noted) = NotedRuns::read(text, row.try_get(2)?);
        let mut servers: BTreeMap<ServerId, Timestamp> =
            parsed("the signs of life of servers", row.try_get(3)?)?;
        let until = runs.until;
        let behind = Duration::from_millis(until.map_or(0, |until| until.0.saturating_sub(now.0)));
        if behind >= CORRECTION_LOGGED_FROM {
            warn_seldom!(
                seconds = behind.as_secs(),
                "the database's clock went back: all matches' clocks stand still until it has caught \
                 up; set the clock of the database's machine"
            );
        }
        let begins_run = runs.begins_run(beat, now, &servers);
        servers.insert(beat.server, now);
        runs.note(now, begins_run);
        // Only after the silence was measured: a record that was stored after it, before this note,
        // says nothing about it.
        runs.saw(newest);
        let is_fresh = until.is_some_and(|until| {
            u128::from(now.0.saturating_sub(until.0)) < BEAT_EVERY.as_millis() / 2
        });
        let is_noted = is_fresh && absences.is_none() && !begins_run;
        if is_noted && beat.sign == Sign::Runs {
            return Ok(runs.service(beat.sign, noted, servers));
        }
        let changed = serde_json::to_string(&runs).expect("runs have string keys");
        let parameters: Parameters<'_> = &[&text, &changed, &absences];
        if !lane.write(NOTE, parameters).await?.is_empty() {
            if beat.sign == Sign::Ends {
                lane.write(END, &[&beat.server.0]).await?;
            }
            return Ok(runs.service(beat.sign, noted, servers));
        }
    }
    Err(PostgresError::Contended)
}

pub(super) async fn read_noted(
    link: &Link,
) -> Result<(NotedRuns, Vec<NotedAbsence>), PostgresError> {
    let rows = link.run(NOTED, &[]).await?;
    let row = rows.first().ok_or(PostgresError::Incomplete)?;
    let runs = parsed("the runs of servers", row.try_get(0)?)?;
    Ok((runs, parsed("the absences", row.try_get(1)?)?))
}
