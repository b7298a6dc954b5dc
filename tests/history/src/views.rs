//! The frames and snapshots that clients received: event by event as in the log, in order,
//! without a gap, each with the state that the log replays to.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use fibfob_games::Position;
use fibfob_protocol::{
    Chat, CommandId, MatchId, MatchView, MoveForm, PhaseView, RequestBody, Seat, ServerMessage,
    StateChange, TimedEvent, Timestamp, Version,
};
use serde::Deserialize;

use crate::coverage::Coverage;
use crate::history::{History, Observation};
use crate::reference::{Reference, winner};
use crate::sent::{SentRequests, address};
use crate::violation::{Location, Violation};

/// One frame or snapshot: the events, and the state after them.
struct Shown<'a> {
    id: MatchId,
    events: Vec<&'a TimedEvent>,
    state: ShownState<'a>,
}

/// The state of a match in a frame or a snapshot.
#[derive(Clone, Copy)]
enum ShownState<'a> {
    Change(&'a StateChange),
    Whole(&'a MatchView),
}

impl ShownState<'_> {
    /// The winner that it names.
    fn winner(self) -> Option<Seat> {
        match self {
            Self::Whole(view) => winner(view),
            Self::Change(change) => Seat::deserialize(change.0.get("winner")?).ok(),
        }
    }
}

impl<'a> Shown<'a> {
    /// The contents of a message, if it shows a match.
    fn of(message: &'a ServerMessage) -> Option<Self> {
        match message {
            ServerMessage::Frame(frame) => Some(Self {
                id: frame.match_id,
                events: vec![&frame.timed],
                state: ShownState::Change(&frame.change),
            }),
            ServerMessage::Snapshot(snapshot) => Some(Self {
                id: snapshot.match_id,
                events: snapshot.events.iter().map(|past| &past.timed).collect(),
                state: ShownState::Whole(&snapshot.state),
            }),
            _ => None,
        }
    }
}

/// Checks everything that was shown.
pub(crate) fn check<'a>(
    histories: &'a [History],
    references: &BTreeMap<MatchId, Reference<'a>>,
    sent: &SentRequests<'_>,
    coverage: &Coverage,
    violations: &mut Vec<Violation>,
) {
    let mut winners = BTreeMap::new();
    for (&id, reference) in references {
        let named: BTreeSet<_> = reference.views.iter().filter_map(winner).collect();
        winners.insert(id, named);
    }
    let mut compared = HashSet::new();
    for history in histories {
        let mut viewer = Viewer::new(&history.name);
        for entry in &history.entries {
            match &entry.observation {
                Observation::Sent(request) => {
                    viewer.sent(entry.connection, &request.id, &request.body);
                }
                Observation::Received(message) => {
                    viewer.received(entry.connection, message, coverage, violations);
                    let Some(shown) = Shown::of(message) else {
                        continue;
                    };
                    if let Some(reference) = references.get(&shown.id) {
                        check_requested(&shown, reference, sent, entry.order, violations);
                    }
                    if compared.insert(address(message)) {
                        let named = winners.entry(shown.id).or_default();
                        named.extend(shown.state.winner());
                        compare(&history.name, &shown, references, coverage, violations);
                        check_end(&history.name, message, violations);
                    }
                }
                _ => {}
            }
        }
        viewer.check_gaps(violations);
    }
    for (id, winners) in winners {
        if winners.len() > 1 {
            violations.push(Violation::TwoWinners { id });
        }
    }
}

/// Nothing can be shown before it was requested.
fn check_requested(
    shown: &Shown<'_>,
    reference: &Reference<'_>,
    sent: &SentRequests<'_>,
    order: u64,
    violations: &mut Vec<Violation>,
) {
    for timed in &shown.events {
        let version = timed.version;
        let Some((guest, command)) = reference.command(version) else {
            continue;
        };
        if let Some(request) = sent.get(guest, command)
            && request.first > order
            && let Some(seat) = timed.event.author()
        {
            let id = shown.id;
            violations.push(Violation::Unrequested {
                location: Location { id, version },
                command: command.clone(),
                seat,
            });
        }
    }
}

