//! The matches that a session follows, with a cursor for each.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll};

use fibfob_net::address_guard::{AddressAccount, AddressSlot, TrafficClass};
use fibfob_protocol::{Chat, GuestId, MatchId, MoveForm, Refusal, Seat, Timestamp, Version};
use fibfob_server_matches::encoded::EncodedMessage;
use fibfob_server_matches::metrics::RoleLabel;
use fibfob_server_matches::{Change, Missed, Subscription};
use tokio::time::sleep;

use crate::app::App;
use crate::limits::{LEFT_NOTED_MAX, OVER_FOLLOWED_MAX, REFOLLOW_PAUSE, REFOLLOW_TRIES};

/// The followed matches.
#[derive(Default)]
pub(super) struct FollowedMatches {
    /// Most often one; the newest last.
    matches: Vec<FollowedMatch>,
    /// Finished matches that were left for newer ones, newest last; at most [`LEFT_NOTED_MAX`]. Their chat is
    /// not sent again.
    left: VecDeque<(MatchId, ChatSeen)>,
    /// The index after the last update's match, because the others come first now.
    next: usize,
    /// Matches that may have unseen events, each at most once.
    behind: VecDeque<MatchId>,
}

struct FollowedMatch {
    id: MatchId,
    seen: Version,
    /// True until the client was sent the state that later frames change.
    is_new: bool,
    /// The guest's seat when following began.
    seat: Option<Seat>,
    chat: ChatSeen,
    /// None while the match is being reloaded.
    following: Option<Subscription>,
    /// The answer from before the match was lost.
    over_since: Option<Timestamp>,
    /// Counts the match against the connection's address.
    slot: Option<AddressSlot>,
}

/// The part of a match's chat that the client has.
#[derive(Clone, Copy, Default)]
struct ChatSeen {
    /// The number of the newest line that was sent.
    number: u64,
    /// True if no chat is sent.
    muted: bool,
}

impl FollowedMatch {
    /// Returns when the match ended, if it has and the client knows it.
    fn over_since(&self) -> Option<Timestamp> {
        match &self.following {
            Some(following) if !self.is_new => following.over_since(self.seen),
            Some(_) => None,
            None => self.over_since,
        }
    }
}

impl FollowedMatches {
    /// Counts the followed matches that are not over, as far as the client knows.
    pub(super) fn counted(&self) -> usize {
        let counts = |followed: &&FollowedMatch| followed.over_since().is_none();
        self.matches.iter().filter(counts).count()
    }

    /// The role of the connection.
    pub(super) fn role(&self) -> RoleLabel {
        match self.matches.iter().any(|followed| followed.seat.is_some()) {
            true => RoleLabel::Player,
            false if self.matches.is_empty() => RoleLabel::Lobby,
            false => RoleLabel::Spectator,
        }
    }

    /// Returns true if the guest has a seat in a match in play, or in one whose end the client does not know yet.
    pub(super) fn plays(&self) -> bool {
        let is_in_play = |followed: &FollowedMatch| {
            let following = followed.following.as_ref();
            let is_open = following.is_some_and(Subscription::is_open);
            followed.seat.is_some() && !is_open && followed.over_since().is_none()
        };
        self.matches.iter().any(is_in_play)
    }

    /// Returns true if the guest has a seat in a match in play, and the opponent is no bot.
    pub(super) fn plays_person(&self) -> bool {
        let is_watched = |followed: &FollowedMatch| {
            let following = followed.following.as_ref();
            followed.seat.is_some() && following.is_some_and(Subscription::is_between_guests)
        };
        self.matches.iter().any(is_watched)
    }

    /// Returns the address's bucket from which the connection's messages are taken.
    pub(super) fn traffic_class(&self) -> TrafficClass {
        match self.role() {
            RoleLabel::Player => TrafficClass::Player,
            _ => TrafficClass::Spectator,
        }
    }

    fn get(&self, id: MatchId) -> Option<&FollowedMatch> {
        self.matches.iter().find(|followed| followed.id == id)
    }

    fn get_mut(&mut self, id: MatchId) -> Option<&mut FollowedMatch> {
        self.matches.iter_mut().find(|followed| followed.id == id)
    }

    pub(super) fn contains(&self, id: MatchId) -> bool {
        self.get(id).is_some()
    }

    /// Follows a match from the event after `seen`, replacing an earlier view of it. The client gets the
    /// state first.
    pub(super) fn add(
        &mut self,
        following: Subscription,
        seen: Version,
        slot: Option<AddressSlot>,
    ) {
        self.insert(following, seen, slot, true);
    }

