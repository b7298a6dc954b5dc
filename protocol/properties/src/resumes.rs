//! Properties of resuming: a viewer who has seen a match up to some version is shown the rest, as
//! frames or in one snapshot, and ends with the same state as a viewer who never left.

use fibfob_game_properties::{ByteSource, Checked};
use fibfob_protocol::{
    Frame, Match, MatchId, MatchView, Record, Seat, ServerMessage, TimedEvent, Version,
};
use rand::RngExt;
use serde_json::{Value, json};

use crate::checks::check_server_message;
use crate::history::{GeneratedMatch, short_match};

/// The bound on the attempts in a match.
const ATTEMPTS_MAX: usize = 96;

/// The frames after any version, and the snapshot in their place, have the missing events in order;
/// together with the events seen before they replay to the state that is shown.
///
/// # Panics
/// When they do not.
pub fn a_resumed_view_equals_the_live_one(data: &[u8]) -> Option<Checked> {
    let mut bytes = ByteSource::new(data);
    let attempts = bytes.random_range(0..ATTEMPTS_MAX);
    let GeneratedMatch { live, log } = short_match(&mut bytes, attempts)?;
    let since = bytes.random_range(0..=log.len());
    let seen: Vec<TimedEvent> = log[..since].iter().map(TimedEvent::from).collect();

    let snapshot = live.snapshot(&log, Version(since as u64), None, 0);
    let snapshot = snapshot.expect("the log is a match");
    check_server_message(&ServerMessage::Snapshot(Box::new(snapshot.clone())));
    assert_eq!(snapshot.version, live.version());
    assert_eq!(snapshot.state, live.view(0));
    let past = snapshot.events.iter().map(|past| past.timed.clone());
    let by_snapshot: Vec<_> = seen.iter().cloned().chain(past).collect();
    assert_eq!(rebuilt(live.id(), &by_snapshot), snapshot.state);
    for past in &snapshot.events {
        if let Some(position) = &past.position {
            let upto = usize::try_from(past.timed.version.0).expect("a short log");
            assert_eq!(rebuilt(live.id(), &by_snapshot[..upto]).position, *position);
        }
    }

    let mut by_frames = seen;
    let mut shown = Match::begin(live.id(), &log[0]).expect("the log is a match");
    if since == 0 {
        by_frames.push(TimedEvent::from(&log[0]));
    }
    for record in &log[1..] {
        let transition = shown.transition(record).expect("the log is a match");
        let frame = shown.next_frame(record, &transition);
        let before = shown.clone();
        shown.apply(record, transition);
        let for_turn = frame_for_turn(&shown, &frame);
        if let Some((_, legal)) = shown.legal_after(&frame.change) {
            let encoded = ServerMessage::Frame(Box::new(frame.clone())).write();
            let for_turn = for_turn.as_ref().map(|(_, frame)| frame.clone());
            let for_turn = for_turn.map(|frame| ServerMessage::Frame(Box::new(frame)).write());
            assert_eq!(
                Some(Frame::with_legal(&encoded, &Frame::write_legal(&legal))),
                for_turn
            );
        }
        for viewer in [None, Some(Seat::Creator), Some(Seat::Joiner)] {
            let sent = match &for_turn {
                Some((turn, frame)) if viewer == Some(*turn) => frame,
                _ => &frame,
            };
            check_frame(before.view_for(viewer, 0), sent, &shown.view_for(viewer, 0));
        }
        if record.version.0 > since as u64 {
            assert_eq!(frame.timed.version.0 as usize, by_frames.len() + 1);
            by_frames.push(frame.timed);
        }
    }
    assert_eq!(by_frames, by_snapshot);
    Some(Checked)
}

/// The frame that led to this state, as the player to move is sent it: with the legal moves.
pub(crate) fn frame_for_turn(state: &Match, frame: &Frame) -> Option<(Seat, Frame)> {
    let (turn, legal) = state.legal_after(&frame.change)?;
    let mut frame = frame.clone();
    frame.change.0.insert("legal".to_owned(), json!(legal));
    Some((turn, frame))
}

/// A viewer's state after a frame is the state that the server has: by the typed change, and by
/// the JSON as PROTOCOL.md says.
fn check_frame(before: MatchView, frame: &Frame, after: &MatchView) {
    check_server_message(&ServerMessage::Frame(Box::new(frame.clone())));
    let mut typed = before.clone();
    let applied = typed.apply(&frame.timed.event, &frame.change);
    assert_eq!((applied, &typed), (Ok(()), after), "{frame:?}");

    let mut json = serde_json::to_value(before).expect("JSON");
    let message = serde_json::to_value(ServerMessage::Frame(Box::new(frame.clone())));
    let message = message.expect("JSON");
    let change = message.get("change").cloned().unwrap_or_else(|| json!({}));
    if message["event"] == "moved" {
        json["plies"] = json!(json["plies"].as_u64().expect("a count") + 1);
        json["last"] = json!({"seat": message["seat"], "move": message["move"]});
    }
    merge(&mut json, &change);
    let shown = serde_json::to_value(after).expect("JSON");
    assert_eq!(json, shown, "{frame:?}");
    let read: MatchView = serde_json::from_value(json).expect("a state");
    assert_eq!(read, *after, "{frame:?}");
}

/// The merge patch of RFC 7396.
fn merge(target: &mut Value, patch: &Value) {
    let Some(patch) = patch.as_object() else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    let target = target.as_object_mut().expect("just made one");
    for (name, value) in patch {
        match value {
            Value::Null => drop(target.remove(name)),
            value => merge(target.entry(name).or_insert(Value::Null), value),
        }
    }
}

/// Returns the view of a viewer who received these events and nothing else.
fn rebuilt(id: MatchId, event: &[TimedEvent]) -> MatchView {
    let record = |event: &TimedEvent| Record {
        version: event.version,
        at: event.at,
        command: None,
        event: event.event.clone(),
    };
    let log: Vec<Record> = event.iter().map(record).collect();
    let replayed = Match::replay(id, &log);
    replayed.expect("these events are a match").view(0)
}
