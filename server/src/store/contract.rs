//! What every engine must do, as one suite run against each.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fibfob_protocol::{
    Code, CommandId, Event, FirstMove, GuestId, Match, MatchId, Player, PlayerName, Record, Seat,
    Terms, TimeControl, Timestamp, Version, Visibility,
};
use rusqlite::Connection;
use tempfile::TempDir;
use uuid::Uuid;

use super::{AppendError, FailureKind, Store, StoreError};
use crate::store::{IndexRow, LobbyRow};

/// A kind of engine and a place for its stores.
pub(crate) enum Bench {
    Memory(Store),
    Sqlite(TempDir),
}

impl Bench {
    fn sqlite() -> Self {
        Self::Sqlite(TempDir::new().unwrap())
    }

    fn memory() -> Self {
        Self::Memory(Store::memory())
    }

    fn path(folder: &TempDir) -> PathBuf {
        folder.path().join("new").join("matches.sqlite")
    }

    /// Opens what the last store of this bench left behind.
    fn open(&self) -> Store {
        match self {
            Self::Memory(store) => store.clone(),
            Self::Sqlite(folder) => Store::sqlite(&Self::path(folder)).unwrap(),
        }
    }

    /// Makes every append fail until what this gives is dropped.
    fn cannot_write(&self) -> CannotWrite {
        match self {
            Self::Memory(store) => {
                store.outage(Some(FailureKind::Full));
                CannotWrite::Memory(store.clone())
            }
            Self::Sqlite(folder) => CannotWrite::Locked(locked(&Self::path(folder))),
        }
    }
}

