//! Records on their way from the journal into chunks: kills at every step, and damage on both sides.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use fibfob_protocol::{Match, MatchId, Record, Timestamp};
use fibfob_store::{AppendError, DataError, FailureKind, Log, Store, StoreError};
use fibfob_store_contract::{index_row, joined, moved, new_match};
use rusqlite::Connection;
use tempfile::TempDir;
use uuid::Uuid;

use crate::{MoveBounds, Sqlite, check_file};

/// A journal so short that a move is soon under way, in slices of about one match.
const SHORT: MoveBounds = MoveBounds {
    journal_rows: 12,
    slice_rows: 1,
};

/// A match that is appended to, and what was stored of it.
struct Growing {
    id: MatchId,
    state: Match,
    log: Log,
    stored: Vec<Record>,
}

impl Growing {
    async fn new(store: &Store, number: u64) -> Self {
        let (id, first, state) = new_match(number);
        let (_, mut log) = store.open(id).await.unwrap();
        log.append(&first, &index_row(&state, number))
            .await
            .unwrap();
        Self {
            id,
            state,
            log,
            stored: vec![first],
        }
    }

    async fn grow(&mut self) {
        let record = match self.stored.len() {
            1 => joined(&mut self.state, 9),
            _ => moved(&mut self.state, 9),
        };
        let row = index_row(&self.state, self.stored[0].at.0);
        self.log.append(&record, &row).await.unwrap();
        self.stored.push(record);
    }
}

/// Grows `matches` matches in turn by `records` records each.
async fn grown(store: &Store, matches: u64, records: usize) -> Vec<Growing> {
    let mut all = Vec::new();
    for number in 0..matches {
        all.push(Growing::new(store, number).await);
    }
    for _ in 1..records {
        for growing in &mut all {
            growing.grow().await;
        }
    }
    all
}

/// Returns the lines of a check, and the events it has read.
fn checked(path: &Path) -> (Vec<String>, u64) {
    let mut lines = Vec::new();
    let counts = check_file(path, |damage| {
        lines.push(damage.to_string());
        ControlFlow::Continue(())
    });
    (lines, counts.unwrap().events)
}

/// Copies the files to `left` as a kill leaves them: between two appends nothing is written.
fn copy_as_killed(path: &Path, left: &Path) {
    for suffix in ["", "-wal"] {
        let name = |path: &Path| format!("{}{suffix}", path.display());
        fs::copy(name(path), name(left)).unwrap();
    }
}

/// Changes the record of version 5 of a match in the journal.
fn damage_version_5(path: &Path, id: MatchId) {
    let other = Connection::open(path).unwrap();
    let change = "UPDATE journal SET record = replace(record, '\"at\":9', '\"at\":8')
         WHERE match_id = ?1 AND version = 5";
    let changed = other.execute(change, [id.0.as_bytes().as_slice()]);
    assert_eq!(changed.unwrap(), 1);
}

