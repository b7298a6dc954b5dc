//! What was altered in a file is recognised, and named by `check`.

use fibfob_protocol::GuestId;
use fibfob_store::DataError;
use fibfob_store::identity::TokenStamp;
use fibfob_store_contract::resigned;

use super::*;
use crate::check::check_file;

#[tokio::test]
async fn a_changed_record_is_recognised_by_its_checksum() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.sqlite");
    let (store, id) = store_with_one_match(&path).await;
    let other = Connection::open(&path).unwrap();
    let changed = other.execute(
        "UPDATE log SET record = replace(record, '\"at\":8', '\"at\":9')",
        [],
    );
    assert_eq!(changed.unwrap(), 2);
    let error = store.open(id).await.err().unwrap();
    assert!(error.is_damage());
    assert!(matches!(error, StoreError::Data(DataError::Altered(version)) if version.0 == 2));
}

#[tokio::test]
async fn no_record_names_a_person_and_altered_persons_of_a_row_are_recognised() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.sqlite");
    let store = Store::new(Sqlite::open(&path).unwrap());
    let (id, first, mut state) = new_match(7);
    let (_, mut log) = store.open(id).await.unwrap();
    log.append(&first, &index_row(&state, 7)).await.unwrap();
    let second = joined(&mut state, 8);
    log.append(&second, &index_row(&state, 7)).await.unwrap();
    let other = Connection::open(&path).unwrap();
    let sql = "SELECT group_concat(record) || (SELECT lobby FROM match) FROM log";
    let stored: String = other.query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(stored.matches(r#"{"kind":"human"}"#).count(), 4, "{stored}");
    for person in index_row(&state, 7).seated {
        let (guest, name) = person.player.guest().unwrap();
        assert!(!stored.contains(&guest.to_string()), "{stored}");
        assert!(!stored.contains(name.as_str()), "{stored}");
    }
    assert_eq!(store.open(id).await.unwrap().0, [first, second]);
    let changed = other.execute("UPDATE match SET creator_name = 'Bo'", ());
    assert_eq!(changed.unwrap(), 1);
    let altered = |error| matches!(error, Some(StoreError::Data(DataError::AlteredPersons)));
    assert!(altered(store.open(id).await.err()));
    assert!(altered(store.lobby_rows(9).await.err()));
    let named = named(&path);
    assert!(
        named[0].contains("the persons in the match's row"),
        "{named:?}"
    );
}

#[tokio::test]
async fn a_changed_stamp_of_a_guest_is_recognised_and_costs_nobody_else_anything() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.sqlite");
    let store = Store::new(Sqlite::open(&path).unwrap());
    let (ada, bo) = (GuestId::fresh(), GuestId::fresh());
    let stamp = TokenStamp::default().next(&mut rand::rng());
    store.renew_token(ada, stamp).await.unwrap();
    assert_eq!(named(&path), [""; 0]);
    let other = Connection::open(&path).unwrap();
    let changed = other.execute("UPDATE note SET text = text || ' '", ());
    assert_eq!(changed.unwrap(), 1);
    let read = store.token_stamp(ada).await;
    assert!(read.is_err_and(|error| error.is_damage()));
    let renewed = store.renew_token(ada, stamp.next(&mut rand::rng())).await;
    assert_eq!(renewed, Err(AppendError::Unknown));
    store.renew_token(bo, stamp).await.unwrap();
    store.ready().await.unwrap();
    let named = named(&path);
    assert!(named[0].contains("1 notes"), "{named:?}");
}

/// The damages that `check` names.
pub(super) fn named(path: &Path) -> Vec<String> {
    let mut named = Vec::new();
    check_file(path, |damage| {
        named.push(damage.to_string());
        std::ops::ControlFlow::Continue(())
    })
    .unwrap();
    named
}

#[tokio::test]
async fn check_names_another_key_a_cut_log_and_absent_checksums() {
    let of_another = {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("b.sqlite");
        drop(Sqlite::open(&path).unwrap());
        let other = Connection::open(&path).unwrap();
        let sql = "SELECT key, sum FROM server_key";
        let row = other.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)));
        row.unwrap()
    };
    let (key, sum): (Vec<u8>, i64) = of_another;
    let absent = "PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = replace(sql, 'sum INTEGER NOT NULL', 'sum INTEGER');
        PRAGMA writable_schema = RESET;";
    // Each with what `check` says of it: the first match is in the log, the second one packed.
    type Injury = Box<dyn Fn(&Connection)>;
    let sql = |sql: &'static str| -> Injury {
        Box::new(move |store: &Connection| store.execute_batch(sql).unwrap())
    };
    let cases: [(&str, Injury); 13] = [
        (
            "not the one that the store was made with",
            Box::new(move |store| {
                let sql = "UPDATE server_key SET key = ?1, sum = ?2";
                store.execute(sql, (&key, sum)).unwrap();
            }),
        ),
        (
            "`log` is not defined",
            Box::new(move |store| {
                store.execute_batch(absent).unwrap();
                store.execute_batch("UPDATE log SET sum = NULL").unwrap();
            }),
        ),
        (
            "`packed` is not defined",
            Box::new(move |store| {
                store.execute_batch(absent).unwrap();
                store.execute_batch("UPDATE packed SET sum = NULL").unwrap();
            }),
        ),
        (
            "1 of the log's rows are missing",
            sql("DELETE FROM log WHERE seq = (SELECT max(seq) FROM log)"),
        ),
        (
            "1 of the log's rows are missing",
            sql("DELETE FROM log WHERE seq = (SELECT min(seq) FROM log)"),
        ),
        (
            "a log has version 2 where 1 belongs",
            sql("DELETE FROM log WHERE seq = (SELECT min(seq) FROM log)"),
        ),
        (
            "events may be missing at its end",
            sql("DELETE FROM log WHERE seq = (SELECT max(seq) FROM log);
                UPDATE span SET rows = rows - 1"),
        ),
        (
            "events may be missing at its end",
            sql("UPDATE log SET seq = seq + 1 WHERE seq = (SELECT max(seq) FROM log)"),
        ),
        (
            "the record of version 2 is not what was written",
            sql("UPDATE log SET record = record || ' ' WHERE version = 2"),
        ),
        (
            "the packed records are not what was written",
            sql("UPDATE packed SET records = zeroblob(9)"),
        ),
        (
            "it is in the index and has no log",
            sql("DELETE FROM packed"),
        ),
        (
            "it has records in the log and packed ones",
            sql("INSERT INTO packed SELECT 1, events, records, sum FROM packed"),
        ),
        (
            "3 of the log's rows, single or packed, are of no match in the index",
            sql("DELETE FROM match"),
        ),
    ];
    let made = TempDir::new().unwrap();
    let made = made.path().join("a.sqlite");
    let (store, _) = store_with_one_match(&made).await;
    let (id, first, mut state) = new_match(9);
    let (_, mut log) = store.open(id).await.unwrap();
    log.append(&first, &index_row(&state, 9)).await.unwrap();
    let over = joined(&mut state, 10);
    log.append(&over, &index_row(&state, 9)).await.unwrap();
    let over = resigned(&mut state, 11);
    log.append(&over, &index_row(&state, 9)).await.unwrap();
    drop((store, log));
    assert_eq!((count(&made, "log"), count(&made, "packed")), (2, 1));
    for (expected, damage) in cases {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("a.sqlite");
        fs::copy(&made, &file).unwrap();
        assert_eq!(named(&file), [""; 0]);
        damage(&Connection::open(&file).unwrap());
        let named = named(&file).join("; ");
        assert!(named.contains(expected), "{expected}: {named}");
    }
}
