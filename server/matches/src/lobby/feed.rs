//! The published first page of the lobby, its newest changes, and how far a watcher has seen them.

use std::collections::VecDeque;

use fibfob_protocol::{LobbyList, ServerMessage};
use tokio::sync::watch;

use crate::encoded::EncodedMessage;
use crate::limits::LOBBY_CHANGES_KEPT;

/// The first page of the lobby, and the changes that led to it.
pub(super) struct LobbyFeed {
    list: LobbyList,
    /// The number of changes so far.
    number: u64,
    /// The newest of them, at most [`LOBBY_CHANGES_KEPT`].
    changes: VecDeque<EncodedMessage>,
}

/// The lobby as a session watches it.
pub struct WatchedLobby {
    /// The first page when watching began.
    pub first: EncodedMessage,
    feed: watch::Receiver<LobbyFeed>,
    /// The number of changes seen.
    seen: u64,
}

impl LobbyFeed {
    pub(super) fn new(list: LobbyList) -> Self {
        Self {
            list,
            number: 0,
            changes: VecDeque::new(),
        }
    }

    /// Makes `next` the first page. Returns false if it was that already.
    pub(super) fn advance(&mut self, next: LobbyList) -> bool {
        let change = self.list.change_to(&next);
        self.list = next;
        if change.is_empty() {
            return false;
        }
        self.number += 1;
        self.changes
            .push_back((&ServerMessage::LobbyChange(change)).into());
        while self.changes.len() > LOBBY_CHANGES_KEPT {
            self.changes.pop_front();
        }
        true
    }

    fn whole(&self) -> EncodedMessage {
        (&ServerMessage::Lobby(self.list.clone())).into()
    }

    /// Returns what a watcher who has seen `seen` changes has missed: the changes, or the whole page if too
    /// few are kept.
    fn missed(&self, seen: u64) -> Vec<EncodedMessage> {
        let missing = usize::try_from(self.number - seen).unwrap_or(usize::MAX);
        match self.changes.len().checked_sub(missing) {
            Some(from) => self.changes.range(from..).cloned().collect(),
            None => vec![self.whole()],
        }
    }
}

impl WatchedLobby {
    pub(super) fn new(mut feed: watch::Receiver<LobbyFeed>) -> Self {
        let (first, seen) = {
            let feed = feed.borrow_and_update();
            (feed.whole(), feed.number)
        };
        Self { first, feed, seen }
    }

    /// Waits for the next changes; none when the lobby has ended.
    pub async fn next(&mut self) -> Option<Vec<EncodedMessage>> {
        self.feed.changed().await.ok()?;
        let feed = self.feed.borrow_and_update();
        let messages = feed.missed(self.seen);
        self.seen = feed.number;
        Some(messages)
    }
}
