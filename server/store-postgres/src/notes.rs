//! Notes. The standby has them before they are acknowledged, as it has the logs: a server notes only
//! what changes, and an absence may cost a match.

use std::collections::BTreeMap;
use std::sync::Arc;

use fibfob_store::{NameTaken, Note, NoteKey, StoredRow, checksum, whole};
use tokio_postgres::Row;
use uuid::Uuid;

use super::error::PostgresError;
use super::lane::Lane;
use super::link::Parameters;
use crate::limits::NOTE_TRIES;

/// The notes of a kind about some subjects above a number. A row named `#` has the newest number.
pub(super) const NOTES: &str = "SELECT kind, about, name, number, until, text, sum FROM fibfob.note
     WHERE about = ANY ($2) AND kind = $1 AND number > $3 AND name <> '#' ORDER BY about, number";
/// All notes that are of no server.
pub(super) const ALL_NOTES: &str = "SELECT kind, about, name, number, until, text, sum
     FROM fibfob.note WHERE kind NOT IN (2, 3) AND name <> '#'";
const NOTE: &str = "SELECT kind, about, name, number, until, text, sum FROM fibfob.note
     WHERE about = $1 AND kind = $2 AND name = $3";
const REMOVE: &str = "DELETE FROM fibfob.note AS note
     USING unnest($1::uuid[], $2::bigint[], $3::text[]) AS gone (about, kind, name)
     WHERE note.about = gone.about AND note.kind = gone.kind AND note.name = gone.name";
const REPLACE: &str = "INSERT INTO fibfob.note (about, kind, name, number, until, text, sum)
     SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[],
                          $6::text[], $7::bigint[]) ORDER BY 1, 2, 3
     ON CONFLICT (about, kind, name) DO UPDATE
     SET number = excluded.number, until = excluded.until, text = excluded.text, sum = excluded.sum";
const REPLACE_SMALLER: &str =
    "INSERT INTO fibfob.note AS stored (about, kind, name, number, until, text, sum)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (about, kind, name) DO UPDATE
     SET number = excluded.number, until = excluded.until, text = excluded.text, sum = excluded.sum
     WHERE stored.number < excluded.number
     RETURNING number";
/// Adds a note under the next number. Whoever adds the next one waits for the row with the number,
/// so that numbers become visible in their order.
const ADD_NUMBERED: &str = "WITH newest AS (
         INSERT INTO fibfob.note AS newest (about, kind, name, number, until, text, sum)
         VALUES ($1, $2, '#', $4, $5, '', 0)
         ON CONFLICT (about, kind, name) DO UPDATE
         SET number = greatest(newest.number + 1, excluded.number), until = excluded.until
         RETURNING number
     )
     INSERT INTO fibfob.note (about, kind, name, number, until, text, sum)
     SELECT $1, $2, $3, newest.number, $5, $6, $7 FROM newest
     ON CONFLICT DO NOTHING
     RETURNING number";

/// Removes notes and stores others; returns those that are stored under the names then.
pub(super) async fn put(
    lane: &Arc<Lane>,
    put: Vec<Note>,
    removed: &[NoteKey],
) -> Result<Vec<Note>, PostgresError> {
    remove(lane, removed).await?;
    let replaces = |note: &&Note| note.key.kind.name_taken() == NameTaken::Replaces;
    replace(lane, put.iter().filter(replaces)).await?;
    let mut stored = Vec::with_capacity(put.len());
    for note in put {
        stored.push(match replaces(&&note) {
            true => note,
            false => put_one(lane, note).await?,
        });
    }
    Ok(stored)
}

async fn remove(lane: &Arc<Lane>, removed: &[NoteKey]) -> Result<(), PostgresError> {
    if removed.is_empty() {
        return Ok(());
    }
    let about: Vec<Uuid> = removed.iter().map(|key| key.about).collect();
    let kinds: Vec<i64> = removed.iter().map(|key| key.kind.number()).collect();
    let names: Vec<&str> = removed.iter().map(|key| key.name.as_str()).collect();
    lane.write(REMOVE, &[&about, &kinds, &names])
        .await
        .map(drop)
}

async fn replace<'a>(
    lane: &Arc<Lane>,
    notes: impl Iterator<Item = &'a Note>,
) -> Result<(), PostgresError> {
    // The last one of each name.
    let notes: BTreeMap<&NoteKey, &Note> = notes.map(|note| (&note.key, note)).collect();
    if notes.is_empty() {
        return Ok(());
    }
    let notes = || notes.values();
    let about: Vec<Uuid> = notes().map(|note| note.key.about).collect();
    let kinds: Vec<i64> = notes().map(|note| note.key.kind.number()).collect();
    let names: Vec<&str> = notes().map(|note| note.key.name.as_str()).collect();
    let numbers: Vec<i64> = notes().map(|note| whole(note.number)).collect();
    let until: Vec<Option<i64>> = notes().map(|note| until(note)).collect();
    let texts: Vec<&str> = notes().map(|note| note.text.as_str()).collect();
    let sums: Vec<i64> = notes().map(|note| checksum::of_note(note)).collect();
    let parameters: Parameters<'_> = &[&about, &kinds, &names, &numbers, &until, &texts, &sums];
    lane.write(REPLACE, parameters).await.map(drop)
}

async fn put_one(lane: &Arc<Lane>, mut note: Note) -> Result<Note, PostgresError> {
    let (key, sum) = (note.key.clone(), checksum::of_note(&note));
    let (kind, number) = (key.kind.number(), whole(note.number));
    for _ in 0..NOTE_TRIES {
        let (_, found) = lane.read(NOTE, &[&key.about, &kind, &key.name]).await?;
        let found = found.first().map(Row::note).transpose()?;
        if let Some(stored) = found.filter(|stored| note.gives_way_to(stored)) {
            return Ok(stored);
        }
        let statement = match key.kind.name_taken() {
            NameTaken::StaysNumbered => ADD_NUMBERED,
            NameTaken::Replaces | NameTaken::ReplacesSmaller => REPLACE_SMALLER,
        };
        let until = until(&note);
        let parameters: Parameters<'_> = &[
            &key.about, &kind, &key.name, &number, &until, &note.text, &sum,
        ];
        let rows = lane.write(statement, parameters).await?;
        if let Some(row) = rows.first() {
            note.number = row.number(0)?;
            return Ok(note);
        }
    }
    Err(PostgresError::Contended)
}

fn until(note: &Note) -> Option<i64> {
    note.until.map(|until| whole(until.0))
}
