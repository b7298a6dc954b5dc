//! The followed matches: each is resumed after its last version, and its events count once.

use std::time::Instant;

use fibfob_protocol::{CommandId, MatchId, PhaseView, Version};

use super::{ClientState, Handled};
use crate::event::{ClientEvent, MatchLost, MatchUpdate};
use crate::incoming::{EventBatch, JsonState};

#[derive(Clone, Debug)]
pub(super) struct FollowState {
    pub(super) seen: Version,
    pub(super) resume: ResumeState,
    /// True while the match is in play and has clocks.
    pub(super) is_timed: bool,
    /// None before the first snapshot.
    state: Option<JsonState>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ResumeState {
    /// The server sends this match on this connection.
    Done,
    /// `resume` is to be sent at this time, or at once.
    Due(Option<Instant>),
    /// `resume` was sent under this id.
    Sent(CommandId),
}

impl FollowState {
    fn unseen(resume: ResumeState) -> Self {
        Self {
            seen: Version(0),
            resume,
            is_timed: false,
            state: None,
        }
    }
}

impl ClientState {
    /// Follows a match from its first event.
    pub(crate) fn follow(&mut self, id: MatchId) {
        let unseen = FollowState::unseen(ResumeState::Due(None));
        self.following.insert(id, unseen);
    }

    pub(super) fn next_resume(&mut self, now: Instant) -> Option<(MatchId, &mut FollowState)> {
        let is_due = |following: &FollowState| match following.resume {
            ResumeState::Due(at) => at.is_none_or(|at| at <= now),
            ResumeState::Done | ResumeState::Sent(_) => false,
        };
        let mut due = self.following.iter_mut();
        let (id, following) = due.find(|(_, following)| is_due(following))?;
        Some((*id, following))
    }

    pub(super) fn events(&mut self, batch: EventBatch) -> Handled {
        // A match's first events may come before the answer that names it.
        if !self.following.contains_key(&batch.match_id) && self.outbox.is_entering() {
            self.on_entered(batch.match_id);
        }
        let Some(following) = self.following.get_mut(&batch.match_id) else {
            return Handled::default();
        };
        let EventBatch {
            match_id,
            version,
            mut versions,
            mut events,
            unknown,
            state,
        } = batch;
        let seen = following.seen;
        if version < seen || (version == seen && !versions.is_empty()) {
            return Handled::default();
        }
        versions.retain(|version| *version > seen);
        events.retain(|event| event.version > seen);
        let gapless = (seen.0 + 1..=version.0).eq(versions.iter().map(|version| version.0));
        // The snapshot of a resumed match has nothing new if it has no new event.
        let is_known = versions.is_empty() && following.state.is_some();
        let applied = match gapless {
            true => state.apply(following.state.take()),
            false => None,
        };
        let Some(applied) = applied else {
            if following.resume == ResumeState::Done {
                following.resume = ResumeState::Due(None);
            }
            return Handled::default();
        };
        following.seen = version;
        let (code, view) = (applied.code, applied.view());
        following.is_timed = view.as_ref().is_ok_and(|view| {
            view.clocks.is_some() && matches!(view.phase, PhaseView::Playing { .. })
        });
        following.state = Some(applied);
        if is_known {
            return Handled::default();
        }
        match view {
            Ok(state) => Handled::public(ClientEvent::Update(Box::new(MatchUpdate {
                match_id,
                code,
                events,
                unknown,
                version,
                state,
            }))),
            Err(phase) => Handled::public(ClientEvent::Unknown(phase)),
        }
    }

    /// The server sends this match on this connection.
    pub(super) fn on_entered(&mut self, id: MatchId) {
        let unseen = FollowState::unseen(ResumeState::Done);
        self.following.entry(id).or_insert(unseen);
    }

    pub(super) fn lose_match(&mut self, match_id: MatchId, cause: MatchLost) -> ClientEvent {
        self.following.remove(&match_id);
        ClientEvent::MatchLost { match_id, cause }
    }

    /// The match whose `resume` has this id.
    pub(super) fn resumed_by(&mut self, id: &CommandId) -> Option<(MatchId, &mut FollowState)> {
        let sent = ResumeState::Sent(id.clone());
        let mut all = self.following.iter_mut();
        let (id, following) = all.find(|(_, following)| following.resume == sent)?;
        Some((*id, following))
    }
}
