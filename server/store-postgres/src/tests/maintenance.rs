//! The check of a database, and the snapshot that it reads.

use std::ops::ControlFlow;

use fibfob_store::{CheckReport, ServerId, Store, checksum};
use fibfob_store_contract::fill;
use fibfob_test_postgres::Database;

use super::*;
use crate::snapshot::{DatabaseSnapshot, StoredMatch};

const MATCHES: usize = 30;

/// A database with whole matches, and their logs.
async fn filled() -> (Database, Vec<(MatchId, Vec<Record>)>) {
    let database = Database::create();
    let logs = fill(&Store::new(open(&database).await), MATCHES).await;
    (database, logs)
}

/// Returns the lines of a check, and its counts.
async fn checked(database: &Database) -> (Vec<String>, CheckReport) {
    let mut lines = Vec::new();
    let counts = check_database(&url(database), true, |damage| {
        lines.push(damage.to_string());
        ControlFlow::Continue(())
    })
    .await
    .unwrap();
    (lines, counts)
}

#[tokio::test]
async fn a_check_reads_every_event_and_finds_nothing_where_nothing_is_damaged() {
    let (database, logs) = filled().await;
    let (lines, counts) = checked(&database).await;
    assert_eq!(lines, [""; 0]);
    assert!(counts.is_clean());
    assert_eq!(counts.matches, MATCHES as u64);
    let events: usize = logs.iter().map(|(_, log)| log.len()).sum();
    assert_eq!(counts.events, events as u64);
}

#[tokio::test]
async fn a_check_names_each_damage_of_a_match_and_reads_the_others() {
    let (database, logs) = filled().await;
    let long: Vec<_> = logs.iter().filter(|(_, log)| log.len() > 4).collect();
    let seated = "(SELECT id FROM fibfob.match WHERE joiner IS NOT NULL ORDER BY id LIMIT 1)";
    let (id, log) = long[3];
    // Right checksums, and nothing that a match could have written.
    let doubled = Record {
        version: Version(4),
        ..log[0].clone()
    };
    let doubled = stored_text(&doubled);
    let sum = checksum::of_record(*id, Version(4), &doubled);
    let of = |number: usize| long[number].0;
    let injuries = [
        (
            "is not what was written: its checksum differs",
            format!(
                "UPDATE fibfob.event SET record = record || ' ' WHERE match_id = '{}' AND version = 3",
                of(0)
            ),
        ),
        (
            "a log has version 3 where 2 belongs",
            format!(
                "DELETE FROM fibfob.event WHERE match_id = '{}' AND version = 2",
                of(1)
            ),
        ),
        (
            "it is in the index and has no log",
            format!("DELETE FROM fibfob.event WHERE match_id = '{}'", of(2)),
        ),
        (
            "the log cannot be replayed",
            format!(
                "UPDATE fibfob.event SET record = $sql${doubled}$sql$, sum = {sum} WHERE match_id = '{id}' AND version = 4"
            ),
        ),
        (
            "it has a log and is not in the index",
            format!("DELETE FROM fibfob.match WHERE id = '{}'", of(4)),
        ),
        (
            "`phase` in the index is not what the log says",
            format!(
                "UPDATE fibfob.match SET phase = 'odd' WHERE id = '{}'",
                of(5)
            ),
        ),
        (
            "`code` in the index is not what the log says",
            format!(
                "UPDATE fibfob.match SET code = 'odd' WHERE id = '{}'",
                of(6)
            ),
        ),
        (
            "the persons in the match's row are not what was written",
            format!("UPDATE fibfob.match SET joiner = id WHERE id = {seated}"),
        ),
        (
            "its row in the index cannot be read",
            format!("UPDATE fibfob.match SET lobby = '!' WHERE id = '{}'", of(7)),
        ),
    ];
    for (number, (expected, injury)) in injuries.iter().enumerate() {
        database.sql(
            "CREATE TABLE event AS TABLE fibfob.event; CREATE TABLE match AS TABLE fibfob.match",
        );
        database.sql(injury);
        let (lines, counts) = checked(&database).await;
        assert_eq!(lines.len(), 1, "{number}: {lines:?}");
        assert!(lines[0].contains(expected), "{expected}: {lines:?}");
        assert_eq!(
            (counts.matches, counts.damaged_matches),
            (MATCHES as u64, 1)
        );
        database.sql(
            "TRUNCATE fibfob.event, fibfob.match;
             INSERT INTO fibfob.event TABLE event; INSERT INTO fibfob.match TABLE match;
             DROP TABLE event, match",
        );
    }
    assert_eq!(checked(&database).await.0, [""; 0]);
}

