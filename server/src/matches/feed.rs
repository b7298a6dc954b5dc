//! The feed of a match: its events, and the newest of them as encoded frames.
//!
//! A frame is encoded once for all viewers. Each viewer takes what it has not seen at its own
//! speed; the feed knows no viewer.

use std::collections::VecDeque;

use fibfob_protocol::{
    CorruptLog, Match, MatchId, Record, ServerMessage, Snapshot, Timestamp, Version,
};

use crate::encoded::EncodedMessage;

/// A match with its events and frames so far.
pub(crate) struct Feed {
    current: Match,
    /// All events, for snapshots.
    records: Vec<Record>,
    /// The frames of the newest events, at most `kept`.
    frames: VecDeque<EncodedMessage>,
    kept: usize,
}

/// A match and its log at one moment.
pub(crate) struct Inspection {
    pub current: Match,
    pub records: Vec<Record>,
}

/// The events that a viewer has not seen.
pub(crate) enum Missed {
    /// There are none.
    Nothing,
    /// The next frames, and the version of the last of them.
    Frames(Vec<EncodedMessage>, Version),
    /// More events than frames are kept.
    Snapshot(Box<Snapshot>),
}

/// The distance of a viewer from the newest event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gap {
    /// No event is missing.
    None,
    /// The missing events are those of the kept frames from this index on.
    Frames(usize),
    /// More events are missing than frames are kept.
    Snapshot,
}

impl Feed {
    /// The feed of a log with the frames of its newest `kept` events; none for an empty log.
    pub(super) fn replay(
        id: MatchId,
        records: Vec<Record>,
        kept: usize,
    ) -> Result<Option<Self>, CorruptLog> {
        let mut records = records.into_iter();
        let Some(first) = records.next() else {
            return Ok(None);
        };
        let mut feed = Self::begin(id, first, kept)?;
        for record in records {
            let mut next = feed.current.clone();
            next.evolve(&record)?;
            feed.push(next, record, 0);
        }
        Ok(Some(feed))
    }

    /// The feed of a match that has its first event only.
    pub(super) fn begin(id: MatchId, first: Record, kept: usize) -> Result<Self, CorruptLog> {
        let current = Match::begin(id, &first)?;
        let frame = encode(&current, &first, 0);
        Ok(Self {
            current,
            records: vec![first],
            frames: VecDeque::from([frame]),
            kept,
        })
    }

    /// Publishes `newest`, which led to `next`.
    pub(super) fn push(&mut self, next: Match, newest: Record, spectators: usize) {
        self.frames.push_back(encode(&next, &newest, spectators));
        while self.frames.len() > self.kept {
            self.frames.pop_front();
        }
        self.current = next;
        self.records.push(newest);
    }

    /// The current state of the match.
    pub(crate) fn current(&self) -> &Match {
        &self.current
    }

    /// A copy of the match and its log.
    pub(super) fn inspect(&self) -> Inspection {
        Inspection {
            current: self.current.clone(),
            records: self.records.clone(),
        }
    }

    /// The time of the newest event.
    pub(super) fn newest_at(&self) -> Timestamp {
        self.records.last().map_or(Timestamp(0), |record| record.at)
    }

    /// The time of the first event.
    pub(super) fn created_at(&self) -> Timestamp {
        self.records
            .first()
            .map_or(Timestamp(0), |record| record.at)
    }

    /// The events after `since`: at most `most` frames of them, or one snapshot if fewer frames are
    /// kept than events are missing.
    pub(super) fn missed(
        &self,
        since: Version,
        most: usize,
        spectators: impl FnOnce() -> usize,
    ) -> Missed {
        let from = match self.gap(since) {
            Gap::None => return Missed::Nothing,
            Gap::Snapshot => {
                let missed = &self.records[seen(since)..];
                let snapshot = self.current.snapshot(missed, spectators());
                return Missed::Snapshot(Box::new(snapshot));
            }
            Gap::Frames(from) => from,
        };
        let frames: Vec<_> = self.frames.range(from..).take(most).cloned().collect();
        let upto = Version(since.0 + frames.len() as u64);
        Missed::Frames(frames, upto)
    }

