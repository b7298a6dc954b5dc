//! Reads every match over the wire at the end of a run, as a viewer who has seen nothing of it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use fibfob_client::{Connection, ConnectionError};
use fibfob_history::{Due, LateView, Violation};
use fibfob_protocol::{
    ClientMessage, CommandId, MatchId, Record, Request, RequestBody, ServerMessage, TimedEvent,
    Timestamp, Version,
};
use tokio::task::JoinSet;

use super::now;
use crate::connect::connect;
use crate::with_timeout;

/// Viewers that read side by side: the server bounds the rate of each.
const VIEWERS: usize = 16;

/// The pause before a refused request is sent again that may be.
const RETRY_PAUSE: Duration = Duration::from_millis(100);

/// The longest wait for events that another server stored: a lost hint is made good within 5 s.
const CATCH_UP_MAX: Duration = Duration::from_secs(15);

/// The views of one late viewer, and the matches that it could not see.
type Views = (BTreeMap<MatchId, LateView>, Vec<Violation>);

/// Returns the late view of every match of `ids`, at the only server.
pub(super) async fn late_views(address: &str, ids: &BTreeSet<MatchId>) -> Views {
    view_all(address, ids.iter().map(|&id| (id, None)).collect()).await
}

/// Returns the late view of every match of `ids`, at one of several servers. It can be behind the
/// store for a moment; the viewer waits for the log that was `stored` before.
pub(super) async fn late_views_of_stored(
    address: &str,
    ids: &BTreeSet<MatchId>,
    stored: &BTreeMap<MatchId, Vec<Record>>,
) -> Views {
    let newest = |id| stored.get(id).and_then(|log| log.last());
    let version = |id| newest(id).map_or(Version(0), |newest| newest.version);
    view_all(
        address,
        ids.iter().map(|id| (*id, Some(version(id)))).collect(),
    )
    .await
}

/// Returns the views of these matches, each with the version that was stored before, if known.
async fn view_all(address: &str, matches: Vec<(MatchId, Option<Version>)>) -> Views {
    let mut shares = vec![Vec::new(); VIEWERS];
    for (at, one) in matches.into_iter().enumerate() {
        shares[at % VIEWERS].push(one);
    }
    let mut viewers = JoinSet::new();
    for share in shares {
        viewers.spawn(view(address.to_owned(), share));
    }
    let mut all = Views::default();
    while let Some(views) = viewers.join_next().await {
        let (views, violations) = views.expect("a viewer does not panic");
        all.0.extend(views);
        all.1.extend(violations);
    }
    all
}

async fn view(address: String, matches: Vec<(MatchId, Option<Version>)>) -> Views {
    let greeted = connect(&address, "Late", None, None).await;
    let (mut connection, _) = greeted.expect("the server answers");
    let mut views = Views::default();
    for (id, stored) in matches {
        let due = stored.map_or_else(|| Due::Before(Timestamp(now())), Due::UpTo);
        match view_one(&mut connection, id, stored).await {
            Ok(events) => drop(views.0.insert(id, LateView { due, events })),
            Err(refused) => views.1.push(Violation::Unsettled {
                client: "a late viewer".to_owned(),
                awaited: format!("{id}: {refused}"),
            }),
        }
    }
    views
}

async fn view_one(
    connection: &mut Connection,
    id: MatchId,
    stored: Option<Version>,
) -> Result<Vec<TimedEvent>, String> {
    let mut log = Vec::new();
    let since = Version(0);
    let end = request(connection, RequestBody::Resume { id, since }, &mut log).await?;
    while (log.len() as u64) < end.map_or(0, |end| end.0) {
        receive(connection, &mut log).await?;
    }
    // What is not shown within this time is a violation, which the checker reports.
    let _ = tokio::time::timeout(CATCH_UP_MAX, async {
        while (log.len() as u64) < stored.map_or(0, |stored| stored.0) {
            receive(connection, &mut log).await?;
        }
        Ok::<_, String>(())
    })
    .await;
    request(connection, RequestBody::Leave { id }, &mut log).await?;
    Ok(log)
}

/// Sends a request until it is accepted, and returns the version of the answer.
async fn request(
    connection: &mut Connection,
    body: RequestBody,
    log: &mut Vec<TimedEvent>,
) -> Result<Option<Version>, String> {
    let id = CommandId::fresh();
    let request = ClientMessage::Request(Request {
        id: id.clone(),
        body,
    });
    loop {
        connection
            .send(&request)
            .await
            .expect("the connection holds");
        let refused = loop {
            match receive(connection, log).await? {
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

/// Receives the next message; events go to the log instead.
async fn receive(
    connection: &mut Connection,
    log: &mut Vec<TimedEvent>,
) -> Result<Option<ServerMessage>, String> {
    match with_timeout("a log", connection.receive()).await {
        Ok(ServerMessage::Frame(frame)) => log.push(frame.timed),
        Ok(ServerMessage::Snapshot(snapshot)) => {
            log.extend(snapshot.events.into_iter().map(|past| past.timed));
        }
        Ok(other) => return Ok(Some(other)),
        Err(ConnectionError::Unreadable(error)) => return Err(error),
        Err(error) => panic!("the connection does not hold: {error}"),
    }
    Ok(None)
}
