//! A correct run of one match, and ways to plant a violation in it.

use std::collections::BTreeMap;
use std::sync::Arc;

use fibfob_history::{
    Coverage, Due, Entry, Evidence, History, LateView, Logs, Observation, Violation,
};
use fibfob_history::{Uptime, check};
use fibfob_protocol::{
    Accepted, Action, ActionContext, Actor, Code, CommandId, Event, FirstMoveRule, Frame, GuestId,
    Limits, Match, MatchId, MatchSetup, Player, Record, RefusalReason, Refused, Request,
    RequestBody, SUBPROTOCOL, Seat, ServerDefaults, ServerMessage, Start, TimedEvent, Timestamp,
    Version, Welcome,
};
use tokio::time::Instant;
use uuid::Uuid;

/// A match that Ada wins against Bo, and the histories of both; without a violation.
pub(super) struct Case {
    pub(super) id: MatchId,
    pub(super) state: Option<Match>,
    pub(super) log: Vec<Record>,
    pub(super) ada: History,
    pub(super) bo: History,
    pub(super) order: u64,
    /// The instant of all observations.
    at: Instant,
}

/// The only connection of each client.
pub(super) const CONNECTION: u32 = 1;

pub(super) const ADA: GuestId = GuestId(Uuid::from_u128(1));
pub(super) const BO: GuestId = GuestId(Uuid::from_u128(2));

impl Case {
    pub(super) fn new() -> Self {
        let mut case = Self::empty();
        case.create(MatchSetup {
            first: FirstMoveRule::Me,
            ..nim()
        });
        case.join();
        case.play(Seat::Creator, "take 1 from 1");
        case.play(Seat::Joiner, "take 1 from 1");
        case.play(Seat::Creator, "take 1 from 1");
        case
    }

    /// Both clients after their welcome, without a match.
    pub(super) fn empty() -> Self {
        let history = |name: &str| History {
            name: name.to_owned(),
            entries: Vec::new(),
        };
        let mut case = Self {
            id: MatchId(Uuid::from_u128(7)),
            state: None,
            log: Vec::new(),
            ada: history("Ada"),
            bo: history("Bo"),
            order: 0,
            at: Instant::now(),
        };
        for seat in Seat::BOTH {
            case.greet(seat);
        }
        case
    }

    pub(super) fn guest(seat: Seat) -> GuestId {
        match seat {
            Seat::Creator => ADA,
            Seat::Joiner => BO,
        }
    }

    fn player(&mut self, seat: Seat) -> Player {
        Player::Human {
            guest: Self::guest(seat),
            name: self.history(seat).name.clone().try_into().unwrap(),
        }
    }

    pub(super) fn welcome(guest: GuestId) -> ServerMessage {
        ServerMessage::Welcome(Box::new(Welcome {
            protocol: SUBPROTOCOL.to_owned(),
            server: "a test".to_owned(),
            guest,
            name: "Guest".to_owned(),
            token: "secret".to_owned(),
            now: Timestamp(0),
            public_url: None,
            push_key: None,
            texts: Vec::new(),
            page: None,
            games: Vec::new(),
            limits: Limits::default(),
        }))
    }

    fn greet(&mut self, seat: Seat) {
        self.note(seat, Observation::Greeted(None));
        self.receive(seat, Self::welcome(Self::guest(seat)));
    }

    pub(super) fn create(&mut self, setup: MatchSetup) {
        let body = RequestBody::Create(setup.clone());
        let command = self.send(Seat::Creator, "create", body);
        let code: Code = "K7M2QX".parse().unwrap();
        let creator = self.player(Seat::Creator);
        let defaults = ServerDefaults {
            expires_at: Timestamp(u64::MAX),
            grace_ms: 60_000,
        };
        let terms = setup.draw(creator, code, defaults, &mut rand::rng());
        let terms = Box::new(terms.unwrap());
        self.store(Some(command.clone()), Event::Created { terms });
        self.accept(Seat::Creator, &command);
        self.show(Seat::Creator, 1);
    }

    pub(super) fn join(&mut self) {
        let code = "K7M2QX".to_owned();
        let command = self.send(Seat::Joiner, "join", RequestBody::Join { code });
        let player = self.player(Seat::Joiner);
        self.store(Some(command.clone()), Event::Joined { player });
        self.accept(Seat::Joiner, &command);
        self.show(Seat::Joiner, 1);
        for seat in Seat::BOTH {
            self.show(seat, 2);
        }
    }

    fn play(&mut self, seat: Seat, text: &str) {
        let expecting = Version(self.log.len() as u64);
        let play = RequestBody::Act {
            id: self.id,
            action: Action::Play {
                expecting,
                text: text.to_owned(),
            },
        };
        let command = self.send(seat, &format!("play {expecting}"), play);
        let decided = Action::Play {
            expecting,
            text: text.to_owned(),
        };
        let actor = Actor::Guest(Self::guest(seat));
        let state = self.state.as_ref().unwrap();
        let event = state
            .decide(actor, &decided, &ActionContext::default())
            .unwrap();
        self.store(Some(command.clone()), event);
        self.accept(seat, &command);
        for seat in Seat::BOTH {
            self.show(seat, self.log.len() as u64);
        }
    }

    pub(super) fn history(&mut self, seat: Seat) -> &mut History {
        match seat {
            Seat::Creator => &mut self.ada,
            Seat::Joiner => &mut self.bo,
        }
    }

    pub(super) fn note(&mut self, seat: Seat, observation: Observation) {
        self.order += 1;
        let entry = Entry {
            order: self.order,
            at: self.at,
            connection: CONNECTION,
            observation,
        };
        self.history(seat).entries.push(entry);
    }