    fn insert(
        &mut self,
        following: Subscription,
        seen: Version,
        slot: Option<AddressSlot>,
        is_new: bool,
    ) {
        let id = following.answer.id;
        let seat = following.answer.seat;
        // Following again repeats no chat lines, and keeps a muted match muted.
        let left = self.left.iter().find(|(left, _)| *left == id);
        let left = left.map(|(_, chat)| *chat).unwrap_or_default();
        let (mut chat, slot) = match self.get_mut(id) {
            Some(before) => (before.chat, before.slot.take().or(slot)),
            None => (left, slot),
        };
        chat.muted |= following.is_muted();
        following.mute(chat.muted);
        self.remove(id);
        // Most connections follow no other match.
        self.matches.reserve_exact(1);
        self.matches.push(FollowedMatch {
            id,
            seen,
            is_new,
            seat,
            chat,
            following: Some(following),
            over_since: None,
            slot,
        });
        self.mark_behind(id);
        self.leave_oldest_over();
    }

    /// Leaves the matches that ended longest ago, so that at most [`OVER_FOLLOWED_MAX`] finished ones are
    /// followed.
    fn leave_oldest_over(&mut self) {
        let all = self.matches.iter();
        let over = all.filter_map(|one| Some((one.over_since()?, one.id, one.chat)));
        let mut over: Vec<_> = over.collect();
        over.sort_by_key(|(since, id, _)| (*since, *id));
        for &(_, id, chat) in &over[..over.len().saturating_sub(OVER_FOLLOWED_MAX)] {
            self.remove(id);
            self.left.push_back((id, chat));
            if self.left.len() > LEFT_NOTED_MAX {
                self.left.pop_front();
            }
        }
    }

    /// Continues a lost match from its cursor.
    pub(super) fn restore(&mut self, following: Subscription) {
        if let Some(followed) = self.get(following.answer.id) {
            let (seen, is_new) = (followed.seen, followed.is_new);
            self.insert(following, seen, None, is_new);
        }
    }

    /// Returns the version up to which the client has a match's events.
    pub(super) fn seen(&self, id: MatchId) -> Version {
        self.get(id).map_or(Version(0), |followed| followed.seen)
    }

    /// Returns true if a followed match is being loaded again.
    pub(super) fn is_lost(&self, id: MatchId) -> bool {
        let followed = self.get(id);
        followed.is_some_and(|followed| followed.following.is_none())
    }

    pub(super) fn remove(&mut self, id: MatchId) {
        self.matches.retain(|followed| followed.id != id);
        self.left.retain(|(left, _)| *left != id);
        self.behind.retain(|behind| *behind != id);
    }

    pub(super) fn set_seen(&mut self, id: MatchId, upto: Version) {
        if let Some(followed) = self.get_mut(id) {
            (followed.seen, followed.is_new) = (upto, false);
        }
    }

    /// Returns a match's unseen events, at most `most` frames; first of all its state.
    pub(super) fn missed(&self, id: MatchId, most: usize, form: MoveForm) -> Missed {
        match self.get(id) {
            Some(FollowedMatch {
                seen,
                is_new,
                following: Some(following),
                ..
            }) => match is_new {
                true => following.snapshot(*seen),
                false => following.missed(*seen, most, form),
            },
            _ => Missed::Nothing,
        }
    }

    pub(super) fn presence(&self, id: MatchId) -> Option<EncodedMessage> {
        let following = self.get(id)?.following.as_ref()?;
        Some(following.presence())
    }

    /// Takes the unsent chat lines; none if the match is muted.
    pub(super) fn take_chat(&mut self, id: MatchId) -> Option<Chat> {
        let followed = self.get_mut(id)?;
        let chat = followed
            .following
            .as_ref()?
            .unseen_chat(followed.chat.number)?;
        followed.chat.number = chat.lines.last()?.number;
        (!followed.chat.muted).then_some(chat)
    }

    pub(super) fn is_muted(&self, id: MatchId) -> bool {
        self.get(id).is_some_and(|followed| followed.chat.muted)
    }

    pub(super) fn mute(&mut self, id: MatchId, muted: bool) {
        if let Some(followed) = self.get_mut(id) {
            followed.chat.muted = muted;
            if let Some(following) = &followed.following {
                following.mute(muted);
            }
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

    /// Polls for the next change of any followed match. The change is none when the match has left memory.
    pub(super) fn poll_next(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<(MatchId, Option<Change>)> {
        if let Some(id) = self.behind.pop_front() {
            return Poll::Ready((id, Some(Change::Events)));
        }
        // In turn, so that a busy match does not starve the others.
        for _ in 0..self.matches.len() {
            self.next %= self.matches.len();
            let followed = &mut self.matches[self.next];
            self.next += 1;
            let Some(following) = &mut followed.following else {
                continue;
            };
            if let Poll::Ready(change) = following.poll_change(context) {
                if change.is_none() {
                    followed.over_since = following.over_since(followed.seen);
                    followed.is_new |= following.is_rewritten();
                    followed.following = None;
                }
                return Poll::Ready((followed.id, change));
            }
        }
        Poll::Pending
    }
}

/// Follows a lost match again from the same cursor, so that the client notices nothing.
pub(super) async fn refollow(
    app: Arc<App>,
    id: MatchId,
    (guest, asker): (GuestId, AddressAccount),
    since: Version,
) -> (MatchId, Result<Subscription, Refusal>) {
    let guest = (guest, &asker);
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
    (id, outcome)
}
