//! What other versions of the server have written: it is refused by name, and left as it is.

use std::fs;
use std::ops::ControlFlow;

use fibfob_protocol::{MatchId, Version};
use fibfob_store::{DataError, Opening, Store, StoreError, checksum};
use rusqlite::Connection;
use tempfile::TempDir;

use super::{count, open_error, store_with_one_match};
use crate::Sqlite;
use crate::backup::backup_file;
use crate::check::check_file;
use crate::error::SqliteError;
use crate::schema::FORMAT;

#[tokio::test]
async fn any_other_format_is_refused_unchanged() {
    let folder = TempDir::new().unwrap();
    let (path, copy) = (
        folder.path().join("a.sqlite"),
        folder.path().join("b.sqlite"),
    );
    drop(store_with_one_match(&path).await);
    let mark = |format: i64| {
        let other = Connection::open(&path).unwrap();
        other.pragma_update(None, "user_version", format).unwrap();
    };
    for format in [FORMAT + 1, FORMAT - 1] {
        mark(format);
        let before = fs::read(&path).unwrap();
        let error = open_error(&path);
        assert!(matches!(error, SqliteError::OtherFormat(_, found, _) if found == format));
        let checked = check_file(&path, |_| ControlFlow::Continue(())).unwrap_err();
        let copied = backup_file(&path, &copy).unwrap_err();
        for error in [error.to_string(), checked.to_string(), copied.to_string()] {
            assert!(error.contains(&format!("has format {format}, ")), "{error}");
        }
        assert!(fs::read(&path).unwrap() == before);
        assert!(!copy.exists());
    }
    mark(FORMAT);
    drop(Sqlite::open(&path).unwrap());
}

/// Gives a match's first record in the log an event of a kind that no server knows yet.
fn write_newer_event(path: &std::path::Path, id: MatchId) {
    let other = Connection::open(path).unwrap();
    let sql = "SELECT record FROM log WHERE version = 1";
    let text: String = other.query_row(sql, [], |row| row.get(0)).unwrap();
    let newer = text.replace(r#""event":"created""#, r#""event":"conjured""#);
    assert_ne!(newer, text);
    let sum = checksum::of_record(id, Version(1), &newer);
    let sql = "UPDATE log SET record = ?1, sum = ?2 WHERE version = 1";
    assert_eq!(other.execute(sql, (newer, sum)).unwrap(), 1);
}

#[tokio::test]
async fn an_event_of_a_newer_kind_is_refused_by_name_and_kept() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.sqlite");
    let (store, id) = store_with_one_match(&path).await;
    drop(store);
    write_newer_event(&path, id);
    // From the log, and packed by the end of the first store.
    for _ in 0..2 {
        let store = Store::new(Sqlite::open(&path).unwrap());
        let refused = store.open(id).await.err().unwrap();
        let StoreError::Data(DataError::NewerEvent { version, event }) = &refused else {
            panic!("{refused}");
        };
        assert_eq!((*version, event.as_str()), (Version(1), "conjured"));
        assert!(!refused.is_damage(), "a newer server can read it");
        let text = refused.to_string();
        assert!(text.contains("use a newer server"), "{text}");
        let other = Connection::open(&path).unwrap();
        other
            .execute_batch("UPDATE match SET phase = 'over'")
            .unwrap();
    }
    assert_eq!(count(&path, "packed"), 1);
    let mut named = Vec::new();
    let report = check_file(&path, |damage| {
        named.push(damage.to_string());
        ControlFlow::Continue(())
    });
    assert_eq!(report.unwrap().damaged_matches, 1);
    assert!(named[0].contains("an event `conjured`"), "{named:?}");
}

#[test]
fn a_store_to_move_from_is_not_created() {
    let folder = TempDir::new().unwrap();
    let empty = folder.path().join("a.sqlite");
    std::fs::write(&empty, "").unwrap();
    assert!(Sqlite::open_for(&empty, Opening::Move).is_err());
    assert!(std::fs::read(&empty).unwrap().is_empty());
    assert!(Sqlite::open_for(&folder.path().join("b.sqlite"), Opening::Move).is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
