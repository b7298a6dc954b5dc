//! A shutdown and a store in trouble, as clients see them.

use fibfob_protocol::{Action, CommandId, Opponent, RefusalReason, RequestBody, Version};
use fibfob_server::{Config, Store};
use tokio_tungstenite::tungstenite::{Bytes, Message};

use crate::bench::{Bench, Heard};
use crate::{join, nim};

#[tokio::test]
async fn a_shutdown_tells_everybody_and_ends() {
    let bench = Bench::start(Config::default()).await;
    let mut ada = bench.connect("Ada").await;
    bench.shut_down();
    let goodbye = ada.goodbye().await;
    assert!(goodbye.retry_after_ms.is_some());
    assert_eq!(ada.closed().await, 1012);
    bench.stop().await;
}

/// What was begun before the shutdown is finished, and answered, before the line is closed.
#[tokio::test]
async fn a_command_in_hand_is_finished() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("matches.sqlite");
    let bench = Bench::over(Store::sqlite(&file).unwrap(), Config::default()).await;
    let mut ada = bench.connect("Ada").await;
    // Whoever else writes to the file keeps the server's writer waiting.
    let other = rusqlite::Connection::open(&file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let id = CommandId::fresh();
    ada.request(id.clone(), RequestBody::Create(nim("1", Opponent::Open)))
        .await;
    // Messages are read in order: after the pong, the request before it has been taken.
    ada.send(Message::Ping(Bytes::new())).await;
    assert!(matches!(ada.hear().await, Heard::Pong));
    bench.shut_down();
    ada.goodbye().await;
    let late = ada
        .ask(RequestBody::Lobby { watch: false })
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
    bench.stop().await;
}

#[tokio::test]
async fn a_store_in_trouble_costs_an_answer_and_no_event() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("matches.sqlite");
    let bench = Bench::over(Store::sqlite(&file).unwrap(), Config::default()).await;
    let (mut ada, mut bo) = (bench.connect("Ada").await, bench.connect("Bo").await);
    let made = ada
        .ask(RequestBody::Create(nim("1,2", Opponent::Open)))
        .await
        .unwrap();
    let (id, code) = (made.match_id.unwrap(), made.code.unwrap());
    bo.ask(join(code)).await.unwrap();
    let mut eve = bench.connect("Eve").await;
    let watch = RequestBody::Spectate {
        code: code.to_string(),
    };
    eve.ask(watch).await.unwrap();

    // Somebody locks the file for longer than the server waits.
    let other = rusqlite::Connection::open(&file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let (command, text) = (CommandId::fresh(), "take 1 from 2".to_owned());
    let expecting = Version(2);
    let play = RequestBody::Act {
        id,
        action: Action::Play { expecting, text },
    };
    let refused = ada.ask_as(command.clone(), play.clone()).await.unwrap_err();
    assert_eq!(
        (refused.reason, refused.retry),
        (RefusalReason::Unavailable, true)
    );
    other.execute_batch("ROLLBACK").unwrap();

    let played = ada.ask_as(command, play).await.unwrap();
    assert_eq!(played.version, Some(Version(3)));
    bo.play(id, 3, "take 1 from 1").await.unwrap();
    // Everybody has followed on, each event once, without having asked for anything.
    for viewer in [&mut ada, &mut bo, &mut eve] {
        for version in 1..=4 {
            viewer.frame(version).await;
        }
    }
    bench.stop().await;
}
