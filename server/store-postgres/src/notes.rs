//! Notes. The standby has them before they are acknowledged, as it has the logs: a server notes only
//! what changes, and an absence may cost a match.

use std::collections::BTreeMap;
use std::sync::Arc;

use fibfob_store::sql::{self, StoredRow};
use fibfob_store::{NameTaken, Note, NoteKey, NoteKind, checksum, whole};
use serde_json::{Value, json};
use tokio_postgres::Row;

use super::error::PostgresError;
use super::lane::Lane;
use super::link::Parameters;
use crate::limits::NOTE_TRIES;

/// The notes of a kind about some subjects above a number. A row named `#` has the newest number.
pub(super) const NOTES: &str = "SELECT kind, about, name, number, until, text, sum FROM fibfob.note
     WHERE about = ANY ($2) AND kind = $1 AND number > $3 AND name <> '#' ORDER BY about, number";
/// All notes but those of [some kinds](passing_kinds).
pub(super) const ALL_NOTES: &str = "SELECT kind, about, name, number, until, text, sum
     FROM fibfob.note WHERE kind <> ALL ($1) AND name <> '#'";
const REMOVE: &str = "DELETE FROM fibfob.note AS note
     USING json_populate_recordset(NULL::fibfob.note, $1::text::json) AS gone
     WHERE note.about = gone.about AND note.kind = gone.kind AND note.name = gone.name";
/// Replaces notes; if asked, only those with smaller numbers.
const REPLACE: &str = "INSERT INTO fibfob.note AS stored
     SELECT * FROM json_populate_recordset(NULL::fibfob.note, $1::text::json)
     ORDER BY about, kind, name
     ON CONFLICT (about, kind, name) DO UPDATE
     SET number = excluded.number, until = excluded.until, text = excluded.text, sum = excluded.sum
     WHERE NOT $2 OR stored.number < excluded.number
     RETURNING number";
/// Adds a note under the next number. Whoever adds the next one waits for the row with the number,
/// so that numbers become visible in their order.
const ADD_NUMBERED: &str = "WITH added AS (
         SELECT * FROM json_populate_record(NULL::fibfob.note, $1::text::json)
     ), newest AS (
         INSERT INTO fibfob.note AS newest (about, kind, name, number, until, text, sum)
         SELECT about, kind, '#', number, until, '', 0 FROM added
         ON CONFLICT (about, kind, name) DO UPDATE
         SET number = greatest(newest.number + 1, excluded.number), until = excluded.until
         RETURNING number
     )
     INSERT INTO fibfob.note (about, kind, name, number, until, text, sum)
     SELECT about, kind, name, newest.number, until, text, sum FROM added, newest
     ON CONFLICT DO NOTHING
     RETURNING number";

/// Removes notes and stores others. Returns the notes that are then stored under the names.
pub(super) async fn put(
    lane: &Arc<Lane>,
    put: Vec<Note>,
    removed: &[NoteKey],
) -> Result<Vec<Note>, PostgresError> {
    if !removed.is_empty() {
        let removed: Vec<_> = removed.iter().map(key_columns).collect();
        lane.write(REMOVE, &[&json!(removed).to_string()]).await?;
    }
    let replaces = |note: &&Note| note.key.kind.name_taken() == NameTaken::Replaces;
    // The last one of each name.
    let named = put.iter().filter(replaces).map(|note| (&note.key, note));
    let last: BTreeMap<&NoteKey, &Note> = named.collect();
    if !last.is_empty() {
        let last: Vec<_> = last.into_values().map(columns).collect();
        lane.write(REPLACE, &[&json!(last).to_string(), &false])
            .await?;
    }
    let mut stored = Vec::with_capacity(put.len());
    for note in put {
        stored.push(match replaces(&&note) {
            true => note,
            false => put_one(lane, note).await?,
        });
    }
    Ok(stored)
}

async fn put_one(lane: &Arc<Lane>, mut note: Note) -> Result<Note, PostgresError> {
    let key = note.key.clone();
    for _ in 0..NOTE_TRIES {
        let parameters: Parameters<'_> = &[&key.about, &key.kind.number(), &key.name];
        let (_, found) = lane.read(sql::NOTE, parameters).await?;
        let found = found.first().map(Row::note).transpose()?;
        if let Some(stored) = found.filter(|stored| note.gives_way_to(stored)) {
            return Ok(stored);
        }
        let new = columns(&note);
        let written = match key.kind.name_taken() {
            NameTaken::StaysNumbered => lane.write(ADD_NUMBERED, &[&new.to_string()]).await,
            NameTaken::Replaces | NameTaken::ReplacesSmaller => {
                let only_smaller = true;
                lane.write(REPLACE, &[&json!([new]).to_string(), &only_smaller])
                    .await
            }
        };
        if let Some(row) = written?.first() {
            note.number = row.number(0)?;
            return Ok(note);
        }
    }
    Err(PostgresError::Contended)
}

/// Returns the stored numbers of the kinds of notes that do not last.
pub(super) fn passing_kinds() -> Vec<i64> {
    let kinds = NoteKind::ALL.iter().filter(|kind| !kind.lasts());
    kinds.map(|kind| kind.number()).collect()
}

/// The columns of a note's row, as JSON with their names.
fn columns(note: &Note) -> Value {
    let mut columns = key_columns(&note.key);
    columns["number"] = json!(whole(note.number));
    columns["until"] = json!(note.until.map(|until| whole(until.0)));
    columns["text"] = json!(note.text);
    columns["sum"] = json!(checksum::of_note(note));
    columns
}

fn key_columns(key: &NoteKey) -> Value {
    json!({ "about": key.about, "kind": key.kind.number(), "name": key.name })
}
