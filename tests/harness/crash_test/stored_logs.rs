//! Reads all logs from the file of a store that no server uses.

use std::collections::BTreeMap;
use std::path::Path;

use fibfob_protocol::{MatchId, Record};
use rusqlite::Connection;
use uuid::Uuid;

/// Returns all logs of the store in `file`.
pub(super) fn stored_logs(file: &Path) -> BTreeMap<MatchId, Vec<Record>> {
    read(file).unwrap_or_else(|error| panic!("{} cannot be read: {error}", file.display()))
}

fn read(file: &Path) -> rusqlite::Result<BTreeMap<MatchId, Vec<Record>>> {
    let store = Connection::open(file)?;
    let mut rows =
        store.prepare("SELECT match_id, record FROM event ORDER BY match_id, version")?;
    let mut rows = rows.query([])?;
    let mut logs: BTreeMap<MatchId, Vec<Record>> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let id: Vec<u8> = row.get(0)?;
        let id = MatchId(Uuid::from_slice(&id).expect("a match id has 16 bytes"));
        let record: String = row.get(1)?;
        let record = serde_json::from_str(&record).expect("a record of this version");
        logs.entry(id).or_default().push(record);
    }
    Ok(logs)
}
