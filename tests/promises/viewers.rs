//! Every viewer sees the same events in the same order without a gap.

use fibfob_protocol::{RequestBody, Seat, ServerMessage, Version};
use fibfob_tests::{Server, TestClient, WORKED_EXAMPLE, match_setup, with_timeout};

use crate::play::{Hand, play_out};

#[tokio::test]
async fn early_and_late_spectators_and_a_returning_player_have_the_same_events() {
    let server = Server::start().await;
    let mut ada = TestClient::connect(&server, "Ada").await;
    let mut bo = TestClient::connect(&server, "Bo").await;
    let (id, code) = ada.create(match_setup("fib-fob", WORKED_EXAMPLE)).await;
    let mut early = TestClient::connect(&server, "Early").await;
    early.spectate(code).await;
    bo.join(code).await;

    let mut hand = Hand::perfect(3);
    for _ in 0..2 {
        for (client, seat) in [(&mut ada, Seat::Creator), (&mut bo, Seat::Joiner)] {
            let frame = client.turn_of(id, seat).await.expect("in play");
            client.play(id, &hand.choose(&frame)).await.expect("a move");
        }
    }
    let mut late = TestClient::connect(&server, "Late").await;
    late.spectate(code).await;

    // Ada's line breaks, Bo hears nothing of it, and she comes back as herself.
    let since = ada.newest[&id].timed.version;
    ada.reconnect(&server).await;
    let resumed = ada
        .request(RequestBody::Resume { id, since })
        .await
        .expect("her seat");
    assert_eq!(resumed.seat, Some(Seat::Creator));

    let mut hands = (Hand::random(4), Hand::random(5));
    let (winner, same) = tokio::join!(
        play_out(&mut ada, id, Seat::Creator, &mut hands.0),
        play_out(&mut bo, id, Seat::Joiner, &mut hands.1),
    );
    assert_eq!(winner, same);
    let mut latest = TestClient::connect(&server, "Latest").await;
    latest.spectate(code).await;

    let told = ada.events(id);
    assert!(told.len() > 6);
    for viewer in [&mut bo, &mut early, &mut late, &mut latest] {
        assert_eq!(viewer.winner(id).await, winner);
        assert_eq!(viewer.events(id), told);
    }
}

#[tokio::test]
async fn resume_sends_the_later_events_and_nothing_twice() {
    let server = Server::start().await;
    let mut ada = TestClient::connect(&server, "Ada").await;
    let mut bo = TestClient::connect(&server, "Bo").await;
    let (id, code) = ada.create(match_setup("nim", "3,4,5")).await;
    bo.join(code).await;
    ada.turn_of(id, Seat::Creator).await;
    ada.play(id, "take 2 from 1").await.expect("a move");

    let mut again = TestClient::connect(&server, "Again").await;
    let accepted = again
        .request(RequestBody::Resume {
            id,
            since: Version(2),
        })
        .await
        .expect("a view");
    assert_eq!((accepted.seat, accepted.version), (None, Some(Version(3))));
    again.until(id, "the newest frame", |_| true).await;
    let seen: Vec<_> = again.seen[&id].keys().copied().collect();
    assert_eq!(seen, [Version(3)]);
}

#[tokio::test]
async fn a_viewer_far_behind_gets_one_snapshot_with_every_event() {
    let server = Server::start_with(&["--snapshot-after", "3"]).await;
    let mut ada = TestClient::connect(&server, "Ada").await;
    let mut bo = TestClient::connect(&server, "Bo").await;
    let (id, code) = ada.create(match_setup("nim", "3,4,5")).await;
    bo.join(code).await;
    let mut hands = (Hand::random(6), Hand::random(7));
    tokio::join!(
        play_out(&mut ada, id, Seat::Creator, &mut hands.0),
        play_out(&mut bo, id, Seat::Joiner, &mut hands.1),
    );
    let mut late = TestClient::connect(&server, "Late").await;
    late.spectate(code).await;
    let told = ada.events(id);
    assert!(told.len() > 4);
    if !late.newest.contains_key(&id) {
        let snapshot = with_timeout("a snapshot", async {
            loop {
                match late.receive().await.expect("the connection lasts") {
                    ServerMessage::Snapshot(snapshot) => break snapshot,
                    ServerMessage::Frame(frame) => panic!("a frame came instead: {frame:?}"),
                    _ => {}
                }
            }
        })
        .await;
        assert_eq!(snapshot.events.len(), told.len());
    }
    assert_eq!(late.events(id), told);
}

#[tokio::test]
async fn presence_lists_the_connected_players() {
    let server = Server::start().await;
    let mut ada = TestClient::connect(&server, "Ada").await;
    let mut bo = TestClient::connect(&server, "Bo").await;
    let (_, code) = ada.create(match_setup("nim", "3,4,5")).await;
    bo.join(code).await;
    let mut eve = TestClient::connect(&server, "Eve").await;
    eve.spectate(code).await;
    expect_presence(&mut ada, &[Seat::Creator, Seat::Joiner], 1).await;
    drop(eve);
    expect_presence(&mut ada, &[Seat::Creator, Seat::Joiner], 0).await;
    drop(bo);
    expect_presence(&mut ada, &[Seat::Creator], 0).await;
}

async fn expect_presence(client: &mut TestClient, connected: &[Seat], spectators: usize) {
    with_timeout("that presence", async {
        loop {
            let heard = client.receive().await.expect("the connection lasts");
            if let ServerMessage::Presence(presence) = heard
                && presence.connected == connected
                && presence.spectators == spectators
            {
                break;
            }
        }
    })
    .await;
}
