//! Tests of the SQLite engine's file, beside the contract of all engines.

mod damage;
mod formats;
mod old_logs;
mod packing;

use std::fs;
use std::path::Path;
use std::time::Duration;

use fibfob_store::{AppendError, FailureKind, NoteKind, Store, StoreError};
use fibfob_store_contract::{index_row, joined, new_match};
use rusqlite::Connection;
use tempfile::TempDir;
use uuid::Uuid;

use super::Sqlite;
use super::error::SqliteError;
use super::private_file::beside;

/// Opens a transaction of another program that writes the file and does not end.
fn locked(path: &Path) -> Connection {
    let other = Connection::open(path).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    other
}

/// Waits until the store's readiness is as wanted. The bound is generous: no test measures time.
async fn until_ready(store: &Store, wanted: impl Fn(&Result<String, StoreError>) -> bool) {
    let polled = tokio::time::timeout(Duration::from_secs(60), async {
        loop {
            let ready = store.ready().await;
            if wanted(&ready) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    polled.await.expect("the store becomes as wanted");
}

fn open_error(path: &Path) -> SqliteError {
    Sqlite::open(path).err().unwrap()
}

#[test]
fn a_second_server_is_refused_until_the_first_has_closed() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.sqlite");
    let store = Store::new(Sqlite::open(&path).unwrap());
    assert!(matches!(open_error(&path), SqliteError::InUse(..)));
    drop(store);
    assert!(Sqlite::open(&path).is_ok(), "free as soon as it is dropped");
}

#[test]
fn a_file_of_another_program_is_refused_unchanged() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.sqlite");
    let other = Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE theirs (x)").unwrap();
    drop(other);
    assert!(matches!(open_error(&path), SqliteError::NotAStore(_)));
    let empty = folder.path().join("empty.sqlite");
    Connection::open(&empty)
        .unwrap()
        .execute_batch("VACUUM")
        .unwrap();
    let before = fs::read(&empty).unwrap();
    assert!(matches!(open_error(&empty), SqliteError::NotAStore(_)));
    assert!(!before.is_empty() && fs::read(&empty).unwrap() == before);
    std::fs::write(&path, "not a database, but long enough to be read as one").unwrap();
    assert!(matches!(open_error(&path), SqliteError::Unusable(..)));
}

#[test]
fn a_lock_with_other_content_is_a_lock_and_stays() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.sqlite");
    let lock = beside(&path, "-lock");
    // After a power cut: only the file system's zeros, or anything.
    for content in [
        [0; 4].as_slice(),
        b"garbage, and more of it than a number has digits",
    ] {
        fs::write(&lock, content).unwrap();
        let store = Sqlite::open(&path).unwrap();
        assert!(matches!(open_error(&path), SqliteError::InUse(..)));
        drop(store);
        assert_eq!(fs::read(&lock).unwrap(), content);
    }
}

#[test]
fn what_an_interrupted_creation_has_left_stays_and_is_in_nobodys_way() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.sqlite");
    let left = folder.path().join(".a.sqlite-new-1x2y3z");
    fs::write(&left, "garbage").unwrap();
    // As `mktemp` makes it.
    fs::write(&path, "").unwrap();
    drop(Sqlite::open(&path).unwrap());
    assert_eq!(fs::read(&left).unwrap(), b"garbage");
    let names = fs::read_dir(folder.path()).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut new: Vec<_> = names.filter(|name| name.contains("-new-")).collect();
    assert_eq!(new.pop().as_deref(), Some(".a.sqlite-new-1x2y3z"));
    assert_eq!(new, [""; 0], "a new store has its own name");
}

