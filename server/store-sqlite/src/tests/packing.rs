//! Finished matches that are packed: what a reader, a kill, damage and a further event find.

use std::fs;
use std::path::Path;

use fibfob_protocol::{Match, MatchId, Record};
use fibfob_store::{AppendError, FailureKind, IndexRow, Log, Store, StoreError};
use fibfob_store_contract::{index_row, joined, moved, new_match, resigned};
use rusqlite::Connection;
use tempfile::TempDir;

use super::count;
use super::damage::named;
use crate::Sqlite;
use crate::backup::backup_file;
use crate::limits::PACK_OVERDUE_MATCHES;
use crate::private_file::beside;

/// A match that is appended to, and what was stored of it.
struct Growing {
    id: MatchId,
    state: Match,
    log: Log,
    stored: Vec<Record>,
}

impl Growing {
    /// A match with this many events, which is over with the last one if `ends`.
    async fn new(store: &Store, number: u64, events: usize, ends: bool) -> Self {
        let (id, first, state) = new_match(number);
        let (_, log) = store.open(id).await.unwrap();
        let mut growing = Self {
            id,
            state,
            log,
            stored: vec![first],
        };
        let (first, row) = (growing.stored[0].clone(), growing.row());
        growing.log.append(&first, &row).await.unwrap();
        while growing.stored.len() < events {
            let state = &mut growing.state;
            let record = match growing.stored.len() {
                1 => joined(state, 9),
                last if ends && last + 1 == events => resigned(state, 9),
                _ => moved(state, 9),
            };
            growing.append(record).await;
        }
        growing
    }

    fn row(&self) -> IndexRow {
        index_row(&self.state, self.stored[0].at.0)
    }

    async fn append(&mut self, record: Record) {
        let row = self.row();
        self.log.append(&record, &row).await.unwrap();
        self.stored.push(record);
    }
}

/// Looks at the store, as a server does, until this many matches are packed.
async fn until_packed(store: &Store, path: &Path, matches: i64) {
    let packed = tokio::time::timeout(std::time::Duration::from_secs(60), async {
        while count(path, "packed") != matches {
            store.ready().await.unwrap();
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    });
    packed.await.expect("finished matches are packed");
}

#[tokio::test]
async fn a_finished_match_is_packed_while_nothing_waits_and_reads_the_same() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.sqlite");
    let store = Store::new(Sqlite::open(&path).unwrap());
    let over = Growing::new(&store, 1, 40, true).await;
    let open = Growing::new(&store, 2, 7, false).await;
    until_packed(&store, &path, 1).await;
    assert_eq!(count(&path, "log"), 7, "the other one's records");
    assert_eq!(named(&path), [""; 0]);
    for growing in [&over, &open] {
        assert_eq!(store.open(growing.id).await.unwrap().0, growing.stored);
        let after = growing.stored[4].version;
        let rest = store.read(growing.id, after).await.unwrap();
        assert_eq!(rest, growing.stored[5..]);
        let heads = store.heads(vec![growing.id]).await.unwrap();
        assert_eq!(heads[0].0.version.0, growing.stored.len() as u64);
    }
}

#[tokio::test]
async fn an_event_after_the_end_makes_a_packed_log_rows_again() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.sqlite");
    let store = Store::new(Sqlite::open(&path).unwrap());
    let mut over = Growing::new(&store, 1, 9, true).await;
    until_packed(&store, &path, 1).await;
    let stale = over.log.append(&over.stored[8], &over.row()).await;
    assert_eq!(stale, Err(AppendError::Conflict));
    assert_eq!(count(&path, "packed"), 1, "a refused event unpacks nothing");
    // The store does not ask the rules what an event is.
    let mut again = over.stored[8].clone();
    again.version = again.version.next();
    over.log.append(&again, None).await.unwrap();
    over.stored.push(again);
    assert_eq!((count(&path, "packed"), count(&path, "log")), (0, 10));
    assert_eq!(store.open(over.id).await.unwrap().0, over.stored);
    until_packed(&store, &path, 1).await;
    assert_eq!(count(&path, "log"), 0);
    drop((store, over.log));
    let store = Store::new(Sqlite::open(&path).unwrap());
    assert_eq!(store.open(over.id).await.unwrap().0, over.stored);
}

