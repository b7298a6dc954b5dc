//! The run that is recorded: several players at a time who store whole matches, over some starts and ends
//! of the store.

use std::collections::HashSet;
use std::fs::File;
use std::io::Write;
use std::path::Path;

use fibfob_protocol::{MatchId, Record};
use fibfob_store::{IndexRow, Store};
use fibfob_store_sqlite::Sqlite;
use fibfob_wire_properties::generated_match;
use rand::rngs::StdRng;
use rand::{Rng, RngExt, SeedableRng};

/// The name of the store.
pub(super) const STORE: &str = "store.sqlite";
/// The name of the file in which the writer notes what the store has acknowledged.
pub(super) const ACKNOWLEDGED: &str = "acknowledged";
/// The matches of a run. With them the write-ahead log is begun anew several times.
const MATCHES: usize = 480;
/// The starts of the store.
const STARTS: usize = 3;
/// The players, each with one match at a time.
const PLAYERS: usize = 8;
/// The bytes that a match is generated from.
const BYTES: usize = 256;

/// A match as it is stored.
pub(super) struct Script {
    pub id: MatchId,
    pub records: Vec<Record>,
    rows: Vec<Option<IndexRow>>,
}

impl Script {
    /// The matches of a run, always the same ones for a seed.
    pub(super) fn all(seed: u64) -> Vec<Self> {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut codes = HashSet::new();
        let mut all = Vec::with_capacity(MATCHES);
        while all.len() < MATCHES {
            let mut bytes = [0; BYTES];
            rng.fill_bytes(&mut bytes);
            let Some(generated) = generated_match(&bytes) else {
                continue;
            };
            let id = MatchId(uuid::Builder::from_random_bytes(rng.random()).into_uuid());
            let records = generated.log;
            let Ok(rows) = IndexRow::of_log(id, &records) else {
                continue;
            };
            let code = rows[0].as_ref().map(|row| row.code);
            if codes.insert(code) {
                all.push(Self { id, records, rows });
            }
        }
        all
    }
}

/// Stores the matches of a run in this folder, and notes each event once the store has acknowledged it.
///
/// # Panics
/// If the store refuses anything.
pub async fn write_store(folder: &Path, seed: u64) {
    let notes = File::create(folder.join(ACKNOWLEDGED)).expect("a file for notes");
    let scripts: Vec<_> = Script::all(seed).into_iter().enumerate().collect();
    for of_start in scripts.chunks(MATCHES / STARTS) {
        let store = Sqlite::open(&folder.join(STORE)).expect("a store");
        let store = Store::new(store);
        let players = of_start
            .chunks(of_start.len() / PLAYERS)
            .map(|scripts| play(&store, scripts, &notes));
        futures_util::future::join_all(players).await;
    }
}

async fn play(store: &Store, scripts: &[(usize, Script)], mut notes: &File) {
    for (index, script) in scripts {
        let (_, mut log) = store.open(script.id).await.expect("a readable store");
        for (record, row) in script.records.iter().zip(&script.rows) {
            log.append(record, row.as_ref()).await.expect("an append");
            let note = format!("{index} {}\n", record.version.0);
            notes.write_all(note.as_bytes()).expect("room for a note");
        }
        // As a server looks at its store, which packs what is over if nothing waits.
        store.ready().await.expect("a store that writes");
    }
}
