//! One client's connection: sends requests, records all messages, and knows which matches are
//! followed and which answers are awaited.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fibfob_history::{ConnectionRecorder, Coverage};
use fibfob_protocol::{
    ClientMessage, CommandId, GuestId, Hello, LobbyList, MatchId, Request, RequestBody,
    SUBPROTOCOL, ServerMessage, Version,
};

use crate::network::{ClientEnd, Received};

/// A connection whose messages are recorded.
pub(super) struct Connection {
    end: ClientEnd,
    recorder: ConnectionRecorder,
    coverage: Coverage,
    guest: Option<GuestId>,
    bodies: BTreeMap<CommandId, RequestBody>,
    /// Sendings without an answer.
    waiting: BTreeMap<CommandId, u32>,
    /// Malformed messages that were not refused yet.
    malformed: u32,
    /// The newest version of each followed match.
    cursors: BTreeMap<MatchId, Version>,
    /// The newest lobby.
    lobby: Option<LobbyList>,
    watches_lobby: bool,
    /// Matches that may or may not be followed: they were left and followed at the same time, or
    /// their `leave` was refused.
    ambiguous: BTreeSet<MatchId>,
}

/// One thing that came on a connection.
pub(super) enum Incoming {
    Message(Arc<ServerMessage>),
    Ping,
    /// The connection is over.
    Ended,
}

impl Connection {
    pub(super) fn new(end: ClientEnd, recorder: ConnectionRecorder, coverage: Coverage) -> Self {
        Self {
            end,
            recorder,
            coverage,
            guest: None,
            bodies: BTreeMap::new(),
            waiting: BTreeMap::new(),
            malformed: 0,
            cursors: BTreeMap::new(),
            lobby: None,
            watches_lobby: false,
            ambiguous: BTreeSet::new(),
        }
    }

    /// Sends `hello`, with the token of `guest`.
    pub(super) fn greet(&self, name: String, guest: Option<GuestId>, token: Option<String>) {
        self.recorder.greeted(guest.filter(|_| token.is_some()));
        let hello = ClientMessage::Hello(Hello {
            protocol: SUBPROTOCOL.to_owned(),
            name: Some(name),
            token,
            ..Hello::default()
        });
        self.end.send(hello.write());
    }

    /// Returns true if this connection follows a match, or may follow it.
    pub(super) fn follows(&self, id: MatchId) -> bool {
        self.cursors.contains_key(&id)
    }

    /// The newest version of each match that is certainly followed.
    pub(super) fn certain_cursors(&self) -> BTreeMap<MatchId, Version> {
        let mut cursors = self.cursors.clone();
        cursors.retain(|id, _| !self.ambiguous.contains(id));
        cursors
    }

    /// The newest lobby, if every change of it is to be sent here.
    pub(super) fn watched_lobby(&self) -> Option<LobbyList> {
        self.lobby.clone().filter(|_| self.watches_lobby)
    }

    pub(super) fn is_welcome(&self) -> bool {
        self.guest.is_some()
    }

    /// The number of sendings without an answer.
    pub(super) fn waiting(&self) -> u32 {
        self.waiting.values().sum::<u32>() + self.malformed
    }

    pub(super) fn request(&mut self, id: CommandId, body: RequestBody) {
        let request = Request {
            id: id.clone(),
            body: body.clone(),
        };
        self.recorder.sent(request.clone());
        *self.waiting.entry(id.clone()).or_default() += 1;
        self.bodies.insert(id, body);
        self.end.send(ClientMessage::Request(request).write());
    }

