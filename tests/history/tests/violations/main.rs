//! The history checker finds each violation that it is there to find: each is planted once in
//! a run that is correct otherwise.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by panicking"
)]

mod case;

use fibfob_history::{Coverage, Entry, Evidence, Logs, Observation, Uptime, Violation, check};
use fibfob_protocol::{
    Action, Event, PhaseView, Record, RefusalReason, Refused, RequestBody, Seat, ServerMessage,
    Timestamp, Version,
};

use case::{ADA, BO, CONNECTION, Case, command};

fn refused(reason: RefusalReason, retry: bool) -> Refused {
    Refused {
        id: Some(command("play-4")),
        reason,
        message: "late".to_owned(),
        retry,
        supported: Vec::new(),
    }
}

#[test]
fn a_correct_run_has_no_violation() {
    assert_eq!(Case::new().violations(), []);
}

#[test]
fn a_lost_acknowledged_command_is_found() {
    let mut case = Case::new();
    case.forget_last();
    case.is_found(|violation| {
        matches!(violation, Violation::LostAnswer { client, version: Version(5), .. } if client == "Ada")
    });
}

#[test]
fn an_answer_that_names_another_commands_event_is_found() {
    let mut case = Case::new();
    case.log[4].command = Some(command("play-2"));
    case.log[2].command = Some(command("play-4"));
    case.is_found(|violation| {
        let version = Version(3);
        matches!(violation, Violation::LostAnswer { version: found, .. } if *found == version)
    });
}

#[test]
fn an_acceptance_without_an_event_is_found() {
    let mut case = Case::new();
    let mut accepted = case.accepted(Seat::Creator, &command("play-4"));
    accepted.version = None;
    case.send_again(Seat::Creator, &command("play-4"));
    case.receive(Seat::Creator, ServerMessage::Accepted(accepted));
    case.is_found(|violation| matches!(violation, Violation::NamesNoEvent { .. }));
}

#[test]
fn a_lost_shown_event_is_found() {
    let mut case = Case::new();
    // No answer: only the frames prove it.
    let last_answers = |entry: &Entry| !Case::is_accepted(entry) || entry.order < 12;
    case.ada.entries.retain(last_answers);
    case.forget_last();
    case.is_found(|violation| {
        let (version, end) = (Version(5), Version(4));
        matches!(violation, Violation::LostShown { version: v, end: e, .. } if (*v, *e) == (version, end))
    });
}

#[test]
fn a_lost_match_is_found() {
    let case = Case::new();
    let violations = case.violations_in(&Logs::default(), None);
    let lost = |violation: &Violation| matches!(violation, Violation::LostMatch { .. });
    assert!(violations.iter().any(lost));
}

#[test]
fn a_command_that_counts_twice_is_found() {
    let mut case = Case::new();
    case.log[4].command = Some(command("play-2"));
    case.is_found(|violation| {
        matches!(violation, Violation::CountedTwice { command, .. } if command.as_str() == "play-2")
    });
}

#[test]
fn a_refused_command_that_counts_is_found() {
    let stale = refused(RefusalReason::Stale, false);
    let counted = |violation: &Violation| matches!(violation, Violation::RefusedAndCounted { .. });
    let mut case = Case::new();
    case.refuse(Seat::Creator, &stale);
    case.is_found(counted);

    let mut case = Case::new();
    case.send_again(Seat::Creator, &command("play-4"));
    case.refuse(Seat::Creator, &refused(RefusalReason::Stale, true));
    assert_eq!(case.violations(), [], "such a refusal leaves it open");

    let mut case = Case::new();
    // The refusal of a first sending before the accepted second one.
    let sent = case.ada.entries.iter().position(|entry| {
        matches!(&entry.observation, Observation::Sent(request) if request.id == command("play-4"))
    });
    let first = case.ada.entries[sent.unwrap()].clone();
    let mut refusal = first.clone();
    refusal.observation = Observation::Received(ServerMessage::Refused(stale.clone()).into());
    case.ada
        .entries
        .splice(sent.unwrap()..sent.unwrap(), [first, refusal]);
    assert_eq!(case.violations(), [], "each sending is decided for itself");
}

#[test]
fn a_refused_repeat_of_an_accepted_command_is_found() {
    let mut case = Case::new();
    case.send_again(Seat::Creator, &command("play-4"));
    case.refuse(Seat::Creator, &refused(RefusalReason::Stale, false));
    case.is_found(|violation| matches!(violation, Violation::RefusedRepeat { .. }));
}

#[test]
fn two_answers_to_one_command_are_found() {
    let mut case = Case::new();
    case.send_again(Seat::Creator, &command("play-2"));
    case.accept(Seat::Creator, &command("play-2"));
    case.is_found(|violation| matches!(violation, Violation::AnswersDiffer { .. }));
}

#[test]
fn an_answer_to_nothing_is_found() {
    let mut case = Case::new();
    case.accept(Seat::Creator, &command("play-4"));
    case.is_found(|violation| matches!(violation, Violation::UnsolicitedAnswer { .. }));
}

