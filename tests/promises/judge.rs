//! The judge of a storm finds each fault that it is there to find: each is planted once in
//! histories that are right otherwise.

use std::collections::BTreeMap;

use fibfob_protocol::{
    Accepted, Actor, Ask, Code, Command, CommandId, Event, Frame, GuestId, Happening, HouseRules,
    Match, MatchId, PhaseView, Player, Reason, Record, Refused, Request, Seat, ServerMessage,
    Timestamp, Version,
};
use fibfob_tests::opening;
use fibfob_tests::storm::{Entry, Fault, History, Logs, What, check};
use uuid::Uuid;

/// A match that Ada wins against Bo, and what both lived through; without a fault.
struct Case {
    id: MatchId,
    live: Option<Match>,
    log: Vec<Record>,
    ada: History,
    bo: History,
    moment: u64,
}

const LINE: u32 = 1;

impl Case {
    fn new() -> Self {
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

    fn player(history: &History) -> Player {
        Player::Human {
            guest: history.guest,
            name: history.name.clone().try_into().unwrap(),
        }
    }

    fn create(&mut self) {
        let opening = opening("nim", "3");
        let ask = Ask::Create(opening.clone());
        let command = self.send(Seat::Creator, "create", ask);
        let code: Code = "K7M2QX".parse().unwrap();
        let creator = Self::player(&self.ada);
        let house = HouseRules {
            expires_at: Timestamp(u64::MAX),
            grace_ms: 60_000,
        };
        let terms = opening.draw(creator, code, house, &mut rand::rng());
        let terms = Box::new(terms.unwrap());
        self.store(Some(command.clone()), Event::Created { terms });
        self.accept(Seat::Creator, &command);
        self.show(Seat::Creator, 1);
    }

    fn join(&mut self) {
        let code = "K7M2QX".to_owned();
        let command = self.send(Seat::Joiner, "join", Ask::Join { code });
        let player = Self::player(&self.bo);
        self.store(Some(command.clone()), Event::Joined { player });
        self.accept(Seat::Joiner, &command);
        self.show(Seat::Joiner, 1);
        for seat in Seat::BOTH {
            self.show(seat, 2);
        }
    }

    fn play(&mut self, seat: Seat, text: &str) {
        let expecting = Version(self.log.len() as u64);
        let play = Ask::Play {
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

    fn history(&mut self, seat: Seat) -> &mut History {
        match seat {
            Seat::Creator => &mut self.ada,
            Seat::Joiner => &mut self.bo,
        }
    }

    fn note(&mut self, seat: Seat, what: What) {
        self.moment += 1;
        let (moment, line) = (self.moment, LINE);
        let entry = Entry { moment, line, what };
        self.history(seat).entries.push(entry);
    }

    fn send(&mut self, seat: Seat, name: &str, ask: Ask) -> CommandId {
        let id = CommandId::try_from(name.replace(' ', "-")).unwrap();
        let request = Request {
            id: id.clone(),
            ask,
        };
        self.note(seat, What::Sent(request));
        id
    }

    fn send_again(&mut self, seat: Seat, id: &CommandId) {
        let sent = |entry: &Entry| matches!(&entry.what, What::Sent(request) if request.id == *id);
        let entries = &self.history(seat).entries;
        let again = entries.iter().find(|entry| sent(entry)).unwrap();
        let what = again.what.clone();
        self.note(seat, what);
    }

    fn store(&mut self, command: Option<CommandId>, event: Event) {
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

    fn accept(&mut self, seat: Seat, command: &CommandId) {
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

    fn frame(&self, version: u64) -> Frame {
        let upto = &self.log[..usize::try_from(version).unwrap()];
        let live = Match::replay(self.id, upto).unwrap();
        // Viewers come and go; that is no fault.
        live.frame(upto.last().unwrap(), 3)
    }

    fn show(&mut self, seat: Seat, version: u64) {
        let frame = self.frame(version);
        self.show_frame(seat, frame);
    }

    fn show_frame(&mut self, seat: Seat, frame: Frame) {
        let text = ServerMessage::Frame(Box::new(frame)).write();
        self.note(seat, What::Shown(text.into()));
    }

    /// Changes the frame of `version` as Bo was shown it.
    fn distort(&mut self, version: u64, change: impl Fn(&mut Frame)) {
        for entry in &mut self.bo.entries {
            let What::Shown(text) = &mut entry.what else {
                continue;
            };
            let Ok(ServerMessage::Frame(mut frame)) = serde_json::from_str(text) else {
                continue;
            };
            if frame.happening.version == Version(version) {
                change(&mut frame);
                *text = ServerMessage::Frame(frame).write().into();
            }
        }
    }

    /// Takes the last event out of the log, as a server would that answered too early.
    fn forget_last(&mut self) {
        self.log.pop();
    }

    fn is_shown(entry: &Entry) -> bool {
        matches!(entry.what, What::Shown(_))
    }

    fn logs(&self) -> Logs {
        Logs {
            told: BTreeMap::from([(self.id, self.log.iter().map(Happening::from).collect())]),
            stored: BTreeMap::from([(self.id, self.log.clone())]),
        }
    }

    fn faults(&self) -> Vec<Fault> {
        check(&[self.ada.clone(), self.bo.clone()], &self.logs())
    }

    /// The judge names the fault, among what follows from it.
    fn is_found(&self, named: impl Fn(&Fault) -> bool) {
        let faults = self.faults();
        assert!(faults.iter().any(named), "found instead: {faults:?}");
    }
}

fn command(text: &str) -> CommandId {
    CommandId::try_from(text.to_owned()).unwrap()
}

#[test]
fn the_judge_finds_nothing_where_nothing_is_wrong() {
    assert_eq!(Case::new().faults(), []);
}

#[test]
fn the_judge_finds_an_acknowledged_command_that_is_lost() {
    let mut case = Case::new();
    case.forget_last();
    case.is_found(
        |fault| matches!(fault, Fault::LostAnswer { who, version: Version(5), .. } if who == "Ada"),
    );
}

#[test]
fn the_judge_finds_an_answer_that_names_another_commands_event() {
    let mut case = Case::new();
    case.log[4].command = Some(command("play-2"));
    case.log[2].command = Some(command("play-4"));
    case.is_found(|fault| {
        matches!(
            fault,
            Fault::LostAnswer {
                version: Version(3),
                ..
            }
        )
    });
}

#[test]
fn the_judge_finds_a_shown_event_that_is_lost() {
    let mut case = Case::new();
    // Nobody was answered: only what was shown can tell.
    let answers = |entry: &Entry| !matches!(entry.what, What::Accepted(_)) || entry.moment < 8;
    case.ada.entries.retain(answers);
    case.forget_last();
    case.is_found(|fault| {
        let (version, end) = (Version(5), Version(4));
        matches!(fault, Fault::LostShown { version: v, end: e, .. } if (*v, *e) == (version, end))
    });
}

#[test]
fn the_judge_finds_a_match_that_is_lost() {
    let mut case = Case::new();
    case.log.clear();
    let faults = check(&[case.ada, case.bo], &Logs::default());
    assert!(
        faults
            .iter()
            .any(|fault| matches!(fault, Fault::LostMatch { .. }))
    );
}

#[test]
fn the_judge_finds_a_command_that_counts_twice() {
    let mut case = Case::new();
    case.log[4].command = Some(command("play-2"));
    case.is_found(|fault| {
        matches!(fault, Fault::CountedTwice { command, .. } if command.as_str() == "play-2")
    });
}

#[test]
fn the_judge_finds_a_command_that_was_refused_and_counts() {
    let mut case = Case::new();
    let refused = Refused {
        id: Some(command("play-4")),
        reason: Reason::Stale,
        message: "late".to_owned(),
        retry: false,
        supported: Vec::new(),
    };
    case.note(Seat::Creator, What::Refused(refused.clone()));
    case.is_found(|fault| matches!(fault, Fault::RefusedAndCounted { .. }));

    let mut case = Case::new();
    let retry = true;
    let busy = Refused {
        retry,
        ..refused.clone()
    };
    case.note(Seat::Creator, What::Refused(busy));
    assert_eq!(case.faults(), [], "such a refusal leaves it open");

    let mut case = Case::new();
    case.send_again(Seat::Creator, &command("play-4"));
    case.note(Seat::Creator, What::Refused(refused.clone()));
    assert_eq!(case.faults(), [], "the other sending is decided for itself");
    case.note(Seat::Creator, What::Refused(refused));
    case.is_found(|fault| matches!(fault, Fault::RefusedAndCounted { .. }));
}

#[test]
fn the_judge_finds_two_answers_to_one_command() {
    let mut case = Case::new();
    case.accept(Seat::Creator, &command("play-2"));
    case.is_found(|fault| {
        let versions = (Version(3), Version(5));
        matches!(fault, Fault::AnswersDiffer { first, second, .. } if (*first, *second) == versions)
    });
}

#[test]
fn the_judge_finds_an_event_that_nobody_asked_for() {
    let mut case = Case::new();
    case.log[4].command = Some(command("of-nobody"));
    case.is_found(|fault| matches!(fault, Fault::Unasked { .. }));
}

#[test]
fn the_judge_finds_an_event_that_was_shown_before_it_was_asked_for() {
    let mut case = Case::new();
    case.show(Seat::Joiner, 5);
    let early = case.bo.entries.pop().unwrap();
    case.bo.entries.insert(0, Entry { moment: 0, ..early });
    case.is_found(|fault| matches!(fault, Fault::Unasked { .. }));
}

#[test]
fn the_judge_finds_commands_in_another_order_than_they_were_answered() {
    let mut case = Case::new();
    // Bo's move was answered before Ada's first one was sent at all.
    let answered = case.bo.entries.iter_mut().find(|entry| {
        matches!(&entry.what, What::Accepted(accepted) if accepted.version == Some(Version(4)))
    });
    answered.unwrap().moment = 0;
    case.is_found(|fault| matches!(fault, Fault::OrderOfCommands { .. }));
}

#[test]
fn the_judge_finds_a_gap() {
    let mut case = Case::new();
    let mut shown = 0;
    case.bo.entries.retain(|entry| {
        shown += usize::from(Case::is_shown(entry));
        !(Case::is_shown(entry) && shown == 3)
    });
    case.is_found(|fault| {
        let versions = (Version(4), Version(3));
        matches!(fault, Fault::Gap { found, expected, .. } if (*found, *expected) == versions)
    });
}

#[test]
fn the_judge_finds_a_gap_between_two_connections() {
    let mut case = Case::new();
    case.bo
        .entries
        .retain(|entry| !Case::is_shown(entry) || entry.moment < 10);
    let resume = Ask::Resume {
        id: case.id,
        since: Version(4),
    };
    let back = case.send(Seat::Joiner, "resume", resume);
    case.accept(Seat::Joiner, &back);
    case.show(Seat::Joiner, 5);
    case.is_found(|fault| {
        matches!(
            fault,
            Fault::Gap {
                found: Version(5),
                ..
            }
        )
    });
}

#[test]
fn the_judge_finds_frames_that_are_out_of_order_or_shown_twice() {
    let mut case = Case::new();
    let shown: Vec<usize> = (0..case.bo.entries.len())
        .filter(|&at| Case::is_shown(&case.bo.entries[at]))
        .collect();
    let (third, fourth) = (shown[2], shown[3]);
    let what = case.bo.entries[third].what.clone();
    case.bo.entries[third].what = case.bo.entries[fourth].what.clone();
    case.bo.entries[fourth].what = what;
    case.is_found(|fault| {
        matches!(
            fault,
            Fault::OutOfOrder {
                found: Version(3),
                ..
            }
        )
    });

    let mut case = Case::new();
    case.show(Seat::Joiner, 5);
    case.is_found(|fault| {
        matches!(
            fault,
            Fault::OutOfOrder {
                found: Version(5),
                ..
            }
        )
    });
}

#[test]
fn the_judge_finds_frames_that_nobody_follows() {
    let mut case = Case::new();
    case.bo
        .entries
        .retain(|entry| !matches!(entry.what, What::Accepted(_)));
    case.is_found(|fault| matches!(fault, Fault::NotFollowed { .. }));
}

#[test]
fn the_judge_finds_another_event_than_the_log_has() {
    let mut case = Case::new();
    case.distort(4, |frame| {
        let (seat, text) = (Seat::Joiner, "take 2 from 1".to_owned());
        frame.happening.event = Event::Moved { seat, text };
    });
    case.is_found(|fault| {
        matches!(
            fault,
            Fault::OtherEvent {
                version: Version(4),
                ..
            }
        )
    });
}

#[test]
fn the_judge_finds_a_state_that_the_log_does_not_replay_to() {
    let mut case = Case::new();
    case.distort(4, |frame| frame.state.position = "2".to_owned());
    case.is_found(|fault| {
        matches!(
            fault,
            Fault::OtherState {
                version: Version(4),
                ..
            }
        )
    });
}

#[test]
fn the_judge_finds_two_winners() {
    let mut case = Case::new();
    case.distort(5, |frame| {
        let PhaseView::Over { winner, .. } = &mut frame.state.phase else {
            panic!("the match is over");
        };
        *winner = winner.other();
    });
    case.is_found(|fault| matches!(fault, Fault::TwoWinners { .. }));
}

#[test]
fn the_judge_finds_a_log_that_no_match_can_have() {
    let mut case = Case::new();
    let again = case.log[4].clone();
    let version = Version(6);
    case.log.push(Record { version, ..again });
    case.is_found(|fault| matches!(fault, Fault::Corrupt { .. }));
}

#[test]
fn the_judge_finds_a_late_viewer_who_is_told_another_log() {
    let case = Case::new();
    let mut logs = case.logs();
    logs.told.get_mut(&case.id).unwrap().pop();
    let faults = check(&[case.ada, case.bo], &logs);
    let version = Version(5);
    assert_eq!(
        faults,
        [Fault::ToldOtherwise {
            id: case.id,
            version
        }]
    );
}
