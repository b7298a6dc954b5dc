//! The lobby: which public matches have a free seat, and which are in play.
//!
//! Match tasks note their phases here; whoever watches gets whole lobbies, encoded once. A
//! burst of changes collapses into its last state. Knows no sockets, and of matches only what
//! their index row says.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use fibfob_protocol::{LobbyEntry, LobbyList as Page, MatchId, ServerMessage, Timestamp};
use tokio::sync::{Notify, watch};
use tokio::time::sleep;

use crate::clock::Clock;
use crate::limits::{DEADLINE_CHECK_EVERY, LOBBY_EVERY, LOBBY_KEPT_MAX, LOBBY_LISTED_MAX};
use crate::store::{IndexRow, LobbyRow};

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
    pub(crate) fn new(clock: Clock, shown: Vec<(MatchId, LobbyRow)>) -> Self {
        let mut board = Board::default();
        for (id, shown) in shown {
            let at = match &shown {
                LobbyRow::Open { entry, .. } | LobbyRow::Playing { entry } => entry.created_at,
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
    pub(crate) fn note(&self, id: MatchId, row: &IndexRow) {
        let place = (row.created_at, id);
        let mut board = self.board();
        let before = board.take(place);
        if let Some(shown) = &row.lobby {
            board.put(place, shown.clone());
        }
        drop(board);
        if before != row.lobby {
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
                biased;
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
    fn put(&mut self, place: Place, shown: LobbyRow) {
        match shown {
            LobbyRow::Open { expires_at, entry } => {
                self.open.insert(place, (expires_at, entry));
                keep_newest(&mut self.open);
            }
            LobbyRow::Playing { entry } => {
                self.playing.insert(place, entry);
                keep_newest(&mut self.playing);
            }
        }
    }

    fn take(&mut self, place: Place) -> Option<LobbyRow> {
        if let Some((expires_at, entry)) = self.open.remove(&place) {
            return Some(LobbyRow::Open { expires_at, entry });
        }
        let entry = self.playing.remove(&place)?;
        Some(LobbyRow::Playing { entry })
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use fibfob_protocol::{Code, FirstMove, GuestId, Player, PlayerName, TimeControl};

    use super::*;

    struct Bench {
        lobby: Arc<Lobby>,
        now: Arc<AtomicU64>,
    }

    fn bench(shown: Vec<(MatchId, LobbyRow)>) -> Bench {
        let now = Arc::new(AtomicU64::new(0));
        let read = Arc::clone(&now);
        let clock = Clock::from_fn(move || Timestamp(read.load(Ordering::SeqCst)));
        let lobby = Arc::new(Lobby::new(clock, shown));
        Bench { lobby, now }
    }

    fn entry(created_at: u64) -> LobbyEntry {
        LobbyEntry {
            code: Code::draw(&mut rand::rng()),
            game: "nim".to_owned(),
            start: created_at.to_string(),
            creator: Player::Human {
                guest: GuestId::fresh(),
                name: PlayerName::default(),
            },
            joiner: None,
            first: FirstMove::Creator,
            time: TimeControl::None,
            learning: false,
            created_at: Timestamp(created_at),
        }
    }

    fn open(created_at: u64, expires_at: u64) -> LobbyRow {
        LobbyRow::Open {
            expires_at: Timestamp(expires_at),
            entry: entry(created_at),
        }
    }

    fn playing(created_at: u64) -> LobbyRow {
        LobbyRow::Playing {
            entry: entry(created_at),
        }
    }

    fn some_match() -> MatchId {
        MatchId(GuestId::fresh().0)
    }

    impl Bench {
        fn note(&self, id: MatchId, created_at: u64, shown: Option<LobbyRow>) {
            let row = IndexRow {
                code: Code::draw(&mut rand::rng()),
                phase: "any",
                created_at: Timestamp(created_at),
                lobby: shown,
                seated: Vec::new(),
                open_until: None,
            };
            self.lobby.note(id, &row);
        }
    }

    /// The instants at which the listed open matches and those in play were made.
    fn listed(page: &str) -> (Vec<u64>, Vec<u64>) {
        let Ok(ServerMessage::Lobby(page)) = serde_json::from_str(page) else {
            panic!("{page} is no lobby");
        };
        let at =
            |entries: Vec<LobbyEntry>| entries.iter().map(|entry| entry.created_at.0).collect();
        (at(page.open), at(page.playing))
    }

    #[test]
    fn the_newest_come_first_and_are_bounded() {
        let kept = LOBBY_KEPT_MAX as u64;
        let shown = (0..kept + 10).map(|at| (some_match(), open(at, u64::MAX)));
        let bench = bench(shown.collect());
        let (open, _) = listed(&bench.lobby.page());
        let newest: Vec<u64> = (0..kept + 10).rev().take(LOBBY_LISTED_MAX).collect();
        assert_eq!(open, newest);
        assert_eq!(bench.lobby.board().open.len(), LOBBY_KEPT_MAX);
    }

    #[test]
    fn a_match_is_in_one_place_at_a_time() {
        let bench = bench(Vec::new());
        let id = some_match();
        bench.note(id, 5, Some(open(5, 100)));
        assert_eq!(listed(&bench.lobby.page()), (vec![5], vec![]));
        bench.note(id, 5, Some(playing(5)));
        assert_eq!(listed(&bench.lobby.page()), (vec![], vec![5]));
        bench.note(id, 5, None);
        assert_eq!(listed(&bench.lobby.page()), (vec![], vec![]));
    }

    #[tokio::test(start_paused = true)]
    async fn a_burst_becomes_its_last_state() {
        let bench = bench(Vec::new());
        let lobby = Arc::clone(&bench.lobby);
        let publisher = tokio::spawn(async move { lobby.publish().await });
        let mut pages = bench.lobby.watch();
        bench.note(some_match(), 0, Some(open(0, u64::MAX)));
        pages.changed().await.unwrap();
        assert_eq!(listed(&pages.borrow_and_update()).0, [0]);
        for at in 1..=30 {
            bench.note(some_match(), at, Some(open(at, u64::MAX)));
        }
        pages.changed().await.unwrap();
        assert_eq!(
            listed(&pages.borrow_and_update()).0.len(),
            31,
            "all at once"
        );
        publisher.abort();
    }

    #[tokio::test(start_paused = true)]
    async fn an_expired_match_is_taken_off_by_nobody() {
        let bench = bench(vec![
            (some_match(), open(1, 5_000)),
            (some_match(), open(2, 9_000)),
        ]);
        let lobby = Arc::clone(&bench.lobby);
        let publisher = tokio::spawn(async move { lobby.publish().await });
        let mut pages = bench.lobby.watch();
        bench.now.store(5_000, Ordering::SeqCst);
        pages.changed().await.unwrap();
        assert_eq!(listed(&pages.borrow_and_update()).0, [2]);
        bench.now.store(9_000, Ordering::SeqCst);
        pages.changed().await.unwrap();
        assert!(listed(&pages.borrow_and_update()).0.is_empty());
        publisher.abort();
    }
}
