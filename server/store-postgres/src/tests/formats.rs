//! What other versions of the server have written: it is refused by name, and left as it is.

use std::ops::ControlFlow;

use fibfob_store::{DataError, Store, checksum};
use fibfob_test_postgres::Database;

use super::*;

/// Everything that is stored.
fn content(database: &Database) -> String {
    let tables = ["store", "match", "event", "note", "service", "server"];
    let rows = tables.map(|table| database.sql(&format!("TABLE fibfob.{table}")));
    rows.join("\n")
}

async fn with_one_match(database: &Database) -> MatchId {
    let engine = open(database).await;
    let (id, first, state) = new_match(1);
    let (_, mut log) = Store::new(engine.clone()).open(id).await.unwrap();
    log.append(&first, &index_row(&state, 1)).await.unwrap();
    log.append(&note(2), None).await.unwrap();
    id
}

#[tokio::test]
async fn a_newer_format_is_refused_unchanged() {
    let database = Database::create();
    with_one_match(&database).await;
    database.sql("UPDATE fibfob.store SET format = format + 1");
    let (before, url) = (content(&database), url(&database));
    let opened = Postgres::open(&url, true).await.err().unwrap();
    assert_eq!(opened.kind(), FailureKind::Missing);
    let checked = check_database(&url, true, |_| ControlFlow::Continue(())).await;
    for error in [opened.to_string(), checked.unwrap_err().to_string()] {
        assert!(error.contains("has format 2"), "{error}");
        assert!(error.contains("use a newer server"), "{error}");
    }
    assert_eq!(content(&database), before);
}

#[tokio::test]
async fn an_event_of_a_newer_kind_is_refused_by_name_and_kept() {
    let database = Database::create();
    let id = with_one_match(&database).await;
    let text = database.sql("SELECT record FROM fibfob.event WHERE version = 2");
    let newer = text.trim().replace("resigned", "conjured");
    let sum = checksum::of_record(id, Version(2), &newer);
    database.sql(&format!(
        "UPDATE fibfob.event SET record = $sql${newer}$sql$, sum = {sum} WHERE version = 2"
    ));
    let (before, url) = (content(&database), url(&database));
    let engine = open(&database).await;
    let refused = Store::new(engine.clone()).open(id).await.err().unwrap();
    let named = |error: &StoreError| match error {
        StoreError::Data(DataError::NewerEvent { version, event }) => {
            *version == Version(2) && event == "conjured"
        }
        _ => false,
    };
    assert!(named(&refused), "{refused}");
    assert!(!refused.is_damage(), "a newer server can read it");
    assert!(
        refused.to_string().contains("use a newer server"),
        "{refused}"
    );
    let mut lines = Vec::new();
    let report = check_database(&url, true, |damage| {
        lines.push(damage.to_string());
        ControlFlow::Continue(())
    });
    assert_eq!(report.await.unwrap().damaged_matches, 1);
    assert!(lines[0].contains("an event `conjured`"), "{lines:?}");
    assert_eq!(content(&database), before);
}