/// A snapshot ends with the version that it names.
fn check_end(client: &str, message: &ServerMessage, violations: &mut Vec<Violation>) {
    if let ServerMessage::Snapshot(snapshot) = message
        && let Some(last) = snapshot.events.last()
        && last.timed.version != snapshot.version
    {
        let reason = format!("a snapshot of {} that ends elsewhere", snapshot.version);
        let client = client.to_owned();
        violations.push(Violation::Unreadable { client, reason });
    }
}

/// Compares one frame or snapshot with the log.
fn compare(
    client: &str,
    shown: &Shown<'_>,
    references: &BTreeMap<MatchId, Reference<'_>>,
    coverage: &Coverage,
    violations: &mut Vec<Violation>,
) {
    let (client, id) = (client.to_owned(), shown.id);
    let Some(reference) = references.get(&id) else {
        return violations.push(Violation::LostMatch { client, id });
    };
    for timed in &shown.events {
        coverage.count("shown event compared");
        let version = timed.version;
        match reference.event(version) {
            Some(stored) if stored == *timed => {}
            Some(_) => violations.push(Violation::OtherEvent {
                client: client.clone(),
                id,
                version,
            }),
            None => violations.push(Violation::LostShown {
                client: client.clone(),
                id,
                version,
                end: reference.last(),
            }),
        }
    }
    let Some(version) = shown.events.last().map(|last| last.version) else {
        return;
    };
    let Some(replayed) = reference.view(version) else {
        return;
    };
    let (is_right, shown) = match shown.state {
        ShownState::Change(change) => (reference.may_change(version, change), describe(change)),
        ShownState::Whole(state) => (is_view_of(state, replayed), describe(state)),
    };
    if !is_right {
        violations.push(Violation::OtherState {
            client,
            id,
            version,
            shown,
            replayed: describe(replayed),
        });
    }
}

/// Returns true if `state` is the replayed one, with the legal moves or without them. The number of
/// spectators is no part of a log.
fn is_view_of(state: &MatchView, replayed: &MatchView) -> bool {
    let mut state = MatchView {
        spectators: replayed.spectators,
        ..state.clone()
    };
    let shown_legal = match &mut state.phase {
        PhaseView::Playing { legal, .. } => legal.take(),
        _ => None,
    };
    let is_legal = shown_legal.is_none_or(|legal| {
        let position = Position::read(replayed.game, &replayed.position);
        position.is_ok_and(|position| {
            let families = position.legal_moves();
            let mut list = families.clone();
            MoveForm::List.put(&mut list);
            legal == families || legal == list
        })
    });
    state == *replayed && is_legal
}

fn describe(shown: &impl serde::Serialize) -> String {
    serde_json::to_string(shown).expect("views have string keys")
}

/// The matches that one client follows, and how far it has seen them.
struct Viewer<'a> {
    client: &'a str,
    /// The newest version shown on each connection of each match that it follows.
    cursors: HashMap<(u32, MatchId), Version>,
    /// The change that each request makes in what is followed.
    changes: HashMap<&'a CommandId, (Option<MatchId>, Change)>,
    /// The unanswered `leave` requests.
    leaving: HashMap<(u32, MatchId), u32>,
    /// Matches that were left and followed at the same time, or whose `leave` was refused: the
    /// client cannot know which request came last.
    ambiguous: HashSet<(u32, MatchId)>,
    /// All versions shown on any connection.
    seen: BTreeMap<MatchId, BTreeSet<Version>>,
    chat: HashSet<(u32, MatchId, Timestamp, u64)>,
}

#[derive(Clone, Copy)]
enum Change {
    FollowFrom(Version),
    Leave,
}

impl<'a> Viewer<'a> {
    fn new(client: &'a str) -> Self {
        Self {
            client,
            cursors: HashMap::new(),
            changes: HashMap::new(),
            leaving: HashMap::new(),
            ambiguous: HashSet::new(),
            seen: BTreeMap::new(),
            chat: HashSet::new(),
        }
    }

    fn sent(&mut self, connection: u32, command: &'a CommandId, body: &RequestBody) {
        let change = match body {
            RequestBody::Create(_) | RequestBody::Join { .. } | RequestBody::Spectate { .. } => {
                (None, Change::FollowFrom(Version(0)))
            }
            RequestBody::Resume { id, since } => (Some(*id), Change::FollowFrom(*since)),
            RequestBody::Leave { id } => {
                *self.leaving.entry((connection, *id)).or_default() += 1;
                (Some(*id), Change::Leave)
            }
            _ => return,
        };
        self.changes.insert(command, change);
    }

