//! Violations in what viewers were shown.

use fibfob_history::{Due, Entry, Violation};
use fibfob_protocol::{
    Chat, ChatChannel, ChatContent, ChatLine, ChatPhrase, Event, RefusalReason, Refused,
    RequestBody, Seat, ServerMessage, Timestamp, Version,
};
use serde::Deserialize;
use serde_json::json;

use crate::case::{ADA, Case, refused};

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
    let leave = RequestBody::Leave { id: case.id };
    let left = case.send(Seat::Joiner, "leave", leave);
    case.accept(Seat::Joiner, &left);
    case.show(Seat::Joiner, 5);
    case.is_found(|violation| matches!(violation, Violation::NotFollowed { .. }));
}

#[test]
fn a_leave_that_was_refused_leaves_open_whether_the_match_is_followed() {
    let mut case = Case::new();
    let leave = RequestBody::Leave { id: case.id };
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
        frame.timed.event = Event::Moved {
            seat,
            text,
            charged_until: None,
        };
    });
    case.is_found(|violation| {
        let expected = Version(4);
        matches!(violation, Violation::OtherEvent { version, .. } if *version == expected)
    });
}

#[test]
fn a_state_that_the_log_does_not_replay_to_is_found() {
    let mut case = Case::new();
    case.distort(4, |frame| {
        frame.change.0.insert("position".to_owned(), "2".into());
    });
    case.is_found(|violation| {
        let expected = Version(4);
        matches!(violation, Violation::OtherState { version, .. } if *version == expected)
    });
}

#[test]
fn two_winners_are_found() {
    let mut case = Case::new();
    case.distort(5, |frame| {
        let winner = frame.change.0.get_mut("winner").expect("the match is over");
        let named = Seat::deserialize(&*winner).unwrap();
        *winner = json!(named.other());
    });
    case.is_found(|violation| matches!(violation, Violation::TwoWinners { .. }));
}

#[test]
fn a_late_viewer_who_is_shown_another_log_is_found() {
    let case = Case::new();
    let (id, version) = (case.id, Version(5));
    let mut logs = case.logs();
    logs.late_views.get_mut(&id).unwrap().events.pop();
    let violations = case.violations_in(&logs, None);
    assert_eq!(violations, [Violation::LateViewBehind { id, version }]);

    for (due, expected) in [
        (
            Due::UpTo(version),
            vec![Violation::LateViewBehind { id, version }],
        ),
        (Due::UpTo(Version(4)), Vec::new()),
        (Due::Before(case.log[4].at), Vec::new()),
    ] {
        logs.late_views.get_mut(&id).unwrap().due = due;
        assert_eq!(case.violations_in(&logs, None), expected, "{due:?}");
    }

    let mut logs = case.logs();
    let late_view = logs.late_views.get_mut(&id).unwrap();
    late_view.due = Due::UpTo(Version(1));
    late_view.events.remove(1);
    let violations = case.violations_in(&logs, None);
    let version = Version(2);
    assert_eq!(violations, [Violation::LateViewDiffers { id, version }]);
}

#[test]
fn a_chat_line_shown_twice_is_found() {
    let mut case = Case::new();
    let line = ChatLine {
        number: 1,
        at: Timestamp(9),
        guest: ADA,
        name: "Ada".to_owned().try_into().unwrap(),
        content: ChatContent::Phrase(ChatPhrase::ALL[0]),
    };
    let chat = ServerMessage::Chat(Chat {
        match_id: case.id,
        channel: ChatChannel::Players,
        lines: vec![line],
    });
    case.receive(Seat::Joiner, chat.clone());
    case.receive(Seat::Creator, chat.clone());
    assert_eq!(case.violations(), [], "each player is shown it once");
    case.receive(Seat::Joiner, chat);
    case.is_found(|violation| matches!(violation, Violation::ChatTwice { number: 1, .. }));
}
