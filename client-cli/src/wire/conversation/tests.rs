//! The conversation against a server that is played by hand.

use fibfob_protocol::{Limits, RefusalReason};
use serde_json::{Value, json};

use super::*;
use crate::wire::reading::KINDS;

const MATCH: &str = "5f0c2d34-1b7e-5a9d-8c26-e4f1a3b5c7d9";
const OTHER: &str = "a2d4e6f8-0b1c-5d3e-9f5a-6b7c8d9e0f1a";

/// A conversation, and what it has sent that was not looked at.
struct Talk {
    conversation: Conversation,
    now: Instant,
}

impl Talk {
    fn new(following: Option<&str>) -> Self {
        let following = following.map(id);
        Self {
            conversation: Conversation::new(Some("Ada".to_owned()), None, following),
            now: Instant::now(),
        }
    }

    /// One whose line stands, with nothing left to look at but what follows `welcome`.
    fn open(following: Option<&str>) -> Self {
        let mut talk = Self::new(following);
        talk.reopen();
        talk
    }

    fn reopen(&mut self) {
        self.conversation.opened();
        let hello = self.sent();
        assert_eq!((hello.len(), &hello[0]["type"]), (1, &json!("hello")));
        assert!(matches!(self.hears(&welcome()), Some(News::Welcome { .. })));
    }

    fn sent(&mut self) -> Vec<Value> {
        let texts = std::iter::from_fn(|| self.conversation.next(self.now));
        texts
            .map(|text| serde_json::from_str(&text).unwrap())
            .collect()
    }

    /// The one message that was sent.
    fn sent_one(&mut self) -> Value {
        let mut sent = self.sent();
        assert_eq!(sent.len(), 1, "{sent:?}");
        sent.remove(0)
    }

    fn hears(&mut self, message: &Value) -> Option<News> {
        self.conversation.heard(&message.to_string(), self.now).news
    }

    fn versions_heard(&mut self, message: &Value) -> Option<Vec<u64>> {
        match self.hears(message) {
            Some(News::Update(update)) => {
                Some(update.events.iter().map(|event| event.version.0).collect())
            }
            None => None,
            other => panic!("{other:?}"),
        }
    }
}

fn id(text: &str) -> MatchId {
    serde_json::from_value(json!(text)).unwrap()
}

fn welcome() -> Value {
    let mut welcome: Value = serde_json::from_str(include_str!(
        "../../../../protocol/golden/server-welcome.json"
    ))
    .unwrap();
    let limits = Limits {
        message_bytes: 8192,
        name_chars: 24,
        command_id_chars: 64,
        following: 8,
        in_flight: 8,
        ..Limits::default()
    };
    welcome["limits"] = serde_json::to_value(limits).unwrap();
    welcome
}

fn frame(version: u64) -> Value {
    let mut frame: Value = serde_json::from_str(include_str!(
        "../../../../protocol/golden/server-frame-moved.json"
    ))
    .unwrap();
    frame["version"] = json!(version);
    frame
}

fn snapshot(versions: std::ops::RangeInclusive<u64>) -> Value {
    let mut snapshot = frame(*versions.end());
    let events = versions.map(|version| json!({"version": version, "at": 1, "event": "moved", "seat": "creator", "move": "time -1"}));
    snapshot["type"] = json!("snapshot");
    snapshot["events"] = events.collect();
    snapshot
}

fn accepted(request: &Value) -> Value {
    json!({"type": "accepted", "id": request["id"], "match": MATCH, "code": "K7M2QX", "version": 99})
}

fn refused(request: &Value, reason: RefusalReason, retry: bool) -> Value {
    json!({"type": "refused", "id": request["id"], "reason": reason, "message": "no", "retry": retry})
}

fn play() -> RequestBody {
    RequestBody::Play {
        id: id(MATCH),
        expecting: Version(2),
        text: "time -13".to_owned(),
    }
}

#[test]
fn nothing_is_asked_before_the_welcome() {
    let mut talk = Talk::new(None);
    talk.conversation
        .ask(RequestBody::Spectate {
            code: "K7M2QX".to_owned(),
        })
        .unwrap();
    assert!(talk.sent().is_empty());
    talk.conversation.opened();
    let hello = talk.sent_one();
    assert_eq!(
        hello,
        json!({"type": "hello", "protocol": "fibfob.v1", "name": "Ada"})
    );
    talk.hears(&welcome());
    assert_eq!(talk.sent_one()["type"], "spectate");
}

