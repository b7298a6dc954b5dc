//! The disk: what each address stores is counted, and those that store the most are refused before it is full.

use std::time::Duration;

use fibfob_protocol::{ChatDraft, ChatPhrase, Mark, MatchId, Opponent, RefusalReason, RequestBody};
use fibfob_server::{Bounds, Config};
use fibfob_store::Store;
use fibfob_store_sqlite::Sqlite;

use crate::fixture::{Client, TestServer};
use crate::{join, nim};

/// Connects a guest whose proxy forwards for this address.
async fn connect(server: &TestServer, name: &str, address: &str) -> Client {
    let opened = server.try_open(&[("x-forwarded-for", address)]).await;
    opened.unwrap().hello(name, None).await
}

/// A number of the metrics. The server looks at the room of its store when it is asked for them.
async fn metric(server: &TestServer, name: &str) -> f64 {
    let (_, text) = server.get("/metrics").await;
    let mut lines = text.lines();
    let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    value
        .unwrap_or_else(|| panic!("no {name}"))
        .parse()
        .unwrap()
}

#[tokio::test]
async fn the_largest_owner_begins_nothing_new_on_a_filling_disk_and_plays_on() {
    let folder = tempfile::TempDir::new().unwrap();
    let store = Store::new(Sqlite::open(&folder.path().join("matches.sqlite")).unwrap());
    let config = Config {
        trusted_proxies: vec!["127.0.0.1".parse().unwrap()],
        bounds: Bounds {
            room_looked_every: Duration::from_secs(3_600),
            ..Bounds::default()
        },
        store_quota: Some(1),
        ..Config::default()
    };
    let server = TestServer::over(store, config).await;
    let mut ada = connect(&server, "Ada", "192.0.2.1").await;
    let mut bo = connect(&server, "Bo", "192.0.2.2").await;
    let largest = async || metric(&server, "fibfob_stored_in_day_largest_bytes").await;

    let create = || RequestBody::Create(nim("3,4", Opponent::Friend));
    let made = ada.request(create()).await.unwrap();
    let (id, code): (MatchId, _) = (made.match_id.unwrap(), made.code.unwrap());
    let created = largest().await;
    assert!(created > 500.0, "a match and its row: {created}");
    bo.request(join(code)).await.unwrap();
    assert!(largest().await < created + 1.0, "Bo pays for the join");
    ada.play(id, 2, "take 1 from 1").await.unwrap();
    let moved = largest().await;
    assert!((100.0..500.0).contains(&(moved - created)), "{moved}");
    let draft = ChatDraft::Phrase(ChatPhrase::WellPlayed);
    ada.request(RequestBody::Chat { id, draft }).await.unwrap();
    let said = largest().await;
    assert!(said > moved);
    ada.query(RequestBody::DeviceCode).await;
    assert!(largest().await > said);

    let marks = |numbers: std::ops::Range<u32>| {
        let marks =
            numbers.map(|number| Mark::try_from(format!("missed/nim/xor/{number}")).unwrap());
        marks.collect::<Vec<_>>()
    };
    ada.query(progress(marks(0..100), Vec::new())).await;
    ada.query(progress(marks(100..200), Vec::new())).await;
    for _ in 0..25 {
        ada.query(progress(Vec::new(), marks(0..1))).await;
        ada.query(progress(marks(0..1), Vec::new())).await;
    }
    assert!(largest().await > 150_000.0, "a seventh of the quota");

    for refused in [create(), progress(Vec::new(), marks(0..1))] {
        let refused = ada.request(refused).await.unwrap_err();
        assert_eq!(refused.reason, RefusalReason::TooMuchStored, "{refused:?}");
        assert!(!refused.retry && refused.retry_after_ms > Some(0));
        assert!(refused.message.contains("disk"), "{refused:?}");
    }
    bo.play(id, 3, "take 1 from 2").await.unwrap();
    ada.play(id, 4, "take 1 from 1").await.unwrap();
    let mut cy = connect(&server, "Cy", "192.0.2.3").await;
    cy.request(create()).await.unwrap();
    let refused = "fibfob_refused_total{reason=\"too-much-stored\"}";
    assert!(metric(&server, refused).await > 1.0);
    server.stop().await;
}

fn progress(add: Vec<Mark>, remove: Vec<Mark>) -> RequestBody {
    RequestBody::Progress { add, remove }
}

#[tokio::test]
async fn an_address_begins_nothing_new_once_it_has_stored_its_part_of_a_day() {
    let config = Config {
        stored_per_address: 0,
        ..Config::default()
    };
    let server = TestServer::start(config).await;
    let mut ada = server.connect("Ada").await;
    let create = RequestBody::Create(nim("3,4", Opponent::Friend));
    let refused = ada.request(create).await.unwrap_err();
    assert_eq!(refused.reason, RefusalReason::TooMuchStored, "{refused:?}");
    assert!(refused.message.contains("0 MiB in a day"), "{refused:?}");
    server.stop().await;
}
