//! Tests of migrations, between files and from memory.

use fibfob_protocol::{GuestId, Match, MatchId, Record};
use fibfob_store::{Listing, Memory, Opening};
use fibfob_store_contract::{STAMPS, fill, stamp};
use fibfob_store_sqlite::Sqlite;
use tempfile::TempDir;

use super::*;

/// The number of generated matches.
const MATCHES: usize = 60;

/// Fills a store with matches and stamps, and returns the logs.
async fn filled(store: &Store) -> Vec<(MatchId, Vec<Record>)> {
    fill(store, MATCHES).await
}

fn file(folder: &TempDir) -> std::path::PathBuf {
    folder.path().join("moved.sqlite")
}

async fn moved(from: &Store, to: &Store) -> Result<Migrated, MigrationError> {
    migrate(from, to, |_, _| {}).await
}

#[tokio::test]
async fn everything_that_lasts_is_moved_and_tokens_stay_good() {
    let folder = TempDir::new().unwrap();
    let from = Store::new(Memory::default());
    let logs = filled(&from).await;
    let events: usize = logs.iter().map(|(_, log)| log.len()).sum();
    let key = from.server_key().await.unwrap();
    let expected = Migrated {
        matches: MATCHES as u64,
        events: events as u64,
        written: events as u64,
        guests: STAMPS,
    };
    {
        let to = Store::new(Sqlite::open_for(&file(&folder), Opening::Fill(&key)).unwrap());
        assert_eq!(moved(&from, &to).await.unwrap(), expected);
        let again = moved(&from, &to).await.unwrap();
        assert_eq!(
            again,
            Migrated {
                written: 0,
                ..expected
            }
        );
    }
    let to = Store::new(Sqlite::open(&file(&folder)).unwrap());
    assert_eq!(to.server_key().await.unwrap(), key);
    for (id, log) in &logs {
        assert_eq!(to.open(*id).await.unwrap().0, *log);
        let code = Match::replay(*id, log).unwrap().terms().code;
        assert_eq!(to.find(code).await.unwrap(), Some(*id));
    }
    let guest = GuestId(uuid::Uuid::from_u128(4));
    assert_eq!(to.token_stamp(guest).await.unwrap(), stamp());
    let lists = |store: Store| async move {
        let mut lobby = store.lobby_rows(1_000).await.unwrap();
        // Many were made at the same instant.
        lobby.sort_by_key(|(id, _)| *id);
        let unfinished = store.list(Listing::UNFINISHED, 1_000).await.unwrap();
        (lobby, unfinished)
    };
    assert_eq!(lists(from).await, lists(to).await);
}

#[tokio::test]
async fn an_interrupted_migration_goes_on() {
    let from = Store::new(Memory::default());
    let logs = filled(&from).await;
    let to = Store::new(Memory::with_key(from.server_key().await.unwrap()));
    // Every third log is there whole, and every third in part.
    let mut written = 0;
    for (number, (id, log)) in logs.iter().enumerate() {
        let upto = [0, log.len() / 2, log.len()][number % 3];
        let rows = IndexRow::of_log(*id, log).unwrap();
        let (_, mut there) = to.open(*id).await.unwrap();
        for (record, row) in log.iter().zip(&rows).take(upto) {
            there.append(record, row.as_ref()).await.unwrap();
        }
        written += log.len() - upto;
    }
    let done = moved(&from, &to).await.unwrap();
    assert_eq!(done.written, written as u64);
    assert_eq!(done.matches, MATCHES as u64);
}

#[tokio::test]
async fn a_target_with_something_else_is_refused() {
    let from = Store::new(Memory::default());
    let logs = filled(&from).await;
    let another = moved(&from, &Store::new(Memory::default())).await;
    assert!(matches!(another, Err(MigrationError::AnotherStore)));

    let key = from.server_key().await.unwrap();
    let with_key = || Store::new(Memory::with_key(key.clone()));
    let to = with_key();
    let (id, log) = logs.iter().find(|(_, log)| log.len() > 2).unwrap();
    let mut first = log[0].clone();
    first.at.0 += 1;
    let row = IndexRow::of_log(*id, &log[..1]).unwrap().remove(0);
    let (_, mut there) = to.open(*id).await.unwrap();
    there.append(&first, row.as_ref()).await.unwrap();
    let refused = moved(&from, &to).await;
    assert!(matches!(refused, Err(MigrationError::Differs(found)) if found == *id));

    let (to, emptier) = (with_key(), with_key());
    moved(&from, &to).await.unwrap();
    let refused = moved(&emptier, &to).await;
    assert!(
        matches!(refused, Err(MigrationError::Foreign(_))),
        "{refused:?}"
    );
}
