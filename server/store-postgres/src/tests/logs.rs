//! Logs under writers that err, and under damage.

use fibfob_store::{CarriedRecord, DataError, Head, Hint};
use fibfob_test_postgres::Database;
use futures_util::stream::StreamExt;

use super::*;

#[tokio::test]
async fn a_writer_that_errs_about_the_end_of_a_log_leaves_no_gap() {
    let database = Database::create();
    let engine = open(&database).await;
    let (id, first, state) = new_match(1);
    let row = index_row(&state, 1);
    for wrong in [2, 5] {
        let appended = engine.append(id, &note(wrong), Some(&row)).await;
        assert_eq!(appended, Err(AppendError::Conflict), "no match yet");
    }
    engine.append(id, &first, Some(&row)).await.unwrap();
    for wrong in [1, 3, 5] {
        let appended = engine.append(id, &note(wrong), Some(&row)).await;
        assert_eq!(appended, Err(AppendError::Conflict), "{wrong}");
    }
    engine.append(id, &note(2), None).await.unwrap();
    let (records, _) = Store::new(engine.clone()).open(id).await.unwrap();
    assert_eq!(records, [first, note(2)]);
}

#[tokio::test]
async fn changed_or_missing_log_rows_are_reported_as_damage() {
    let database = Database::create();
    let engine = open(&database).await;
    let (id, first, state) = new_match(1);
    let (_, mut log) = Store::new(engine.clone()).open(id).await.unwrap();
    log.append(&first, &index_row(&state, 1)).await.unwrap();
    for version in 2..5 {
        log.append(&note(version), None).await.unwrap();
    }
    database.sql("UPDATE fibfob.event SET record = record || ' ' WHERE version = 3");
    let damage = Store::new(engine.clone()).open(id).await.err().unwrap();
    assert!(matches!(
        damage,
        StoreError::Data(DataError::Altered(Version(3)))
    ));
    database.sql("DELETE FROM fibfob.event WHERE version = 3");
    let damage = Store::new(engine.clone()).open(id).await.err().unwrap();
    assert!(matches!(damage, StoreError::Data(DataError::Gap { .. })));
    database.sql("UPDATE fibfob.store SET key = sha256(key)");
    assert!(engine.server_key().await.unwrap_err().is_damage());
}

#[tokio::test]
async fn no_event_names_a_person_and_altered_persons_of_a_row_are_recognised() {
    let database = Database::create();
    let store = Store::new(open(&database).await);
    let (id, first, mut state) = new_match(1);
    let (_, mut log) = store.open(id).await.unwrap();
    log.append(&first, &index_row(&state, 1)).await.unwrap();
    let second = joined(&mut state, 2);
    log.append(&second, &index_row(&state, 1)).await.unwrap();
    let stored =
        database.sql("SELECT record FROM fibfob.event UNION SELECT lobby FROM fibfob.match");
    assert_eq!(stored.matches(r#"{"kind":"human"}"#).count(), 4, "{stored}");
    for person in index_row(&state, 1).seated {
        let (guest, name) = person.player.guest().unwrap();
        assert!(!stored.contains(&guest.to_string()), "{stored}");
        assert!(!stored.contains(name.as_str()), "{stored}");
    }
    assert_eq!(store.open(id).await.unwrap().0, [first, second]);
    database.sql("UPDATE fibfob.match SET creator_name = 'Bo'");
    let altered = |error| matches!(error, Some(StoreError::Data(DataError::AlteredPersons)));
    assert!(altered(store.open(id).await.err()));
    assert!(altered(store.lobby_rows(9).await.err()));
}

#[tokio::test]
async fn an_append_waits_for_no_sequential_scan() {
    let database = Database::create();
    let engine = open(&database).await;
    // Statistics of empty tables, and logs that grow without new ones.
    database.sql("ANALYZE fibfob.match; ANALYZE fibfob.event");
    let (id, first, state) = new_match(1);
    let (_, mut log) = Store::new(engine.clone()).open(id).await.unwrap();
    log.append(&first, &index_row(&state, 1)).await.unwrap();
    for version in 2..20 {
        log.append(&note(version), &index_row(&state, 1))
            .await
            .unwrap();
    }
    engine.heads(vec![id]).await.unwrap();
    Store::new(engine.clone()).open(id).await.unwrap();
    drop((engine, log));
    let scans = "SELECT sum(seq_scan) FROM pg_stat_user_tables
                 WHERE relname IN ('match', 'event')";
    // ANALYZE counts none; the statistics are written when a connection ends.
    assert_eq!(database.sql(scans).trim(), "0");
}

#[tokio::test]
async fn hints_reach_the_other_engines_and_a_lost_one_is_found_by_the_heads() {
    let database = Database::create();
    let engines = [open(&database).await, open(&database).await];
    let (id, first, state) = new_match(1);
    let (_, mut log) = Store::new(engines[0].clone()).open(id).await.unwrap();
    log.append(&first, &index_row(&state, 1)).await.unwrap();
    let (mut own, mut others) = (engines[0].hints(), engines[1].hints());
    let head = Head {
        id,
        version: Version(1),
    };
    let hint = Hint::Log(head, Some(CarriedRecord::of(&first)), Vec::new());
    // Until both listen, hints are lost.
    let heard = async {
        loop {
            engines[0].hint(hint.clone());
            let next = tokio::time::timeout(RECOVERY_PAUSE, others.next()).await;
            if let Ok(next) = next {
                return next;
            }
        }
    };
    assert_eq!(with_bound(heard).await, Some(hint));
    let silence = tokio::time::timeout(RECOVERY_PAUSE, own.next()).await;
    assert!(silence.is_err(), "nobody hints to itself");
    let unknown = MatchId(Uuid::new_v4());
    let heads = engines[1].heads(vec![id, unknown]).await;
    assert_eq!(heads.unwrap(), [(head, 0)]);
}
