//! What a match has shown: its events, and the newest of them as encoded frames.
//!
//! A frame is encoded once, however many follow. Whoever is behind takes what is missing from
//! here, at their own speed; nothing here knows who that is.

use std::collections::VecDeque;

use axum::extract::ws::Utf8Bytes;
use fibfob_protocol::{
    CorruptLog, Match, MatchId, Record, ServerMessage, Snapshot, Timestamp, Version,
};

use super::request::Looked;

/// A match and all it has shown so far.
pub(crate) struct Feed {
    live: Match,
    /// Every event, so that a snapshot can be made for anybody.
    records: Vec<Record>,
    /// The newest events' frames, at most `kept`.
    frames: VecDeque<Utf8Bytes>,
    kept: usize,
}

/// What a viewer has not seen.
pub(crate) enum Missed {
    /// They have seen everything.
    Nothing,
    /// The next frames, and the version of the last one of them.
    Frames(Vec<Utf8Bytes>, Version),
    /// Too much for frames.
    Snapshot(Box<Snapshot>),
}

/// How far behind a viewer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gap {
    /// Not at all.
    None,
    /// By events whose frames are kept, from this one of them on.
    Frames(usize),
    /// Further than frames are kept.
    Snapshot,
}

impl Feed {
    /// The feed of a log, with the frames of its newest `kept` events; none for an empty log.
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
            let mut next = feed.live.clone();
            next.evolve(&record)?;
            feed.push(next, record, 0);
        }
        Ok(Some(feed))
    }

    /// The feed of a match that had its first event just now.
    pub(super) fn begin(id: MatchId, first: Record, kept: usize) -> Result<Self, CorruptLog> {
        let live = Match::begin(id, &first)?;
        let frame = encode(&live, &first, 0);
        Ok(Self {
            live,
            records: vec![first],
            frames: VecDeque::from([frame]),
            kept,
        })
    }

    /// Shows `newest`, which led to `next`.
    pub(super) fn push(&mut self, next: Match, newest: Record, spectators: usize) {
        self.frames.push_back(encode(&next, &newest, spectators));
        while self.frames.len() > self.kept {
            self.frames.pop_front();
        }
        self.live = next;
        self.records.push(newest);
    }

    /// The match now.
    pub(crate) fn live(&self) -> &Match {
        &self.live
    }

    /// The match and everything that has happened in it.
    pub(super) fn look(&self) -> Looked {
        Looked {
            live: self.live.clone(),
            records: self.records.clone(),
        }
    }

    /// When the newest event happened.
    pub(super) fn newest_at(&self) -> Timestamp {
        self.records.last().map_or(Timestamp(0), |record| record.at)
    }

    /// When the match was made.
    pub(super) fn created_at(&self) -> Timestamp {
        self.records
            .first()
            .map_or(Timestamp(0), |record| record.at)
    }

    /// What a viewer at `since` has not seen: the first `most` frames of it, or one snapshot
    /// where they are further behind than frames are kept.
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
                let snapshot = self.live.snapshot(missed, spectators());
                return Missed::Snapshot(Box::new(snapshot));
            }
            Gap::Frames(from) => from,
        };
        let frames: Vec<_> = self.frames.range(from..).take(most).cloned().collect();
        let upto = Version(since.0 + frames.len() as u64);
        Missed::Frames(frames, upto)
    }

    /// How far behind a viewer at `since` is.
    pub(super) fn gap(&self, since: Version) -> Gap {
        let behind = self.records.len().saturating_sub(seen(since));
        if behind == 0 {
            return Gap::None;
        }
        let from = self.frames.len().checked_sub(behind);
        from.map_or(Gap::Snapshot, Gap::Frames)
    }
}

/// How many events somebody at this version has seen.
fn seen(since: Version) -> usize {
    usize::try_from(since.0).unwrap_or(usize::MAX)
}

fn encode(live: &Match, newest: &Record, spectators: usize) -> Utf8Bytes {
    ServerMessage::Frame(Box::new(live.frame(newest, spectators)))
        .write()
        .into()
}

#[cfg(test)]
mod tests {
    use fibfob_protocol::{MatchView, TimedEvent};
    use fibfob_wire_properties::{Lived, lived};
    use rand::rngs::StdRng;
    use rand::{Rng, RngExt, SeedableRng};

    use super::*;

    /// How many matches are lived through, and from how many bytes each.
    const MATCHES: usize = 400;
    const BYTES: usize = 256;

    /// What a viewer shows who was told these events, and nothing else.
    fn rebuilt(id: MatchId, told: &[TimedEvent]) -> MatchView {
        let record = |told: &TimedEvent| Record {
            version: told.version,
            at: told.at,
            command: None,
            event: told.event.clone(),
        };
        let log: Vec<Record> = told.iter().map(record).collect();
        Match::replay(id, &log)
            .expect("what was told is a match")
            .view(0)
    }

    /// Everything that `feed` still tells somebody who has seen `told`, and the newest state it showed.
    fn catch_up(feed: &Feed, told: &mut Vec<TimedEvent>, most: usize) -> Option<MatchView> {
        let mut state = None;
        let mut since = Version(told.len() as u64);
        loop {
            match feed.missed(since, most, || 0) {
                Missed::Nothing => return state,
                Missed::Snapshot(snapshot) => {
                    since = snapshot.version;
                    told.extend(snapshot.events);
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
                            panic!("no frame: {frame}")
                        };
                        told.push(frame.timed);
                        assert_eq!(rebuilt(feed.live.id(), told), frame.state);
                        state = Some(frame.state);
                    }
                    since = upto;
                }
            }
            assert_eq!(
                since,
                Version(told.len() as u64),
                "no gap and nothing twice"
            );
        }
    }

    #[test]
    fn whoever_comes_back_after_any_version_is_told_the_rest_once_and_sees_the_same() {
        let mut rng = StdRng::seed_from_u64(41);
        let (mut snapshots, mut frames) = (0, 0);
        for _ in 0..MATCHES {
            let mut bytes = [0; BYTES];
            rng.fill_bytes(&mut bytes);
            let Some(Lived { live, log }) = lived(&bytes) else {
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
            let mut told: Vec<_> = log[..since].iter().map(TimedEvent::from).collect();
            let state = catch_up(&feed, &mut told, most);
            let all: Vec<_> = log.iter().map(TimedEvent::from).collect();
            assert_eq!(told, all);
            assert_eq!(state.is_none(), since == log.len());
            assert!(state.is_none_or(|state| state == live.view(0)));
            for beyond in [log.len() as u64 + 1, u64::MAX] {
                assert_eq!(feed.gap(Version(beyond)), Gap::None);
            }
        }
        assert!(snapshots > 20 && frames > 20, "{snapshots} and {frames}");
    }
}
