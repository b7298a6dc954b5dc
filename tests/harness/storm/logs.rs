//! Reads every log when the storm is over: over the wire as a late viewer, and from the file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use fibfob_protocol::{
    ClientMessage, CommandId, MatchId, Record, Request, RequestBody, ServerMessage, TimedEvent,
    Timestamp, Version,
};
use rusqlite::Connection;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::fault::Fault;
use super::now;
use super::truth::LateView;
use crate::line::Line;
use crate::patiently;

/// Viewers that read side by side: each may only ask so fast.
const VIEWERS: usize = 16;

/// How long a request that was refused for now waits before it is sent again.
const RETRY_PAUSE: Duration = Duration::from_millis(100);

/// What one late viewer was told, and what it could not be told.
type Told = (BTreeMap<MatchId, LateView>, Vec<Fault>);

/// Every match of `ids` as a viewer is told it who has seen nothing of it.
pub(super) async fn told(address: &str, ids: &BTreeSet<MatchId>) -> Told {
    let mut shares = vec![Vec::new(); VIEWERS];
    for (at, id) in ids.iter().enumerate() {
        shares[at % VIEWERS].push(*id);
    }
    let mut viewers = JoinSet::new();
    for share in shares {
        viewers.spawn(view(address.to_owned(), share));
    }
    let mut all = Told::default();
    while let Some(told) = viewers.join_next().await {
        let (logs, faults) = told.expect("a viewer does not panic");
        all.0.extend(logs);
        all.1.extend(faults);
    }
    all
}

async fn view(address: String, ids: Vec<MatchId>) -> Told {
    let greeted = Line::greet(&address, "Late", None, None).await;
    let (mut line, _) = greeted.expect("the server answers");
    let mut told = Told::default();
    for id in ids {
        let asked_at = Timestamp(now());
        match view_one(&mut line, id).await {
            Ok(events) => drop(told.0.insert(id, LateView { asked_at, events })),
            Err(refused) => told.1.push(Fault::Unsettled {
                who: "a late viewer".to_owned(),
                what: format!("{id}: {refused}"),
            }),
        }
    }
    told
}

async fn view_one(line: &mut Line, id: MatchId) -> Result<Vec<TimedEvent>, String> {
    let mut log = Vec::new();
    let since = Version(0);
    let end = ask(line, RequestBody::Resume { id, since }, &mut log).await?;
    while (log.len() as u64) < end.map_or(0, |end| end.0) {
        hear(line, &mut log).await?;
    }
    ask(line, RequestBody::Leave { id }, &mut log).await?;
    Ok(log)
}

/// Asks until it is done, and gives the version it was answered with.
async fn ask(
    line: &mut Line,
    ask: RequestBody,
    log: &mut Vec<TimedEvent>,
) -> Result<Option<Version>, String> {
    let id = CommandId::fresh();
    let request = ClientMessage::Request(Request {
        id: id.clone(),
        body: ask,
    });
    loop {
        line.say(&request).await.expect("the line holds");
        let refused = loop {
            match hear(line, log).await? {
                Some(ServerMessage::Accepted(accepted)) if accepted.id == id => {
                    return Ok(accepted.version);
                }
                Some(ServerMessage::Refused(refused)) if refused.id.as_ref() == Some(&id) => {
                    break refused;
                }
                _ => {}
            }
        };
        if !refused.retry {
            return Err(refused.message);
        }
        tokio::time::sleep(RETRY_PAUSE).await;
    }
}

/// The next message, unless it belongs to the log, where it then is.
async fn hear(line: &mut Line, log: &mut Vec<TimedEvent>) -> Result<Option<ServerMessage>, String> {
    let text = patiently("a log", line.hear()).await;
    match serde_json::from_str(&text.expect("the line holds")) {
        Ok(ServerMessage::Frame(frame)) => log.push(frame.timed),
        Ok(ServerMessage::Snapshot(snapshot)) => log.extend(snapshot.events),
        Ok(other) => return Ok(Some(other)),
        Err(error) => return Err(error.to_string()),
    }
    Ok(None)
}

/// Every log of a store that no server uses.
pub(super) fn stored(file: &Path) -> BTreeMap<MatchId, Vec<Record>> {
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
