//! The connections of players: a match does not end as abandoned while a player of it is connected,
//! and is not claimed of a player who has followed it for a while.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use fibfob_protocol::{Event, GuestId, MatchId, RequestBody, ServerMessage, Timestamp, Version};
use tokio::time::Instant;

use crate::history::{History, Observation};
use crate::reference::Reference;
use crate::uptime::Uptime;
use crate::violation::Violation;

/// The longest uptime for which one server may not know that a player follows a match at another one, in
/// milliseconds: twice as long as it believes what it has read of the store.
const UNKNOWN_FOR_MS: u64 = 10_000;

/// A match that ended because players were not there.
struct LeftMatch {
    version: Version,
    at: Timestamp,
    reason: LeftReason,
}

enum LeftReason {
    /// None of these players was connected.
    Abandoned(Vec<GuestId>),
    /// This player was away.
    Claimed(GuestId),
}

/// A connection of one client.
struct Greeting {
    guest: GuestId,
    /// The server's time of the welcome, and the client's instant then.
    at: Timestamp,
    welcomed: Instant,
    /// The matches of which it was shown something before they ended, and since when.
    followed: HashMap<MatchId, Duration>,
    /// Those that it has left since, and not followed again.
    left: HashSet<MatchId>,
}

/// Checks the connections of all clients against the logs. A connection that was welcomed before an
/// event and received it was there in between; that needs one clock.
pub(crate) fn check(
    histories: &[History],
    references: &BTreeMap<MatchId, Reference<'_>>,
    uptime: &Uptime,
    violations: &mut Vec<Violation>,
) {
    let left: HashMap<MatchId, LeftMatch> = references
        .iter()
        .filter_map(|(id, reference)| Some((*id, left_match(reference)?)))
        .collect();
    for history in histories {
        let mut greetings: HashMap<u32, Greeting> = HashMap::new();
        for entry in &history.entries {
            let message = match &entry.observation {
                Observation::Received(message) => message,
                Observation::Sent(request) => {
                    if let RequestBody::Leave { id } = &request.body
                        && let Some(greeting) = greetings.get_mut(&entry.connection)
                    {
                        greeting.followed.remove(id);
                        greeting.left.insert(*id);
                    }
                    continue;
                }
                _ => continue,
            };
            let (id, version) = match &**message {
                ServerMessage::Welcome(welcome) => {
                    let greeting = Greeting {
                        guest: welcome.guest,
                        at: welcome.now,
                        welcomed: entry.at,
                        followed: HashMap::new(),
                        left: HashSet::new(),
                    };
                    greetings.insert(entry.connection, greeting);
                    continue;
                }
                ServerMessage::Frame(frame) => (frame.match_id, frame.timed.version),
                ServerMessage::Snapshot(snapshot) => {
                    if let Some(greeting) = greetings.get_mut(&entry.connection) {
                        greeting.left.remove(&snapshot.match_id);
                    }
                    (snapshot.match_id, snapshot.version)
                }
                _ => continue,
            };
            let (Some(ended), Some(greeting)) =
                (left.get(&id), greetings.get_mut(&entry.connection))
            else {
                continue;
            };
            if version < ended.version {
                // A frame may have been under way when the match was left.
                if !greeting.left.contains(&id) {
                    let since = entry.at - greeting.welcomed;
                    greeting.followed.entry(id).or_insert(since);
                }
                continue;
            }
            let client = history.name.clone();
            violations.extend(ended.violation(id, greeting, uptime, client));
        }
    }
}

impl LeftMatch {
    /// The violation that this connection shows, which has received the end.
    fn violation(
        &self,
        id: MatchId,
        greeting: &Greeting,
        uptime: &Uptime,
        client: String,
    ) -> Option<Violation> {
        match &self.reason {
            LeftReason::Abandoned(players) => {
                let was_there = greeting.at < self.at && players.contains(&greeting.guest);
                was_there.then_some(Violation::AbandonedWhileConnected { client, id })
            }
            LeftReason::Claimed(player) => {
                let followed = greeting.at.after(*greeting.followed.get(&id)?);
                let was_there =
                    uptime.between(followed, self.at) > UNKNOWN_FOR_MS && *player == greeting.guest;
                was_there.then_some(Violation::ClaimedWhileConnected { client, id })
            }
        }
    }
}

fn left_match(reference: &Reference<'_>) -> Option<LeftMatch> {
    reference.log.iter().find_map(|record| {
        let reason = match record.event {
            Event::Abandoned { .. } => {
                LeftReason::Abandoned(reference.guests.values().copied().collect())
            }
            Event::Claimed { seat } => LeftReason::Claimed(*reference.guests.get(&seat.other())?),
            _ => return None,
        };
        Some(LeftMatch {
            version: record.version,
            at: record.at,
            reason,
        })
    })
}