#[test]
fn a_broken_line_goes_on_as_the_same_guest_from_the_last_version_with_the_same_commands() {
    let mut talk = Talk::open(None);
    talk.conversation
        .ask(RequestBody::Join {
            code: "K7M2QX".to_owned(),
        })
        .unwrap();
    let join = talk.sent_one();
    talk.hears(&accepted(&join));
    for version in 1..=3 {
        assert_eq!(talk.versions_heard(&frame(version)), Some(vec![version]));
    }
    talk.conversation.ask(play()).unwrap();
    let before = talk.sent_one();

    talk.conversation.broke();
    assert!(talk.sent().is_empty());
    talk.conversation.opened();
    assert_eq!(talk.sent_one()["token"], welcome()["token"]);
    talk.hears(&welcome());
    let again = talk.sent();
    assert_eq!(again.len(), 2, "{again:?}");
    assert_eq!(again[0]["type"], "resume");
    assert_eq!(
        (&again[0]["match"], &again[0]["since"]),
        (&json!(MATCH), &json!(3))
    );
    assert_eq!(again[1], before, "the same command under the same id");

    assert!(matches!(
        talk.hears(&accepted(&before)),
        Some(News::Accepted { .. })
    ));
    assert_eq!(
        talk.hears(&accepted(&before)),
        None,
        "an answer counts once"
    );
    assert!(talk.conversation.is_settled());
}

#[test]
fn what_was_seen_is_passed_over() {
    let mut talk = Talk::open(None);
    assert_eq!(
        talk.versions_heard(&snapshot(1..=4)),
        Some(vec![1, 2, 3, 4])
    );
    for version in 1..=4 {
        let heard = talk
            .conversation
            .heard(&frame(version).to_string(), talk.now);
        assert_eq!(heard, Heard::default(), "nothing new, and nothing to print");
    }
    assert_eq!(talk.versions_heard(&snapshot(3..=6)), Some(vec![5, 6]));
    assert_eq!(talk.versions_heard(&frame(7)), Some(vec![7]));
}

#[test]
fn a_hole_in_the_versions_is_asked_for_once() {
    let mut talk = Talk::open(None);
    talk.versions_heard(&frame(1));
    assert_eq!(talk.versions_heard(&frame(3)), None);
    let resume = talk.sent_one();
    assert_eq!(
        (&resume["type"], &resume["since"]),
        (&json!("resume"), &json!(1))
    );
    assert_eq!(talk.versions_heard(&frame(4)), None);
    assert!(talk.sent().is_empty(), "it is on its way");
    assert_eq!(talk.versions_heard(&snapshot(2..=4)), Some(vec![2, 3, 4]));
}

#[test]
fn a_saved_seat_is_resumed_from_the_first_event() {
    let mut talk = Talk::open(Some(MATCH));
    let resume = talk.sent_one();
    assert_eq!(
        (&resume["type"], &resume["since"]),
        (&json!("resume"), &json!(0))
    );
    assert_eq!(
        talk.hears(&accepted(&resume)),
        Some(News::Resumed(Version(99)))
    );
    assert_eq!(talk.versions_heard(&frame(1)), Some(vec![1]));
}

#[test]
fn other_matches_are_none_of_our_business() {
    let mut talk = Talk::open(Some(MATCH));
    let mut other = frame(1);
    other["match"] = json!(OTHER);
    assert_eq!(talk.versions_heard(&other), None);
    talk.conversation.follow(id(OTHER));
    assert_eq!(talk.sent().last().unwrap()["match"], OTHER);
    assert_eq!(talk.versions_heard(&other), Some(vec![1]));
    assert_eq!(talk.versions_heard(&frame(1)), None);
}

#[test]
fn a_refusal_for_now_is_retried_under_the_same_id_and_a_final_one_is_told() {
    let mut talk = Talk::open(None);
    talk.conversation.ask(play()).unwrap();
    let first = talk.sent_one();
    let told = talk.hears(&refused(&first, RefusalReason::Busy, true));
    assert!(matches!(told, Some(News::Postponed { .. })));
    assert!(talk.sent().is_empty());
    talk.now = talk.conversation.wake().unwrap();
    assert_eq!(talk.sent_one(), first);
    let told = talk.hears(&refused(&first, RefusalReason::Stale, false));
    assert!(matches!(
        told,
        Some(News::Refused {
            ask: Some(RequestBody::Play { .. }),
            ..
        })
    ));
    assert!(talk.conversation.is_settled());
}

