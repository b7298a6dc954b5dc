//! A shutdown and a failing store, as clients see them.

use std::future::ready;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use fibfob_protocol::{
    Action, CommandId, Event, MatchId, Opponent, RefusalReason, RequestBody, Timestamp, Version,
};
use fibfob_server::{Clock, Config};
use fibfob_store::{AppendError, EngineFuture, Memory, Store};
use fibfob_store_contract::faulty::{FaultInjector, Faulty, PendingAppend};
use fibfob_store_sqlite::Sqlite;
use tokio_tungstenite::tungstenite::{Bytes, Message};

use crate::fixture::{Received, TestServer};
use crate::{join, nim};

#[tokio::test]
async fn a_shutdown_notifies_all_clients_and_ends() {
    let server = TestServer::start(Config::default()).await;
    let mut ada = server.connect("Ada").await;
    server.shut_down();
    let goodbye = ada.goodbye().await;
    assert!(goodbye.retry_after_ms.is_some());
    assert_eq!(ada.closed().await, 1012);
    server.stop().await;
}

/// A command that is pending at the shutdown is finished and answered before the connection closes.
#[tokio::test]
async fn a_shutdown_finishes_pending_commands() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("matches.sqlite");
    let server =
        TestServer::over(Store::new(Sqlite::open(&file).unwrap()), Config::default()).await;
    let mut ada = server.connect("Ada").await;
    // Whoever else writes to the file keeps the server's writer waiting.
    let other = rusqlite::Connection::open(&file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let id = CommandId::fresh();
    ada.send_request(id.clone(), RequestBody::Create(nim("1", Opponent::Open)))
        .await;
    // Messages are read in order: after the pong, the request before it has been taken.
    ada.send(Message::Ping(Bytes::new())).await;
    assert!(matches!(ada.receive().await, Received::Pong));
    server.shut_down();
    ada.goodbye().await;
    let late = ada
        .request(RequestBody::Lobby {
            watch: false,
            page: 0,
        })
        .await
        .unwrap_err();
    assert_eq!(
        (late.reason, late.retry),
        (RefusalReason::ShuttingDown, true)
    );
    other.execute_batch("ROLLBACK").unwrap();
    let made = ada.answer_to(&id).await.unwrap();
    assert_eq!(made.version, Some(Version(1)));
    assert_eq!(ada.closed().await, 1012);
    server.stop().await;
}

#[tokio::test]
async fn a_failing_store_refuses_commands_and_loses_no_event() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("matches.sqlite");
    let server =
        TestServer::over(Store::new(Sqlite::open(&file).unwrap()), Config::default()).await;
    let (mut ada, mut bo) = (server.connect("Ada").await, server.connect("Bo").await);
    let made = ada
        .request(RequestBody::Create(nim("1,2", Opponent::Open)))
        .await
        .unwrap();
    let (id, code) = (made.match_id.unwrap(), made.code.unwrap());
    bo.request(join(code)).await.unwrap();
    let mut eve = server.connect("Eve").await;
    let watch = RequestBody::Spectate {
        code: code.to_string(),
    };
    eve.request(watch).await.unwrap();

    // Somebody locks the file for longer than the server waits.
    let other = rusqlite::Connection::open(&file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let (command, text) = (CommandId::fresh(), "take 1 from 2".to_owned());
    let expecting = Version(2);
    let play = RequestBody::Act {
        id,
        action: Action::Play { expecting, text },
    };
    let refused = ada
        .request_as(command.clone(), play.clone())
        .await
        .unwrap_err();
    assert_eq!(
        (refused.reason, refused.retry),
        (RefusalReason::Unavailable, true)
    );
    other.execute_batch("ROLLBACK").unwrap();

    let played = ada.request_as(command, play).await.unwrap();
    assert_eq!(played.version, Some(Version(3)));
    bo.play(id, 3, "take 1 from 1").await.unwrap();
    // Everybody has followed on, each event once, without having asked for anything.
    for viewer in [&mut ada, &mut bo, &mut eve] {
        for version in 1..=4 {
            viewer.frame(version).await;
        }
    }
    server.stop().await;
}

#[tokio::test]
async fn a_clock_that_was_set_back_does_not_reorder_the_log_of_a_player_who_is_forgotten() {
    let now = Arc::new(AtomicU64::new(1_000_000_000_000));
    let read = Arc::clone(&now);
    let clock = Clock::from_fn(move || Timestamp(read.load(Ordering::SeqCst)));
    let store = Store::new(Memory::default());
    let config = Config {
        clock,
        ..Config::default()
    };
    let server = TestServer::over(store.clone(), config).await;
    let (mut ada, mut bo) = (server.connect("Ada").await, server.connect("Bo").await);
    let made = ada.request(RequestBody::Create(nim("3,4", Opponent::Open)));
    let made = made.await.unwrap();
    bo.request(join(made.code.unwrap())).await.unwrap();
    now.fetch_sub(3_600_000, Ordering::SeqCst);
    let guest = bo.guest();
    bo.request(RequestBody::ForgetMe { guest }).await.unwrap();
    let ended = ada.frame(3).await.timed.event;
    assert!(matches!(ended, Event::Resigned { .. }), "{ended:?}");
    let (records, _) = store.open(made.match_id.unwrap()).await.unwrap();
    assert!(records.is_sorted_by_key(|record| record.at), "{records:#?}");
    server.stop().await;
}

/// Refuses every event of one match, as soon as it is named.
#[derive(Clone, Default)]
struct Refused(Arc<OnceLock<MatchId>>);

impl FaultInjector for Refused {
    fn append(&self, append: PendingAppend) -> EngineFuture<'static, (), AppendError> {
        match self.0.get() == Some(&append.id) {
            true => Box::pin(ready(Err(AppendError::Unknown))),
            false => Box::pin(append.store()),
        }
    }
}

#[tokio::test]
async fn a_match_that_cannot_end_keeps_no_other_match_of_a_forgotten_player() {
    let refused = Refused::default();
    let store = Store::new(Faulty::new(Memory::default(), refused.clone()));
    let now = AtomicU64::new(1_000_000_000_000);
    let config = Config {
        clock: Clock::from_fn(move || Timestamp(now.fetch_add(1, Ordering::SeqCst))),
        ..Config::default()
    };
    let server = TestServer::over(store, config).await;
    let (mut ada, mut bo) = (server.connect("Ada").await, server.connect("Bo").await);
    let mut ids = Vec::new();
    for _ in 0..2 {
        let made = ada.request(RequestBody::Create(nim("3,4", Opponent::Open)));
        let made = made.await.unwrap();
        bo.request(join(made.code.unwrap())).await.unwrap();
        ids.push(made.match_id.unwrap());
    }
    // The newest one comes first.
    refused.0.set(ids[1]).unwrap();
    let guest = bo.guest();
    bo.request(RequestBody::ForgetMe { guest }).await.unwrap();
    let ended = ada.frame_of(ids[0], 3).await.timed.event;
    assert!(matches!(ended, Event::Resigned { .. }), "{ended:?}");
    server.stop().await;
}
