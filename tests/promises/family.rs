//! Every game is playable, in the terminal and between clients.

use fibfob_games::GameId;
use fibfob_protocol::Seat;
use fibfob_tests::{Server, Terminal, TestClient, match_setup};
use serde_json::Value;

use crate::json_lines::{JsonView, moves};
use crate::play::{Hand, play_out, position_of};

#[tokio::test]
async fn every_game_is_played_against_the_bot_in_a_terminal_to_a_legal_end() {
    let server = Server::start().await;
    for &game in GameId::ALL {
        let id = game.id();
        let words = [
            "play",
            "--game",
            id,
            "--bot",
            "perfect",
            "--auto=random",
            "--json",
        ];
        let played = Terminal::start(&server, &words).wait_for_end().await;
        assert_eq!(played.code, Some(0), "{game}: {played:?}");
        let last = JsonView::after(&played.lines).state;
        let start = last["start"].as_str().unwrap();
        let mut position = game.read(start).unwrap();
        for (_, text) in moves(&played.lines) {
            position = position.play(&position.read_move(&text).unwrap()).unwrap();
        }
        assert!(position.is_terminal(), "{game}");
        assert_eq!(last["position"], position.to_string(), "{game}");
        assert_eq!(last["reason"], "no-move-left", "{game}");
    }
}

#[tokio::test]
async fn two_players_play_a_sum_of_three_games_and_a_spectator_sees_it() {
    const SUM: &str = "nim 3,4 + kayles xxx + fib-fob c2@2 time=3 nuggets=2 fib=2 fob=1";
    let server = Server::start().await;
    let mut ada = TestClient::connect(&server, "Ada").await;
    let mut bo = TestClient::connect(&server, "Bo").await;
    let mut eve = TestClient::connect(&server, "Eve").await;
    let (id, code) = ada.create(match_setup("sum", SUM)).await;
    eve.spectate(code).await;
    bo.join(code).await;
    let mut hands = (Hand::random(11), Hand::perfect(12));
    let (winner, same) = tokio::join!(
        play_out(&mut ada, id, Seat::Creator, &mut hands.0),
        play_out(&mut bo, id, Seat::Joiner, &mut hands.1),
    );
    assert_eq!(winner, same);
    assert_eq!(eve.winner(id).await, winner);
    assert_eq!(eve.events(id), ada.events(id));
    assert!(position_of(&eve.newest[&id]).is_terminal());
    let components = ["1: ", "2: ", "3: "];
    for component in components {
        let played = |event: &Value| {
            event["move"]
                .as_str()
                .is_some_and(|text| text.starts_with(component))
        };
        assert!(
            eve.events(id).iter().any(played),
            "nobody moved in component {component}"
        );
    }
}

#[tokio::test]
async fn starts_beyond_a_bound_are_refused_with_the_bound() {
    let server = Server::start().await;
    let mut ada = TestClient::connect(&server, "Ada").await;
    for (game, start, bound) in [
        ("fib-fob", "a1@1 time=100", "time"),
        ("nim", "1,1,1,1,1,1,1,1,1", "heaps"),
        ("kayles", &"x".repeat(401), "places"),
        ("wythoff-nim", "201,1", "coins"),
        ("sum", "nim 50,50,50,50,50,50,50,50 + nim 1", "longest play"),
    ] {
        let create = fibfob_protocol::RequestBody::Create(match_setup(game, start));
        let refused = ada.request(create).await.expect_err(start);
        assert_eq!(refused.reason, fibfob_protocol::RefusalReason::BadStart);
        assert!(
            refused.message.contains(bound),
            "{game}: {}",
            refused.message
        );
    }
}
