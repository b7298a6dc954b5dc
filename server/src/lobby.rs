//! The lobby: the public matches with a free seat, and those in play.
//!
//! Match tasks update their rows here; sessions that watch receive whole lobbies, encoded once. A
//! burst of changes collapses into its last state. Knows no sockets, and only the index row of a
//! match.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fibfob_protocol::{LobbyEntry, LobbyList, MatchId, ServerMessage, Timestamp};
use tokio::sync::{Notify, watch};
use tokio::time::sleep;

use crate::clock::Clock;
use crate::encoded::EncodedMessage;
use crate::limits::{DEADLINE_CHECK_EVERY, LOBBY_EVERY, LOBBY_KEPT_MAX, LOBBY_LISTED_MAX};
use crate::store::{IndexRow, LobbyRow};

/// The lobby of one server.
pub(crate) struct Lobby {
    rows: Mutex<LobbyRows>,
    changed: Notify,
    published: watch::Sender<EncodedMessage>,
    clock: Clock,
}

/// The sort key of a row: by age, then by id.
type RowKey = (Timestamp, MatchId);

#[derive(Default)]
struct LobbyRows {
    open: BTreeMap<RowKey, (Timestamp, LobbyEntry)>,
    playing: BTreeMap<RowKey, LobbyEntry>,
}

impl Lobby {
    /// A lobby of these rows of the store's index.
    pub(crate) fn new(clock: Clock, stored: Vec<(MatchId, LobbyRow)>) -> Self {
        let mut rows = LobbyRows::default();
        for (id, row) in stored {
            let at = match &row {
                LobbyRow::Open { entry, .. } | LobbyRow::Playing { entry } => entry.created_at,
            };
            rows.put((at, id), row);
        }
        let lobby = Self {
            rows: Mutex::new(rows),
            changed: Notify::new(),
            published: watch::Sender::new(EncodedMessage::default()),
            clock,
        };
        lobby.published.send_replace(lobby.message());
        lobby
    }

    /// Updates the row of a match, before its viewers are sent the change, so that a client that
    /// knows of a change finds it here.
    pub(crate) fn note(&self, id: MatchId, row: &IndexRow) {
        let key = (row.created_at, id);
        let mut rows = self.rows();
        let before = rows.take(key);
        if let Some(shown) = &row.lobby {
            rows.put(key, shown.clone());
        }
        drop(rows);
        if before != row.lobby {
            self.changed.notify_one();
        }
    }

    /// The message of the lobby at this moment.
    pub(crate) fn message(&self) -> EncodedMessage {
        let now = self.clock.now();
        let mut rows = self.rows();
        rows.drop_expired(now);
        let newest = LOBBY_LISTED_MAX;
        let list = LobbyList {
            open: rows
                .open
                .values()
                .rev()
                .take(newest)
                .map(|(_, entry)| entry.clone())
                .collect(),
            playing: rows.playing.values().rev().take(newest).cloned().collect(),
        };
        drop(rows);
        (&ServerMessage::Lobby(list)).into()
    }

    /// Receives every change of the lobby from now on, at a bounded rate.
    pub(crate) fn watch(&self) -> watch::Receiver<EncodedMessage> {
        self.published.subscribe()
    }

    /// Publishes changes for ever.
    pub(crate) async fn publish(&self) {
        loop {
            tokio::select! {
                biased;
                () = self.changed.notified() => {}
                () = sleep(self.until_next_expiry()) => {}
            }
            let message = self.message();
            self.published.send_if_modified(|published| {
                let changed = *published != message;
                *published = message;
                changed
            });
            // A pause without a condition: later changes go into the next message.
            sleep(LOBBY_EVERY).await;
        }
    }

    fn until_next_expiry(&self) -> Duration {
        let first = self
            .rows()
            .open
            .values()
            .map(|(expires_at, _)| *expires_at)
            .min();
        first.map_or(DEADLINE_CHECK_EVERY, |then| {
            self.clock.until(then).min(DEADLINE_CHECK_EVERY)
        })
    }

