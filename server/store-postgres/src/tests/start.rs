//! What a start finds: a database, a store in it, or a reason to refuse.

use std::ops::ControlFlow;

use fibfob_store::Memory;
use fibfob_store_contract::fill;
use fibfob_test_postgres::{Database, DatabaseServer};
use tokio::time::Instant;

use super::*;

fn refusal(opened: Result<Postgres, PostgresError>) -> (FailureKind, String) {
    let error = opened.err().expect("a refusal");
    (error.kind(), error.to_string())
}

#[tokio::test]
async fn a_database_without_a_standby_is_used_only_if_that_is_allowed() {
    let database = Database::create();
    let (kind, text) = refusal(Postgres::open(&url(&database), false).await);
    assert_eq!(kind, FailureKind::Refused);
    assert!(text.contains("--allow-single-database"), "{text}");
    let engine = open(&database).await;
    let durability = engine.ready().await.unwrap();
    let room = engine.room().await.unwrap();
    assert!(room.bytes > 1_000_000 && room.free.is_none(), "{room:?}");
    assert_eq!(room.database.unwrap().disks, 1);
    assert!(
        durability.ends_with("on one database server's disk"),
        "{durability}"
    );
}

#[tokio::test]
async fn a_weaker_setting_of_the_database_does_not_weaken_the_engine() {
    let database = Database::create();
    let name = database.sql("SELECT current_database()");
    for weak in ["off", "local", "remote_write"] {
        database.sql(&format!(
            "ALTER DATABASE {} SET synchronous_commit = {weak}",
            name.trim()
        ));
        let connector = connector(&database.url());
        let link = connector.connect(&Purpose::Open).await.unwrap();
        let rows = link.client.query_one("SHOW synchronous_commit", &[]).await;
        assert_eq!(rows.unwrap().get::<_, &str>(0), "on");
    }
}

#[tokio::test]
async fn processes_that_start_at_the_same_time_make_one_store() {
    let database = Database::create();
    let (one, other) = tokio::join!(open(&database), open(&database));
    let keys = (one.server_key().await, other.server_key().await);
    assert_eq!(keys.0.unwrap(), keys.1.unwrap());
}

#[tokio::test]
async fn a_schema_of_somebody_else_is_refused_and_left_as_it_is() {
    let database = Database::create();
    database.sql("CREATE SCHEMA fibfob AUTHORIZATION fibfob");
    let (kind, text) = refusal(Postgres::open(&url(&database), true).await);
    assert_eq!(kind, FailureKind::Missing);
    assert!(text.contains("no store of fibfob-server"), "{text}");
    let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'fibfob'";
    assert_eq!(database.sql(tables).trim(), "0");
}

#[tokio::test]
async fn another_store_in_the_place_of_the_opened_one_is_not_used() {
    let database = Database::create();
    let connector = connector(&database.url());
    connector.connect(&Purpose::Open).await.unwrap();
    database.sql("DROP SCHEMA fibfob CASCADE");
    let gone = connector.connect(&Purpose::Use).await.err().unwrap();
    assert_eq!(gone.kind(), FailureKind::Missing, "and none is made");
    drop(open(&database).await);
    let replaced = connector.connect(&Purpose::Use).await.err().unwrap();
    assert!(
        replaced.to_string().contains("is not the one"),
        "{replaced}"
    );
}

#[tokio::test]
async fn a_database_without_a_connection_left_says_so() {
    let database = Database::create();
    drop(open(&database).await);
    let name = database.sql("SELECT current_database()");
    database.sql(&format!(
        "ALTER DATABASE {} CONNECTION LIMIT 0",
        name.trim()
    ));
    let refused = connector(&database.url()).connect(&Purpose::Use).await;
    assert_eq!(
        refused.err().unwrap().kind(),
        FailureKind::TooManyConnections
    );
}

#[tokio::test]
async fn a_frozen_server_delays_a_connection_and_no_more() {
    let (frozen, sound) = (DatabaseServer::primary(), DatabaseServer::primary());
    sound.create_database("games");
    frozen.freeze();
    let began = Instant::now();
    let connector = connector(&DatabaseServer::url(&[&frozen, &sound], "games"));
    connector.connect(&Purpose::Open).await.unwrap();
    assert!(began.elapsed() >= HANDSHAKE_WITHIN, "it was tried first");
    let again = Instant::now();
    connector.connect(&Purpose::Use).await.unwrap();
    assert!(
        again.elapsed() < HANDSHAKE_WITHIN,
        "the primary is remembered"
    );
    sound.stop();
    let began = Instant::now();
    let refused = connector.connect(&Purpose::Use).await.err().unwrap();
    assert_eq!(refused.kind(), FailureKind::Unreachable);
    assert!(began.elapsed() < HANDSHAKE_WITHIN * 3);
    assert!(
        refused.to_string().contains("has not answered within"),
        "{refused}"
    );
}

#[tokio::test]
async fn only_the_primary_is_used_whatever_the_order_of_the_servers() {
    let primary = DatabaseServer::primary();
    primary.create_database("games");
    let standby = primary.standby("b");
    let both = connector(&DatabaseServer::url(&[&standby, &primary], "games"));
    let link = both.connect(&Purpose::Open).await.unwrap();
    let rows = link
        .client
        .query_one("SELECT pg_is_in_recovery()", &[])
        .await;
    assert!(!rows.unwrap().get::<_, bool>(0));
    let alone = connector(&DatabaseServer::url(&[&standby], "games"));
    let refused = alone.connect(&Purpose::Use).await.err().unwrap();
    assert_eq!(refused.kind(), FailureKind::Standby);
}