    fn received(
        &mut self,
        connection: u32,
        message: &ServerMessage,
        coverage: &Coverage,
        violations: &mut Vec<Violation>,
    ) {
        match message {
            ServerMessage::Accepted(accepted) => {
                self.accepted(connection, &accepted.id, accepted.match_id);
            }
            ServerMessage::Refused(refused) => {
                let change = refused.id.as_ref().and_then(|id| self.changes.get(id));
                if let Some(&(Some(id), Change::Leave)) = change {
                    self.left(connection, id);
                    self.ambiguous.insert((connection, id));
                    self.forget_chat(connection, id);
                }
            }
            ServerMessage::Chat(chat) => self.chat(connection, chat, coverage, violations),
            ServerMessage::Frame(_) => coverage.count("frame"),
            ServerMessage::Snapshot(_) => coverage.count("snapshot"),
            _ => {}
        }
        if let Some(shown) = Shown::of(message) {
            self.shown(connection, &shown, violations);
        }
    }

    fn left(&mut self, connection: u32, id: MatchId) {
        if let Some(requests) = self.leaving.get_mut(&(connection, id)) {
            *requests = requests.saturating_sub(1);
        }
    }

    fn accepted(&mut self, connection: u32, command: &CommandId, named: Option<MatchId>) {
        let Some(&(id, change)) = self.changes.get(command) else {
            return;
        };
        let Some(id) = id.or(named) else { return };
        let followed = (connection, id);
        match change {
            Change::FollowFrom(since) => {
                self.cursors.insert(followed, since);
                match self.leaving.get(&followed) {
                    None | Some(0) => self.ambiguous.remove(&followed),
                    Some(_) => self.ambiguous.insert(followed),
                };
            }
            Change::Leave => {
                self.left(connection, id);
                self.cursors.remove(&followed);
                self.forget_chat(connection, id);
            }
        }
    }

    /// Notes that a viewer may have left, who is shown the remembered messages again on coming back.
    fn forget_chat(&mut self, connection: u32, id: MatchId) {
        let left = (connection, id);
        self.chat
            .retain(|(connection, id, ..)| (*connection, *id) != left);
    }

    fn shown(&mut self, connection: u32, shown: &Shown<'_>, violations: &mut Vec<Violation>) {
        let (client, id) = (self.client.to_owned(), shown.id);
        let ambiguous = self.ambiguous.contains(&(connection, id));
        let seen = self.seen.entry(id).or_default();
        seen.extend(shown.events.iter().map(|timed| timed.version));
        let Some(cursor) = self.cursors.get_mut(&(connection, id)) else {
            if !ambiguous {
                violations.push(Violation::NotFollowed { client, id });
            }
            return;
        };
        for timed in &shown.events {
            let (found, seen) = (timed.version, *cursor);
            let expected = seen.next();
            *cursor = found.max(seen);
            if ambiguous {
                *cursor = found;
            } else if found > expected {
                violations.push(Violation::Gap {
                    client: client.clone(),
                    id,
                    found,
                    expected,
                });
            } else if found < expected {
                violations.push(Violation::OutOfOrder {
                    client: client.clone(),
                    id,
                    found,
                    seen,
                });
            }
        }
    }

    fn chat(
        &mut self,
        connection: u32,
        chat: &Chat,
        coverage: &Coverage,
        violations: &mut Vec<Violation>,
    ) {
        let id = chat.match_id;
        for said in &chat.lines {
            coverage.count("chat received");
            let first = self.chat.insert((connection, id, said.at, said.number));
            if !first && !self.ambiguous.contains(&(connection, id)) {
                violations.push(Violation::ChatTwice {
                    client: self.client.to_owned(),
                    id,
                    number: said.number,
                });
            }
        }
    }

    /// Over all its connections, a viewer was shown a log from its beginning without a gap.
    fn check_gaps(&self, violations: &mut Vec<Violation>) {
        for (&id, seen) in &self.seen {
            let mut numbered = (1..).map(Version).zip(seen);
            let gap = numbered.find(|(expected, found)| expected != *found);
            if let Some((expected, &found)) = gap {
                violations.push(Violation::Gap {
                    client: self.client.to_owned(),
                    id,
                    found,
                    expected,
                });
            }
        }
    }
}
