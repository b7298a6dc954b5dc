//! The lobby: which public matches have a free seat, and which are in play.
//!
//! Match tasks note their phases here; whoever watches gets whole lobbies, encoded once. A
//! burst of changes collapses into its last state. Knows no sockets, and of matches only what
//! their index row says.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use fibfob_protocol::{Lobby as Page, LobbyEntry, MatchId, ServerMessage, Timestamp};
use tokio::sync::{Notify, watch};
use tokio::time::sleep;

use crate::clock::Clock;
use crate::limits::{DEADLINE_CHECK_EVERY, LOBBY_EVERY, LOBBY_KEPT_MAX, LOBBY_LISTED_MAX};
use crate::listing::{Listing, Shown};

/// The lobby of one server.
pub(crate) struct Lobby {
    board: Mutex<Board>,
    changed: Notify,
    page: watch::Sender<Utf8Bytes>,
    clock: Clock,
}

/// A match's place: by age, then by id.
type Place = (Timestamp, MatchId);

#[derive(Default)]
struct Board {
    open: BTreeMap<Place, (Timestamp, LobbyEntry)>,
    playing: BTreeMap<Place, LobbyEntry>,
}

impl Lobby {
    /// A lobby of these matches, as the store's index has them.
    pub(crate) fn new(clock: Clock, shown: Vec<(MatchId, Shown)>) -> Self {
        let mut board = Board::default();
        for (id, shown) in shown {
            let at = match &shown {
                Shown::Open { entry, .. } | Shown::Playing { entry } => entry.created_at,
            };
            board.put((at, id), shown);
        }
        let lobby = Self {
            board: Mutex::new(board),
            changed: Notify::new(),
            page: watch::Sender::new(Utf8Bytes::default()),
            clock,
        };
        lobby.page.send_replace(lobby.page());
        lobby
    }

    /// Notes how a match is to be shown from now on. Before the match tells anybody else, so
    /// that who knows of a change finds it here.
    pub(crate) fn note(&self, id: MatchId, listing: &Listing) {
        let place = (listing.created_at, id);
        let mut board = self.board();
        let was_shown = board.take(place);
        let is_shown = listing.shown.is_some();
        if let Some(shown) = &listing.shown {
            board.put(place, shown.clone());
        }
        drop(board);
        if was_shown || is_shown {
            self.changed.notify_one();
        }
    }

    /// The lobby as it is at this moment, as a message.
    pub(crate) fn page(&self) -> Utf8Bytes {
        let now = self.clock.now();
        let mut board = self.board();
        board.drop_expired(now);
        let newest = LOBBY_LISTED_MAX;
        let page = Page {
            open: board
                .open
                .values()
                .rev()
                .take(newest)
                .map(|(_, entry)| entry.clone())
                .collect(),
            playing: board.playing.values().rev().take(newest).cloned().collect(),
        };
        drop(board);
        ServerMessage::Lobby(page).write().into()
    }

    /// Tells every change of the lobby from now on, at a bounded rate.
    pub(crate) fn watch(&self) -> watch::Receiver<Utf8Bytes> {
        self.page.subscribe()
    }

    /// Publishes changes for ever.
    pub(crate) async fn publish(&self) {
        loop {
            tokio::select! {
                () = self.changed.notified() => {}
                () = sleep(self.until_next_expiry()) => {}
            }
            let page = self.page();
            self.page.send_if_modified(|shown| {
                let changed = *shown != page;
                *shown = page;
                changed
            });
            // Not a wait for anything: what changes meanwhile goes into the next page.
            sleep(LOBBY_EVERY).await;
        }
    }

    fn until_next_expiry(&self) -> Duration {
        let first = self
            .board()
            .open
            .values()
            .map(|(expires_at, _)| *expires_at)
            .min();
        first.map_or(DEADLINE_CHECK_EVERY, |then| {
            self.clock.until(then).min(DEADLINE_CHECK_EVERY)
        })
    }

    fn board(&self) -> MutexGuard<'_, Board> {
        // Every change of the board is complete before anything in it can panic.
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Board {
    fn put(&mut self, place: Place, shown: Shown) {
        match shown {
            Shown::Open { expires_at, entry } => {
                self.open.insert(place, (expires_at, entry));
                keep_newest(&mut self.open);
            }
            Shown::Playing { entry } => {
                self.playing.insert(place, entry);
                keep_newest(&mut self.playing);
            }
        }
    }

    /// Whether there was anything to take.
    fn take(&mut self, place: Place) -> bool {
        let open = self.open.remove(&place).is_some();
        self.playing.remove(&place).is_some() || open
    }

    /// An open match expires also while it is not in memory.
    fn drop_expired(&mut self, now: Timestamp) {
        self.open.retain(|_, (expires_at, _)| *expires_at > now);
    }
}

fn keep_newest<T>(entries: &mut BTreeMap<Place, T>) {
    while entries.len() > LOBBY_KEPT_MAX {
        entries.pop_first();
    }
}