#[tokio::test]
async fn waiting_appends_share_one_commit() {
    const WAITING: u64 = 100;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.sqlite");
    let store = Store::new(Sqlite::open(&path).unwrap());
    let mut made = Vec::new();
    for number in 0..WAITING {
        let (id, first, state) = new_match(number);
        let (_, log) = store.open(id).await.unwrap();
        made.push((log, first, index_row(&state, number)));
    }
    let appends = made
        .iter_mut()
        .map(|(log, first, row)| log.append(first, &*row));
    let mut appends = std::pin::pin!(futures_util::future::join_all(appends));
    // While another program has the file locked, everything enters the queue.
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    tokio::select! {
        biased;
        _ = &mut appends => panic!("the file is locked"),
        () = std::future::ready(()) => {}
    }
    other.execute_batch("ROLLBACK").unwrap();
    assert!(appends.await.iter().all(Result::is_ok));
    let written = store.meter();
    assert_eq!(written.events.get(), WAITING);
    // The first append may have been taken alone.
    assert!(written.commits.get() <= 2, "{}", written.commits.get());
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_may_read_the_files() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("data").join("a.sqlite");
    let store = Store::new(Sqlite::open(&path).unwrap());
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

fn count(path: &Path, table: &str) -> i64 {
    let file = Connection::open(path).unwrap();
    let sql = format!("SELECT count(*) FROM {table}");
    file.query_row(&sql, [], |row| row.get(0)).unwrap()
}

/// A store with one match of two events, and the match.
async fn store_with_one_match(path: &Path) -> (Store, fibfob_protocol::MatchId) {
    let store = Store::new(Sqlite::open(path).unwrap());
    let (id, first, mut state) = new_match(7);
    let (_, mut log) = store.open(id).await.unwrap();
    log.append(&first, &index_row(&state, 7)).await.unwrap();
    let second = joined(&mut state, 8);
    log.append(&second, &index_row(&state, 7)).await.unwrap();
    (store, id)
}

#[cfg(unix)]
#[tokio::test]
async fn a_replaced_file_is_not_written() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.sqlite");
    let another = folder.path().join("b.sqlite");
    drop(Sqlite::open(&another).unwrap());
    let (store, _) = store_with_one_match(&path).await;
    let other = locked(&path);
    let (id, first, state) = new_match(1);
    let (_, mut log) = store.open(id).await.unwrap();
    let refused = log.append(&first, &index_row(&state, 1)).await;
    assert_eq!(refused, Err(AppendError::Unknown));
    let away = folder.path().join("away.sqlite");
    fs::rename(&path, &away).unwrap();
    fs::rename(&another, &path).unwrap();
    drop(other);
    until_ready(&store, |ready| {
        matches!(ready, Err(StoreError::CannotWrite(FailureKind::Missing)))
    })
    .await;
    fs::rename(&away, &path).unwrap();
    until_ready(&store, Result::is_ok).await;
    let (_, mut log) = store.open(id).await.unwrap();
    log.append(&first, &index_row(&state, 1)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_cannot_write_is_not_ready_and_recovers() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.sqlite");
    let store = Store::new(Sqlite::open(&path).unwrap());
    let (id, first, mut state) = new_match(1);
    let (_, mut log) = store.open(id).await.unwrap();
    log.append(&first, &index_row(&state, 1)).await.unwrap();
    let second = joined(&mut state, 2);
    let row = index_row(&state, 1);
    let other = locked(&path);
    for _ in 0..2 {
        let refused = log.append(&second, &row).await;
        assert_eq!(refused, Err(AppendError::Unknown));
        let ready = store.ready().await;
        assert!(
            matches!(ready, Err(StoreError::CannotWrite(FailureKind::Locked))),
            "{ready:?}"
        );
        let records;
        (records, log) = store.open(id).await.unwrap();
        assert_eq!(
            records,
            std::slice::from_ref(&first),
            "it can be read, and holds what it held"
        );
    }
    drop(other);
    until_ready(&store, Result::is_ok).await;
    (_, log) = store.open(id).await.unwrap();
    log.append(&second, &row).await.unwrap();
    drop((store, log));
    let store = Store::new(Sqlite::open(&path).unwrap());
    assert_eq!(store.open(id).await.unwrap().0, [first, second]);
}

/// The content and the mode of a file, and the names in its folder.
#[cfg(unix)]
fn as_it_is(path: &Path) -> (Vec<u8>, u32, Vec<std::ffi::OsString>) {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path).unwrap().permissions().mode();
    let folder = fs::read_dir(path.parent().unwrap()).unwrap();
    let mut names: Vec<_> = folder.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    (fs::read(path).unwrap(), mode, names)
}

