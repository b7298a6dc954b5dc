//! A viewer's side of a match: its feed, presence and chat, each read at the viewer's own speed.

use fibfob_protocol::{Actor, Chat, GuestId, Phase, Version};
use tokio::sync::watch;

use super::acknowledgement::Acknowledgement;
use super::chat::ChatLog;
use super::feed::{Feed, Gap, Missed};
use super::presence_set::{PresenceGuard, PresenceSet};
use crate::encoded::EncodedMessage;

/// A view of a match, which ends when it is dropped or the match leaves memory.
pub(crate) struct Subscription {
    /// The match as it was when following began.
    pub answer: Acknowledgement,
    pub(super) feed: watch::Receiver<Feed>,
    /// For a player: marked before the feed is, whenever that is marked.
    pub(super) as_player: Option<watch::Receiver<()>>,
    pub(super) presence: watch::Receiver<EncodedMessage>,
    pub(super) chat: watch::Receiver<ChatLog>,
    pub(super) guest: GuestId,
    pub(super) present: PresenceSet,
    pub(super) _guard: PresenceGuard,
}

/// A kind of change in a followed match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// There may be new events.
    Events,
    /// A player or spectator came or left.
    Presence,
    /// There are new chat lines.
    Chat,
}

/// The changes of a followed match.
pub(crate) struct Changes {
    feed: watch::Receiver<Feed>,
    as_player: Option<watch::Receiver<()>>,
    /// The version of the last change of the feed.
    version: Version,
    presence: watch::Receiver<EncodedMessage>,
    chat: watch::Receiver<ChatLog>,
}

impl Subscription {
    /// The events after `since`, at most `most` frames of them.
    pub(crate) fn missed(&self, since: Version, most: usize) -> Missed {
        let feed = self.feed.borrow();
        let spectators = || self.present.spectators(feed.current());
        feed.missed(since, most, Actor::Guest(self.guest), spectators)
    }

    /// The match as it is, with the events after `since`.
    pub(crate) fn snapshot(&self, since: Version) -> Missed {
        let feed = self.feed.borrow();
        let spectators = self.present.spectators(feed.current());
        feed.snapshot(since, Actor::Guest(self.guest), spectators)
    }

    /// Returns true if the match waits for a second player.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.feed.borrow().current().phase(), Phase::Open)
    }

    /// The distance of a viewer at `since` from the newest event.
    pub(crate) fn gap(&self, since: Version) -> Gap {
        self.feed.borrow().gap(since)
    }

    /// The newest presence message.
    pub(crate) fn presence(&self) -> EncodedMessage {
        self.presence.borrow().clone()
    }

    /// The chat lines after number `seen`; none if there are none.
    pub(crate) fn unseen_chat(&self, seen: u64) -> Option<Chat> {
        let feed = self.feed.borrow();
        self.chat.borrow().unseen(feed.current(), self.guest, seen)
    }

    /// All changes from now on, after the present state of presence and chat.
    pub(crate) fn changes(&self) -> Changes {
        let (feed, mut presence) = (self.feed.clone(), self.presence.clone());
        let mut chat = self.chat.clone();
        presence.mark_changed();
        if self.unseen_chat(0).is_some() {
            chat.mark_changed();
        }
        let version = feed.borrow().current().version();
        Changes {
            feed,
            as_player: self.as_player.clone(),
            version,
            presence,
            chat,
        }
    }
}

impl Changes {
    /// Waits for the next change; none when the match has left memory.
    pub(crate) async fn next(&mut self) -> Option<Change> {
        loop {
            if let Some(player) = &mut self.as_player {
                player.mark_unchanged();
            }
            let version = self.feed.borrow_and_update().current().version();
            if self.version != version {
                self.version = version;
                return Some(Change::Events);
            }
            if self.presence.has_changed().ok()? {
                self.presence.mark_unchanged();
                return Some(Change::Presence);
            }
            if self.chat.has_changed().ok()? {
                self.chat.mark_unchanged();
                return Some(Change::Chat);
            }
            // Both are marked whenever presence or chat change, so that one wait is enough for each
            // of the many viewers.
            match &mut self.as_player {
                Some(player) => player.changed().await.ok()?,
                None => self.feed.changed().await.ok()?,
            }
        }
    }
}