#[tokio::test]
async fn a_connection_is_encrypted_for_the_authority_that_is_named() {
    let server = DatabaseServer::primary();
    server.create_database("games");
    let names = vec!["127.0.0.1".to_owned()];
    let own = rcgen::generate_simple_self_signed(names.clone()).unwrap();
    let other = rcgen::generate_simple_self_signed(names).unwrap();
    server.encrypt(&own.cert.pem(), &own.signing_key.serialize_pem());
    let folder = tempfile::TempDir::new().unwrap();
    let url = |certificate: &str, name: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, certificate).unwrap();
        let url = DatabaseServer::url(&[&server], "games");
        format!("{url}?sslmode=verify-full&sslrootcert={}", file.display())
    };
    let connector_with = |certificate: String, name| connector(&url(&certificate, name));
    let link = connector_with(own.cert.pem(), "own.pem");
    let link = link.connect(&Purpose::Open).await.unwrap();
    let sql = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    let encrypted = link.client.query_one(sql, &[]).await.unwrap();
    assert!(encrypted.get::<_, bool>(0));
    let stranger = connector_with(other.cert.pem(), "other.pem");
    let refused = stranger.connect(&Purpose::Use).await.err().unwrap();
    assert!(refused.to_string().contains("certificate"), "{refused}");
    let missing = connector(&url("nothing", "empty.pem"));
    let refused = missing.connect(&Purpose::Use).await.err().unwrap();
    let refused = refused.to_string();
    assert!(
        refused.contains("empty.pem has no certificate"),
        "{refused}"
    );
}

#[tokio::test]
async fn a_store_that_is_not_moved_to_its_end_is_refused() {
    let (database, source) = (Database::create(), Store::new(Memory::default()));
    fill(&source, 4).await;
    let key = source.server_key().await.unwrap();
    let filling = Store::new(
        Postgres::open_for(&url(&database), true, Opening::Fill(&key))
            .await
            .unwrap(),
    );
    // As after a migration that was killed in the middle.
    let (id, first, state) = new_match(1);
    let (_, mut log) = filling.open(id).await.unwrap();
    log.append(&first, Some(&index_row(&state, 1)))
        .await
        .unwrap();
    let (_, text) = refusal(Postgres::open(&url(&database), true).await);
    let checked = check_database(&url(&database), true, |_| ControlFlow::Continue(())).await;
    for text in [text, checked.unwrap_err().to_string()] {
        assert!(text.contains("has not moved all of them yet"), "{text}");
    }
    filling.filled().await.unwrap();
    drop(open(&database).await);
    filling.begin_filling().await.unwrap();
    let (_, text) = refusal(Postgres::open(&url(&database), true).await);
    assert!(text.contains("has not moved all of them yet"), "{text}");
}

#[tokio::test]
async fn a_migration_removes_no_ended_note_by_itself() {
    let database = Database::create();
    let key = open(&database).await.server_key().await.unwrap();
    database.sql(
        "INSERT INTO fibfob.note (about, kind, name, number, until, text, sum)
         VALUES (gen_random_uuid(), 4, 'a', 1, 1, '', 0)",
    );
    for opening in [Opening::Move, Opening::Fill(&key)] {
        let opened = Postgres::open_for(&url(&database), true, opening).await;
        let opened = opened.unwrap();
        // Time enough for a clean-up, which takes a few statements.
        for _ in 0..200 {
            opened.server_key().await.unwrap();
        }
        assert_eq!(database.sql("SELECT count(*) FROM fibfob.note").trim(), "1");
    }
}

#[tokio::test]
async fn a_store_in_use_that_is_named_as_the_target_of_a_move_stays_as_it_is() {
    let (another, complete) = (Database::create(), Database::create());
    let key = open(&complete).await.server_key().await.unwrap();
    fill(&Store::new(open(&complete).await), 1).await;
    drop(open(&another).await);
    for database in [another, complete] {
        let filling = Postgres::open_for(&url(&database), true, Opening::Fill(&key)).await;
        drop(filling.unwrap());
        drop(open(&database).await);
    }
}

#[tokio::test]
async fn a_start_waits_for_no_clean_up_which_removes_what_is_old() {
    let database = Database::create();
    drop(open(&database).await);
    let rows = "SELECT gen_random_uuid(), 4, 'a', number, until, repeat('x', 400), 0";
    database.sql(&format!(
        "INSERT INTO fibfob.note (about, kind, name, number, until, text, sum)
         {rows} FROM generate_series(1, 2000) AS number, (SELECT 1 AS until) AS past;
         INSERT INTO fibfob.note (about, kind, name, number, until, text, sum)
         {rows} FROM (SELECT 1 AS number, fibfob.now() + 60000 AS until) AS present"
    ));
    // Somebody else holds one of them.
    let holder = connector(&database.url());
    let holder = holder.connect(&Purpose::Use).await.unwrap();
    let held = "BEGIN; SELECT FROM fibfob.note WHERE number = 1000 FOR UPDATE";
    holder.client.batch_execute(held).await.unwrap();
    let engine = open(&database).await;
    let beat = Beat {
        server: fibfob_store::ServerId(Uuid::new_v4()),
        at: Timestamp(0),
        sign: Sign::Begins,
        is_idle: false,
        absences: None,
    };
    engine.beat(beat).await.unwrap();
    holder.client.batch_execute("COMMIT").await.unwrap();
    with_bound(async {
        while database.sql("SELECT count(*) FROM fibfob.note").trim() != "1" {
            sleep(RECOVERY_PAUSE).await;
        }
    })
    .await;
}
