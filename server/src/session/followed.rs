//! The matches that a session follows, with a cursor for each.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound::{Excluded, Included, Unbounded};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use fibfob_protocol::{Chat, GuestId, MatchId, Refusal, Seat, Version};
use futures_util::stream::{self, Stream, StreamExt};
use tokio::time::sleep;

use crate::app::App;
use crate::encoded::EncodedMessage;
use crate::limits::{FOLLOWED_MAX, REFOLLOW_PAUSE, REFOLLOW_TRIES};
use crate::matches::{Change, Changes, Missed, Subscription};
use crate::net::address_guard::{FollowSlot, TrafficClass};
use crate::ops::metrics::RoleLabel;

/// The followed matches.
#[derive(Default)]
pub(super) struct FollowedMatches {
    matches: BTreeMap<MatchId, FollowedMatch>,
    /// The match of the last update: updates of the others come first.
    last_updated: Option<MatchId>,
    /// Matches that may have unseen events, each at most once.
    behind: VecDeque<MatchId>,
}

struct FollowedMatch {
    seen: Version,
    /// True until the client was sent the state that later frames change.
    is_new: bool,
    /// The guest's seat when following began.
    seat: Option<Seat>,
    /// The number of the newest chat line that was sent.
    chat_seen: u64,
    /// True if no chat is sent.
    muted: bool,
    /// None while the match is loaded again.
    following: Option<Subscription>,
    /// Counts the match against the connection's address.
    slot: Option<FollowSlot>,
    changes: Pin<Box<dyn Stream<Item = Option<Change>> + Send>>,
}

/// An update of a followed match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FollowedUpdate {
    /// There may be unseen events.
    Events,
    /// A player or spectator came or left.
    Presence,
    /// There are new chat lines.
    Chat,
    /// The match has left memory; the cursor was here.
    Lost { since: Version },
}

/// The outcome of following a match again.
pub(super) struct Refollowed {
    pub id: MatchId,
    pub outcome: Result<Subscription, Refusal>,
}

impl FollowedMatches {
    pub(super) fn len(&self) -> usize {
        self.matches.len()
    }

    /// The role of the connection.
    pub(super) fn role(&self) -> RoleLabel {
        RoleLabel::in_matches(self.matches.values().map(|followed| followed.seat))
    }

    /// The bucket of its address that the connection's messages are taken from.
    pub(super) fn traffic_class(&self) -> TrafficClass {
        match self.role() {
            RoleLabel::Player => TrafficClass::Player,
            RoleLabel::Greeting | RoleLabel::Lobby | RoleLabel::Spectator => {
                TrafficClass::Spectator
            }
        }
    }

    pub(super) fn contains(&self, id: MatchId) -> bool {
        self.matches.contains_key(&id)
    }

    /// Follows a match from the event after `seen`, in place of an earlier view of it. The client is
    /// sent the state first.
    pub(super) fn add(&mut self, following: Subscription, seen: Version, slot: Option<FollowSlot>) {
        self.insert(following, seen, slot, true);
    }

    fn insert(
        &mut self,
        following: Subscription,
        seen: Version,
        slot: Option<FollowSlot>,
        is_new: bool,
    ) {
        let id = following.answer.id;
        let seat = following.answer.seat;
        // Subscription again does not repeat chat lines, and keeps a match muted.
        let (chat_seen, muted, slot) = match self.matches.get_mut(&id) {
            Some(before) => (before.chat_seen, before.muted, before.slot.take().or(slot)),
            None => (0, false, slot),
        };
        let followed = FollowedMatch {
            seen,
            is_new,
            seat,
            chat_seen,
            muted,
            changes: Box::pin(changes(following.changes()).fuse()),
            following: Some(following),
            slot,
        };
        self.matches.insert(id, followed);
        debug_assert!(self.len() <= FOLLOWED_MAX, "its request reserved a slot");
        self.mark_behind(id);
    }

    /// Continues a lost match from its cursor, unless the client has left the match meanwhile or
    /// follows it again by its own request.
    pub(super) fn restore(&mut self, following: Subscription) {
        let id = following.answer.id;
        if let Some(followed) = self.matches.get(&id)
            && followed.following.is_none()
        {
            let (seen, is_new) = (followed.seen, followed.is_new);
            self.insert(following, seen, None, is_new);
        }
    }

    /// Returns true if a followed match is being loaded again.
    pub(super) fn is_lost(&self, id: MatchId) -> bool {
        let followed = self.matches.get(&id);
        followed.is_some_and(|followed| followed.following.is_none())
    }