    fn rows(&self) -> MutexGuard<'_, LobbyRows> {
        // Every change of the rows is complete before anything in it can panic.
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LobbyRows {
    fn put(&mut self, key: RowKey, row: LobbyRow) {
        match row {
            LobbyRow::Open { expires_at, entry } => {
                self.open.insert(key, (expires_at, entry));
                keep_newest(&mut self.open);
            }
            LobbyRow::Playing { entry } => {
                self.playing.insert(key, entry);
                keep_newest(&mut self.playing);
            }
        }
    }

    fn take(&mut self, key: RowKey) -> Option<LobbyRow> {
        if let Some((expires_at, entry)) = self.open.remove(&key) {
            return Some(LobbyRow::Open { expires_at, entry });
        }
        let entry = self.playing.remove(&key)?;
        Some(LobbyRow::Playing { entry })
    }

    /// Removes expired matches, which may not be in memory.
    fn drop_expired(&mut self, now: Timestamp) {
        self.open.retain(|_, (expires_at, _)| *expires_at > now);
    }
}

fn keep_newest<T>(entries: &mut BTreeMap<RowKey, T>) {
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

    struct LobbyFixture {
        lobby: Arc<Lobby>,
        now: Arc<AtomicU64>,
    }

    fn new_fixture(shown: Vec<(MatchId, LobbyRow)>) -> LobbyFixture {
        let now = Arc::new(AtomicU64::new(0));
        let read = Arc::clone(&now);
        let clock = Clock::from_fn(move || Timestamp(read.load(Ordering::SeqCst)));
        let lobby = Arc::new(Lobby::new(clock, shown));
        LobbyFixture { lobby, now }
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

    impl LobbyFixture {
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

    /// The creation times of the listed open matches and those in play.
    fn listed(message: &EncodedMessage) -> (Vec<u64>, Vec<u64>) {
        let Ok(ServerMessage::Lobby(list)) = serde_json::from_str(message) else {
            panic!("{message:?} is no lobby");
        };
        let at =
            |entries: Vec<LobbyEntry>| entries.iter().map(|entry| entry.created_at.0).collect();
        (at(list.open), at(list.playing))
    }

    #[test]
    fn the_newest_matches_come_first_and_are_bounded() {
        let kept = LOBBY_KEPT_MAX as u64;
        let shown = (0..kept + 10).map(|at| (some_match(), open(at, u64::MAX)));
        let fixture = new_fixture(shown.collect());
        let (open, _) = listed(&fixture.lobby.message());
        let newest: Vec<u64> = (0..kept + 10).rev().take(LOBBY_LISTED_MAX).collect();
        assert_eq!(open, newest);
        assert_eq!(fixture.lobby.rows().open.len(), LOBBY_KEPT_MAX);
    }

    #[test]
    fn a_match_is_in_one_list_at_a_time() {
        let fixture = new_fixture(Vec::new());
        let id = some_match();
        fixture.note(id, 5, Some(open(5, 100)));
        assert_eq!(listed(&fixture.lobby.message()), (vec![5], vec![]));
        fixture.note(id, 5, Some(playing(5)));
        assert_eq!(listed(&fixture.lobby.message()), (vec![], vec![5]));
        fixture.note(id, 5, None);
        assert_eq!(listed(&fixture.lobby.message()), (vec![], vec![]));
    }

    #[tokio::test(start_paused = true)]
    async fn a_burst_of_changes_is_published_as_its_last_state() {
        let fixture = new_fixture(Vec::new());
        let lobby = Arc::clone(&fixture.lobby);
        let publisher = tokio::spawn(async move { lobby.publish().await });
        let mut messages = fixture.lobby.watch();
        fixture.note(some_match(), 0, Some(open(0, u64::MAX)));
        messages.changed().await.unwrap();
        assert_eq!(listed(&messages.borrow_and_update()).0, [0]);
        for at in 1..=30 {
            fixture.note(some_match(), at, Some(open(at, u64::MAX)));
        }
        messages.changed().await.unwrap();
        assert_eq!(
            listed(&messages.borrow_and_update()).0.len(),
            31,
            "published together"
        );
        publisher.abort();
    }

    #[tokio::test(start_paused = true)]
    async fn an_expired_match_is_removed_without_its_task() {
        let fixture = new_fixture(vec![
            (some_match(), open(1, 5_000)),
            (some_match(), open(2, 9_000)),
        ]);
        let lobby = Arc::clone(&fixture.lobby);
        let publisher = tokio::spawn(async move { lobby.publish().await });
        let mut messages = fixture.lobby.watch();
        fixture.now.store(5_000, Ordering::SeqCst);
        messages.changed().await.unwrap();
        assert_eq!(listed(&messages.borrow_and_update()).0, [2]);
        fixture.now.store(9_000, Ordering::SeqCst);
        messages.changed().await.unwrap();
        assert!(listed(&messages.borrow_and_update()).0.is_empty());
        publisher.abort();
    }
}
