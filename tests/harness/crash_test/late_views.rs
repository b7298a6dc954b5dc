//! Reads every match over the wire at the end of a run, as a viewer who has seen nothing of it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use fibfob_history::{Due, LateView, Violation};
use fibfob_protocol::{MatchId, Record, Refused, RequestBody, TimedEvent, Timestamp, Version};
use tokio::task::JoinSet;

use super::now;
use crate::TestClient;

/// Viewers that read side by side: the server bounds the rate of each.
const VIEWERS: usize = 16;

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
    let greeted = TestClient::try_connect(&address, "Late", None).await;
    let mut viewer = greeted.expect("the server answers");
    let mut views = Views::default();
    for (id, stored) in matches {
        let due = stored.map_or_else(|| Due::Before(Timestamp(now())), Due::UpTo);
        match view_one(&mut viewer, id, stored).await {
            Ok(events) => drop(views.0.insert(id, LateView { due, events })),
            Err(refused) => views.1.push(Violation::Unsettled {
                client: "a late viewer".to_owned(),
                awaited: format!("{id}: {}", refused.message),
            }),
        }
    }
    views
}

async fn view_one(
    viewer: &mut TestClient,
    id: MatchId,
    stored: Option<Version>,
) -> Result<Vec<TimedEvent>, Refused> {
    let since = Version(0);
    let end = viewer.request(RequestBody::Resume { id, since }).await?;
    let has = |viewer: &TestClient, wanted: Option<Version>| {
        let newest = viewer.seen.get(&id).and_then(|seen| seen.keys().last());
        newest.copied() >= wanted
    };
    while !has(viewer, end.version) {
        viewer.receive().await.expect("the connection holds");
    }
    // What is not shown within this time is a violation, which the checker reports.
    let _ = tokio::time::timeout(CATCH_UP_MAX, async {
        while !has(viewer, stored) {
            viewer.receive().await.expect("the connection holds");
        }
    })
    .await;
    viewer.request(RequestBody::Leave { id }).await?;
    let events = viewer.seen.remove(&id).unwrap_or_default();
    let read = |event| serde_json::from_value(event).expect("it was an event");
    Ok(events.into_values().map(read).collect())
}