#[tokio::test]
async fn many_finished_matches_are_packed_beside_appends_and_all_at_the_end() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.sqlite");
    let store = Store::new(Sqlite::open(&path).unwrap());
    let mut all = Vec::new();
    let many = PACK_OVERDUE_MATCHES + 1;
    for number in 0..many {
        all.push(Growing::new(&store, number as u64, 3, true).await);
    }
    let packed = count(&path, "packed");
    assert!(packed > 0, "the writer packs although it is never idle");
    let left = folder.path().join("left.sqlite");
    for suffix in ["", "-wal"] {
        fs::copy(beside(&path, suffix), beside(&left, suffix)).unwrap();
    }
    let stored: Vec<_> = all
        .drain(..)
        .map(|growing| (growing.id, growing.stored))
        .collect();
    drop(store);
    for file in [&path, &left] {
        // Also what a killed server has left is packed by the end of the next one.
        drop(Sqlite::open(file).unwrap());
        let packed = usize::try_from(count(file, "packed")).unwrap();
        assert_eq!((packed, count(file, "log")), (many, 0));
        assert_eq!(named(file), [""; 0]);
        let store = Store::new(Sqlite::open(file).unwrap());
        for (id, records) in &stored {
            assert_eq!(store.open(*id).await.unwrap().0, *records);
        }
    }
}

#[tokio::test]
async fn a_damaged_log_stays_as_it_is_and_others_are_packed() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.sqlite");
    let store = Store::new(Sqlite::open(&path).unwrap());
    let damaged = Growing::new(&store, 1, 9, true).await;
    let other = Growing::new(&store, 2, 9, true).await;
    let file = Connection::open(&path).unwrap();
    let sql = "UPDATE log SET sum = sum + 1 WHERE number = 1 AND version = 5";
    assert_eq!(file.execute(sql, ()).unwrap(), 1);
    until_packed(&store, &path, 1).await;
    store.ready().await.unwrap();
    assert_eq!(count(&path, "log"), 9);
    let refused = store.open(damaged.id).await.err().unwrap();
    assert!(refused.is_damage(), "{refused}");
    assert_eq!(store.open(other.id).await.unwrap().0, other.stored);
    let line = "the record of version 5 is not what was written";
    assert!(named(&path)[0].contains(line), "{:?}", named(&path));

    // Nor is a packed one changed by an event that finds it damaged.
    file.execute("UPDATE packed SET sum = sum + 1", ()).unwrap();
    let mut log = other.log;
    let mut next = other.stored[8].clone();
    next.version = next.version.next();
    assert_eq!(log.append(&next, None).await, Err(AppendError::Unknown));
    assert_eq!((count(&path, "packed"), count(&path, "log")), (1, 9));
    store.ready().await.unwrap();
}

/// Destroys the page on which the table's root is.
fn destroy_root(path: &Path, table: &str) {
    let file = Connection::open(path).unwrap();
    let sql = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
    let page: i64 = file.query_row(sql, [table], |row| row.get(0)).unwrap();
    let page = usize::try_from(page).unwrap();
    drop(file);
    let mut content = fs::read(path).unwrap();
    let size = 256 * usize::from(content[16]) + usize::from(content[17]);
    content[(page - 1) * size..][..64].fill(0xA5);
    fs::write(path, content).unwrap();
}

#[tokio::test]
async fn an_unreadable_log_lets_packed_matches_be_read_and_nothing_be_written() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.sqlite");
    let store = Store::new(Sqlite::open(&path).unwrap());
    let over = Growing::new(&store, 1, 4, true).await;
    let open = Growing::new(&store, 2, 4, false).await;
    let ids = [over.id, open.id];
    drop((store, over.log, open.log));
    destroy_root(&path, "log");
    let store = Store::new(Sqlite::open(&path).unwrap());
    assert!(matches!(
        store.ready().await,
        Err(StoreError::CannotWrite(FailureKind::Damaged))
    ));
    assert_eq!(store.open(ids[0]).await.unwrap().0, over.stored);
    assert!(store.open(ids[1]).await.err().unwrap().is_damage());
    let lines = named(&path);
    let of_log = "the log cannot be read to the end";
    assert!(lines.iter().any(|line| line.contains(of_log)), "{lines:?}");
    let of_match = |id: MatchId| lines.iter().any(|line| line.starts_with(&id.to_string()));
    assert!(!of_match(ids[0]) && of_match(ids[1]), "{lines:?}");
}

#[tokio::test]
async fn a_backup_has_packed_matches_and_others() {
    let folder = TempDir::new().unwrap();
    let (path, copy) = (
        folder.path().join("a.sqlite"),
        folder.path().join("b.sqlite"),
    );
    let store = Store::new(Sqlite::open(&path).unwrap());
    let over = Growing::new(&store, 1, 9, true).await;
    let open = Growing::new(&store, 2, 7, false).await;
    until_packed(&store, &path, 1).await;
    backup_file(&path, &copy).unwrap();
    let copied = Store::new(Sqlite::open(&copy).unwrap());
    for growing in [&over, &open] {
        assert_eq!(copied.open(growing.id).await.unwrap().0, growing.stored);
    }
}