fn count(path: &Path, table: &str) -> i64 {
    let file = Connection::open(path).unwrap();
    let sql = format!("SELECT count(*) FROM {table}");
    file.query_row(&sql, [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn a_kill_at_any_step_of_a_move_loses_nothing() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.sqlite");
    let store = Store::new(Sqlite::open_moving(&path, SHORT).unwrap());
    let mut all = grown(&store, 4, 1).await;
    let mut between = 0;
    for step in 0..48 {
        let at = step % all.len();
        all[at].grow().await;
        let left = folder.path().join(format!("{step}.sqlite"));
        copy_as_killed(&path, &left);
        let total: usize = all.iter().map(|growing| growing.stored.len()).sum();
        assert_eq!(checked(&left), (Vec::new(), total as u64));
        let (chunks, rows) = (count(&left, "chunk"), count(&left, "journal"));
        between += usize::from(chunks > 0 && rows > SHORT.journal_rows);
        let after = Store::new(Sqlite::open(&left).unwrap());
        for growing in &all {
            let (records, mut log) = after.open(growing.id).await.unwrap();
            assert_eq!(records, growing.stored, "step {step}");
            let row = index_row(&growing.state, growing.stored[0].at.0);
            let again = log.append(records.last().unwrap(), &row).await;
            assert_eq!(again, Err(AppendError::Conflict));
            if growing.stored.len() > 1 {
                let next = moved(&mut growing.state.clone(), 10);
                log.append(&next, &row).await.unwrap();
            }
        }
        drop(after);
        assert_eq!(count(&left, "journal"), 0, "an end moves everything");
        assert_eq!(checked(&left).0, Vec::<String>::new());
    }
    assert!(between > 4, "moves were under way: {between}");
}

#[tokio::test]
async fn a_reader_sees_whole_logs_while_they_are_moved() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.sqlite");
    let store = Store::new(Sqlite::open_moving(&path, SHORT).unwrap());
    let mut all = grown(&store, 6, 3).await;
    for growing in &mut all {
        let reader = store.clone();
        let (id, mut seen) = (growing.id, growing.stored.clone());
        let (stop, mut stopped) = tokio::sync::oneshot::channel::<()>();
        let reading = tokio::spawn(async move {
            let mut reads = 0;
            while stopped.try_recv().is_err() {
                let records = reader.open(id).await.unwrap().0;
                assert!(records.len() >= seen.len() && records[..seen.len()] == seen[..]);
                seen = records;
                reads += 1;
            }
            reads
        });
        for _ in 0..20 {
            growing.grow().await;
        }
        stop.send(()).unwrap();
        assert!(reading.await.unwrap() > 0);
    }
}

#[tokio::test]
async fn damage_of_chunks_is_named_and_hurts_no_other_match() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.sqlite");
    let store = Store::new(Sqlite::open(&path).unwrap());
    let all = grown(&store, 5, 40).await;
    let ids: Vec<_> = all.iter().map(|growing| growing.id).collect();
    drop(all);
    drop(store);
    assert_eq!(checked(&path), (Vec::new(), 200));
    let file = Connection::open(&path).unwrap();
    for (change, index) in [
        // Each match has a chunk of 32 records and one of 8.
        (
            "UPDATE chunk SET records = x'00' WHERE match_id = ?1 AND first = 33",
            0,
        ),
        (
            "UPDATE chunk SET events = 7 WHERE match_id = ?1 AND first = 33",
            1,
        ),
        ("DELETE FROM chunk WHERE match_id = ?1 AND first = 33", 2),
        ("DELETE FROM chunk WHERE match_id = ?1 AND first = 1", 3),
    ] {
        let id = ids[index].0.as_bytes().as_slice();
        assert_eq!(file.execute(change, [id]).unwrap(), 1);
    }
    file.execute("UPDATE server_key SET key = zeroblob(32)", [])
        .unwrap();
    drop(file);
    let altered = "the records from version 33 on are not what was written";
    let (lines, _) = checked(&path);
    for (index, fault) in [
        altered,
        altered,
        "a log ends with version 32, and 40 was stored",
        "a log has version 33 where 1 belongs",
    ]
    .iter()
    .enumerate()
    {
        let line = format!("{}: {fault}", ids[index]);
        assert!(
            lines.iter().any(|found| found.starts_with(&line)),
            "{line}: {lines:?}"
        );
    }
    let key = "the file: the key that signs tokens is not what was written";
    assert!(
        lines.iter().any(|found| found.starts_with(key)),
        "{lines:?}"
    );
    assert_eq!(lines.len(), 5, "{lines:?}");

    let store = Store::new(Sqlite::open(&path).unwrap());
    for id in &ids[..4] {
        assert!(store.open(*id).await.err().unwrap().is_damage());
    }
    assert_eq!(store.open(ids[4]).await.unwrap().0.len(), 40);
    assert!(store.server_key().await.err().unwrap().is_damage());
}

#[tokio::test]
async fn damaged_rows_stay_in_the_journal_and_the_others_are_moved() {
    let folder = TempDir::new().unwrap();
    let name = |name: &str| folder.path().join(name);
    let (written, path) = (name("a.sqlite"), name("b.sqlite"));
    let store = Store::new(Sqlite::open(&written).unwrap());
    let all = grown(&store, 3, 10).await;
    let ids: Vec<_> = all.iter().map(|growing| growing.id).collect();
    copy_as_killed(&written, &path);
    damage_version_5(&path, ids[1]);
    drop(Store::new(Sqlite::open(&path).unwrap()));
    for _ in 0..2 {
        assert_eq!(count(&path, "journal"), 6, "from the damaged one on");
        let lines = checked(&path).0;
        let line = format!(
            "{}: the record of version 5 is not what was written",
            ids[1]
        );
        assert!(
            lines.iter().any(|found| found.starts_with(&line)),
            "{lines:?}"
        );
        let store = Store::new(Sqlite::open(&path).unwrap());
        let error = store.open(ids[1]).await.err().unwrap();
        assert!(matches!(error, StoreError::Data(DataError::Altered(version)) if version.0 == 5));
        for id in [ids[0], ids[2]] {
            assert_eq!(store.open(id).await.unwrap().0.len(), 10);
        }
        store.ready().await.unwrap();
    }
}