#[cfg(unix)]
#[test]
fn a_foreign_file_is_left_as_it_is() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("theirs.sqlite");
    let other = Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE theirs (x)").unwrap();
    drop(other);
    let letter = folder.path().join("letter.txt");
    fs::write(&letter, "Dear Ada, ".repeat(100)).unwrap();
    for file in [&path, &letter] {
        fs::set_permissions(file, fs::Permissions::from_mode(0o644)).unwrap();
    }
    for file in [&path, &letter] {
        let before = as_it_is(file);
        open_error(file);
        assert!(as_it_is(file) == before, "{}", file.display());
    }
}

#[cfg(unix)]
#[test]
fn a_second_server_by_another_name_of_the_file_is_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.sqlite");
    let elsewhere = folder.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let store = Store::new(Sqlite::open(&path).unwrap());
    let (soft, hard) = (elsewhere.join("soft.sqlite"), elsewhere.join("hard.sqlite"));
    std::os::unix::fs::symlink(&path, &soft).unwrap();
    fs::hard_link(&path, &hard).unwrap();
    for name in [&soft, &hard] {
        assert!(
            matches!(open_error(name), SqliteError::InUse(..)),
            "{}",
            name.display()
        );
    }
    drop(store);
    drop(Store::new(Sqlite::open(&soft).unwrap()));
}

#[tokio::test]
async fn a_store_that_is_moved_away_takes_no_move() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.sqlite");
    let away = folder.path().join("away.sqlite");
    let (store, id) = store_with_one_match(&path).await;
    // Found without any append, by the look that a readiness check asks for.
    fs::rename(&path, &away).unwrap();
    let missing = |ready: &Result<String, StoreError>| {
        matches!(ready, Err(StoreError::CannotWrite(FailureKind::Missing)))
    };
    until_ready(&store, missing).await;
    fs::rename(&away, &path).unwrap();
    until_ready(&store, Result::is_ok).await;

    // Found by the append itself.
    let (records, mut log) = store.open(id).await.unwrap();
    fs::rename(&path, &away).unwrap();
    let mut next = records.last().unwrap().clone();
    next.version = next.version.next();
    assert_eq!(log.append(&next, None).await, Err(AppendError::Unknown));
    fs::rename(&away, &path).unwrap();
    until_ready(&store, Result::is_ok).await;
}

#[tokio::test]
async fn what_was_removed_is_in_neither_the_file_nor_its_log_once_an_erasure_has_ended() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.sqlite");
    let store = Store::new(Sqlite::open(&path).unwrap());
    let secret = "a word that nobody else knows";
    let key = NoteKind::Marks.key(Uuid::from_u128(7), "");
    let note = key.clone().note(secret.to_owned());
    store.put_notes(vec![note], Vec::new()).await.unwrap();
    let has_secret = |suffix| {
        let content = fs::read(beside(&path, suffix)).unwrap_or_default();
        let mut windows = content.windows(secret.len());
        windows.any(|window| window == secret.as_bytes())
    };
    assert!(has_secret("-wal"));
    store.put_notes(Vec::new(), vec![key]).await.unwrap();
    let erasure = NoteKind::Forgetting.key(Uuid::from_u128(7), "");
    store.put_notes(Vec::new(), vec![erasure]).await.unwrap();
    // Each look lets the idle writer work.
    until_ready(&store, |_| !has_secret("") && !has_secret("-wal")).await;
}
