//! The lobby: the public matches with a free seat, and those in play.
//!
//! Match tasks update their rows here, and whether anybody is connected. A session that watches gets the
//! first page once, and then its changes. A change is encoded once for all, and a burst becomes one change.
//! The lobby knows no sockets, and of a match only its index row.

mod feed;
mod rows;

use std::collections::{BTreeSet, HashSet};
use std::time::Duration;

use fibfob_net::client_address::ClientAddress;
use fibfob_protocol::{LobbyList, MatchId, ServerMessage, Timestamp};
use fibfob_store::{IndexRow, LobbyRow, Note, NoteKind};
use parking_lot::Mutex;
use tokio::sync::{Notify, watch};
use tokio::time::sleep;

pub use feed::WatchedLobby;
pub(crate) use rows::MatchPresence;

use crate::clock::Clock;
use crate::encoded::EncodedMessage;
use crate::limits::{DEADLINE_CHECK_EVERY, HIDDEN_FOR, HIDDEN_REMATCHES_MAX, LOBBY_EVERY};
use feed::LobbyFeed;
use rows::LobbyRows;

/// Returns the note by which the store knows a match that is hidden from now on.
#[must_use]
pub fn hidden_note(id: MatchId, now: Timestamp) -> Note {
    let key = NoteKind::Hidden.key(id.0, "");
    // It says nothing but that it is there.
    key.note("null".to_owned()).until(now.after(HIDDEN_FOR))
}

/// The lobby of one server.
pub struct Lobby {
    rows: Mutex<LobbyRows>,
    changed: Notify,
    published: watch::Sender<LobbyFeed>,
    clock: Clock,
}

impl Lobby {
    /// Makes a lobby from rows of the store's index. It lists at most `per_address` matches of each address.
    pub(crate) fn new(clock: Clock, stored: Vec<(MatchId, LobbyRow)>, per_address: usize) -> Self {
        let mut rows = LobbyRows::new(per_address);
        let now = clock.now();
        for (id, row) in stored {
            rows.put(id, row, MatchPresence::Left, now);
        }
        Self {
            published: watch::Sender::new(LobbyFeed::new(rows.page(0, now))),
            rows: Mutex::new(rows),
            changed: Notify::new(),
            clock,
        }
    }

    /// Updates a match's row, before its viewers see the change, so that a client that knows of a change
    /// finds it here.
    pub(crate) fn note(&self, id: MatchId, row: &IndexRow) {
        let now = self.clock.now();
        let mut rows = self.rows.lock();
        rows.note(id);
        match &row.lobby {
            // A match in memory has made this row. It notes next who is connected to it.
            Some(shown) => rows.put(id, shown.clone(), MatchPresence::NOBODY, now),
            None => rows.remove(id),
        }
        drop(rows);
        self.changed.notify_one();
    }

    /// Notes who is connected to a match, or that it leaves memory.
    pub(crate) fn set_presence(&self, id: MatchId, presence: MatchPresence) {
        let now = self.clock.now();
        if self.rows.lock().set_presence(id, presence, now) {
            self.changed.notify_one();
        }
    }

    /// Counts a match against the address from which its creator follows it.
    pub fn attribute(&self, id: MatchId, address: ClientAddress) {
        self.rows.lock().attribute(id, address);
        self.changed.notify_one();
    }

    /// Sets the matches that an operator has hidden.
    pub fn hide(&self, hidden: HashSet<MatchId>) {
        let before = std::mem::replace(&mut self.rows.lock().hidden, hidden.clone());
        if before != hidden {
            self.changed.notify_one();
        }
    }

    /// Hides the rematch of a hidden match too. Returns false if too many matches are hidden.
    pub(crate) fn hide_rematch(&self, id: MatchId) -> bool {
        let hidden = &mut self.rows.lock().hidden;
        let has_room = hidden.len() < HIDDEN_REMATCHES_MAX;
        if has_room {
            hidden.insert(id);
        }
        has_room
    }

    /// Returns true if an operator has hidden the match, or one that it is a rematch of.
    pub fn is_hidden(&self, id: MatchId) -> bool {
        self.rows.lock().hidden.contains(&id)
    }

    /// The matches that an operator has hidden, with their rematches.
    pub fn hidden(&self) -> HashSet<MatchId> {
        self.rows.lock().hidden.clone()
    }

    /// Returns the message of a page as it is now.
    pub fn message(&self, page: u32) -> EncodedMessage {
        (&ServerMessage::Lobby(self.page(page))).into()
    }

    /// The lobby at this moment, and its changes from now on.
    pub fn watch(&self) -> WatchedLobby {
        self.publish_now();
        WatchedLobby::new(self.published.subscribe())
    }

    /// Returns true if somebody watches it.
    pub(crate) fn is_watched(&self) -> bool {
        self.published.receiver_count() > 0
    }

    /// Notes that rows are about to be read from the store, which other servers change too.
    pub(crate) fn begin_reading(&self) {
        self.rows.lock().noted = Some(BTreeSet::new());
    }

    /// Takes rows that were read; for matches out of memory, with their connections. If `are_all`, matches
    /// that are not among them are removed. Rows changed here meanwhile are newer, and stay.
    pub(crate) fn take_stored(
        &self,
        rows: Vec<(MatchId, LobbyRow, Option<MatchPresence>)>,
        are_all: bool,
    ) {
        let now = self.clock.now();
        self.rows.lock().take_stored(rows, are_all, now);
        self.changed.notify_one();
    }

    /// Publishes changes, for ever.
    pub async fn publish(&self) {
        let mut published = self.clock.now();
        loop {
            tokio::select! {
                biased;
                () = self.changed.notified() => {}
                () = sleep(self.until_change_after(published)) => {}
            }
            published = self.publish_now();
            // Always pauses, so that later changes go into the next message.
            sleep(LOBBY_EVERY).await;
        }
    }

    /// Publishes the first page as it is now, and returns the time.
    fn publish_now(&self) -> Timestamp {
        let mut now = Timestamp(0);
        self.published.send_if_modified(|feed| {
            now = self.clock.now();
            feed.advance(self.rows.lock().page(0, now))
        });
        now
    }

    fn page(&self, page: u32) -> LobbyList {
        let now = self.clock.now();
        self.rows.lock().page(page, now)
    }

    /// Returns how long until a match expires, or its grace ends, after `published`. Zero if that has passed,
    /// because the publisher pauses.
    fn until_change_after(&self, published: Timestamp) -> Duration {
        let next = self.rows.lock().next_change(published);
        let until = next.map_or(DEADLINE_CHECK_EVERY, |then| self.clock.until(then));
        until.min(DEADLINE_CHECK_EVERY)
    }
}

#[cfg(test)]
mod tests;
