//! The matches one connection follows, and how far it has seen each.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound::{Excluded, Unbounded};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::extract::ws::Utf8Bytes;
use fibfob_protocol::{Chat, GuestId, MatchId, Refusal, Seat, Version};
use futures_util::future::poll_fn;
use futures_util::stream::{self, Stream, StreamExt};
use tokio::time::sleep;

use crate::app::App;
use crate::limits::{FOLLOWED_MAX, REFOLLOW_PAUSE, REFOLLOW_TRIES};
use crate::matches::{Change, Changes, Following, Missed};
use crate::net::address_limits;
use crate::ops::metrics::Role;

/// The followed matches.
#[derive(Default)]
pub(super) struct Followed {
    matches: BTreeMap<MatchId, Viewed>,
    /// The match that had news last: the others have theirs told first.
    told: Option<MatchId>,
    /// Matches that may have something unseen, each at most once.
    behind: VecDeque<MatchId>,
}

struct Viewed {
    seen: Version,
    /// What was had when following began.
    seat: Option<Seat>,
    /// The number of the newest thing said that was told.
    heard: u64,
    /// Whether nothing said is told.
    muted: bool,
    /// None while the match is looked up again.
    following: Option<Following>,
    changes: Pin<Box<dyn Stream<Item = Option<Change>> + Send>>,
}

/// What is new in a followed match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum News {
    /// There may be events that were not seen.
    Events,
    /// Somebody came or went.
    Presence,
    /// Somebody said something.
    Chat,
    /// It has left memory, seen up to here.
    Lost { since: Version },
}

/// What came of following a match again.
pub(super) struct Refollowed {
    pub id: MatchId,
    pub outcome: Result<Following, Refusal>,
}

impl Followed {
    pub(super) fn len(&self) -> usize {
        self.matches.len()
    }

    /// What the connection is to its matches.
    pub(super) fn role(&self) -> Role {
        Role::in_matches(self.matches.values().map(|viewed| viewed.seat))
    }

    /// Out of which of its address's two stocks of credits the connection pays.
    pub(super) fn crowd(&self) -> address_limits::Role {
        match self.role() {
            Role::Player => address_limits::Role::Player,
            Role::Greeting | Role::Lobby | Role::Spectator => address_limits::Role::Spectator,
        }
    }

    pub(super) fn contains(&self, id: MatchId) -> bool {
        self.matches.contains_key(&id)
    }

    /// Follows a match from the event after `seen`; anew if it was followed before.
    pub(super) fn add(&mut self, following: Following, seen: Version) {
        let id = following.answer.id;
        let seat = following.answer.seat;
        // A match lost and found again is the same to who listens.
        let (heard, muted) = match self.matches.get(&id) {
            Some(before) => (before.heard, before.muted),
            None => (0, false),
        };
        let viewed = Viewed {
            seen,
            seat,
            heard,
            muted,
            changes: Box::pin(changes(following.changes()).fuse()),
            following: Some(following),
        };
        self.matches.insert(id, viewed);
        debug_assert!(self.len() <= FOLLOWED_MAX, "its request kept a place");
        self.note_behind(id);
    }

    /// Goes on with a match that was lost, from where it was. The client may have left it
    /// meanwhile, or have asked itself to follow it from somewhere else: then that counts.
    pub(super) fn found_again(&mut self, following: Following) {
        let id = following.answer.id;
        if let Some(viewed) = self.matches.get(&id)
            && viewed.following.is_none()
        {
            self.add(following, viewed.seen);
        }
    }

    /// Whether a followed match is being looked up again.
    pub(super) fn is_lost(&self, id: MatchId) -> bool {
        let viewed = self.matches.get(&id);
        viewed.is_some_and(|viewed| viewed.following.is_none())
    }

    pub(super) fn remove(&mut self, id: MatchId) {
        self.matches.remove(&id);
        self.behind.retain(|behind| *behind != id);
    }

    pub(super) fn seen(&mut self, id: MatchId, upto: Version) {
        if let Some(viewed) = self.matches.get_mut(&id) {
            viewed.seen = upto;
        }
    }

    /// What is unseen of a match, or the first `most` frames of it.
    pub(super) fn missed(&self, id: MatchId, most: usize) -> Missed {
        match self.matches.get(&id) {
            Some(Viewed {
                seen,
                following: Some(following),
                ..
            }) => following.missed(*seen, most),
            _ => Missed::Nothing,
        }
    }

    pub(super) fn presence(&self, id: MatchId) -> Option<Utf8Bytes> {
        let following = self.matches.get(&id)?.following.as_ref()?;
        Some(following.presence())
    }

    /// What was said and not yet told, if it is to be told; counts as told from now on.
    pub(super) fn take_talk(&mut self, id: MatchId) -> Option<Chat> {
        let viewed = self.matches.get_mut(&id)?;
        let talk = viewed.following.as_ref()?.unheard(viewed.heard)?;
        viewed.heard = talk.lines.last()?.number;
        (!viewed.muted).then_some(talk)
    }

    pub(super) fn mute(&mut self, id: MatchId, muted: bool) {
        if let Some(viewed) = self.matches.get_mut(&id) {
            viewed.muted = muted;
        }
    }

    pub(super) fn is_behind(&self) -> bool {
        !self.behind.is_empty()
    }

    pub(super) fn note_behind(&mut self, id: MatchId) {
        if !self.behind.contains(&id) {
            self.behind.push_back(id);
        }
    }

    /// What is new in any followed match. Nothing is lost if this is not waited for to the end.
    pub(super) async fn next(&mut self) -> (MatchId, News) {
        if let Some(id) = self.behind.pop_front() {
            return (id, News::Events);
        }
        let (id, change) = poll_fn(|context| self.poll_change(context)).await;
        self.told = Some(id);
        let news = match (change, self.matches.get_mut(&id)) {
            (Some(Change::Presence), _) => News::Presence,
            (Some(Change::Chat), _) => News::Chat,
            (None, Some(viewed)) => {
                viewed.following = None;
                News::Lost { since: viewed.seen }
            }
            (Some(Change::Events), _) | (None, None) => News::Events,
        };
        (id, news)
    }

    /// The next change, in turns: a match in which much happens does not hide the others.
    fn poll_change(&mut self, context: &mut Context<'_>) -> Poll<(MatchId, Option<Change>)> {
        let after = self.told.map_or(Unbounded, Excluded);
        let mut turns: Vec<MatchId> = Vec::with_capacity(self.matches.len());
        turns.extend(self.matches.range((after, Unbounded)).map(|(id, _)| *id));
        turns.extend(self.matches.keys().take(self.matches.len() - turns.len()));
        for id in turns {
            if let Some(viewed) = self.matches.get_mut(&id)
                && let Poll::Ready(Some(change)) = viewed.changes.as_mut().poll_next(context)
            {
                return Poll::Ready((id, change));
            }
        }
        Poll::Pending
    }
}

/// Every change, and at last none once: the match has left memory.
fn changes(changes: Changes) -> impl Stream<Item = Option<Change>> + Send {
    stream::unfold(Some(changes), |changes| async {
        let mut changes = changes?;
        match changes.next().await {
            Some(change) => Some((Some(change), Some(changes))),
            None => Some((None, None)),
        }
    })
}

/// Follows a lost match again. The viewer notices nothing: the cursor stays where it was.
pub(super) async fn again(
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
