//! One person's talk over one line, held to what the protocol promises for it: one answer for
//! each sending, and the events of each followed match in order without a gap.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fibfob_protocol::{
    Action, Chat, ClientMessage, CommandId, GuestId, Hello, LobbyList, MatchId, MatchView,
    RefusalReason, Refused, Request, RequestBody, SUBPROTOCOL, ServerMessage, TimedEvent,
    Timestamp, Version, Welcome,
};

use super::ledger::{Ledger, Person};
use super::network::{ClientEnd, Heard};
use super::tally::Tally;

pub(super) struct Conversation {
    line: ClientEnd,
    person: Person,
    ledger: Arc<Ledger>,
    tally: Tally,
    guest: Option<GuestId>,
    asks: BTreeMap<CommandId, RequestBody>,
    /// Sendings without an answer yet.
    waiting: BTreeMap<CommandId, u32>,
    /// Requests all of whose waiting sendings repeat what had been accepted before.
    repeats: BTreeSet<CommandId>,
    /// Messages that were none, and are to be refused under no id.
    nonsense: u32,
    cursors: BTreeMap<MatchId, Version>,
    /// The newest lobby, while it is watched.
    lobby: Option<LobbyList>,
    watches_lobby: bool,
    /// What was said, by match, instant and number.
    listened: BTreeSet<(MatchId, Timestamp, u64)>,
    /// Matches that were left and followed in the same breath: which came last is not known
    /// here.
    blurred: BTreeSet<MatchId>,
}

/// What came, after it was judged.
pub(super) enum News {
    Said(Box<ServerMessage>),
    Sign,
    /// The line is over.
    Over,
}

impl Conversation {
    pub(super) fn new(line: ClientEnd, person: Person, ledger: Arc<Ledger>, tally: Tally) -> Self {
        Self {
            line,
            person,
            ledger,
            tally,
            guest: None,
            asks: BTreeMap::new(),
            waiting: BTreeMap::new(),
            repeats: BTreeSet::new(),
            nonsense: 0,
            cursors: BTreeMap::new(),
            lobby: None,
            watches_lobby: false,
            listened: BTreeSet::new(),
            blurred: BTreeSet::new(),
        }
    }

    pub(super) fn greet(&self, token: Option<String>) {
        let hello = ClientMessage::Hello(Hello {
            protocol: SUBPROTOCOL.to_owned(),
            name: Some(format!("P{}", self.person)),
            token,
        });
        self.line.say(hello.write());
    }

    /// How far each followed match was seen.
    pub(super) fn cursors(&self) -> &BTreeMap<MatchId, Version> {
        &self.cursors
    }

    /// The same, of those that are followed for certain.
    pub(super) fn clear_cursors(&self) -> BTreeMap<MatchId, Version> {
        let mut cursors = self.cursors.clone();
        cursors.retain(|id, _| !self.blurred.contains(id));
        cursors
    }

    /// The lobby as it was told last, where every change of it is to be told.
    pub(super) fn watched_lobby(&self) -> Option<LobbyList> {
        self.lobby.clone().filter(|_| self.watches_lobby)
    }

    pub(super) fn is_welcome(&self) -> bool {
        self.guest.is_some()
    }

    /// How many sendings have no answer yet.
    pub(super) fn waiting(&self) -> u32 {
        self.waiting.values().sum::<u32>() + self.nonsense
    }

    pub(super) fn ask(&mut self, id: CommandId, ask: RequestBody) {
        let guest = self.guest.expect("nothing is asked before the welcome");
        let repeated = self.ledger.asks(self.person, guest, &id, &ask);
        if repeated && !self.waiting.contains_key(&id) {
            self.repeats.insert(id.clone());
        }
        *self.waiting.entry(id.clone()).or_default() += 1;
        self.asks.insert(id.clone(), ask.clone());
        self.line
            .say(ClientMessage::Request(Request { id, body: ask }).write());
    }