#[test]
fn a_refusal_for_an_impossible_reason_is_found() {
    let mut case = Case::new();
    case.send_again(Seat::Creator, &command("play-4"));
    case.refuse(Seat::Creator, &refused(RefusalReason::Damaged, true));
    case.is_found(|violation| matches!(violation, Violation::UnexpectedRefusal { .. }));
}

#[test]
fn a_guest_that_a_token_does_not_name_is_found() {
    let mut case = Case::new();
    case.ada.entries[0].observation = Observation::Greeted(Some(BO));
    case.is_found(|violation| matches!(violation, Violation::OtherGuest { .. }));

    let mut case = Case::new();
    case.receive(Seat::Joiner, Case::welcome(ADA));
    case.is_found(|violation| matches!(violation, Violation::OtherGuest { .. }));
    case.is_found(|violation| matches!(violation, Violation::SharedGuest { .. }));
}

#[test]
fn an_unrequested_event_is_found() {
    let mut case = Case::new();
    case.log[4].command = Some(command("of-nobody"));
    case.is_found(|violation| matches!(violation, Violation::Unrequested { .. }));

    let mut case = Case::new();
    case.log[4].command = None;
    case.is_found(|violation| matches!(violation, Violation::NoCommand { .. }));
}

#[test]
fn an_event_shown_before_it_was_requested_is_found() {
    let mut case = Case::new();
    case.show(Seat::Joiner, 5);
    let early = case.bo.entries.pop().unwrap();
    case.bo.entries.insert(0, Entry { order: 0, ..early });
    case.is_found(|violation| matches!(violation, Violation::Unrequested { .. }));
}

#[test]
fn an_event_that_its_request_does_not_mean_is_found() {
    let mut case = Case::new();
    for entry in &mut case.ada.entries {
        if let Observation::Sent(request) = &mut entry.observation
            && let RequestBody::Act {
                action: Action::Play { text, .. },
                ..
            } = &mut request.body
        {
            "take 2 from 1".clone_into(text);
        }
    }
    case.is_found(|violation| matches!(violation, Violation::OtherMeaning { .. }));
}

#[test]
fn commands_in_another_order_than_they_were_answered_are_found() {
    let mut case = Case::new();
    // Bo's move was answered before Ada's first one was sent at all.
    let answered = case.bo.entries.iter_mut().find(|entry| {
        let Observation::Received(message) = &entry.observation else {
            return false;
        };
        matches!(&**message, ServerMessage::Accepted(accepted) if accepted.version == Some(Version(4)))
    });
    answered.unwrap().order = 0;
    case.is_found(|violation| matches!(violation, Violation::OrderOfCommands { .. }));
}

#[test]
fn a_gap_is_found() {
    let mut case = Case::new();
    let mut shown = 0;
    case.bo.entries.retain(|entry| {
        shown += usize::from(Case::is_shown(entry));
        !(Case::is_shown(entry) && shown == 3)
    });
    case.is_found(|violation| {
        let versions = (Version(4), Version(3));
        matches!(violation, Violation::Gap { found, expected, .. } if (*found, *expected) == versions)
    });
}

#[test]
fn a_gap_between_two_connections_is_found() {
    let mut case = Case::new();
    let mut shown = 0;
    case.bo.entries.retain(|entry| {
        shown += usize::from(Case::is_shown(entry));
        !Case::is_shown(entry) || shown < 3
    });
    let resume = RequestBody::Resume {
        id: case.id,
        since: Version(4),
    };
    let back = case.send(Seat::Joiner, "resume", resume);
    case.accept(Seat::Joiner, &back);
    case.show(Seat::Joiner, 5);
    case.is_found(|violation| {
        let version = Version(5);
        matches!(violation, Violation::Gap { found, .. } if *found == version)
    });
}

#[test]
fn frames_out_of_order_or_shown_twice_are_found() {
    let mut case = Case::new();
    let shown: Vec<usize> = (0..case.bo.entries.len())
        .filter(|&at| Case::is_shown(&case.bo.entries[at]))
        .collect();
    let (third, fourth) = (shown[2], shown[3]);
    let observation = case.bo.entries[third].observation.clone();
    case.bo.entries[third].observation = case.bo.entries[fourth].observation.clone();
    case.bo.entries[fourth].observation = observation;
    let is_out_of_order = |version| move |violation: &Violation| matches!(violation, Violation::OutOfOrder { found, .. } if *found == version);
    case.is_found(is_out_of_order(Version(3)));

    let mut case = Case::new();
    case.show(Seat::Joiner, 5);
    case.is_found(is_out_of_order(Version(5)));
}

#[test]
fn frames_of_a_match_that_is_not_followed_are_found() {
    let mut case = Case::new();
    case.bo.entries.retain(|entry| !Case::is_accepted(entry));
    case.is_found(|violation| matches!(violation, Violation::NotFollowed { .. }));

    let mut case = Case::new();
    let leave = RequestBody::Act {
        id: case.id,
        action: Action::Leave,
    };
    let left = case.send(Seat::Joiner, "leave", leave);
    case.accept(Seat::Joiner, &left);
    case.show(Seat::Joiner, 5);
    case.is_found(|violation| matches!(violation, Violation::NotFollowed { .. }));
}