/// Ended by its drop.
enum CannotWrite {
    Memory(Store),
    Locked(#[expect(dead_code, reason = "locked as long as it is open")] Connection),
}

impl Drop for CannotWrite {
    fn drop(&mut self) {
        if let Self::Memory(store) = self {
            store.outage(None);
        }
    }
}

/// Somebody else who writes the file and does not end.
fn locked(path: &Path) -> Connection {
    let other = Connection::open(path).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    other
}

/// Asks until the store is as wanted. The bound is generous: no test measures time.
async fn until_ready(store: &Store, wanted: impl Fn(&Result<(), StoreError>) -> bool) {
    let asked = tokio::time::timeout(Duration::from_secs(60), async {
        loop {
            let ready = store.ready().await;
            if wanted(&ready) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    asked.await.expect("the store becomes as wanted");
}

macro_rules! contract {
    ($($law:ident),* $(,)?) => {
        mod memory {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $law() { super::$law(super::Bench::memory()).await })*
        }
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $law() { super::$law(super::Bench::sqlite()).await })*
        }
    };
}

contract!(
    an_unknown_match_has_an_empty_log,
    what_was_appended_is_read_again,
    a_log_that_is_behind_conflicts_and_changes_nothing,
    of_two_logs_racing_for_one_version_exactly_one_wins,
    a_taken_code_is_refused_and_the_log_goes_on,
    many_matches_append_at_once,
    a_match_is_found_by_its_code,
    the_lobby_is_found_again,
    the_key_is_stable,
    a_store_that_cannot_write_is_not_ready_and_mends_itself,
);

/// A new open match and its first event.
fn new_match(number: u64) -> (MatchId, Record, Match) {
    let id = MatchId(Uuid::new_v4());
    let terms = Terms {
        code: Code::draw(&mut rand::rng()),
        game: "nim".parse().unwrap(),
        start: "3,4,5".to_owned(),
        creator: Player::Human {
            guest: GuestId::fresh(),
            name: PlayerName::default(),
        },
        joiner: None,
        begins: FirstMove::Creator,
        time: TimeControl::None,
        grace_ms: 60_000,
        visibility: Visibility::Public,
        seat_listed: true,
        learning: false,
        expires_at: Timestamp(number + 1_000),
        rematch_of: None,
    };
    let record = Record {
        version: Version(1),
        at: Timestamp(number),
        command: Some(CommandId::fresh()),
        event: Event::Created {
            terms: Box::new(terms),
        },
    };
    let live = Match::begin(id, &record).unwrap();
    (id, record, live)
}

/// The next event of an open match.
fn joined(live: &mut Match, at: u64) -> Record {
    let record = Record {
        version: live.version().next(),
        at: Timestamp(at),
        command: None,
        event: Event::Joined {
            player: Player::Human {
                guest: GuestId::fresh(),
                name: PlayerName::default(),
            },
        },
    };
    live.evolve(&record).unwrap();
    record
}

fn listing(live: &Match, at: u64) -> IndexRow {
    IndexRow::of(live, Timestamp(at))
}

async fn an_unknown_match_has_an_empty_log(bench: Bench) {
    let (records, _) = bench.open().open(MatchId(Uuid::new_v4())).await.unwrap();
    assert_eq!(records, []);
}

async fn what_was_appended_is_read_again(bench: Bench) {
    let (id, first, mut live) = new_match(7);
    let second = {
        let store = bench.open();
        let (_, mut log) = store.open(id).await.unwrap();
        log.append(&first, &listing(&live, 7)).await.unwrap();
        let second = joined(&mut live, 8);
        log.append(&second, &listing(&live, 7)).await.unwrap();
        second
    };
    let store = bench.open();
    let (records, mut log) = store.open(id).await.unwrap();
    assert_eq!(records, [first, second]);
    let third = Record {
        version: Version(3),
        at: Timestamp(9),
        command: None,
        event: Event::Resigned { seat: Seat::Joiner },
    };
    live.evolve(&third).unwrap();
    log.append(&third, &listing(&live, 7)).await.unwrap();
    assert_eq!(store.open(id).await.unwrap().0.len(), 3);
}

async fn a_log_that_is_behind_conflicts_and_changes_nothing(bench: Bench) {
    let store = bench.open();
    let (id, first, mut live) = new_match(1);
    let open = listing(&live, 1);
    let (_, mut ahead) = store.open(id).await.unwrap();
    let (_, mut behind) = store.open(id).await.unwrap();
    ahead.append(&first, &open).await.unwrap();
    let again = behind.append(&first, &open).await;
    assert_eq!(again, Err(AppendError::Conflict), "even the same event");
    let second = joined(&mut live, 2);
    let skipping = behind.append(&second, &listing(&live, 1)).await;
    assert_eq!(skipping, Err(AppendError::Conflict), "no gap");
    assert_eq!(store.open(id).await.unwrap().0, [first]);
    let shown = store.lobby_rows(9).await.unwrap();
    assert_eq!(shown, [(id, open.lobby.unwrap())], "its row neither");
}

async fn of_two_logs_racing_for_one_version_exactly_one_wins(bench: Bench) {
    let store = bench.open();
    for round in 0..20 {
        let (id, first, mut live) = new_match(round);
        let (_, mut log) = store.open(id).await.unwrap();
        log.append(&first, &listing(&live, round)).await.unwrap();
        let (mut one, mut two) = (
            store.open(id).await.unwrap().1,
            store.open(id).await.unwrap().1,
        );
        let (mut left, mut right) = (joined(&mut live.clone(), 1), joined(&mut live, 1));
        left.command = Some(CommandId::fresh());
        right.command = Some(CommandId::fresh());
        let (row, also) = (listing(&live, round), listing(&live, round));
        let (ours, theirs) = (left.clone(), right.clone());
        let one = tokio::spawn(async move { one.append(&ours, &row).await });
        let two = tokio::spawn(async move { two.append(&theirs, &also).await });
        let stored = match (one.await.unwrap(), two.await.unwrap()) {
            (Ok(()), Err(AppendError::Conflict)) => left,
            (Err(AppendError::Conflict), Ok(())) => right,
            other => panic!("{other:?}"),
        };
        assert_eq!(store.open(id).await.unwrap().0, [first, stored]);
    }
}

async fn a_taken_code_is_refused_and_the_log_goes_on(bench: Bench) {
    let store = bench.open();
    let (owner, first, live) = new_match(1);
    let (_, mut log) = store.open(owner).await.unwrap();
    log.append(&first, &listing(&live, 1)).await.unwrap();

    let (id, second, other) = new_match(2);
    let mut stolen = listing(&other, 2);
    stolen.code = live.terms().code;
    let (_, mut log) = store.open(id).await.unwrap();
    assert_eq!(
        log.append(&second, &stolen).await,
        Err(AppendError::CodeTaken)
    );
    assert_eq!(store.open(id).await.unwrap().0, []);
    assert_eq!(store.find(live.terms().code).await.unwrap(), Some(owner));
    log.append(&second, &listing(&other, 2)).await.unwrap();
    assert_eq!(store.open(id).await.unwrap().0, [second]);
}

async fn many_matches_append_at_once(bench: Bench) {
    const MATCHES: u64 = 200;
    let store = bench.open();
    let tasks: Vec<_> = (0..MATCHES)
        .map(|number| {
            let store = store.clone();
            tokio::spawn(async move {
                let (id, first, mut live) = new_match(number);
                let (_, mut log) = store.open(id).await.unwrap();
                log.append(&first, &listing(&live, number)).await.unwrap();
                let second = joined(&mut live, number);
                log.append(&second, &listing(&live, number)).await.unwrap();
                (id, [first, second])
            })
        })
        .collect();
    let mut written = Vec::new();
    for task in tasks {
        written.push(task.await.unwrap());
    }
    assert_eq!(store.write_counts().events, 2 * MATCHES);
    drop(store);
    let store = bench.open();
    for (id, records) in written {
        assert_eq!(store.open(id).await.unwrap().0, records);
    }
}

async fn a_match_is_found_by_its_code(bench: Bench) {
    let (id, first, live) = new_match(1);
    let code = live.terms().code;
    let store = bench.open();
    assert_eq!(store.find(code).await.unwrap(), None);
    let (_, mut log) = store.open(id).await.unwrap();
    log.append(&first, &listing(&live, 1)).await.unwrap();
    assert_eq!(store.find(code).await.unwrap(), Some(id));
    drop((store, log));
    assert_eq!(bench.open().find(code).await.unwrap(), Some(id));
}

async fn the_lobby_is_found_again(bench: Bench) {
    let store = bench.open();
    let mut made = Vec::new();
    for number in 0..6 {
        let (id, first, mut live) = new_match(number);
        let (_, mut log) = store.open(id).await.unwrap();
        log.append(&first, &listing(&live, number)).await.unwrap();
        if number % 2 == 1 {
            let second = joined(&mut live, number);
            log.append(&second, &listing(&live, number)).await.unwrap();
        }
        made.push((id, listing(&live, number).lobby.unwrap()));
    }
    let (_, over) = made.pop().unwrap();
    assert!(matches!(over, LobbyRow::Playing { .. }));
    drop(store);
    let store = bench.open();
    let shown = store.lobby_rows(2).await.unwrap();
    let ids: HashSet<_> = shown.iter().map(|(id, _)| *id).collect();
    let newest: HashSet<_> = made[1..].iter().map(|(id, _)| *id).collect();
    assert_eq!(
        ids.intersection(&newest).count(),
        3,
        "two open and the newest two in play"
    );
    assert_eq!(shown.len(), 4);
    for (id, entry) in made {
        let found = shown.iter().find(|(found, _)| *found == id);
        assert!(found.is_none_or(|(_, found)| *found == entry));
    }
}

async fn the_key_is_stable(bench: Bench) {
    let key = bench.open().server_key().await.unwrap();
    assert_eq!(bench.open().server_key().await.unwrap(), key);
    let another = Bench::sqlite().open().server_key().await.unwrap();
    assert_ne!(another, key);
}

async fn a_store_that_cannot_write_is_not_ready_and_mends_itself(bench: Bench) {
    let store = bench.open();
    let (id, first, mut live) = new_match(1);
    let (_, mut log) = store.open(id).await.unwrap();
    log.append(&first, &listing(&live, 1)).await.unwrap();
    let second = joined(&mut live, 2);
    let trouble = bench.cannot_write();
    let refused = log.append(&second, &listing(&live, 1)).await;
    assert_eq!(refused, Err(AppendError::Unknown));
    let ready = store.ready().await;
    assert!(
        matches!(ready, Err(StoreError::CannotWrite(_))),
        "{ready:?}"
    );
    let records;
    (records, log) = store.open(id).await.unwrap();
    assert_eq!(
        records,
        std::slice::from_ref(&first),
        "it can be read, and holds what it held"
    );
    let refused = log.append(&second, &listing(&live, 1)).await;
    assert_eq!(refused, Err(AppendError::Unknown));
    drop(trouble);
    until_ready(&store, Result::is_ok).await;
    (_, log) = store.open(id).await.unwrap();
    log.append(&second, &listing(&live, 1)).await.unwrap();
    drop((store, log));
    let found = bench.open().open(id).await.unwrap().0;
    assert_eq!(found, [first, second]);
}

mod file;
