//! Reads all logs from the file of a store that no server uses, as the store's documentation says
//! and without its code.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use fibfob_protocol::{MatchId, Record};
use flate2::read::ZlibDecoder;
use rusqlite::Connection;
use serde_json::{Value, json};
use uuid::Uuid;

/// Returns all logs of the store in `file`.
pub(super) fn stored_logs(file: &Path) -> BTreeMap<MatchId, Vec<Record>> {
    read(file).unwrap_or_else(|error| panic!("{} cannot be read: {error}", file.display()))
}

fn read(file: &Path) -> rusqlite::Result<BTreeMap<MatchId, Vec<Record>>> {
    let store = Connection::open(file)?;
    let players = players(&store)?;
    let mut logs: BTreeMap<MatchId, Vec<Record>> = BTreeMap::new();
    let mut packed = store.prepare("SELECT id, records FROM packed JOIN match USING (number)")?;
    let mut rows = packed.query([])?;
    while let Some(row) = rows.next()? {
        let id = match_id(row.get(0)?);
        let mut texts = String::new();
        ZlibDecoder::new(row.get_ref(1)?.as_blob()?)
            .read_to_string(&mut texts)
            .expect("packed records are text, compressed");
        let log = texts.lines().map(|text| record(text, &players[&id]));
        logs.insert(id, log.collect());
    }
    let mut log =
        store.prepare("SELECT id, record FROM log JOIN match USING (number) ORDER BY seq")?;
    let mut rows = log.query([])?;
    while let Some(row) = rows.next()? {
        let id = match_id(row.get(0)?);
        let record = record(row.get_ref(1)?.as_str()?, &players[&id]);
        logs.entry(id).or_default().push(record);
    }
    Ok(logs)
}

fn match_id(bytes: Vec<u8>) -> MatchId {
    MatchId(Uuid::from_slice(&bytes).expect("a match id has 16 bytes"))
}

/// The creator and the joiner of each match, if they are persons: its log does not say who they are.
fn players(store: &Connection) -> rusqlite::Result<BTreeMap<MatchId, [Value; 2]>> {
    let sql = "SELECT id, creator, creator_name, joiner, joiner_name FROM match";
    let mut matches = store.prepare(sql)?;
    let mut rows = matches.query([])?;
    let mut players = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let player = |column| -> rusqlite::Result<Value> {
            let (guest, name): (Option<Vec<u8>>, Option<String>) =
                (row.get(column)?, row.get(column + 1)?);
            let guest = guest.map(|bytes| Uuid::from_slice(&bytes).expect("a guest has 16 bytes"));
            Ok(json!({ "kind": "human", "guest": guest, "name": name }))
        };
        players.insert(match_id(row.get(0)?), [player(1)?, player(3)?]);
    }
    Ok(players)
}

/// Reads the text of a record, with the creator and the joiner where it has persons.
pub(super) fn record(text: &str, players: &[Value; 2]) -> Record {
    let mut record: Value = serde_json::from_str(text).expect("a record is JSON");
    let [creator, joiner] = players;
    for (place, player) in [
        ("/terms/creator", creator),
        ("/terms/joiner", joiner),
        ("/player", joiner),
    ] {
        if let Some(found) = record.pointer_mut(place)
            && found["kind"] == "human"
        {
            *found = player.clone();
        }
    }
    serde_json::from_value(record).expect("a record of this version")
}
