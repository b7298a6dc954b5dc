//! The connections of players: a match does not end as abandoned while a player of it is connected.

use std::collections::{BTreeMap, HashMap};

use fibfob_protocol::{Event, GuestId, MatchId, ServerMessage, Timestamp, Version};

use crate::history::{History, Observation};
use crate::reference::Reference;
use crate::violation::Violation;

/// A match that ended as abandoned.
struct Abandoned {
    version: Version,
    at: Timestamp,
    players: Vec<GuestId>,
}

/// Checks the connections of all clients against the logs. A connection that was welcomed before an
/// event and received it was there in between; that needs one clock.
pub(crate) fn check(
    histories: &[History],
    references: &BTreeMap<MatchId, Reference<'_>>,
    violations: &mut Vec<Violation>,
) {
    let abandoned: HashMap<MatchId, Abandoned> = references
        .iter()
        .filter_map(|(id, reference)| Some((*id, abandonment(reference)?)))
        .collect();
    for history in histories {
        let mut welcomed = HashMap::new();
        for entry in &history.entries {
            let Observation::Received(message) = &entry.observation else {
                continue;
            };
            let (id, version) = match &**message {
                ServerMessage::Welcome(welcome) => {
                    welcomed.insert(entry.connection, (welcome.guest, welcome.now));
                    continue;
                }
                ServerMessage::Frame(frame) => (frame.match_id, frame.timed.version),
                ServerMessage::Snapshot(snapshot) => (snapshot.match_id, snapshot.version),
                _ => continue,
            };
            let (Some(ended), Some((guest, since))) =
                (abandoned.get(&id), welcomed.get(&entry.connection))
            else {
                continue;
            };
            if version >= ended.version && *since < ended.at && ended.players.contains(guest) {
                let client = history.name.clone();
                violations.push(Violation::AbandonedWhileConnected { client, id });
            }
        }
    }
}

fn abandonment(reference: &Reference<'_>) -> Option<Abandoned> {
    let is_abandonment = |event: &Event| matches!(event, Event::Abandoned { .. });
    let record = reference.log.iter().find(|it| is_abandonment(&it.event))?;
    Some(Abandoned {
        version: record.version,
        at: record.at,
        players: reference.guests.values().copied().collect(),
    })
}