#[test]
fn a_leave_that_was_refused_leaves_open_whether_the_match_is_followed() {
    let mut case = Case::new();
    let leave = RequestBody::Act {
        id: case.id,
        action: Action::Leave,
    };
    let id = Some(case.send(Seat::Joiner, "leave", leave));
    let refused = refused(RefusalReason::Unavailable, true);
    case.refuse(Seat::Joiner, &Refused { id, ..refused });
    case.show(Seat::Joiner, 5);
    assert_eq!(case.violations(), []);

    let since = Version(4);
    let resume = RequestBody::Resume { id: case.id, since };
    let back = case.send(Seat::Joiner, "resume", resume);
    case.accept(Seat::Joiner, &back);
    case.show(Seat::Joiner, 5);
    assert_eq!(case.violations(), []);
    case.show(Seat::Joiner, 5);
    case.is_found(|violation| matches!(violation, Violation::OutOfOrder { .. }));
}

#[test]
fn another_event_than_the_log_has_is_found() {
    let mut case = Case::new();
    case.distort(4, |frame| {
        let (seat, text) = (Seat::Joiner, "take 2 from 1".to_owned());
        frame.timed.event = Event::Moved { seat, text };
    });
    case.is_found(|violation| {
        let expected = Version(4);
        matches!(violation, Violation::OtherEvent { version, .. } if *version == expected)
    });
}

#[test]
fn a_state_that_the_log_does_not_replay_to_is_found() {
    let mut case = Case::new();
    case.distort(4, |frame| frame.state.position = "2".to_owned());
    case.is_found(|violation| {
        let expected = Version(4);
        matches!(violation, Violation::OtherState { version, .. } if *version == expected)
    });
}

#[test]
fn two_winners_are_found() {
    let mut case = Case::new();
    case.distort(5, |frame| {
        let PhaseView::Over { winner, .. } = &mut frame.state.phase else {
            panic!("the match is over");
        };
        *winner = winner.other();
    });
    case.is_found(|violation| matches!(violation, Violation::TwoWinners { .. }));
}

#[test]
fn a_log_that_no_match_can_have_is_found() {
    let mut case = Case::new();
    let again = case.log[4].clone();
    let version = Version(6);
    case.log.push(Record { version, ..again });
    case.is_found(|violation| matches!(violation, Violation::Corrupt { .. }));

    let mut case = Case::new();
    case.log[3].at = Timestamp(1);
    case.is_found(|violation| matches!(violation, Violation::BackInTime { .. }));
}

#[test]
fn a_code_of_two_matches_is_found() {
    let case = Case::new();
    let mut logs = case.logs();
    let other = fibfob_protocol::MatchId(uuid::Uuid::from_u128(8));
    logs.stored.insert(other, case.log.clone());
    let violations = case.violations_in(&logs, None);
    let shared = |violation: &Violation| matches!(violation, Violation::SharedCode { .. });
    assert!(violations.iter().any(shared));
}

#[test]
fn a_late_viewer_who_is_shown_another_log_is_found() {
    let case = Case::new();
    let (id, version) = (case.id, Version(5));
    let mut logs = case.logs();
    logs.late_views.get_mut(&id).unwrap().events.pop();
    let violations = case.violations_in(&logs, None);
    assert_eq!(violations, [Violation::LateViewDiffers { id, version }]);

    logs.late_views.get_mut(&id).unwrap().asked_at = case.log[4].at;
    let violations = case.violations_in(&logs, None);
    assert_eq!(violations, [], "it can have happened after the answer");
}

#[test]
fn a_text_that_is_no_message_is_found() {
    let mut case = Case::new();
    case.note(Seat::Joiner, Observation::Unreadable("nonsense".to_owned()));
    case.is_found(|violation| matches!(violation, Violation::Unreadable { .. }));
}

#[test]
fn a_malformed_message_is_refused_once() {
    let mut case = Case::new();
    let malformed = Refused {
        id: None,
        ..refused(RefusalReason::Malformed, false)
    };
    case.note(Seat::Joiner, Observation::SentMalformed);
    case.refuse(Seat::Joiner, &malformed);
    assert_eq!(case.violations(), []);
    case.refuse(Seat::Joiner, &malformed);
    case.is_found(|violation| matches!(violation, Violation::UnsolicitedAnswer { .. }));
}

#[test]
fn coverage_counts_what_was_checked() {
    let case = Case::new();
    let (logs, coverage) = (case.logs(), Coverage::default());
    let histories = [case.ada, case.bo];
    let evidence = Evidence {
        histories: &histories,
        logs: &logs,
        uptime: Some(&Uptime::default()),
    };
    assert_eq!(check(&evidence, &coverage), []);
    assert_eq!(coverage.get("event: moved"), 3);
    assert_eq!(coverage.get("match with a winner"), 1);
    assert_eq!(coverage.get("accepted"), 5);
    assert_eq!(coverage.get("frame"), 10);
    assert!(coverage.get("shown event compared") >= 5);
    assert_eq!(CONNECTION, 1);
}
