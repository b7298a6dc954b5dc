//! Violations in answers to commands, and in the identities of clients.

use fibfob_history::{Observation, Violation};
use fibfob_protocol::{RefusalReason, Refused, Seat, ServerMessage, Version};

use crate::case::{ADA, BO, Case, command, refused};

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
fn hello_is_refused_only_while_the_store_does_not_answer() {
    let refuse = |reason| {
        let mut case = Case::new();
        case.note(Seat::Joiner, Observation::Greeted(Some(BO)));
        let answer = Refused {
            id: None,
            ..refused(reason, true)
        };
        case.refuse(Seat::Joiner, &answer);
        case
    };
    let mut unavailable = refuse(RefusalReason::Unavailable);
    assert_eq!(unavailable.violations(), []);
    let again = Refused {
        id: None,
        ..refused(RefusalReason::Unavailable, true)
    };
    unavailable.refuse(Seat::Joiner, &again);
    unavailable.is_found(|violation| matches!(violation, Violation::UnsolicitedAnswer { .. }));
    refuse(RefusalReason::BadToken)
        .is_found(|violation| matches!(violation, Violation::UnexpectedRefusal { .. }));
}