#[tokio::test]
async fn a_row_is_moved_as_this_process_wrote_it() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.sqlite");
    let store = Store::new(Sqlite::open(&path).unwrap());
    let all = grown(&store, 3, 10).await;
    damage_version_5(&path, all[1].id);
    let stored: Vec<_> = all
        .into_iter()
        .map(|growing| (growing.id, growing.stored))
        .collect();
    drop(store);
    assert_eq!(checked(&path), (Vec::new(), 30));
    let store = Store::new(Sqlite::open(&path).unwrap());
    for (id, records) in stored {
        assert_eq!(store.open(id).await.unwrap().0, records);
    }
}

#[tokio::test]
async fn check_notices_a_removed_last_event_wherever_it_was() {
    let folder = TempDir::new().unwrap();
    let (path, left) = (
        folder.path().join("a.sqlite"),
        folder.path().join("b.sqlite"),
    );
    let store = Store::new(Sqlite::open(&path).unwrap());
    let all = grown(&store, 2, 5).await;
    copy_as_killed(&path, &left);
    drop((all, store));
    for seq in [9, 10] {
        let file = Connection::open(&left).unwrap();
        let removed = file.execute("DELETE FROM journal WHERE seq = ?1", [seq]);
        assert_eq!(removed.unwrap(), 1);
        drop(file);
        let (lines, _) = checked(&left);
        let line = format!("the file: {} of the journal's rows are missing", seq - 8);
        assert!(
            lines.iter().any(|found| found.starts_with(&line)),
            "{lines:?}"
        );
    }
    let file = Connection::open(&path).unwrap();
    let removed = file.execute("DELETE FROM chunk WHERE number = 1", []);
    assert_eq!(removed.unwrap(), 1);
    drop(file);
    let (lines, _) = checked(&path);
    assert!(
        lines[0].ends_with("it is in the index and has no log"),
        "{lines:?}"
    );
}

/// Returns the page on which the table's root is.
fn root_page(path: &Path, table: &str) -> usize {
    let file = Connection::open(path).unwrap();
    let sql = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
    let page: i64 = file.query_row(sql, [table], |row| row.get(0)).unwrap();
    usize::try_from(page).unwrap()
}

#[tokio::test]
async fn an_unreadable_journal_lets_finished_matches_be_read_and_nothing_be_written() {
    let folder = TempDir::new().unwrap();
    let (path, left) = (
        folder.path().join("a.sqlite"),
        folder.path().join("b.sqlite"),
    );
    let store = Store::new(Sqlite::open(&path).unwrap());
    let mut all = grown(&store, 2, 3).await;
    let over = fibfob_store_contract::resigned(&mut all[0].state, 9);
    let row = index_row(&all[0].state, 0);
    all[0].log.append(&over, &row).await.unwrap();
    let [finished, unfinished] = [all[0].id, all[1].id];
    drop(all);
    drop(store);
    let store = Store::new(Sqlite::open(&path).unwrap());
    let one = grown(&store, 1, 2).await;
    let journaled = one[0].id;
    // The files as a kill leaves them, with all pages in the file itself.
    let other = Connection::open(&path).unwrap();
    other.execute_batch("PRAGMA wal_checkpoint(FULL)").unwrap();
    fs::copy(&path, &left).unwrap();
    drop((other, one, store));
    let page = root_page(&left, "journal");
    let mut content = fs::read(&left).unwrap();
    let size = 256 * usize::from(content[16]) + usize::from(content[17]);
    content[(page - 1) * size..][..64].fill(0xA5);
    fs::write(&left, content).unwrap();

    let store = Store::new(Sqlite::open(&left).unwrap());
    assert!(matches!(
        store.ready().await,
        Err(StoreError::CannotWrite(FailureKind::Damaged))
    ));
    assert_eq!(store.open(finished).await.unwrap().0.len(), 4);
    for id in [unfinished, journaled] {
        let error = store.open(id).await.err().unwrap();
        assert!(
            matches!(error, StoreError::Data(DataError::Journal)),
            "{error}"
        );
    }
    assert_eq!(
        store
            .unfinished_after((Timestamp(0), MatchId(Uuid::nil())), 9)
            .await
            .unwrap()
            .len(),
        2
    );
    let lines = checked(&left).0;
    assert!(
        lines
            .iter()
            .any(|line| line.contains("the journal cannot be read")),
        "{lines:?}"
    );
    assert!(
        !lines
            .iter()
            .any(|line| line.starts_with(&finished.to_string())),
        "{lines:?}"
    );
}
