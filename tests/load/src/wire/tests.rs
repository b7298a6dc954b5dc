//! Each kind of wrong answer is planted, and found.

use fibfob_games::GameId;
use serde_json::{Value, json};

use super::*;

const MATCH: &str = "5f0c2d34-1b7e-5a9d-8c26-e4f1a3b5c7d9";

fn sequence() -> Arc<MoveSequence> {
    let sequence = MoveSequence::draw(GameId::Nim, Some("3,4,5"), 4, 1);
    Arc::new(sequence.unwrap())
}

/// A frame of the golden files, as the true one of this version.
fn frame(version: u64) -> Value {
    let golden = include_str!("../../../../protocol/golden/server-frame-moved.json");
    let mut frame: Value = serde_json::from_str(golden).unwrap();
    let sequence = sequence();
    frame["match"] = json!(MATCH);
    frame["version"] = json!(version);
    match version.checked_sub(JOINED_VERSION + 1) {
        Some(ply) => {
            let ply = ply as usize;
            frame["move"] = json!(sequence.plies()[ply].move_text);
            frame["seat"] = json!(["creator", "joiner"][ply % 2]);
            frame["change"]["position"] = json!(sequence.plies()[ply].position);
        }
        None => {
            frame["event"] = json!(["", "created", "joined"][version as usize]);
            frame["change"] = json!({});
        }
    }
    frame
}

/// A reader that has seen everything up to this version, in messages that are not read whole.
fn reader(version: u64) -> MatchReader {
    let id = serde_json::from_value(json!(MATCH)).unwrap();
    let mut reader = MatchReader::new(id, sequence());
    reader.messages = 1;
    for version in 1..=version {
        reader.read(&frame(version).to_string()).unwrap();
    }
    reader
}

fn assert_wrong(reader: &mut MatchReader, message: &Value, why: &str) {
    match reader.read(&message.to_string()) {
        Err(LoadError::WrongAnswer(text)) if text.contains(why) => {}
        other => panic!("{why}: {other:?}"),
    }
}

#[test]
fn a_match_is_read_to_its_end() {
    let mut reader = reader(5);
    assert_eq!(reader.version(), 5);
    let seen = Seen::Version {
        version: 6,
        events: 1,
    };
    assert_eq!(reader.read(&frame(6).to_string()).unwrap(), seen);
    assert_wrong(&mut reader, &frame(7 - 1), "version 7 is the next one");
}

#[test]
fn a_frame_that_is_not_as_it_must_be_is_a_wrong_answer() {
    let changed = |field: &str, value: Value| {
        let mut frame = frame(3);
        *frame.pointer_mut(field).unwrap() = value;
        frame
    };
    for (message, why) in [
        (frame(4), "version 3 is the next one"),
        (frame(2), "version 3 is the next one"),
        (
            changed("/move", json!("take 1 from 9")),
            "has made the move",
        ),
        (
            changed("/seat", json!("joiner")),
            "creator has made the move",
        ),
        (changed("/event", json!("resigned")), "must be moved"),
        (
            changed("/change/position", json!("9,9,9")),
            "the position is",
        ),
        (changed("/match", json!("another")), "not followed"),
        (changed("/match", Value::Null), "not followed"),
        (changed("/type", json!("preview")), "nothing of the kind"),
        (json!("text"), "unreadable"),
    ] {
        assert_wrong(&mut reader(2), &message, why);
    }
}

#[test]
fn an_answer_is_the_one_to_the_pending_request() {
    let command = CommandId::fresh();
    let accepted = |id: &str, version: u64| json!({"type": "accepted", "id": id, "match": MATCH, "version": version});
    let mut reader = reader(2);
    assert_wrong(
        &mut reader,
        &accepted(command.as_str(), 3),
        "nothing was requested",
    );
    reader.expect(command.clone(), Some(3));
    assert_wrong(&mut reader, &accepted("another", 3), "was requested");
    reader.expect(command.clone(), Some(3));
    assert_wrong(
        &mut reader,
        &accepted(command.as_str(), 4),
        "its event makes version",
    );
    reader.expect(command.clone(), Some(3));
    let seen = reader.read(&accepted(command.as_str(), 3).to_string());
    assert_eq!(seen.unwrap(), Seen::Accepted);
    assert!(!reader.is_pending());
}

#[test]
fn a_refusal_ends_the_load() {
    let golden = include_str!("../../../../protocol/golden/server-refused.json");
    let refused = reader(2).read(golden).unwrap_err();
    assert!(matches!(refused, LoadError::Refused(_)), "{refused}");
}

#[test]
fn a_snapshot_needs_all_its_events_and_the_position_after_them() {
    let events = |versions: &[u64]| -> Vec<Value> {
        versions.iter().map(|&version| frame(version)).collect()
    };
    let snapshot = |versions: &[u64], version: u64| {
        let mut snapshot = frame(6);
        snapshot["type"] = json!("snapshot");
        snapshot["state"] = snapshot["change"].take();
        snapshot["version"] = json!(version);
        snapshot["events"] = json!(events(versions));
        snapshot
    };
    let seen = reader(2).read(&snapshot(&[3, 4, 5, 6], 6).to_string());
    let expected = Seen::Version {
        version: 6,
        events: 4,
    };
    assert_eq!(seen.unwrap(), expected);
    assert_wrong(
        &mut reader(2),
        &snapshot(&[3, 5, 6], 6),
        "version 4 is the next one",
    );
    assert_wrong(&mut reader(2), &snapshot(&[3, 4], 6), "its events end at 4");
    assert_wrong(&mut reader(2), &snapshot(&[3, 4, 5], 5), "the position is");
}

#[test]
fn the_fields_that_are_read_are_those_of_the_protocol() {
    let golden = include_str!("../../../../protocol/golden/server-frame-moved.json");
    let written = ServerMessage::read(golden).unwrap().write();
    let read: MessageText<'_> = serde_json::from_str(&written).unwrap();
    assert_eq!(read.kind, "frame");
    assert!(read.version.is_some() && read.move_text.is_some());
    assert!(read.change.is_some_and(|change| change.position.is_some()));
}