    pub(super) fn babble(&mut self) {
        self.nonsense += 1;
        self.line.say(r#"{"type":"play""#.to_owned());
    }

    /// The next thing that comes. Nothing is lost if this is not waited for to the end.
    pub(super) async fn hear(&mut self) -> News {
        match self.line.hear().await {
            Heard::Text(text) => {
                let said = serde_json::from_str(&text);
                let said = said.unwrap_or_else(|fault| panic!("{fault} in what was said: {text}"));
                self.judge(&said);
                News::Said(Box::new(said))
            }
            Heard::Sign => News::Sign,
            Heard::Closed(code) => {
                self.tally.count(format!("closed with {code}"));
                News::Over
            }
            Heard::Broken => News::Over,
        }
    }

    fn judge(&mut self, said: &ServerMessage) {
        match said {
            ServerMessage::Welcome(welcome) => self.welcomed(welcome),
            ServerMessage::Accepted(accepted) => {
                let ask = self.answered(&accepted.id);
                self.tally.count("accepted");
                self.ledger.accepted(self.person, accepted);
                if let RequestBody::Lobby { watch } = ask {
                    self.watches_lobby = watch;
                }
                if let Some(id) = accepted.match_id {
                    self.follows(id, &ask);
                }
            }
            ServerMessage::Refused(refused) => self.refused(refused),
            ServerMessage::Preview(preview) => drop(self.answered(&preview.id)),
            ServerMessage::Analysis(analysis) => drop(self.answered(&analysis.id)),
            ServerMessage::Review(review) => drop(self.answered(&review.id)),
            ServerMessage::Frame(frame) => {
                self.tally.count("frame");
                self.see(frame.match_id, &frame.timed, Some(&frame.state));
            }
            ServerMessage::Snapshot(snapshot) => {
                self.tally.count("snapshot");
                for timed in &snapshot.events {
                    let newest = timed.version == snapshot.version;
                    let state = newest.then_some(&snapshot.state);
                    self.see(snapshot.match_id, timed, state);
                }
            }
            ServerMessage::Lobby(lobby) => self.lobby = Some(lobby.clone()),
            ServerMessage::Chat(talk) => self.listen(talk),
            ServerMessage::Presence(_) | ServerMessage::Goodbye(_) => {}
        }
    }

    fn welcomed(&mut self, welcome: &Welcome) {
        assert_eq!(self.guest, None, "one welcome on each line");
        self.guest = Some(welcome.guest);
        self.ledger.is(welcome.guest, self.person);
    }

    /// The request that was answered, which must have been sent and not answered as often yet.
    fn answered(&mut self, id: &CommandId) -> RequestBody {
        let waiting = self.waiting.get_mut(id);
        let waiting = waiting.unwrap_or_else(|| panic!("an answer to {id}, which was not asked"));
        *waiting -= 1;
        if *waiting == 0 {
            self.waiting.remove(id);
        }
        self.asks[id].clone()
    }

    fn refused(&mut self, refused: &Refused) {
        self.tally.count(format!("refused: {:?}", refused.reason));
        let Some(id) = &refused.id else {
            let expected = matches!(
                refused.reason,
                RefusalReason::Malformed | RefusalReason::TooFast
            );
            assert!(expected, "{refused:?}");
            self.nonsense = self.nonsense.checked_sub(1).expect("a refusal of nothing");
            return;
        };
        let ask = self.answered(id);
        assert!(
            !matches!(
                refused.reason,
                RefusalReason::Malformed
                    | RefusalReason::UnknownType
                    | RefusalReason::HelloFirst
                    | RefusalReason::BadToken
                    | RefusalReason::BadId
                    | RefusalReason::Damaged
                    | RefusalReason::NoSuchVersion
                    | RefusalReason::Other
            ),
            "{ask:?}: {refused:?}"
        );
        if refused.reason == RefusalReason::LeftMeanwhile {
            let leaves = |other: &RequestBody| match (&ask, other) {
                (
                    RequestBody::Resume { id, .. },
                    RequestBody::Act {
                        id: left,
                        action: Action::Leave,
                    },
                ) => id == left,
                (
                    RequestBody::Spectate { .. },
                    RequestBody::Act {
                        action: Action::Leave,
                        ..
                    },
                ) => true,
                _ => false,
            };
            assert!(self.asks.values().any(leaves), "{ask:?}: {refused:?}");
        }
        let of_this_line = [RefusalReason::FollowsTooMany, RefusalReason::LeftMeanwhile];
        assert!(
            refused.retry || of_this_line.contains(&refused.reason) || !self.repeats.contains(id),
            "{ask:?} had been accepted, and its repeat was {refused:?}"
        );
        self.ledger.refused(self.person, id, refused);
        if let RequestBody::Act {
            id,
            action: Action::Leave,
        } = ask
        {
            // Perhaps it is not followed any more all the same.
            self.blurred.insert(id);
        }
    }

    /// What an accepted request changes in what this line follows.
    fn follows(&mut self, id: MatchId, ask: &RequestBody) {
        let since = match ask {
            RequestBody::Create(_) | RequestBody::Join { .. } | RequestBody::Spectate { .. } => {
                Version(0)
            }
            RequestBody::Resume { since, .. } => *since,
            RequestBody::Act {
                action: Action::Leave,
                ..
            } => {
                self.cursors.remove(&id);
                // Who comes again is told what is remembered.
                self.listened.retain(|(heard, ..)| *heard != id);
                return;
            }
            _ => return,
        };
        let leaves = |asked: &CommandId| matches!(&self.asks[asked], RequestBody::Act { id: left, action: Action::Leave } if *left == id);
        if self.waiting.keys().any(leaves) {
            self.blurred.insert(id);
        }
        self.cursors.insert(id, since);
    }

    fn listen(&mut self, talk: &Chat) {
        for said in &talk.lines {
            self.tally.count("talk heard");
            let first = self.listened.insert((talk.match_id, said.at, said.number));
            assert!(
                first || self.blurred.contains(&talk.match_id),
                "{said:?} was told twice"
            );
        }
    }

    fn see(&mut self, id: MatchId, timed: &TimedEvent, state: Option<&MatchView>) {
        self.ledger.shown(id, timed, state);
        let Some(seen) = self.cursors.get_mut(&id) else {
            assert!(
                self.blurred.contains(&id),
                "an event of {id}, which is not followed: {timed:?}"
            );
            return;
        };
        assert!(
            timed.version == seen.next() || self.blurred.contains(&id),
            "version {} of {id} came after version {seen}",
            timed.version
        );
        *seen = timed.version;
    }
}
