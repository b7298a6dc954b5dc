//! What every engine must do, as one suite run against each.

use std::collections::HashSet;
use std::path::PathBuf;

use fibfob_protocol::{
    Code, CommandId, Event, FirstMove, GuestId, Match, MatchId, Player, PlayerName, Record, Seat,
    Terms, TimeControl, Timestamp, Version, Visibility,
};
use tempfile::TempDir;
use uuid::Uuid;

use super::{AppendError, Store};
use crate::listing::{Listing, Shown};

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

fn listing(live: &Match, at: u64) -> Listing {
    Listing::of(live, Timestamp(at))
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
    let shown = store.shown(9).await.unwrap();
    assert_eq!(shown, [(id, open.shown.unwrap())], "its row neither");
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
    assert_eq!(store.written().events, 2 * MATCHES);
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
        made.push((id, listing(&live, number).shown.unwrap()));
    }
    let (_, over) = made.pop().unwrap();
    assert!(matches!(over, Shown::Playing { .. }));
    drop(store);
    let store = bench.open();
    let shown = store.shown(2).await.unwrap();
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

mod file {
    use super::super::{Store, StoreError};
    use rusqlite::Connection;
    use tempfile::TempDir;

    fn refused(path: &std::path::Path) -> StoreError {
        Store::sqlite(path).err().unwrap()
    }

    #[test]
    fn one_server_at_a_time() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a.sqlite");
        let store = Store::sqlite(&path).unwrap();
        assert!(matches!(refused(&path), StoreError::InUse(_)));
        drop(store);
        assert!(
            Store::sqlite(&path).is_ok(),
            "free as soon as it is dropped"
        );
    }

    #[test]
    fn another_programs_file_is_left_alone() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a.sqlite");
        let other = Connection::open(&path).unwrap();
        other.execute_batch("CREATE TABLE theirs (x)").unwrap();
        drop(other);
        assert!(matches!(refused(&path), StoreError::NotAStore(_)));
        std::fs::write(&path, "no database at all, but long enough to be looked at").unwrap();
        assert!(matches!(refused(&path), StoreError::Sqlite(_)));
    }

    #[test]
    fn a_newer_format_is_refused() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a.sqlite");
        drop(Store::sqlite(&path).unwrap());
        let newer = Connection::open(&path).unwrap();
        newer.pragma_update(None, "user_version", 99).unwrap();
        drop(newer);
        assert!(matches!(
            refused(&path),
            StoreError::TooNew { found: 99, .. }
        ));
    }

    #[tokio::test]
    async fn what_waits_is_committed_together() {
        const WAITING: u64 = 100;
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a.sqlite");
        let store = Store::sqlite(&path).unwrap();
        let mut made = Vec::new();
        for number in 0..WAITING {
            let (id, first, live) = super::new_match(number);
            let (_, log) = store.open(id).await.unwrap();
            made.push((log, first, super::listing(&live, number)));
        }
        let appends = made
            .iter_mut()
            .map(|(log, first, row)| log.append(first, row));
        let mut appends = std::pin::pin!(futures_util::future::join_all(appends));
        // While somebody else has the file, everything gets into the queue.
        let other = Connection::open(&path).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        tokio::select! {
            biased;
            _ = &mut appends => panic!("the file is locked"),
            () = std::future::ready(()) => {}
        }
        other.execute_batch("ROLLBACK").unwrap();
        assert!(appends.await.iter().all(Result::is_ok));
        let written = store.written();
        assert_eq!(written.events, WAITING);
        // The first one may have been taken alone.
        assert!(written.commits <= 2, "{written:?}");
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn nobody_else_may_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("data").join("a.sqlite");
        let store = Store::sqlite(&path).unwrap();
        store.ready().await.unwrap();
        let mut files = 0;
        for entry in std::fs::read_dir(path.parent().unwrap()).unwrap() {
            let entry = entry.unwrap();
            let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o600, "{}", entry.path().display());
            files += 1;
        }
        assert!(files >= 3, "the store, its lock and its journal");
    }
}