#[tokio::test]
async fn a_check_names_each_damage_of_the_database_itself() {
    let injuries = [
        (
            "the key that signs tokens is not what was written",
            "UPDATE fibfob.store SET key = sha256(key)",
        ),
        (
            "2 notes beside the logs",
            "UPDATE fibfob.note SET text = text || ' ' WHERE about <= '00000000-0000-0000-0000-000000000002'",
        ),
        (
            "the note of the servers' running",
            "DELETE FROM fibfob.service",
        ),
        (
            "`event` is not defined",
            "ALTER TABLE fibfob.event DROP CONSTRAINT event_pkey",
        ),
        (
            "`match` is not defined",
            "ALTER TABLE fibfob.match DROP CONSTRAINT match_code_key",
        ),
        (
            "`event` is not defined",
            "ALTER TABLE fibfob.event SET UNLOGGED",
        ),
    ];
    for (expected, injury) in injuries {
        let (database, _) = filled().await;
        database.sql(injury);
        let (lines, counts) = checked(&database).await;
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(
            lines[0].starts_with("the database: ") && lines[0].contains(expected),
            "{lines:?}"
        );
        assert_eq!((counts.store_damages, counts.damaged_matches), (1, 0));
    }
}

#[tokio::test]
async fn a_check_makes_no_store_of_an_empty_database() {
    let database = Database::create();
    let url = url(&database);
    let refused = check_database(&url, true, |_| ControlFlow::Continue(()));
    let refused = refused.await.unwrap_err();
    assert!(
        refused.to_string().contains("no store of fibfob-server"),
        "{refused}"
    );
    let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'fibfob'";
    assert_eq!(database.sql(tables).trim(), "0");
}

#[tokio::test]
async fn a_database_is_unused_once_its_servers_give_no_sign_of_life() {
    let database = Database::create();
    let engine = open(&database).await;
    let mut beat = Beat {
        server: ServerId(Uuid::new_v4()),
        at: Timestamp(0),
        sign: Sign::Begins,
        is_idle: false,
        absences: None,
    };
    Engine::beat(&engine, beat.clone()).await.unwrap();
    beat.sign = Sign::Runs;
    let beating = async {
        loop {
            Engine::beat(&engine, beat.clone()).await.unwrap();
            sleep(RECOVERY_PAUSE).await;
        }
    };
    let other = open(&database).await;
    let used = tokio::select! {
        used = with_bound(other.wait_until_unused()) => used.unwrap_err(),
        () = beating => unreachable!("it beats for ever"),
    };
    assert!(matches!(used, PostgresError::InUse(1)), "{used}");
    with_bound(other.wait_until_unused()).await.unwrap();
}

#[tokio::test]
async fn a_store_to_move_from_is_not_created() {
    let database = Database::create();
    let refused = Postgres::open_for(&url(&database), true, Opening::Move).await;
    let refused = refused.err().unwrap();
    assert!(
        refused.to_string().contains("no store of fibfob-server"),
        "{refused}"
    );
    let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'fibfob'";
    assert_eq!(database.sql(tables).trim(), "0");
}

/// Returns the numbers of matches and of events.
async fn counted(snapshot: &DatabaseSnapshot) -> (usize, usize) {
    let (page, next) = snapshot.page(Uuid::nil()).await.unwrap();
    let (mut matches, mut events) = (0, 0);
    let count = |found: StoredMatch| {
        matches += 1;
        events += found.log.len();
        Ok::<_, PostgresError>(())
    };
    let place = (Uuid::nil(), next);
    snapshot.read_page(page, place, count).await.unwrap();
    (matches, events)
}

#[tokio::test]
async fn a_snapshot_is_of_the_moment_at_which_it_began() {
    let database = Database::create();
    let engine = open(&database).await;
    let (id, first, state) = new_match(1);
    let (_, mut log) = Store::new(engine.clone()).open(id).await.unwrap();
    log.append(&first, &index_row(&state, 1)).await.unwrap();
    let snapshot = DatabaseSnapshot::begin(&connector(&database.url()))
        .await
        .unwrap();
    log.append(&note(2), None).await.unwrap();
    let (other, first, state) = new_match(2);
    let (_, mut log) = Store::new(engine.clone()).open(other).await.unwrap();
    log.append(&first, &index_row(&state, 2)).await.unwrap();
    assert_eq!(counted(&snapshot).await, (1, 1));
    snapshot.renew().await.unwrap();
    assert_eq!(counted(&snapshot).await, (2, 3));
}
