//! What each client was shown, against the logs: event by event, in order, without a gap.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fibfob_protocol::{
    CommandId, MatchId, MatchView, RequestBody, Seat, ServerMessage, TimedEvent, Version,
};

use crate::storm::fault::Fault;
use crate::storm::history::{History, What};
use crate::storm::truth::{Truth, winner};

/// One frame or snapshot: what came, and the state after it.
struct Picture {
    id: MatchId,
    happenings: Vec<TimedEvent>,
    state: MatchView,
    /// Whether it was held against the log already; many are shown the same.
    judged: bool,
}

/// How far one client's viewing has come.
#[derive(Default)]
struct Viewer {
    /// What each connection follows, and the newest version it was shown.
    cursors: HashMap<(u32, MatchId), Version>,
    /// From where on each unanswered request wants to follow.
    asked: HashMap<CommandId, (Option<MatchId>, Follow)>,
    /// Every version that was shown, on any connection.
    seen: HashMap<MatchId, BTreeSet<Version>>,
}

#[derive(Clone, Copy)]
enum Follow {
    From(Version),
    NoMore,
}

/// Holds every picture against the log, and every viewer's sequence.
pub(super) fn check(
    histories: &[History],
    truths: &BTreeMap<MatchId, Truth>,
    faults: &mut Vec<Fault>,
) {
    let mut pictures: HashMap<&str, Picture> = HashMap::new();
    let mut winners: BTreeMap<MatchId, BTreeSet<Seat>> = BTreeMap::new();
    for (&id, truth) in truths {
        let named = truth.views.iter().filter_map(winner);
        winners.entry(id).or_default().extend(named);
    }
    let sent = first_sent(histories);
    for history in histories {
        let mut viewer = Viewer::default();
        for entry in &history.entries {
            match &entry.what {
                What::Sent(request) => viewer.asks(&request.id, &request.body),
                What::Accepted(accepted) => {
                    viewer.is_answered(entry.line, &accepted.id, accepted.match_id);
                }
                What::Refused(_) => {}
                What::Shown(text) => {
                    if !pictures.contains_key(&**text) {
                        match read(text) {
                            Ok(picture) => drop(pictures.insert(text, picture)),
                            Err(why) => {
                                let who = history.name.clone();
                                faults.push(Fault::Unreadable { who, why });
                                continue;
                            }
                        }
                    }
                    let picture = pictures.get_mut(&**text).expect("just put there");
                    viewer.is_shown(&history.name, entry.line, picture, faults);
                    if let Some(truth) = truths.get(&picture.id) {
                        not_before_asked(picture, truth, &sent, entry.moment, faults);
                    }
                    if !picture.judged {
                        picture.judged = true;
                        winners
                            .entry(picture.id)
                            .or_default()
                            .extend(winner(&picture.state));
                        judge(&history.name, picture, truths, faults);
                    }
                }
            }
        }
        viewer.has_no_gap(&history.name, faults);
    }
    for (id, winners) in winners {
        if winners.len() > 1 {
            faults.push(Fault::TwoWinners { id });
        }
    }
}

/// When each command was sent for the first time.
fn first_sent(histories: &[History]) -> HashMap<&CommandId, u64> {
    let mut first = HashMap::new();
    for history in histories {
        for entry in &history.entries {
            if let What::Sent(request) = &entry.what {
                let moment = first.entry(&request.id).or_insert(entry.moment);
                *moment = entry.moment.min(*moment);
            }
        }
    }
    first
}

/// Nobody can be shown what nobody has asked for yet.
fn not_before_asked(
    picture: &Picture,
    truth: &Truth,
    sent: &HashMap<&CommandId, u64>,
    moment: u64,
    faults: &mut Vec<Fault>,
) {
    for timed in &picture.happenings {
        let Some(command) = truth.command(timed.version) else {
            continue;
        };
        if let Some(&first) = sent.get(command)
            && first > moment
            && let Some(seat) = timed.event.author()
        {
            faults.push(Fault::Unasked {
                place: super::place((picture.id, timed.version)),
                command: command.clone(),
                seat,
            });
        }
    }
}

