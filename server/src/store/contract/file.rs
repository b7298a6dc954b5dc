//! What the SQLite engine's file promises beside the contract.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use tempfile::TempDir;

use super::{joined, listing, locked, new_match, until_ready};
use crate::store::{AppendError, FailureKind, Store, StoreError};

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
    assert!(matches!(refused(&path), StoreError::Unusable { .. }));
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
        let (id, first, live) = new_match(number);
        let (_, log) = store.open(id).await.unwrap();
        made.push((log, first, listing(&live, number)));
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
    let written = store.write_counts();
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

/// A store with one match of two events, and the match.
async fn store_of_one(path: &Path) -> (Store, fibfob_protocol::MatchId) {
    let store = Store::sqlite(path).unwrap();
    let (id, first, mut live) = new_match(7);
    let (_, mut log) = store.open(id).await.unwrap();
    log.append(&first, &listing(&live, 7)).await.unwrap();
    let second = joined(&mut live, 8);
    log.append(&second, &listing(&live, 7)).await.unwrap();
    (store, id)
}

#[tokio::test]
async fn a_record_that_was_changed_is_recognised_although_it_can_be_read() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.sqlite");
    let (store, id) = store_of_one(&path).await;
    let other = Connection::open(&path).unwrap();
    let changed = other.execute(
        "UPDATE event SET record = replace(record, '\"at\":8', '\"at\":9')",
        [],
    );
    assert_eq!(changed.unwrap(), 2);
    let error = store.open(id).await.err().unwrap();
    assert!(error.is_damage());
    assert!(matches!(error, StoreError::Altered(version) if version.0 == 2));
}

#[tokio::test]
async fn the_format_before_the_checksums_is_brought_up_to_date() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.sqlite");
    let (store, id) = store_of_one(&path).await;
    drop(store);
    let older = Connection::open(&path).unwrap();
    older
        .execute_batch("ALTER TABLE event DROP COLUMN sum; PRAGMA user_version = 1")
        .unwrap();
    drop(older);
    let store = Store::sqlite(&path).unwrap();
    assert_eq!(store.open(id).await.unwrap().0.len(), 2);
    drop(store);
    let (store, later) = store_of_one(&path).await;
    assert_eq!(store.open(id).await.unwrap().0.len(), 2);
    assert_eq!(store.open(later).await.unwrap().0.len(), 2);
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_that_was_replaced_is_not_written() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.sqlite");
    let another = folder.path().join("b.sqlite");
    drop(Store::sqlite(&another).unwrap());
    let (store, _) = store_of_one(&path).await;
    let other = locked(&path);
    let (id, first, live) = new_match(1);
    let (_, mut log) = store.open(id).await.unwrap();
    let refused = log.append(&first, &listing(&live, 1)).await;
    assert_eq!(refused, Err(AppendError::Unknown));
    let away = folder.path().join("away.sqlite");
    fs::rename(&path, &away).unwrap();
    fs::rename(&another, &path).unwrap();
    drop(other);
    until_ready(&store, |ready| {
        matches!(ready, Err(StoreError::CannotWrite(FailureKind::Gone)))
    })
    .await;
    fs::rename(&away, &path).unwrap();
    until_ready(&store, Result::is_ok).await;
    let (_, mut log) = store.open(id).await.unwrap();
    log.append(&first, &listing(&live, 1)).await.unwrap();
}
