//! The followed matches of one connection, rebuilt from snapshots and frames as PROTOCOL.md says.

use std::collections::BTreeMap;

use fibfob_protocol::{Code, MatchId, MatchView, ServerMessage, TimedEvent, Version};

/// The state of each followed match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchViews(BTreeMap<MatchId, (Code, Version, MatchView)>);

/// The events of a snapshot or a frame, and the match after them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewUpdate {
    /// The match.
    pub match_id: MatchId,
    /// The match's short name.
    pub code: Code,
    /// The events.
    pub events: Vec<TimedEvent>,
    /// The version of the newest event.
    pub version: Version,
    /// The match after that event.
    pub state: MatchView,
}

/// A frame that does not fit the snapshot or the frame before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    pub fn apply(&mut self, message: &ServerMessage) -> Result<Option<ViewUpdate>, UnfitFrame> {
        let (match_id, events) = match message {
            ServerMessage::Snapshot(snapshot) => {
                let view = (snapshot.code, snapshot.version, snapshot.state.clone());
                self.0.insert(snapshot.match_id, view);
                let events = snapshot.events.iter().map(|past| past.timed.clone());
                (snapshot.match_id, events.collect())
            }
            ServerMessage::Frame(frame) => {
                let (id, timed) = (frame.match_id, frame.timed.clone());
                let version = timed.version;
                let unfit = UnfitFrame { id, version };
                let (_, before, state) = self.0.get_mut(&id).ok_or(unfit)?;
                if version != before.next() {
                    return Err(unfit);
                }
                let applied = state.apply(&timed.event, &frame.change);
                applied.map_err(|_| unfit)?;
                *before = version;
                (id, vec![timed])
            }
            _ => return Ok(None),
        };
        let (code, version, state) = self.0[&match_id].clone();
        Ok(Some(ViewUpdate {
            match_id,
            code,
            events,
            version,
            state,
        }))
    }
}
