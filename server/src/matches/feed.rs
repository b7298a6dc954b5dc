//! What a match has shown: its events, and the newest of them as encoded frames.
//!
//! A frame is encoded once, however many follow. Whoever is behind takes what is missing from
//! here, at their own speed; nothing here knows who that is.

use std::collections::VecDeque;

use axum::extract::ws::Utf8Bytes;
use fibfob_protocol::{
    Corrupt, Match, MatchId, Record, ServerMessage, Snapshot, Timestamp, Version,
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
    ) -> Result<Option<Self>, Corrupt> {
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
    pub(super) fn begin(id: MatchId, first: Record, kept: usize) -> Result<Self, Corrupt> {
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