fn read(text: &str) -> Result<Picture, String> {
    let (id, happenings, state) = match serde_json::from_str(text) {
        Ok(ServerMessage::Frame(frame)) => (frame.match_id, vec![frame.timed], frame.state),
        Ok(ServerMessage::Snapshot(snapshot)) => {
            let last = snapshot.events.last().map(|event| event.version);
            if last != Some(snapshot.version) {
                return Err(format!(
                    "a snapshot of {} that ends elsewhere",
                    snapshot.version
                ));
            }
            (snapshot.match_id, snapshot.events, snapshot.state)
        }
        Ok(other) => return Err(format!("{other:?}")),
        Err(error) => return Err(error.to_string()),
    };
    Ok(Picture {
        id,
        happenings,
        state,
        judged: false,
    })
}

/// Holds one picture against the log.
fn judge(who: &str, picture: &Picture, truths: &BTreeMap<MatchId, Truth>, faults: &mut Vec<Fault>) {
    let (who, id) = (who.to_owned(), picture.id);
    let Some(truth) = truths.get(&id) else {
        return faults.push(Fault::LostMatch { who, id });
    };
    for timed in &picture.happenings {
        let version = timed.version;
        match truth.event(version) {
            Some(stored) if stored == timed => {}
            Some(_) => faults.push(Fault::OtherEvent {
                who: who.clone(),
                id,
                version,
            }),
            None => faults.push(Fault::LostShown {
                who: who.clone(),
                id,
                version,
                end: truth.end(),
            }),
        }
    }
    let Some(version) = picture.happenings.last().map(|last| last.version) else {
        return;
    };
    if let Some(replayed) = truth.view(version) {
        // How many watch is no part of a log.
        let shown = MatchView {
            spectators: replayed.spectators,
            ..picture.state.clone()
        };
        if shown != *replayed {
            faults.push(Fault::OtherState {
                who,
                id,
                version,
                shown: words(&shown),
                replayed: words(replayed),
            });
        }
    }
}

fn words(view: &MatchView) -> String {
    serde_json::to_string(view).expect("views have string keys")
}

impl Viewer {
    fn asks(&mut self, command: &CommandId, ask: &RequestBody) {
        let follow = match ask {
            RequestBody::Create(_) | RequestBody::Join { .. } | RequestBody::Spectate { .. } => {
                (None, Follow::From(Version(0)))
            }
            RequestBody::Resume { id, since } => (Some(*id), Follow::From(*since)),
            RequestBody::Leave { id } => (Some(*id), Follow::NoMore),
            _ => return,
        };
        self.asked.insert(command.clone(), follow);
    }

    fn is_answered(&mut self, line: u32, command: &CommandId, told: Option<MatchId>) {
        let Some((named, follow)) = self.asked.get(command) else {
            return;
        };
        let Some(id) = named.or(told) else { return };
        match *follow {
            Follow::From(since) => drop(self.cursors.insert((line, id), since)),
            Follow::NoMore => drop(self.cursors.remove(&(line, id))),
        }
    }

    fn is_shown(&mut self, name: &str, line: u32, picture: &Picture, faults: &mut Vec<Fault>) {
        let (who, id) = (name.to_owned(), picture.id);
        let Some(cursor) = self.cursors.get_mut(&(line, id)) else {
            return faults.push(Fault::NotFollowed { who, id });
        };
        for timed in &picture.happenings {
            let (found, seen) = (timed.version, *cursor);
            let expected = seen.next();
            if found > expected {
                faults.push(Fault::Gap {
                    who: who.clone(),
                    id,
                    found,
                    expected,
                });
            } else if found < expected {
                faults.push(Fault::OutOfOrder {
                    who: who.clone(),
                    id,
                    found,
                    seen,
                });
            }
            *cursor = found.max(seen);
            self.seen.entry(id).or_default().insert(found);
        }
    }

    /// Over all its connections, a viewer was shown a log from its beginning without a gap.
    fn has_no_gap(&self, name: &str, faults: &mut Vec<Fault>) {
        for (&id, seen) in &self.seen {
            let expected = (1..)
                .map(Version)
                .zip(seen)
                .find(|(next, seen)| next != *seen);
            if let Some((expected, &found)) = expected {
                faults.push(Fault::Gap {
                    who: name.to_owned(),
                    id,
                    found,
                    expected,
                });
            }
        }
    }
}