    pub(super) fn remove(&mut self, id: MatchId) {
        self.matches.remove(&id);
        self.behind.retain(|behind| *behind != id);
    }

    pub(super) fn set_seen(&mut self, id: MatchId, upto: Version) {
        if let Some(followed) = self.matches.get_mut(&id) {
            (followed.seen, followed.is_new) = (upto, false);
        }
    }

    /// The unseen events of a match, at most `most` frames of them; its state first.
    pub(super) fn missed(&self, id: MatchId, most: usize) -> Missed {
        match self.matches.get(&id) {
            Some(FollowedMatch {
                seen,
                is_new,
                following: Some(following),
                ..
            }) => match is_new {
                true => following.snapshot(*seen),
                false => following.missed(*seen, most),
            },
            _ => Missed::Nothing,
        }
    }

    pub(super) fn presence(&self, id: MatchId) -> Option<EncodedMessage> {
        let following = self.matches.get(&id)?.following.as_ref()?;
        Some(following.presence())
    }

    /// Takes the unsent chat lines; none if the match is muted.
    pub(super) fn take_chat(&mut self, id: MatchId) -> Option<Chat> {
        let followed = self.matches.get_mut(&id)?;
        let chat = followed
            .following
            .as_ref()?
            .unseen_chat(followed.chat_seen)?;
        followed.chat_seen = chat.lines.last()?.number;
        (!followed.muted).then_some(chat)
    }

    pub(super) fn mute(&mut self, id: MatchId, muted: bool) {
        if let Some(followed) = self.matches.get_mut(&id) {
            followed.muted = muted;
        }
    }

    pub(super) fn is_behind(&self) -> bool {
        !self.behind.is_empty()
    }

    pub(super) fn mark_behind(&mut self, id: MatchId) {
        if !self.behind.contains(&id) {
            self.behind.push_back(id);
        }
    }

    /// Polls for the next update of any followed match.
    pub(super) fn poll_next(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<(MatchId, FollowedUpdate)> {
        if let Some(id) = self.behind.pop_front() {
            return Poll::Ready((id, FollowedUpdate::Events));
        }
        let (id, change) = ready!(self.poll_change(context));
        self.last_updated = Some(id);
        let update = match (change, self.matches.get_mut(&id)) {
            (Some(Change::Presence), _) => FollowedUpdate::Presence,
            (Some(Change::Chat), _) => FollowedUpdate::Chat,
            (None, Some(followed)) => {
                followed.following = None;
                FollowedUpdate::Lost {
                    since: followed.seen,
                }
            }
            (Some(Change::Events), _) | (None, None) => FollowedUpdate::Events,
        };
        Poll::Ready((id, update))
    }

    /// Polls the matches in turn, so that a busy match does not hide the others.
    fn poll_change(&mut self, context: &mut Context<'_>) -> Poll<(MatchId, Option<Change>)> {
        let after = self.last_updated.map_or(Unbounded, Excluded);
        let upto = self.last_updated.map_or(Unbounded, Included);
        // Without a last update both halves are all matches, and the first poll decides.
        for half in [(after, Unbounded), (Unbounded, upto)] {
            for (id, followed) in self.matches.range_mut(half) {
                if let Poll::Ready(Some(change)) = followed.changes.as_mut().poll_next(context) {
                    return Poll::Ready((*id, change));
                }
            }
        }
        Poll::Pending
    }
}

/// All changes of a match, then none once, when the match has left memory.
fn changes(changes: Changes) -> impl Stream<Item = Option<Change>> + Send {
    stream::unfold(Some(changes), |changes| async {
        let mut changes = changes?;
        match changes.next().await {
            Some(change) => Some((Some(change), Some(changes))),
            None => Some((None, None)),
        }
    })
}

/// Follows a lost match again from the same cursor, so that the client notices nothing.
pub(super) async fn refollow(
    app: Arc<App>,
    id: MatchId,
    guest: GuestId,
    since: Version,
) -> Refollowed {
    let mut outcome = app.directory.follow(id, guest, since).await;
    for _ in 1..REFOLLOW_TRIES {
        match &outcome {
            Err(refusal) if refusal.retry() && *refusal != Refusal::ShuttingDown => {
                sleep(REFOLLOW_PAUSE).await;
                outcome = app.directory.follow(id, guest, since).await;
            }
            _ => break,
        }
    }
    Refollowed { id, outcome }
}