    pub(super) fn receive(&mut self, seat: Seat, message: ServerMessage) {
        self.note(seat, Observation::Received(Arc::new(message)));
    }

    pub(super) fn send(&mut self, seat: Seat, name: &str, ask: RequestBody) -> CommandId {
        let id = command(&name.replace(' ', "-"));
        let request = Request {
            id: id.clone(),
            body: ask,
        };
        self.note(seat, Observation::Sent(request));
        id
    }

    pub(super) fn send_again(&mut self, seat: Seat, id: &CommandId) {
        let sent = |entry: &Entry| matches!(&entry.observation, Observation::Sent(request) if request.id == *id);
        let entries = &self.history(seat).entries;
        let again = entries.iter().find(|entry| sent(entry)).unwrap();
        let observation = again.observation.clone();
        self.note(seat, observation);
    }

    pub(super) fn store(&mut self, command: Option<CommandId>, event: Event) {
        self.store_at(Timestamp(self.log.len() as u64), command, event);
    }

    pub(super) fn store_at(&mut self, at: Timestamp, command: Option<CommandId>, event: Event) {
        let record = Record {
            version: Version(self.log.len() as u64 + 1),
            at,
            command,
            event,
        };
        match &mut self.state {
            Some(state) => state.evolve(&record).unwrap(),
            none => *none = Some(Match::begin(self.id, &record).unwrap()),
        }
        self.log.push(record);
    }

    pub(super) fn accepted(&self, seat: Seat, command: &CommandId) -> Accepted {
        Accepted {
            match_id: Some(self.id),
            version: Some(Version(self.log.len() as u64)),
            seat: Some(seat),
            ..Accepted::of(command.clone())
        }
    }

    pub(super) fn accept(&mut self, seat: Seat, command: &CommandId) {
        let accepted = self.accepted(seat, command);
        self.receive(seat, ServerMessage::Accepted(accepted));
    }

    pub(super) fn refuse(&mut self, seat: Seat, refused: &Refused) {
        self.receive(seat, ServerMessage::Refused(refused.clone()));
    }

    /// The message that shows `version`: a snapshot of the first event, a frame of a later one.
    pub(super) fn message(&self, version: u64) -> ServerMessage {
        let log = &self.log[..usize::try_from(version).unwrap()];
        let (newest, before) = log.split_last().unwrap();
        if before.is_empty() {
            let state = Match::replay(self.id, log).unwrap();
            // The number of spectators may differ.
            let snapshot = state.snapshot(log, Version(0), None, 3).unwrap();
            return ServerMessage::Snapshot(Box::new(snapshot));
        }
        let state = Match::replay(self.id, before).unwrap();
        let transition = state.transition(newest).unwrap();
        ServerMessage::Frame(Box::new(state.next_frame(newest, &transition)))
    }

    pub(super) fn show(&mut self, seat: Seat, version: u64) {
        let message = self.message(version);
        self.receive(seat, message);
    }

    /// Changes the frame of `version` as Bo was shown it.
    pub(super) fn distort(&mut self, version: u64, change: impl Fn(&mut Frame)) {
        for entry in &mut self.bo.entries {
            if let Observation::Received(message) = &mut entry.observation
                && let ServerMessage::Frame(frame) = Arc::make_mut(message)
                && frame.timed.version == Version(version)
            {
                change(frame);
            }
        }
    }

    /// Takes the last event out of the log, as a server would that answered too early.
    pub(super) fn forget_last(&mut self) {
        self.log.pop();
    }

    pub(super) fn is_shown(entry: &Entry) -> bool {
        let Observation::Received(message) = &entry.observation else {
            return false;
        };
        matches!(
            **message,
            ServerMessage::Frame(_) | ServerMessage::Snapshot(_)
        )
    }

    pub(super) fn is_accepted(entry: &Entry) -> bool {
        let Observation::Received(message) = &entry.observation else {
            return false;
        };
        matches!(**message, ServerMessage::Accepted(_))
    }

    pub(super) fn logs(&self) -> Logs {
        Logs {
            late_views: BTreeMap::from([(self.id, self.late_view())]),
            stored: BTreeMap::from([(self.id, self.log.clone())]),
        }
    }

    fn late_view(&self) -> LateView {
        LateView {
            due: Due::Before(Timestamp(self.log.len() as u64)),
            events: self.log.iter().map(TimedEvent::from).collect(),
        }
    }

    pub(super) fn violations(&self) -> Vec<Violation> {
        self.violations_in(&self.logs(), None)
    }

    pub(super) fn violations_in(&self, logs: &Logs, uptime: Option<&Uptime>) -> Vec<Violation> {
        let histories = [self.ada.clone(), self.bo.clone()];
        let evidence = Evidence {
            histories: &histories,
            logs,
            uptime,
        };
        check(&evidence, &Coverage::default())
    }

    /// Asserts that the checker names the violation, among what follows from it.
    pub(super) fn is_found(&self, named: impl Fn(&Violation) -> bool) {
        let violations = self.violations();
        assert!(
            violations.iter().any(named),
            "found instead: {violations:?}"
        );
    }
}

/// A match of one heap of three.
pub(super) fn nim() -> MatchSetup {
    MatchSetup {
        start: Start::Position("3".to_owned()),
        ..MatchSetup::new("nim")
    }
}

/// A refusal of the last move.
pub(super) fn refused(reason: RefusalReason, retry: bool) -> Refused {
    Refused {
        id: Some(command("play-4")),
        reason,
        message: "late".to_owned(),
        retry,
        retry_after_ms: None,
        supported: Vec::new(),
    }
}

pub(super) fn command(text: &str) -> CommandId {
    CommandId::try_from(text.to_owned()).unwrap()
}
