//! Properties of resuming: a viewer who has seen a match up to some version is shown the rest, as
//! frames or in one snapshot, and ends with the same state as a viewer who never left.

use fibfob_game_properties::{ByteSource, Checked};
use fibfob_protocol::{Match, MatchId, MatchView, Record, ServerMessage, TimedEvent};
use rand::RngExt;

use crate::checks::check_server_message;
use crate::history::{GeneratedMatch, short_match};

/// The bound on the attempts in a match.
const ATTEMPTS_MAX: usize = 96;

/// The frames after any version, and the snapshot in their place, have the missing events in order;
/// together with the events seen before they replay to the state that is shown.
///
/// # Panics
/// When they do not.
pub fn resume_shows_the_same(data: &[u8]) -> Option<Checked> {
    let mut bytes = ByteSource::new(data);
    let attempts = bytes.random_range(0..ATTEMPTS_MAX);
    let GeneratedMatch { live, log } = short_match(&mut bytes, attempts)?;
    let since = bytes.random_range(0..=log.len());
    let seen: Vec<TimedEvent> = log[..since].iter().map(TimedEvent::from).collect();

    let snapshot = live.snapshot(&log[since..], 0);
    check_server_message(&ServerMessage::Snapshot(Box::new(snapshot.clone())));
    assert_eq!(snapshot.version, live.version());
    assert_eq!(snapshot.state, live.view(0));
    let by_snapshot = [seen.clone(), snapshot.events].concat();
    assert_eq!(rebuilt(live.id(), &by_snapshot), snapshot.state);

    let mut by_frames = seen;
    let mut shown = Match::begin(live.id(), &log[0]).expect("the log is a match");
    for (index, record) in log.iter().enumerate() {
        if index > 0 {
            shown.evolve(record).expect("the log is a match");
        }
        if index >= since {
            let frame = shown.frame(record, 0);
            check_server_message(&ServerMessage::Frame(Box::new(frame.clone())));
            assert_eq!(frame.timed.version.0 as usize, by_frames.len() + 1);
            by_frames.push(frame.timed);
            assert_eq!(rebuilt(live.id(), &by_frames), frame.state);
        }
    }
    assert_eq!(by_frames, by_snapshot);
    Some(Checked)
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
