//! The client's state against scripted messages of a server.

use fibfob_protocol::{Action, Limits, RefusalReason, Version};
use serde_json::{Value, json};

use super::*;
use crate::connection::hello;

mod following;

const MATCH: &str = "5f0c2d34-1b7e-5a9d-8c26-e4f1a3b5c7d9";
const THIRD: &str = "0c2d5f34-1b7e-5a9d-8c26-e4f1a3b5c7d9";
const OTHER: &str = "a2d4e6f8-0b1c-5d3e-9f5a-6b7c8d9e0f1a";

/// A client's state at a fixed time.
struct Peer {
    state: ClientState,
    now: Instant,
}

impl Peer {
    fn new(following: &[&str]) -> Self {
        let mut state = ClientState::new(hello(Some("Ada".to_owned()), None));
        for text in following {
            state.follow(id(text));
        }
        Self {
            state,
            now: Instant::now(),
        }
    }

    /// One with an open connection, on which nothing was sent but `hello`.
    fn open(following: &[&str]) -> Self {
        let mut peer = Self::new(following);
        peer.reconnect();
        peer
    }

    /// One that follows the first match, as the answer to a request.
    fn entered() -> Self {
        let mut peer = Self::open(&[]);
        let spectate = peer.request_and_send(spectate());
        peer.receive(&accepted(&spectate));
        peer.receive(&state_before_all(MATCH));
        peer
    }

    fn reconnect(&mut self) {
        self.state.on_connected();
        let hello = self.sent();
        assert_eq!((hello.len(), &hello[0]["type"]), (1, &json!("hello")));
        let event = self.receive(&welcome());
        assert!(matches!(event, Some(ClientEvent::Connected { .. })));
    }

    fn request(&mut self, ask: RequestBody) {
        let id = CommandId::fresh();
        self.state.outbox.push(Request { id, body: ask });
    }

    fn request_and_send(&mut self, ask: RequestBody) -> Value {
        self.request(ask);
        self.sent_one()
    }

    fn sent(&mut self) -> Vec<Value> {
        let texts = std::iter::from_fn(|| self.state.next(self.now));
        texts
            .map(|text| serde_json::from_str(&text).unwrap())
            .collect()
    }

    /// The only message that was sent.
    fn sent_one(&mut self) -> Value {
        let mut sent = self.sent();
        assert_eq!(sent.len(), 1, "{sent:?}");
        sent.remove(0)
    }

    fn receive(&mut self, message: &Value) -> Option<ClientEvent> {
        self.state.on_text(&message.to_string(), self.now).event
    }

