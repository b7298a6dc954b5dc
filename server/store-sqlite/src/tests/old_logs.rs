//! Write-ahead logs beside files that they belong to, or do not.

use std::fs;
use std::path::{Path, PathBuf};

use fibfob_protocol::MatchId;
use fibfob_store::{FailureKind, Store, StoreError};
use fibfob_store_contract::{index_row, joined, new_match};
use rusqlite::Connection;
use tempfile::TempDir;

use super::open_error;
use crate::Sqlite;
use crate::backup::backup_file;
use crate::check::check_file;
use crate::error::SqliteError;
use crate::old_log::OldLog;
use crate::private_file::beside;
use crate::schema;
use crate::span::{FileMark, MARK_PAGE};

/// Copies what is at `from` and beside it, as it is while a server has it open.
fn copy(from: &Path, to: &Path, suffixes: &[&str]) {
    for suffix in suffixes {
        fs::copy(beside(from, suffix), beside(to, suffix)).unwrap();
    }
}

/// Makes a match with two events.
async fn add_match(store: &Store, number: u64) -> MatchId {
    let (id, first, mut state) = new_match(number);
    let (_, mut log) = store.open(id).await.unwrap();
    log.append(&first, &index_row(&state, number))
        .await
        .unwrap();
    let second = joined(&mut state, 8);
    log.append(&second, &index_row(&state, number))
        .await
        .unwrap();
    id
}

/// A store in use with a match in the file alone and another one in the log alone, beside a copy of the
/// file of before.
struct InUse {
    folder: TempDir,
    store: Store,
    path: PathBuf,
    before: PathBuf,
    in_file: MatchId,
    in_log: MatchId,
}

impl InUse {
    async fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let place = |name: &str| folder.path().join(name);
        let (path, before) = (place("a.sqlite"), place("before.sqlite"));
        drop(Store::new(Sqlite::open(&path).unwrap()));
        copy(&path, &before, &[""]);
        let store = Store::new(Sqlite::open(&path).unwrap());
        let in_file = add_match(&store, 7).await;
        drop(store);
        let store = Store::new(Sqlite::open(&path).unwrap());
        let in_log = add_match(&store, 8).await;
        Self {
            folder,
            store,
            path,
            before,
            in_file,
            in_log,
        }
    }

    /// A place for the files of a server that was killed.
    fn elsewhere(&self, name: &str) -> PathBuf {
        let folder = self.folder.path().join(name);
        fs::create_dir(&folder).unwrap();
        folder.join("b.sqlite")
    }
}

/// The numbers of events of two matches in the store at this path.
async fn events(path: &Path, ids: [MatchId; 2]) -> [usize; 2] {
    let store = Store::new(Sqlite::open(path).unwrap());
    let count = async |id| store.open(id).await.unwrap().0.len();
    [count(ids[0]).await, count(ids[1]).await]
}

fn kept_logs(path: &Path) -> usize {
    let name = path.file_name().unwrap().to_str().unwrap();
    let found = fs::read_dir(path.parent().unwrap()).unwrap();
    let names = found.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let kept = format!("{name}.");
    names
        .filter(|found| found.starts_with(&kept) && found.ends_with("-wal"))
        .count()
}

#[tokio::test]
async fn a_write_ahead_log_is_applied_wherever_it_was_moved_with_its_file() {
    let used = InUse::new().await;
    let ids = [used.in_file, used.in_log];
    let [killed, half, done] = ["killed", "half", "done"].map(|name| used.elsewhere(name));
    for place in [&killed, &half] {
        copy(&used.path, place, &["", "-wal"]);
    }
    // Killed in the middle of a checkpoint, which writes one page after another, and at its end.
    let other = Connection::open(&used.path).unwrap();
    other
        .execute_batch("PRAGMA wal_checkpoint(PASSIVE)")
        .unwrap();
    copy(&used.path, &done, &["", "-wal"]);
    let (old, new) = (fs::read(&half).unwrap(), fs::read(&done).unwrap());
    let pages = MARK_PAGE as usize * 4096;
    assert_ne!(old[..pages], new[..pages]);
    fs::write(&half, [&new[..pages], &old[pages..]].concat()).unwrap();
    for place in [&killed, &half, &done] {
        let checked = check_file(place, |_| std::ops::ControlFlow::Continue(())).unwrap();
        assert!(checked.is_clean() && checked.matches == 2, "{checked:?}");
        assert_eq!(events(place, ids).await, [2, 2]);
        assert_eq!(kept_logs(place), 0);
        assert!(
            !beside(place, "-wal").exists(),
            "nothing is left to do at a clean end"
        );
    }

    // A server up to 0.2.0, killed before the first checkpoint: all of the store but its first page is in the log.
    let young = used.elsewhere("young");
    let mut made_in_place = Connection::open(&young).unwrap();
    schema::configure(&made_in_place).unwrap();
    schema::create(&mut made_in_place, None).unwrap();
    let killed = used.elsewhere("killed-young");
    copy(&young, &killed, &["", "-wal"]);
    assert_eq!(fs::metadata(&killed).unwrap().len(), 4096);
    let store = Store::new(Sqlite::open(&killed).unwrap());
    let id = add_match(&store, 9).await;
    drop(store);
    assert_eq!(events(&killed, [id, id]).await, [2, 2]);
}

