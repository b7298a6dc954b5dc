//! A viewer's side of a match: its feed, presence and chat, read at the viewer's own speed.

use std::task::{Context, Poll};

use fibfob_protocol::{Actor, Chat, MoveForm, Phase, Player, Timestamp, Version};
use tokio::sync::watch;
use tokio_util::sync::ReusableBoxFuture;

use super::acknowledgement::Acknowledgement;
use super::feed::{Feed, Gap, Missed};
use super::presence_set::PresenceGuard;
use crate::encoded::EncodedMessage;

/// A view of a match. It ends when it is dropped, or when the match leaves memory.
pub struct Subscription {
    /// The match as it was when following began.
    pub answer: Acknowledgement,
    pub(super) feed: watch::Receiver<Feed>,
    guard: PresenceGuard,
    known: KnownChanges,
    /// Ready when something may have changed.
    wake: ReusableBoxFuture<'static, Option<Wake>>,
}

/// The presence and chat that a viewer has seen.
struct KnownChanges {
    version: Version,
    /// The number of the presence message.
    presence: u64,
    /// The number of the newest chat line, of any channel.
    chat: u64,
}

/// A viewer's wake-up call.
pub(super) enum Wake {
    /// A player's channel, which is marked before the feed is.
    Player(watch::Receiver<()>),
    /// The feed itself, for everybody else.
    Other(watch::Receiver<Feed>),
}

impl Wake {
    /// Waits for the next mark; none when the match has left memory.
    async fn next(mut self) -> Option<Self> {
        match &mut self {
            Self::Player(players) => players.changed().await.ok()?,
            Self::Other(feed) => feed.changed().await.ok()?,
        }
        Some(self)
    }
}

/// A kind of change in a followed match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// There may be new events.
    Events,
    /// A player or spectator came or left.
    Presence,
    /// There are new chat lines.
    Chat,
}

impl Subscription {
    /// Begins a view. Its first changes are presence and chat as they are now.
    pub(super) fn new(
        answer: Acknowledgement,
        feed: watch::Receiver<Feed>,
        wake: Wake,
        guard: PresenceGuard,
    ) -> Self {
        let known = KnownChanges {
            version: feed.borrow().current().version(),
            presence: 0,
            chat: 0,
        };
        Self {
            answer,
            feed,
            guard,
            known,
            wake: ReusableBoxFuture::new(wake.next()),
        }
    }

    /// The events after `since`, at most `most` frames of them.
    pub fn missed(&self, since: Version, most: usize, form: MoveForm) -> Missed {
        let feed = self.feed.borrow();
        let spectators = || self.guard.spectators(feed.current());
        let viewer = Actor::Guest(self.guard.guest());
        feed.missed(since, most, (viewer, form), spectators)
    }

    /// The match as it is, with the events after `since`.
    pub fn snapshot(&self, since: Version) -> Missed {
        let feed = self.feed.borrow();
        let spectators = self.guard.spectators(feed.current());
        feed.snapshot(since, Actor::Guest(self.guard.guest()), spectators)
    }

    /// Returns true if the match waits for a second player.
    pub fn is_open(&self) -> bool {
        matches!(self.feed.borrow().current().phase(), Phase::Open)
    }

    /// Returns true if the match is in play and no bot plays in it.
    pub fn is_between_guests(&self) -> bool {
        let feed = self.feed.borrow();
        let current = feed.current();
        let is_guest = |player: &Player| player.guest().is_some();
        match current.phase() {
            Phase::Choosing { joiner, .. } | Phase::Playing { joiner, .. } => {
                is_guest(joiner) && is_guest(&current.terms().creator)
            }
            Phase::Open | Phase::Over { .. } | Phase::Closed { .. } => false,
        }
    }

    /// Returns when the match ended, if it has and a viewer at `seen` knows it.
    pub fn over_since(&self, seen: Version) -> Option<Timestamp> {
        let feed = self.feed.borrow();
        let is_over = match feed.current().phase() {
            Phase::Over { .. } | Phase::Closed { .. } => true,
            Phase::Open | Phase::Choosing { .. } | Phase::Playing { .. } => false,
        };
        (is_over && feed.gap(seen) == Gap::None).then(|| feed.log().newest_at())
    }

    /// Returns true if the view has ended because the store changed the match's persons or chat. Then the
    /// whole match is sent again.
    pub fn is_rewritten(&self) -> bool {
        self.feed.borrow().is_rewritten()
    }

    /// Returns how far a viewer at `since` is behind the newest event.
    pub fn gap(&self, since: Version) -> Gap {
        self.feed.borrow().gap(since)
    }

    /// The newest presence message.
    pub fn presence(&self) -> EncodedMessage {
        self.feed.borrow().presence()
    }

    /// The chat lines after number `seen`; none if there are none.
    pub fn unseen_chat(&self, seen: u64) -> Option<Chat> {
        let feed = self.feed.borrow();
        feed.chat.unseen(feed.current(), self.guard.guest(), seen)
    }

    /// Returns true if the viewer's guest has muted the chat.
    pub fn is_muted(&self) -> bool {
        self.guard.is_muted()
    }

    /// Remembers the guest's wish while the match is in memory.
    pub fn mute(&self, muted: bool) {
        self.guard.mute(muted, self.feed.borrow().current());
    }

    /// Polls for the next change; none when the match has left memory.
    pub fn poll_change(&mut self, context: &mut Context<'_>) -> Poll<Option<Change>> {
        let has_ended = loop {
            match self.wake.poll(context) {
                Poll::Ready(Some(wake)) => self.wake.set(wake.next()),
                Poll::Ready(None) => {
                    self.wake.set(std::future::ready(None));
                    break true;
                }
                Poll::Pending => break false,
            }
        };
        match self.unknown_change() {
            None if !has_ended => Poll::Pending,
            change => Poll::Ready(change),
        }
    }

    /// Returns the next change that the viewer does not know of, and counts it as known.
    fn unknown_change(&mut self) -> Option<Change> {
        let feed = self.feed.borrow();
        let version = feed.current().version();
        if self.known.version != version {
            self.known.version = version;
            return Some(Change::Events);
        }
        if self.known.presence != feed.presence_number() {
            self.known.presence = feed.presence_number();
            return Some(Change::Presence);
        }
        if self.known.chat != feed.chat.newest() {
            self.known.chat = feed.chat.newest();
            return Some(Change::Chat);
        }
        None
    }
}
