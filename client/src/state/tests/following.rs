//! The followed matches across connections.

use super::*;

#[test]
fn events_that_were_seen_are_dropped() {
    let mut peer = Peer::entered();
    assert_eq!(peer.new_versions(&snapshot(1..=4)), Some(vec![1, 2, 3, 4]));
    for version in 1..=4 {
        let handled = peer.state.on_text(&frame(version).to_string(), peer.now);
        assert_eq!(
            handled,
            Handled::default(),
            "nothing new, and nothing to print"
        );
    }
    assert_eq!(peer.new_versions(&snapshot(3..=6)), Some(vec![5, 6]));
    assert_eq!(peer.new_versions(&frame(7)), Some(vec![7]));
}

#[test]
fn a_gap_in_the_versions_is_resumed_from_once() {
    let mut peer = Peer::entered();
    peer.new_versions(&frame(1));
    assert_eq!(peer.new_versions(&frame(3)), None);
    let resume = peer.sent_one();
    assert_eq!(
        (&resume["type"], &resume["since"]),
        (&json!("resume"), &json!(1))
    );
    assert_eq!(peer.new_versions(&frame(4)), None);
    assert!(peer.sent().is_empty(), "it is on its way");
    assert_eq!(peer.new_versions(&snapshot(2..=4)), Some(vec![2, 3, 4]));
}

#[test]
fn a_followed_match_is_resumed_from_its_first_event() {
    let mut peer = Peer::open(&[MATCH]);
    let resume = peer.sent_one();
    assert_eq!(
        (&resume["type"], &resume["since"]),
        (&json!("resume"), &json!(0))
    );
    assert_eq!(
        peer.receive(&accepted(&resume)),
        Some(ClientEvent::Resumed {
            match_id: id(MATCH),
            version: Version(99)
        })
    );
    peer.receive(&state_before_all(MATCH));
    assert_eq!(peer.new_versions(&frame(1)), Some(vec![1]));
}

#[test]
fn several_matches_are_followed_each_from_its_own_version() {
    let mut peer = Peer::open(&[MATCH, OTHER]);
    let resumes = peer.sent();
    let matches: Vec<_> = resumes.iter().map(|it| it["match"].clone()).collect();
    assert_eq!(matches, [json!(MATCH), json!(OTHER)]);
    let of_other = |mut message: Value| {
        message["match"] = json!(OTHER);
        message
    };
    peer.receive(&state_before_all(MATCH));
    assert_eq!(peer.new_versions(&frame(1)), Some(vec![1]));
    assert_eq!(
        peer.new_versions(&of_other(snapshot(1..=2))),
        Some(vec![1, 2])
    );
    assert_eq!(peer.new_versions(&of_other(frame(3))), Some(vec![3]));
    peer.state.on_disconnected();
    peer.reconnect();
    let since: Vec<_> = peer.sent().iter().map(|it| it["since"].clone()).collect();
    assert_eq!(since, [json!(1), json!(3)]);
}

#[test]
fn a_match_that_was_left_or_never_entered_makes_no_events() {
    let mut peer = Peer::open(&[]);
    assert_eq!(peer.new_versions(&frame(1)), None);
    let spectate = peer.request_and_send(spectate());
    assert_eq!(
        peer.new_versions(&snapshot(1..=1)),
        Some(vec![1]),
        "events may come before the answer"
    );
    peer.receive(&accepted(&spectate));
    let leave = peer.request_and_send(RequestBody::Leave { id: id(MATCH) });
    peer.receive(&accepted(&leave));
    assert_eq!(peer.new_versions(&frame(2)), None);
    peer.state.on_disconnected();
    peer.reconnect();
    assert!(peer.sent().is_empty());
}

#[test]
fn a_resume_refused_with_retry_is_sent_again() {
    let mut peer = Peer::open(&[MATCH]);
    let resume = peer.sent_one();
    assert_eq!(
        peer.receive(&refused(&resume, RefusalReason::Unavailable, true)),
        None
    );
    assert!(peer.sent().is_empty());
    peer.now = peer.state.wake().unwrap();
    assert_eq!(peer.sent_one()["type"], "resume");
}

#[test]
fn a_match_that_cannot_be_resumed_is_lost_and_the_others_go_on() {
    let mut peer = Peer::open(&[MATCH, OTHER]);
    let resumes = peer.sent();
    let refusal = refused(&resumes[0], RefusalReason::NoSuchMatch, false);
    let event = peer.receive(&refusal);
    assert!(
        matches!(
            &event,
            Some(ClientEvent::MatchLost { match_id, cause: MatchLost::Refused(_) })
                if *match_id == id(MATCH)
        ),
        "{event:?}"
    );
    assert!(peer.receive(&accepted(&resumes[1])).is_some());
    peer.state.on_disconnected();
    peer.reconnect();
    assert_eq!(peer.sent_one()["match"], OTHER);

    let mut peer = Peer::entered();
    peer.new_versions(&snapshot(1..=5));
    peer.state.on_disconnected();
    peer.reconnect();
    let mut answer = accepted(&peer.sent_one());
    answer["version"] = json!(4);
    let lost = ClientEvent::MatchLost {
        match_id: id(MATCH),
        cause: MatchLost::EventsMissing {
            seen: Version(5),
            now: Version(4),
        },
    };
    assert_eq!(peer.receive(&answer), Some(lost));

    let mut peer = Peer::open(&[MATCH]);
    let refusal = refused(&peer.sent_one(), RefusalReason::LeftMeanwhile, false);
    assert_eq!(peer.receive(&refusal), None, "it was to be left");
}

#[test]
fn resumes_and_requests_together_stay_below_the_limit_of_unanswered_requests() {
    let mut peer = Peer::open(&[MATCH, OTHER]);
    for _ in 0..10 {
        peer.request(play());
    }
    let sent = peer.sent();
    assert_eq!(sent.len(), 8);
    peer.state.follow(id(THIRD));
    assert!(peer.sent().is_empty());
    peer.receive(&accepted(&sent[2]));
    assert_eq!(peer.sent_one()["type"], "resume");
}
