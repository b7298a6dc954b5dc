//! Reads all logs from the file of a store that no server uses, as the store's documentation says
//! and without its code.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use fibfob_protocol::{MatchId, Record};
use flate2::read::ZlibDecoder;
use rusqlite::Connection;
use uuid::Uuid;

/// Returns all logs of the store in `file`.
pub(super) fn stored_logs(file: &Path) -> BTreeMap<MatchId, Vec<Record>> {
    read(file).unwrap_or_else(|error| panic!("{} cannot be read: {error}", file.display()))
}

fn read(file: &Path) -> rusqlite::Result<BTreeMap<MatchId, Vec<Record>>> {
    let store = Connection::open(file)?;
    let mut logs: BTreeMap<MatchId, Vec<Record>> = BTreeMap::new();
    let mut packed = store.prepare("SELECT id, records FROM packed JOIN match USING (number)")?;
    let mut rows = packed.query([])?;
    while let Some(row) = rows.next()? {
        let mut texts = String::new();
        ZlibDecoder::new(row.get_ref(1)?.as_blob()?)
            .read_to_string(&mut texts)
            .expect("packed records are text, compressed");
        let log = texts.lines().map(record).collect();
        logs.insert(match_id(row.get(0)?), log);
    }
    let mut log =
        store.prepare("SELECT id, record FROM log JOIN match USING (number) ORDER BY seq")?;
    let mut rows = log.query([])?;
    while let Some(row) = rows.next()? {
        let log = logs.entry(match_id(row.get(0)?)).or_default();
        log.push(record(row.get_ref(1)?.as_str()?));
    }
    Ok(logs)
}

fn match_id(bytes: Vec<u8>) -> MatchId {
    MatchId(Uuid::from_slice(&bytes).expect("a match id has 16 bytes"))
}

fn record(text: &str) -> Record {
    serde_json::from_str(text).expect("a record of this version")
}
