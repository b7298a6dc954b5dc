//! Histories and a log that are right, and ways to make them wrong.

use std::collections::BTreeMap;

use fibfob_protocol::{
    Accepted, Actor, Code, Command, CommandId, Event, Frame, GuestId, Match, MatchId, Player,
    Record, Request, RequestBody, Seat, ServerDefaults, ServerMessage, TimedEvent, Timestamp,
    Version,
};
use fibfob_tests::opening;
use fibfob_tests::storm::{Entry, Fault, History, LateView, Logs, What, check};
use uuid::Uuid;

/// A match that Ada wins against Bo, and what both lived through; without a fault.
pub(super) struct Case {
    pub(super) id: MatchId,
    pub(super) live: Option<Match>,
    pub(super) log: Vec<Record>,
    pub(super) ada: History,
    pub(super) bo: History,
    pub(super) moment: u64,
}

const LINE: u32 = 1;

impl Case {
    pub(super) fn new() -> Self {
        let history = |name: &str, number| History {
            name: name.to_owned(),
            guest: GuestId(Uuid::from_u128(number)),
            entries: Vec::new(),
        };
        let mut case = Self {
            id: MatchId(Uuid::from_u128(7)),
            live: None,
            log: Vec::new(),
            ada: history("Ada", 1),
            bo: history("Bo", 2),
            moment: 0,
        };
        case.create();
        case.join();
        case.play(Seat::Creator, "take 1 from 1");
        case.play(Seat::Joiner, "take 1 from 1");
        case.play(Seat::Creator, "take 1 from 1");
        case
    }

    pub(super) fn player(history: &History) -> Player {
        Player::Human {
            guest: history.guest,
            name: history.name.clone().try_into().unwrap(),
        }
    }

    pub(super) fn create(&mut self) {
        let opening = opening("nim", "3");
        let ask = RequestBody::Create(opening.clone());
        let command = self.send(Seat::Creator, "create", ask);
        let code: Code = "K7M2QX".parse().unwrap();
        let creator = Self::player(&self.ada);
        let house = ServerDefaults {
            expires_at: Timestamp(u64::MAX),
            grace_ms: 60_000,
        };
        let terms = opening.draw(creator, code, house, &mut rand::rng());
        let terms = Box::new(terms.unwrap());
        self.store(Some(command.clone()), Event::Created { terms });
        self.accept(Seat::Creator, &command);
        self.show(Seat::Creator, 1);
    }

    pub(super) fn join(&mut self) {
        let code = "K7M2QX".to_owned();
        let command = self.send(Seat::Joiner, "join", RequestBody::Join { code });
        let player = Self::player(&self.bo);
        self.store(Some(command.clone()), Event::Joined { player });
        self.accept(Seat::Joiner, &command);
        self.show(Seat::Joiner, 1);
        for seat in Seat::BOTH {
            self.show(seat, 2);
        }
    }

    pub(super) fn play(&mut self, seat: Seat, text: &str) {
        let expecting = Version(self.log.len() as u64);
        let play = RequestBody::Play {
            id: self.id,
            expecting,
            text: text.to_owned(),
        };
        let command = self.send(seat, &format!("play {expecting}"), play);
        let wanted = Command::Play {
            expecting,
            text: text.to_owned(),
        };
        let actor = Actor::Guest(self.history(seat).guest);
        let event = self.live.as_ref().unwrap().decide(actor, &wanted).unwrap();
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

    pub(super) fn note(&mut self, seat: Seat, what: What) {
        self.moment += 1;
        let (moment, line) = (self.moment, LINE);
        let entry = Entry { moment, line, what };
        self.history(seat).entries.push(entry);
    }

    pub(super) fn send(&mut self, seat: Seat, name: &str, ask: RequestBody) -> CommandId {
        let id = CommandId::try_from(name.replace(' ', "-")).unwrap();
        let request = Request {
            id: id.clone(),
            body: ask,
        };
        self.note(seat, What::Sent(request));
        id
    }

    pub(super) fn send_again(&mut self, seat: Seat, id: &CommandId) {
        let sent = |entry: &Entry| matches!(&entry.what, What::Sent(request) if request.id == *id);
        let entries = &self.history(seat).entries;
        let again = entries.iter().find(|entry| sent(entry)).unwrap();
        let what = again.what.clone();
        self.note(seat, what);
    }

    pub(super) fn store(&mut self, command: Option<CommandId>, event: Event) {
        let record = Record {
            version: Version(self.log.len() as u64 + 1),
            at: Timestamp(self.log.len() as u64),
            command,
            event,
        };
        match &mut self.live {
            Some(live) => live.evolve(&record).unwrap(),
            none => *none = Some(Match::begin(self.id, &record).unwrap()),
        }
        self.log.push(record);
    }

    pub(super) fn accept(&mut self, seat: Seat, command: &CommandId) {
        let accepted = Accepted {
            id: command.clone(),
            match_id: Some(self.id),
            code: None,
            version: Some(Version(self.log.len() as u64)),
            seat: Some(seat),
            next: None,
        };
        self.note(seat, What::Accepted(accepted));
    }

    pub(super) fn frame(&self, version: u64) -> Frame {
        let upto = &self.log[..usize::try_from(version).unwrap()];
        let live = Match::replay(self.id, upto).unwrap();
        // Viewers come and go; that is no fault.
        live.frame(upto.last().unwrap(), 3)
    }

    pub(super) fn show(&mut self, seat: Seat, version: u64) {
        let frame = self.frame(version);
        self.show_frame(seat, frame);
    }

    pub(super) fn show_frame(&mut self, seat: Seat, frame: Frame) {
        let text = ServerMessage::Frame(Box::new(frame)).write();
        self.note(seat, What::Shown(text.into()));
    }

    /// Changes the frame of `version` as Bo was shown it.
    pub(super) fn distort(&mut self, version: u64, change: impl Fn(&mut Frame)) {
        for entry in &mut self.bo.entries {
            let What::Shown(text) = &mut entry.what else {
                continue;
            };
            let Ok(ServerMessage::Frame(mut frame)) = serde_json::from_str(text) else {
                continue;
            };
            if frame.timed.version == Version(version) {
                change(&mut frame);
                *text = ServerMessage::Frame(frame).write().into();
            }
        }
    }

    /// Takes the last event out of the log, as a server would that answered too early.
    pub(super) fn forget_last(&mut self) {
        self.log.pop();
    }

    pub(super) fn is_shown(entry: &Entry) -> bool {
        matches!(entry.what, What::Shown(_))
    }

    pub(super) fn logs(&self) -> Logs {
        Logs {
            told: BTreeMap::from([(self.id, self.late_view())]),
            stored: BTreeMap::from([(self.id, self.log.clone())]),
        }
    }

    fn late_view(&self) -> LateView {
        LateView {
            asked_at: Timestamp(self.log.len() as u64),
            events: self.log.iter().map(TimedEvent::from).collect(),
        }
    }

    pub(super) fn faults(&self) -> Vec<Fault> {
        check(&[self.ada.clone(), self.bo.clone()], &self.logs())
    }

    /// The judge names the fault, among what follows from it.
    pub(super) fn is_found(&self, named: impl Fn(&Fault) -> bool) {
        let faults = self.faults();
        assert!(faults.iter().any(named), "found instead: {faults:?}");
    }
}

pub(super) fn command(text: &str) -> CommandId {
    CommandId::try_from(text.to_owned()).unwrap()
}