    pub(super) fn send_malformed(&mut self) {
        self.malformed += 1;
        self.recorder.sent_malformed();
        self.end.send(r#"{"type":"play""#.to_owned());
    }

    /// Receives the next thing. Cancel-safe.
    pub(super) async fn receive(&mut self) -> Incoming {
        match self.end.receive().await {
            Received::Text(text) => {
                let message = self.recorder.received(&text);
                let message = message.unwrap_or_else(|| panic!("no message: {text}"));
                self.note(&message);
                Incoming::Message(message)
            }
            Received::Ping => Incoming::Ping,
            Received::Closed(code) => {
                self.coverage.count(format!("closed with {code}"));
                Incoming::Ended
            }
            Received::Broken => Incoming::Ended,
        }
    }

    fn note(&mut self, message: &ServerMessage) {
        match message {
            ServerMessage::Welcome(welcome) => self.guest = Some(welcome.guest),
            ServerMessage::Accepted(accepted) => {
                let Some(body) = self.answered(&accepted.id) else {
                    return;
                };
                if let RequestBody::Lobby { watch, page: 0 } = body {
                    self.watches_lobby = watch;
                }
                let named = left(&body).or(accepted.match_id);
                if let Some(id) = named {
                    self.change_followed(id, &body);
                }
            }
            ServerMessage::Refused(refused) => match &refused.id {
                None => self.malformed = self.malformed.saturating_sub(1),
                Some(id) => {
                    if let Some(left) = self.answered(id).as_ref().and_then(left) {
                        self.ambiguous.insert(left);
                    }
                }
            },
            ServerMessage::Preview(preview) => drop(self.answered(&preview.id)),
            ServerMessage::Analysis(analysis) => drop(self.answered(&analysis.id)),
            ServerMessage::Review(review) => drop(self.answered(&review.id)),
            ServerMessage::Legal(legal) => drop(self.answered(&legal.id)),
            ServerMessage::Games(games) => drop(self.answered(&games.id)),
            ServerMessage::Matches(page) => drop(self.answered(&page.id)),
            ServerMessage::Programs(list) => drop(self.answered(&list.id)),
            ServerMessage::DeviceCode(code) => drop(self.answered(&code.id)),
            ServerMessage::Identity(identity) => drop(self.answered(&identity.id)),
            ServerMessage::Frame(frame) => self.see(frame.match_id, frame.timed.version),
            ServerMessage::Snapshot(snapshot) => self.see(snapshot.match_id, snapshot.version),
            ServerMessage::Lobby(lobby) => self.lobby = Some(lobby.clone()),
            ServerMessage::LobbyChange(change) => {
                self.lobby.get_or_insert_default().apply(change);
            }
            ServerMessage::Chat(_)
            | ServerMessage::Presence(_)
            | ServerMessage::MatchesChange(_)
            | ServerMessage::Offer(_)
            | ServerMessage::Goodbye(_) => {}
        }
    }

    /// The answered request; none if it waited for no answer, which the history checker reports.
    fn answered(&mut self, id: &CommandId) -> Option<RequestBody> {
        let waiting = self.waiting.get_mut(id)?;
        *waiting -= 1;
        if *waiting == 0 {
            self.waiting.remove(id);
        }
        self.bodies.get(id).cloned()
    }

    /// Applies an accepted request to the followed matches.
    fn change_followed(&mut self, id: MatchId, body: &RequestBody) {
        let since = match body {
            RequestBody::Create(_) | RequestBody::Join { .. } | RequestBody::Spectate { .. } => {
                Version(0)
            }
            RequestBody::Resume { since, .. } => *since,
            RequestBody::Leave { .. } => {
                self.cursors.remove(&id);
                return;
            }
            _ => return,
        };
        let leaves = |waiting: &CommandId| left(&self.bodies[waiting]) == Some(id);
        if self.waiting.keys().any(leaves) {
            self.ambiguous.insert(id);
        }
        self.cursors.insert(id, since);
    }

    fn see(&mut self, id: MatchId, version: Version) {
        if let Some(seen) = self.cursors.get_mut(&id) {
            *seen = version;
        }
    }
}

/// The match that a `leave` request leaves.
fn left(body: &RequestBody) -> Option<MatchId> {
    match body {
        RequestBody::Leave { id } => Some(*id),
        _ => None,
    }
}
