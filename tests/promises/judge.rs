//! The judge of a storm finds each fault that it is there to find: each is planted once in
//! histories that are right otherwise.

mod case;

use fibfob_protocol::{
    Event, PhaseView, Record, RefusalReason, Refused, RequestBody, Seat, Version,
};
use fibfob_tests::storm::{Entry, Fault, Logs, What, check};

use case::{Case, command};

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
        reason: RefusalReason::Stale,
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
    let resume = RequestBody::Resume {
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
        frame.timed.event = Event::Moved { seat, text };
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
    let (id, version) = (case.id, Version(5));
    let mut logs = case.logs();
    logs.told.get_mut(&id).unwrap().events.pop();
    let histories = [case.ada, case.bo];
    let faults = check(&histories, &logs);
    assert_eq!(faults, [Fault::ToldOtherwise { id, version }]);

    logs.told.get_mut(&id).unwrap().asked_at = case.log[4].at;
    let faults = check(&histories, &logs);
    assert_eq!(faults, [], "it can have happened after they were told");
}