#[test]
fn a_resume_that_is_refused_for_now_is_tried_again() {
    let mut talk = Talk::open(Some(MATCH));
    let resume = talk.sent_one();
    assert_eq!(
        talk.hears(&refused(&resume, RefusalReason::Unavailable, true)),
        None
    );
    assert!(talk.sent().is_empty());
    talk.now = talk.conversation.wake().unwrap();
    assert_eq!(talk.sent_one()["type"], "resume");
}

#[test]
fn what_cannot_go_on_is_a_fault() {
    let fault = |talk: &mut Talk, message: &Value| match talk.hears(message) {
        Some(News::Fault(fault)) => fault,
        other => panic!("{other:?}"),
    };
    let mut talk = Talk::new(None);
    talk.conversation.opened();
    let refusal = refused(&json!({}), RefusalReason::BadToken, false);
    assert!(matches!(
        fault(&mut talk, &refusal),
        Fault::UnknownIdentity(_)
    ));
    let refusal = refused(&json!({}), RefusalReason::UnsupportedVersion, false);
    assert!(matches!(fault(&mut talk, &refusal), Fault::NotWelcome(_)));

    let mut talk = Talk::open(Some(MATCH));
    let resume = talk.sent_one();
    let refusal = refused(&resume, RefusalReason::NoSuchMatch, false);
    assert!(matches!(fault(&mut talk, &refusal), Fault::MatchLost(_)));

    let mut talk = Talk::open(None);
    talk.versions_heard(&snapshot(1..=5));
    talk.conversation.broke();
    talk.reopen();
    let mut answer = accepted(&talk.sent_one());
    answer["version"] = json!(4);
    let lost = Fault::HistoryLost {
        seen: Version(5),
        now: Version(4),
    };
    assert_eq!(fault(&mut talk, &answer), lost);

    let goodbye = json!({"type": "goodbye", "message": "do not come back"});
    assert!(matches!(fault(&mut talk, &goodbye), Fault::SentAway(_)));
    assert!(matches!(
        fault(&mut talk, &json!({"type": "frame"})),
        Fault::Unreadable(_)
    ));
    assert!(matches!(fault(&mut talk, &json!([])), Fault::Unreadable(_)));
}

#[test]
fn kinds_of_messages_that_are_not_known_are_left_to_programs() {
    let mut talk = Talk::open(None);
    let heard = talk.conversation.heard(r#"{"type":"confetti"}"#, talk.now);
    let news = News::Unknown("confetti".to_owned());
    assert_eq!(heard, Heard::public(news));
}

#[test]
fn an_event_or_a_state_that_is_not_known_is_passed_over_without_a_hole() {
    let mut talk = Talk::open(None);
    talk.versions_heard(&frame(1));
    let mut newer = frame(2);
    newer["event"] = json!("abducted");
    match talk.hears(&newer) {
        Some(News::Update(update)) => {
            assert!(update.events.is_empty());
            assert_eq!(
                (update.version, update.unknown),
                (Version(2), vec!["abducted".to_owned()])
            );
        }
        other => panic!("{other:?}"),
    }
    let mut newer = frame(3);
    newer["state"]["phase"] = json!("in-orbit");
    assert_eq!(
        talk.hears(&newer),
        Some(News::Unknown("in-orbit".to_owned()))
    );
    assert_eq!(talk.versions_heard(&frame(4)), Some(vec![4]));
    let mut newer = snapshot(5..=7);
    newer["events"][1]["event"] = json!("abducted");
    assert_eq!(talk.versions_heard(&newer), Some(vec![5, 7]));
    assert!(talk.sent().is_empty(), "nothing is asked for again");
}

#[test]
fn every_golden_message_of_the_server_is_understood_and_no_token_is_public() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../protocol/golden");
    let mut kinds = std::collections::BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if name.starts_with("server-") {
            let text = std::fs::read_to_string(entry.path()).unwrap();
            let read = read(&text).unwrap();
            assert!(!matches!(read, Read::Unknown(_)), "{name}");
            if let Read::Told(told) = read {
                assert!(told.unknown.is_empty() && told.state.is_ok(), "{name}");
            }
            let message: Value = serde_json::from_str(&text).unwrap();
            kinds.insert(message["type"].as_str().unwrap().to_owned());
        }
    }
    assert_eq!(kinds, KINDS.map(str::to_owned).into());
    let mut conversation = Conversation::new(None, None, None);
    conversation.opened();
    assert!(
        !conversation
            .heard(&welcome().to_string(), Instant::now())
            .public
    );
}
