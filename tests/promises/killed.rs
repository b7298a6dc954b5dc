//! Kills while one command, a bot's turn or a shutdown is under way;
//! `crash_test.rs` has many kills at once.

use fibfob_protocol::{Action, CommandId, RequestBody, Seat, Version};
use fibfob_tests::{Server, TestClient, again, match_setup};

#[tokio::test]
async fn a_command_resent_after_a_kill_gets_its_first_answer() {
    let mut server = Server::start().await;
    let mut ada = TestClient::connect(&server, "Ada").await;
    let mut bo = TestClient::connect(&server, "Bo").await;
    let create = (
        CommandId::fresh(),
        RequestBody::Create(match_setup("nim", "3,4,5")),
    );
    let created = ada
        .try_request(create.0.clone(), create.1.clone())
        .await
        .unwrap()
        .unwrap();
    let (id, code) = (created.match_id.unwrap(), created.code.unwrap().to_string());
    let join = (CommandId::fresh(), RequestBody::Join { code });
    let joined = bo
        .try_request(join.0.clone(), join.1.clone())
        .await
        .unwrap()
        .unwrap();
    ada.turn_of(id, Seat::Creator).await;
    let play = (
        CommandId::fresh(),
        RequestBody::Act {
            id,
            action: Action::Play {
                expecting: Version(2),
                text: "take 2 from 1".to_owned(),
            },
        },
    );
    let played = ada
        .try_request(play.0.clone(), play.1.clone())
        .await
        .unwrap()
        .unwrap();

    server.kill().await;
    server.restart().await;
    ada.reconnect(&server).await;
    bo.reconnect(&server).await;
    assert_eq!(
        ada.try_request(create.0, create.1).await.unwrap().unwrap(),
        again(created)
    );
    assert_eq!(
        bo.try_request(join.0, join.1).await.unwrap().unwrap(),
        again(joined)
    );
    assert_eq!(
        ada.try_request(play.0, play.1).await.unwrap().unwrap(),
        again(played)
    );
    bo.turn_of(id, Seat::Joiner).await.expect("Bo is to move");
    assert_eq!(bo.newest[&id].timed.version, Version(3));
    bo.play(id, "take 4 from 2")
        .await
        .expect("the game continues");
}

#[tokio::test]
async fn a_bot_moves_after_a_kill_on_its_turn() {
    let mut server = Server::start_with(&["--bot-pause", "1m"]).await;
    let mut ada = TestClient::connect(&server, "Ada").await;
    let wanted =
        fibfob_tests::against_bot(fibfob_games::Level::Perfect, match_setup("nim", "3,4,5"));
    let (id, _) = ada.create(wanted).await;
    ada.turn_of(id, Seat::Creator).await;
    ada.play(id, "take 1 from 1").await.expect("a move");
    server.kill().await;
    server.set_options(&[]);
    server.restart().await;
    ada.reconnect(&server).await;
    let since = Version(0);
    ada.request(RequestBody::Resume { id, since })
        .await
        .expect("her seat");
    ada.until(id, "the bot's move", |frame| frame.state.plies == 2)
        .await;
}

#[tokio::test]
async fn a_terminated_server_says_goodbye_and_restarts_with_everything() {
    let mut server = Server::start().await;
    let mut ada = TestClient::connect(&server, "Ada").await;
    let (id, code) = ada.create(match_setup("nim", "3,4,5")).await;
    assert!(server.get("/healthz").await.is_ok());
    assert!(server.get("/readyz").await.is_ok());
    assert_eq!(server.terminate().await, Some(0));
    let mut said_goodbye = false;
    while let Ok(message) = ada.receive().await {
        if let fibfob_protocol::ServerMessage::Goodbye(goodbye) = message {
            said_goodbye = goodbye.retry_after_ms.is_some();
        }
    }
    assert!(said_goodbye);
    server.restart().await;
    let mut bo = TestClient::connect(&server, "Bo").await;
    assert_eq!(bo.join(code).await, id);
}