#[tokio::test]
async fn a_write_ahead_log_is_applied_to_a_file_whose_mark_was_half_written() {
    let used = InUse::new().await;
    // The row with the mark becomes longer, so that it begins elsewhere.
    for number in 20..90 {
        add_match(&used.store, number).await;
    }
    let old = fs::read(&used.path).unwrap();
    let other = Connection::open(&used.path).unwrap();
    other
        .execute_batch("PRAGMA wal_checkpoint(PASSIVE)")
        .unwrap();
    let new = fs::read(&used.path).unwrap();
    let page = 4096 * (MARK_PAGE as usize - 1);
    let place_of_row = page + 8..page + 10;
    assert_ne!(old[place_of_row.clone()], new[place_of_row]);

    let torn = used.elsewhere("torn");
    copy(&used.path, &torn, &["-wal"]);
    for written in 0..1 << 8 {
        let mut content = old.clone();
        for sector in (0..8).filter(|sector| written >> sector & 1 == 1) {
            let sector = page + 512 * sector..page + 512 * (sector + 1);
            content[sector.clone()].copy_from_slice(&new[sector]);
        }
        fs::write(&torn, content).unwrap();
        let log = OldLog::of(&torn, Some(&fs::File::open(&torn).unwrap()));
        assert_eq!(log.unwrap(), OldLog::Own, "sectors {written:08b}");
    }
    let torn_in_two = [&old[..page], &new[page..page + 512], &old[page + 512..]];
    fs::write(&torn, torn_in_two.concat()).unwrap();
    assert_eq!(events(&torn, [used.in_file, used.in_log]).await, [2, 2]);
}

#[tokio::test]
async fn the_write_ahead_log_of_another_file_is_set_aside() {
    let used = InUse::new().await;
    let ids = [used.in_file, used.in_log];
    let backup = used.folder.path().join("backup.sqlite");
    backup_file(&used.path, &backup).unwrap();
    add_match(&used.store, 10).await;
    // A backup, and the file itself as it was before the last start but one.
    for (file, found) in [(&backup, [2, 2]), (&used.before, [0, 0])] {
        let place = used.elsewhere(&found[0].to_string());
        copy(&used.path, &place, &["-wal"]);
        copy(file, &place, &[""]);
        let refused = check_file(&place, |_| std::ops::ControlFlow::Continue(()));
        assert!(matches!(refused, Err(SqliteError::ForeignLog(_))));
        assert_eq!(events(&place, ids).await, found);
        assert_eq!(kept_logs(&place), 1);
    }
}

#[tokio::test]
async fn a_write_ahead_log_without_its_file_is_refused() {
    let used = InUse::new().await;
    let lost = used.elsewhere("lost");
    copy(&used.path, &lost, &["-wal"]);
    assert!(matches!(open_error(&lost), SqliteError::ForeignLog(_)));
    assert!(!lost.exists(), "nothing is made in its place");
    fs::write(&lost, "").unwrap();
    assert!(matches!(open_error(&lost), SqliteError::ForeignLog(_)));
    let log = fs::read(beside(&lost, "-wal")).unwrap();
    assert_eq!(log, fs::read(beside(&used.path, "-wal")).unwrap());

    // Of the same run, and not the one before: what was between is missing.
    let gap = used.elsewhere("gap");
    let other = Connection::open(&used.path).unwrap();
    for suffix in ["", "-wal"] {
        other
            .execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")
            .unwrap();
        add_match(&used.store, 11 + suffix.len() as u64).await;
        copy(&used.path, &gap, &[suffix]);
    }
    assert!(matches!(open_error(&gap), SqliteError::ForeignLog(_)));
}

#[tokio::test]
async fn a_file_that_is_overwritten_under_a_server_takes_no_move() {
    let used = InUse::new().await;
    let backup = used.folder.path().join("backup.sqlite");
    backup_file(&used.path, &backup).unwrap();
    let (id, first, state) = new_match(10);
    let (_, mut log) = used.store.open(id).await.unwrap();
    fs::copy(&backup, &used.path).unwrap();
    assert!(log.append(&first, &index_row(&state, 10)).await.is_err());
    let ready = used.store.ready().await;
    assert!(matches!(
        ready,
        Err(StoreError::CannotWrite(FailureKind::Missing))
    ));
    // Its end leaves the content as it is.
    drop((used.store, log));
    assert!(fs::read(&used.path).unwrap() == fs::read(&backup).unwrap());
    assert_eq!(
        events(&used.path, [used.in_file, used.in_log]).await,
        [2, 2]
    );
    assert_eq!(kept_logs(&used.path), 1);
}

#[tokio::test]
async fn the_mark_is_where_it_can_be_read_without_sqlite_and_changes_with_each_write() {
    let used = InUse::new().await;
    let backup = used.folder.path().join("backup.sqlite");
    backup_file(&used.path, &backup).unwrap();
    let of_file = |path: &Path| {
        let file = fs::File::open(path).unwrap();
        let found = Connection::open(path).unwrap();
        let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'span'";
        let page: u32 = found.query_row(sql, [], |row| row.get(0)).unwrap();
        assert_eq!(page, MARK_PAGE);
        let sql = "SELECT mark FROM span";
        let mark: FileMark = found.query_row(sql, [], |row| row.get(0)).unwrap();
        assert_eq!(FileMark::of_file(&file).unwrap(), Some(mark));
        mark
    };
    let copied = of_file(&backup);
    drop(used.store);
    let (before, after) = (of_file(&used.before), of_file(&used.path));
    assert!(before.writes < after.writes && before.run != after.run);
    assert!(copied.run != after.run && copied.before == 0);
    // Making the file smaller at a clean end moves no mark.
    drop(Sqlite::open(&used.path).unwrap());
    Connection::open(&used.path)
        .unwrap()
        .execute_batch("VACUUM")
        .unwrap();
    of_file(&used.path);
}