    /// The distance of a viewer at `since` from the newest event.
    pub(super) fn gap(&self, since: Version) -> Gap {
        let behind = self.records.len().saturating_sub(seen(since));
        if behind == 0 {
            return Gap::None;
        }
        let from = self.frames.len().checked_sub(behind);
        from.map_or(Gap::Snapshot, Gap::Frames)
    }
}

/// The number of events that a viewer at this version has seen.
fn seen(since: Version) -> usize {
    usize::try_from(since.0).unwrap_or(usize::MAX)
}

fn encode(current: &Match, newest: &Record, spectators: usize) -> EncodedMessage {
    let frame = current.frame(newest, spectators);
    (&ServerMessage::Frame(Box::new(frame))).into()
}

#[cfg(test)]
mod tests {
    use fibfob_protocol::{MatchView, TimedEvent};
    use fibfob_wire_properties::{GeneratedMatch, generated_match};
    use rand::rngs::StdRng;
    use rand::{Rng, RngExt, SeedableRng};

    use super::*;

    /// The number of generated matches, and the bytes that each is generated from.
    const MATCHES: usize = 400;
    const BYTES: usize = 256;

    /// The state that a viewer rebuilds from the events it received.
    fn rebuilt(id: MatchId, received: &[TimedEvent]) -> MatchView {
        let record = |received: &TimedEvent| Record {
            version: received.version,
            at: received.at,
            command: None,
            event: received.event.clone(),
        };
        let log: Vec<Record> = received.iter().map(record).collect();
        Match::replay(id, &log)
            .expect("the received events are a match")
            .view(0)
    }

    /// Reads all that `feed` has for a viewer that has `received`, and returns the newest state.
    fn catch_up(feed: &Feed, received: &mut Vec<TimedEvent>, most: usize) -> Option<MatchView> {
        let mut state = None;
        let mut since = Version(received.len() as u64);
        loop {
            match feed.missed(since, most, || 0) {
                Missed::Nothing => return state,
                Missed::Snapshot(snapshot) => {
                    since = snapshot.version;
                    received.extend(snapshot.events);
                    state = Some(snapshot.state);
                }
                Missed::Frames(frames, upto) => {
                    assert!(
                        (1..=most).contains(&frames.len()),
                        "{} at once",
                        frames.len()
                    );
                    for frame in frames {
                        let Ok(ServerMessage::Frame(frame)) = serde_json::from_str(&frame) else {
                            panic!("no frame: {frame:?}")
                        };
                        received.push(frame.timed);
                        assert_eq!(rebuilt(feed.current.id(), received), frame.state);
                        state = Some(frame.state);
                    }
                    since = upto;
                }
            }
            assert_eq!(
                since,
                Version(received.len() as u64),
                "no gap and nothing twice"
            );
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
            let feed = Feed::replay(live.id(), log.clone(), kept).unwrap().unwrap();
            let since = rng.random_range(0..=log.len());
            match feed.gap(Version(since as u64)) {
                Gap::None => assert_eq!(since, log.len()),
                Gap::Frames(_) => frames += 1,
                Gap::Snapshot => snapshots += 1,
            }
            let mut received: Vec<_> = log[..since].iter().map(TimedEvent::from).collect();
            let state = catch_up(&feed, &mut received, most);
            let all: Vec<_> = log.iter().map(TimedEvent::from).collect();
            assert_eq!(received, all);
            assert_eq!(state.is_none(), since == log.len());
            assert!(state.is_none_or(|state| state == live.view(0)));
            for beyond in [log.len() as u64 + 1, u64::MAX] {
                assert_eq!(feed.gap(Version(beyond)), Gap::None);
            }
        }
        assert!(snapshots > 20 && frames > 20, "{snapshots} and {frames}");
    }
}