    fn new_versions(&mut self, message: &Value) -> Option<Vec<u64>> {
        match self.receive(message) {
            Some(ClientEvent::Update(update)) => {
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
    let mut welcome: Value =
        serde_json::from_str(include_str!("../../../protocol/golden/server-welcome.json")).unwrap();
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
        "../../../protocol/golden/server-frame-moved.json"
    ))
    .unwrap();
    frame["match"] = snapshot(1..=1)["match"].clone();
    frame["version"] = json!(version);
    frame
}

/// A snapshot without events: the state that the first frame changes.
fn state_before_all(id: &str) -> Value {
    let mut snapshot = snapshot(1..=1);
    snapshot["version"] = json!(0);
    snapshot["events"] = json!([]);
    snapshot["match"] = json!(id);
    snapshot
}

fn snapshot(versions: std::ops::RangeInclusive<u64>) -> Value {
    let mut snapshot: Value = serde_json::from_str(include_str!(
        "../../../protocol/golden/server-snapshot.json"
    ))
    .unwrap();
    snapshot["version"] = json!(*versions.end());
    let events = versions.map(|version| json!({"version": version, "at": 1, "event": "moved", "seat": "creator", "move": "time -1"}));
    snapshot["events"] = events.collect();
    snapshot
}

fn accepted(request: &Value) -> Value {
    json!({"type": "accepted", "id": request["id"], "match": MATCH, "code": "K7M2QX", "version": 99})
}

fn refused(request: &Value, reason: RefusalReason, retry: bool) -> Value {
    json!({"type": "refused", "id": request["id"], "reason": reason, "message": "no", "retry": retry})
}

fn spectate() -> RequestBody {
    RequestBody::Spectate {
        code: "K7M2QX".to_owned(),
    }
}

fn play() -> RequestBody {
    RequestBody::Act {
        id: id(MATCH),
        action: Action::Play {
            expecting: Version(2),
            text: "time -13".to_owned(),
        },
    }
}

#[test]
fn nothing_is_requested_before_the_welcome() {
    let mut peer = Peer::new(&[]);
    peer.request(spectate());
    assert!(peer.sent().is_empty());
    peer.state.on_connected();
    let hello = peer.sent_one();
    assert_eq!(
        hello,
        json!({"type": "hello", "protocol": "fibfob.v1", "name": "Ada", "legal": "families"})
    );
    peer.receive(&welcome());
    assert_eq!(peer.sent_one()["type"], "spectate");
}

#[test]
fn a_new_connection_continues_as_the_same_guest_from_the_last_version_with_the_same_requests() {
    let mut peer = Peer::open(&[]);
    let join = peer.request_and_send(RequestBody::Join {
        code: "K7M2QX".to_owned(),
    });
    peer.receive(&accepted(&join));
    peer.receive(&state_before_all(MATCH));
    for version in 1..=3 {
        assert_eq!(peer.new_versions(&frame(version)), Some(vec![version]));
    }
    let before = peer.request_and_send(play());

    peer.state.on_disconnected();
    assert!(peer.sent().is_empty());
    peer.state.on_connected();
    assert_eq!(peer.sent_one()["token"], welcome()["token"]);
    peer.receive(&welcome());
    let again = peer.sent();
    assert_eq!(again.len(), 2, "{again:?}");
    assert_eq!(again[0]["type"], "resume");
    assert_eq!(
        (&again[0]["match"], &again[0]["since"]),
        (&json!(MATCH), &json!(3))
    );
    assert_eq!(again[1], before, "the same command under the same id");

    assert!(matches!(
        peer.receive(&accepted(&before)),
        Some(ClientEvent::Accepted { .. })
    ));
    assert_eq!(
        peer.receive(&accepted(&before)),
        None,
        "an answer counts once"
    );
    assert_eq!(peer.state.outbox.len(), 0);
}

#[test]
fn a_query_is_answered_by_its_own_kind_of_message() {
    let mut peer = Peer::entered();
    let text = "time -13".to_owned();
    let query = peer.request_and_send(RequestBody::Preview {
        id: id(MATCH),
        text,
    });
    let mut preview: Value =
        serde_json::from_str(include_str!("../../../protocol/golden/server-preview.json")).unwrap();
    assert_eq!(peer.receive(&preview), None, "the answer to something else");
    preview["id"] = query["id"].clone();
    assert!(matches!(
        peer.receive(&preview),
        Some(ClientEvent::Answer(ServerMessage::Preview(_)))
    ));
    assert_eq!(peer.state.outbox.len(), 0);
}

#[test]
fn a_request_refused_with_retry_is_sent_again_and_a_final_refusal_is_reported() {
    let mut peer = Peer::open(&[]);
    let first = peer.request_and_send(play());
    let event = peer.receive(&refused(&first, RefusalReason::Busy, true));
    assert!(matches!(event, Some(ClientEvent::Postponed { .. })));
    assert!(peer.sent().is_empty());
    peer.now = peer.state.wake().unwrap();
    assert_eq!(peer.sent_one(), first);
    let event = peer.receive(&refused(&first, RefusalReason::Stale, false));
    assert!(matches!(
        event,
        Some(ClientEvent::Refused {
            request: Some(RequestBody::Act {
                action: Action::Play { .. },
                ..
            }),
            ..
        })
    ));
    assert_eq!(peer.state.outbox.len(), 0);
}

#[test]
fn a_refused_hello_an_unreadable_message_and_a_dismissal_stop_the_client() {
    let reason = |peer: &mut Peer, message: &Value| match peer.receive(message) {
        Some(ClientEvent::Stopped(reason)) => reason,
        other => panic!("{other:?}"),
    };
    let mut peer = Peer::new(&[]);
    peer.state.on_connected();
    peer.sent_one();
    let refusal = refused(&json!({}), RefusalReason::BadToken, false);
    assert!(matches!(
        reason(&mut peer, &refusal),
        StopReason::UnknownIdentity(_)
    ));
    let refusal = refused(&json!({}), RefusalReason::UnsupportedVersion, false);
    assert!(matches!(
        reason(&mut peer, &refusal),
        StopReason::HelloRefused(_)
    ));

    let mut peer = Peer::open(&[]);
    let goodbye = json!({"type": "goodbye", "message": "do not come back"});
    assert!(matches!(
        reason(&mut peer, &goodbye),
        StopReason::Dismissed(_)
    ));
    for unreadable in [json!({"type": "frame"}), json!([])] {
        assert!(matches!(
            reason(&mut peer, &unreadable),
            StopReason::Unreadable(_)
        ));
    }
}

#[test]
fn an_unknown_kind_of_message_is_reported_by_name() {
    let mut peer = Peer::open(&[]);
    let handled = peer.state.on_text(r#"{"type":"confetti"}"#, peer.now);
    let event = ClientEvent::Unknown("confetti".to_owned());
    assert_eq!(handled, Handled::public(event));
}

#[test]
fn an_unknown_event_or_phase_is_skipped_without_a_gap() {
    let mut peer = Peer::entered();
    peer.new_versions(&frame(1));
    let mut newer = frame(2);
    newer["event"] = json!("abducted");
    match peer.receive(&newer) {
        Some(ClientEvent::Update(update)) => {
            assert!(update.events.is_empty());
            assert_eq!(
                (update.version, update.unknown),
                (Version(2), vec!["abducted".to_owned()])
            );
        }
        other => panic!("{other:?}"),
    }
    let mut newer = frame(3);
    newer["change"]["phase"] = json!("in-orbit");
    assert_eq!(
        peer.receive(&newer),
        Some(ClientEvent::Unknown("in-orbit".to_owned()))
    );
    let mut known = frame(4);
    known["change"]["phase"] = json!("playing");
    assert_eq!(peer.new_versions(&known), Some(vec![4]));
    let mut newer = snapshot(5..=7);
    newer["events"][1]["event"] = json!("abducted");
    assert_eq!(peer.new_versions(&newer), Some(vec![5, 7]));
    assert!(peer.sent().is_empty(), "nothing is asked for again");
}

#[test]
fn every_golden_message_of_the_server_is_known_and_no_token_is_public() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../protocol/golden");
    let mut kinds = std::collections::BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if name.starts_with("server-") {
            let text = std::fs::read_to_string(entry.path()).unwrap();
            let incoming = parse(&text).unwrap();
            assert!(!matches!(incoming, Incoming::Unknown(_)), "{name}");
            if let Incoming::Events(batch) = incoming {
                assert!(batch.unknown.is_empty(), "{name}");
            }
            let message: Value = serde_json::from_str(&text).unwrap();
            kinds.insert(message["type"].as_str().unwrap().to_owned());
        }
    }
    let known = ServerMessage::kinds().iter().copied().map(str::to_owned);
    assert_eq!(kinds, known.collect());
    let mut state = ClientState::new(hello(None, None));
    state.on_connected();
    let handled = state.on_text(&welcome().to_string(), Instant::now());
    assert!(!handled.public);
}
