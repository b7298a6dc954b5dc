//! The followed matches of one connection, rebuilt from snapshots and frames.
//!
//! For programs on a plain [`Connection`](crate::Connection); a [`Client`](crate::Client) does the
//! same and also resumes.

use std::collections::BTreeMap;

use fibfob_protocol::{Code, MatchId, MatchView, ServerMessage, Version};
use thiserror::Error;

use crate::event::MatchUpdate;

/// The state of each followed match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchViews(BTreeMap<MatchId, FollowedView>);

/// A match as of its newest message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FollowedView {
    pub(crate) code: Code,
    pub(crate) version: Version,
    pub(crate) state: MatchView,
}

/// A frame that does not fit the snapshot or the frame before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the frame of version {version} of match {id} does not fit the state before it")]
pub struct UnfitFrame {
    /// The match.
    pub id: MatchId,
    /// The frame's version.
    pub version: Version,
}

impl MatchViews {
    /// Applies a snapshot or a frame and returns the match after it; none for other messages.
    ///
    /// # Errors
    /// [`UnfitFrame`] if a frame does not follow what was applied before.
    pub fn apply(&mut self, message: &ServerMessage) -> Result<Option<MatchUpdate>, UnfitFrame> {
        match message {
            ServerMessage::Snapshot(snapshot) => {
                let view = FollowedView {
                    code: snapshot.code,
                    version: snapshot.version,
                    state: snapshot.state.clone(),
                };
                let events = snapshot.events.iter().map(|past| past.timed.clone());
                let update = view.update(snapshot.match_id, events.collect());
                self.0.insert(snapshot.match_id, view);
                Ok(Some(update))
            }
            ServerMessage::Frame(frame) => {
                let (id, version) = (frame.match_id, frame.timed.version);
                let unfit = UnfitFrame { id, version };
                let view = self.0.get_mut(&id).ok_or(unfit)?;
                if version != view.version.next() {
                    return Err(unfit);
                }
                let applied = view.state.apply(&frame.timed.event, &frame.change);
                applied.map_err(|_| unfit)?;
                view.version = version;
                Ok(Some(view.update(id, vec![frame.timed.clone()])))
            }
            _ => Ok(None),
        }
    }
}

impl FollowedView {
    fn update(&self, match_id: MatchId, events: Vec<fibfob_protocol::TimedEvent>) -> MatchUpdate {
        MatchUpdate {
            match_id,
            code: self.code,
            events,
            unknown: Vec::new(),
            version: self.version,
            state: self.state.clone(),
        }
    }
}
