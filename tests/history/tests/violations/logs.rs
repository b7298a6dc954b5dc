//! Violations in the stored logs.

use std::time::Duration;

use fibfob_games::Level;
use fibfob_history::{Entry, Logs, Observation, Uptime, Violation};
use fibfob_protocol::{
    Action, Event, FirstMoveRule, MatchRef, MatchSetup, Opponent, Record, RequestBody, Seat,
    ServerMessage, Start, TimeControl, Timestamp, Version,
};

use crate::case::{self, Case, command};

#[test]
fn a_lost_match_is_found() {
    let case = Case::new();
    let violations = case.violations_in(&Logs::default(), None);
    let lost = |violation: &Violation| matches!(violation, Violation::LostMatch { .. });
    assert!(violations.iter().any(lost));
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
fn a_move_in_another_position_than_its_player_saw_is_found() {
    let mut case = Case::new();
    for entry in &mut case.bo.entries {
        if let Observation::Sent(request) = &mut entry.observation
            && let RequestBody::Act {
                action: Action::Play { expecting, .. },
                ..
            } = &mut request.body
        {
            *expecting = Version(expecting.0 - 1);
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
fn a_rematch_that_does_not_exist_is_found() {
    let mut case = Case::new();
    let (id, code) = (case.id.rematch(), "K7M2QY".parse().unwrap());
    let requests = [
        (
            Seat::Creator,
            Action::OfferRematch,
            Event::RematchOffered {
                seat: Seat::Creator,
            },
        ),
        (
            Seat::Joiner,
            Action::AcceptRematch,
            Event::RematchAccepted {
                seat: Seat::Joiner,
                next: MatchRef { id, code },
            },
        ),
    ];
    for (seat, action, event) in requests {
        let name = action.kind();
        let command = case.send(seat, name, action.in_match(case.id));
        case.store(Some(command), event);
    }
    case.is_found(
        |violation| matches!(violation, Violation::NoSuchRematch { next, .. } if *next == id),
    );
}

#[test]
fn a_won_position_that_the_perfect_bot_gives_away_is_found() {
    let given_away = |text: &str| {
        let mut case = Case::empty();
        case.create(MatchSetup {
            start: Start::Position("3,5".to_owned()),
            opponent: Opponent::Bot(Level::Perfect),
            first: FirstMoveRule::Other,
            ..MatchSetup::new("nim")
        });
        let (seat, text) = (Seat::Joiner, text.to_owned());
        case.store(
            Some(command("bot-1")),
            Event::Moved {
                seat,
                text,
                charged_until: None,
            },
        );
        case.violations()
    };
    assert_eq!(given_away("take 2 from 2"), []);
    let violations = given_away("take 1 from 1");
    let [Violation::GivenAway { position, .. }] = &violations[..] else {
        panic!("found instead: {violations:?}");
    };
    assert_eq!(position, "3,5");
}

#[test]
fn a_loss_by_time_in_which_no_server_ran_is_found() {
    let mut case = Case::empty();
    let each_ms = 5_000;
    case.create(MatchSetup {
        first: FirstMoveRule::Me,
        time: TimeControl::Move { each_ms },
        ..case::nim()
    });
    case.join();
    case.store(None, Event::ClocksStarted);
    case.store_at(
        Timestamp(20_000),
        None,
        Event::TimedOut {
            seat: Seat::Creator,
        },
    );
    let begun_at = case.log[2].at;
    let uptime = |stopped: u64| {
        let mut uptime = Uptime::default();
        uptime.started(Timestamp(0));
        uptime.stopped(Timestamp(stopped));
        uptime
    };
    let enough = uptime(begun_at.0 + each_ms);
    assert_eq!(case.violations_in(&case.logs(), Some(&enough)), []);
    let short = uptime(begun_at.0 + each_ms - 1);
    let violations = case.violations_in(&case.logs(), Some(&short));
    let expected = Violation::DowntimeCharged {
        id: case.id,
        seat: Seat::Creator,
        allowed: each_ms,
        spent: each_ms - 1,
    };
    assert_eq!(violations, [expected]);
}

/// A match with clocks in which Ada is to move, and the event by which a restart of the server
/// charges her `charged` milliseconds.
fn restarted(charged: u64) -> (Case, Timestamp) {
    let mut case = Case::empty();
    case.create(MatchSetup {
        first: FirstMoveRule::Me,
        time: TimeControl::Move { each_ms: 60_000 },
        ..case::nim()
    });
    case.join();
    case.store(None, Event::ClocksStarted);
    let begun_at = case.log[2].at;
    let since = Timestamp(begun_at.0 + 20_000);
    let down_since = Some(Timestamp(begun_at.0 + charged));
    case.store_at(since, None, Event::Resumed { down_since, since });
    (case, begun_at)
}

#[test]
fn a_restart_charges_the_time_in_which_the_server_ran_and_a_kill_gives_back_little() {
    // The server ran for ten seconds after both had come.
    let violations = |charged| {
        let (case, begun_at) = restarted(charged);
        let (started, killed) = (Timestamp(0), Timestamp(begun_at.0 + 10_000));
        let mut uptime = Uptime::default();
        uptime.started(started);
        uptime.stopped(killed);
        uptime.served(started, killed);
        uptime.started(Timestamp(begun_at.0 + 20_000));
        (case.id, case.violations_in(&case.logs(), Some(&uptime)))
    };
    let version = Version(4);
    for (charged, expected) in [
        (10_000, false),
        (7_000, false),
        (10_001, true),
        (6_999, true),
    ] {
        let (id, found) = violations(charged);
        let named = match charged {
            10_001 => Violation::ChargedTooMuch {
                id,
                version,
                spent: 10_001,
                ran: 10_000,
            },
            spent => Violation::ChargedTooLittle {
                id,
                version,
                spent,
                known: 10_000,
            },
        };
        assert_eq!(
            found,
            if expected { vec![named] } else { vec![] },
            "{charged}"
        );
    }
}

/// A match that Ada is to move in, abandoned so many milliseconds after Bo had joined.
fn abandoned(idle: u64) -> Case {
    let mut case = Case::empty();
    case.create(MatchSetup {
        first: FirstMoveRule::Me,
        ..case::nim()
    });
    case.join();
    let at = Timestamp(case.log[1].at.0 + idle);
    case.store_at(
        at,
        None,
        Event::Abandoned {
            seat: Seat::Creator,
        },
    );
    case
}

#[test]
fn a_match_that_is_abandoned_too_early_is_found() {
    let mut uptime = Uptime::new(5_000);
    uptime.started(Timestamp(0));
    let enough = abandoned(5_000);
    assert_eq!(enough.violations_in(&enough.logs(), Some(&uptime)), []);
    let short = abandoned(4_999);
    let expected = Violation::AbandonedTooEarly {
        id: short.id,
        idle: 4_999,
        abandoned_after: 5_000,
    };
    let violations = short.violations_in(&short.logs(), Some(&uptime));
    assert_eq!(violations, [expected]);
}

#[test]
fn a_match_that_is_abandoned_while_a_player_is_connected_is_found() {
    let mut uptime = Uptime::new(5_000);
    uptime.started(Timestamp(0));
    let mut case = abandoned(5_000);
    // Ada receives it on the connection that she had before.
    case.show(Seat::Creator, 3);
    let expected = Violation::AbandonedWhileConnected {
        client: "Ada".to_owned(),
        id: case.id,
    };
    let violations = case.violations_in(&case.logs(), Some(&uptime));
    assert_eq!(violations, [expected]);
}

/// A match that Bo claims of Ada so many milliseconds after her connection was welcomed.
fn claimed(after: u64) -> Case {
    let mut case = Case::empty();
    case.create(MatchSetup {
        first: FirstMoveRule::Me,
        ..case::nim()
    });
    case.join();
    let seat = Seat::Joiner;
    case.store_at(Timestamp(after), None, Event::Claimed { seat });
    case
}

#[test]
fn a_match_that_is_claimed_of_a_connected_player_is_found() {
    let mut uptime = Uptime::new(60_000);
    uptime.started(Timestamp(0));
    let violations = |case: &Case| {
        let mut found = case.violations_in(&case.logs(), Some(&uptime));
        found.retain(|it| matches!(it, Violation::ClaimedWhileConnected { .. }));
        found
    };
    let mut case = claimed(10_001);
    assert_eq!(violations(&case), []);
    // Ada receives it on the connection on which she has followed the match.
    case.show(Seat::Creator, 3);
    let expected = Violation::ClaimedWhileConnected {
        client: "Ada".to_owned(),
        id: case.id,
    };
    assert_eq!(violations(&case), std::slice::from_ref(&expected));
    // Another server may not have known yet that she is back.
    let mut case = claimed(10_000);
    case.show(Seat::Creator, 3);
    assert_eq!(violations(&case), []);
    // She had been connected for longer, and has just opened the match.
    let mut case = claimed(10_001);
    let shown = case.ada.entries.iter_mut().filter(|it| Case::is_shown(it));
    shown.for_each(|entry| entry.at += Duration::from_millis(1));
    case.show(Seat::Creator, 3);
    assert_eq!(violations(&case), []);
    // She had left it, and comes back after its end.
    let mut case = claimed(10_001);
    let id = case.id;
    case.send(Seat::Creator, "leave", RequestBody::Leave { id });
    case.show(Seat::Creator, 3);
    assert_eq!(violations(&case), []);
    // She had left it, and opened it again long before.
    let mut case = claimed(10_001);
    case.send(Seat::Creator, "leave", RequestBody::Leave { id });
    case.show(Seat::Creator, 1);
    case.show(Seat::Creator, 3);
    assert_eq!(violations(&case), [expected]);
}
