//! Tests of what viewers receive from a feed, whenever they come.

use fibfob_protocol::{GuestId, MatchView, PhaseView, TimedEvent};
use fibfob_wire_properties::{GeneratedMatch, generated_match};
use rand::rngs::StdRng;
use rand::{Rng, RngExt, SeedableRng};

use super::*;

/// The number of generated matches, and the bytes that each is generated from.
const MATCHES: usize = 400;
const BYTES: usize = 256;

/// A viewer with the events it has received, and its state after them.
struct Viewer {
    actor: Actor,
    form: MoveForm,
    received: Vec<TimedEvent>,
    state: Option<MatchView>,
}

impl Viewer {
    fn at(log: &[Record], live: &Match, since: usize, (actor, form): (Actor, MoveForm)) -> Self {
        let mut viewer = Self {
            actor,
            form,
            received: log[..since].iter().map(TimedEvent::from).collect(),
            state: None,
        };
        viewer.state = (since > 0).then(|| viewer.rebuilt(live.id()));
        viewer
    }

    /// The state that follows from the received events alone.
    fn rebuilt(&self, id: MatchId) -> MatchView {
        let record = |received: &TimedEvent| Record {
            version: received.version,
            at: received.at,
            command: None,
            event: received.event.clone(),
        };
        let log: Vec<Record> = self.received.iter().map(record).collect();
        let replayed = Match::replay(id, &log).expect("the received events are a match");
        self.in_form(replayed.view_for(replayed.seat_of(self.actor), 0))
    }

    fn in_form(&self, mut view: MatchView) -> MatchView {
        if let PhaseView::Playing { legal, .. } = &mut view.phase {
            legal.iter_mut().for_each(|legal| self.form.put(legal));
        }
        view
    }

    /// Reads all that `feed` has for this viewer.
    fn catch_up(&mut self, feed: &Feed, most: usize) {
        let mut since = Version(self.received.len() as u64);
        loop {
            match feed.missed(since, most, (self.actor, self.form), || 0) {
                Missed::Nothing => return,
                Missed::Snapshot(snapshot) => {
                    since = snapshot.version;
                    let events = snapshot.events.into_iter().map(|past| past.timed);
                    self.received.extend(events);
                    self.state = Some(self.in_form(snapshot.state));
                }
                Missed::Frames(frames, upto) => {
                    assert!((1..=most).contains(&frames.len()), "{}", frames.len());
                    for frame in frames {
                        self.apply(feed, &frame);
                    }
                    since = upto;
                }
            }
            let received = Version(self.received.len() as u64);
            assert_eq!(since, received, "no gap and nothing twice");
        }
    }

    fn apply(&mut self, feed: &Feed, frame: &str) {
        let Ok(ServerMessage::Frame(frame)) = ServerMessage::read(frame) else {
            panic!("no frame: {frame:?}")
        };
        let state = self.state.as_mut().expect("a state comes first");
        state.apply(&frame.timed.event, &frame.change).unwrap();
        self.received.push(frame.timed);
        // A player to move always has the legal moves.
        assert_eq!(self.state, Some(self.rebuilt(feed.current().id())));
    }
}

#[test]
fn a_viewer_that_resumes_at_any_version_receives_every_later_event_once() {
    let mut rng = StdRng::seed_from_u64(41);
    let (mut snapshots, mut frames) = (0, 0);
    for _ in 0..MATCHES {
        let mut bytes = [0; BYTES];
        rng.fill_bytes(&mut bytes);
        let Some(GeneratedMatch { live, log }) = generated_match(&bytes) else {
            continue;
        };
        let (kept, most) = (rng.random_range(1..12), rng.random_range(1..4));
        // A match that came into memory after some of its events, and lived on.
        let loaded = rng.random_range(1..=log.len());
        let feed = Feed::replay(live.id(), log[..loaded].to_vec(), kept);
        let mut feed = feed.unwrap().unwrap();
        for record in &log[loaded..] {
            let transition = feed.current().transition(record).unwrap();
            feed.push(record.clone(), transition, true);
        }
        let since = rng.random_range(0..=log.len());
        match feed.gap(Version(since as u64)) {
            Gap::None => assert_eq!(since, log.len()),
            Gap::Frames(_) => frames += 1,
            Gap::Snapshot => snapshots += 1,
        }
        let all: Vec<_> = log.iter().map(TimedEvent::from).collect();
        let stranger = Actor::Guest(GuestId::fresh());
        let players = [Some(&live.terms().creator), live.joiner()];
        let players = players.into_iter().filter_map(|player| player?.guest());
        let players = players.map(|(guest, _)| Actor::Guest(guest));
        let forms = [MoveForm::List, MoveForm::Families];
        let viewers = players.chain([stranger]);
        for viewer in viewers.flat_map(|actor| forms.map(|form| (actor, form))) {
            let mut viewer = Viewer::at(&log, &live, since, viewer);
            viewer.catch_up(&feed, most);
            assert_eq!(viewer.received, all);
            let state = live.view_for(live.seat_of(viewer.actor), 0);
            assert_eq!(viewer.state, Some(viewer.in_form(state)));
        }
        for beyond in [log.len() as u64 + 1, u64::MAX] {
            assert_eq!(feed.gap(Version(beyond)), Gap::None);
        }
    }
    assert!(snapshots > 20 && frames > 20, "{snapshots} and {frames}");
}
