//! Two clients play to the end.

use fibfob_protocol::{EndReason, PhaseView, Seat};
use fibfob_tests::{Server, TestClient, WORKED_EXAMPLE, match_setup};

use crate::play::{Hand, play_out};

#[tokio::test]
async fn two_clients_play_the_worked_example_and_the_first_player_wins() {
    let server = Server::start().await;
    let mut ada = TestClient::connect(&server, "Ada").await;
    let mut bo = TestClient::connect(&server, "Bo").await;
    let (id, code) = ada.create(match_setup("fib-fob", WORKED_EXAMPLE)).await;
    assert_eq!(bo.join(code).await, id);

    let first = ada.turn_of(id, Seat::Creator).await.expect("Ada begins");
    assert_eq!(first.state.position, WORKED_EXAMPLE);
    let (mut adas, mut bos) = (Hand::perfect(1), Hand::perfect(2));
    let (to_ada, to_bo) = tokio::join!(
        play_out(&mut ada, id, Seat::Creator, &mut adas),
        play_out(&mut bo, id, Seat::Joiner, &mut bos),
    );
    assert_eq!((to_ada, to_bo), (Seat::Creator, Seat::Creator));
    assert_eq!(ada.events(id), bo.events(id));
    assert_eq!(
        ada.events(id)[2]["move"],
        "time -13",
        "the only winning move"
    );
    let PhaseView::Over { reason, .. } = ada.newest[&id].state.phase else {
        panic!("the match is over")
    };
    assert_eq!(reason, EndReason::NoMoveLeft);
}

#[tokio::test]
async fn a_viewer_has_everything_that_a_screen_needs() {
    let server = Server::start().await;
    let mut ada = TestClient::connect(&server, "Ada").await;
    let mut bo = TestClient::connect(&server, "Bo").await;
    let (id, code) = ada.create(match_setup("fib-fob", WORKED_EXAMPLE)).await;
    bo.join(code).await;
    let mut eve = TestClient::connect(&server, "Eve").await;
    eve.spectate(code).await;
    ada.turn_of(id, Seat::Creator).await;
    ada.play(id, "time -13").await.expect("a legal move");
    let frame = eve
        .until(id, "the move", |frame| frame.state.plies == 1)
        .await;
    let state = serde_json::to_value(&frame.state).unwrap();
    assert_eq!(state["position"], "g6@3 time=2 nuggets=5 fib=12 fob=9");
    assert_eq!(state["start"], WORKED_EXAMPLE);
    assert_eq!(state["turn"], "joiner");
    assert_eq!(state["last"]["move"], "time -13");
    assert_eq!(state["players"]["creator"]["name"], "Ada");
    assert_eq!(state["players"]["joiner"]["name"], "Bo");
    assert_eq!(state["spectators"], 1);
    assert_eq!(frame.timed.version.0, 3);
    assert!(state.get("legal").is_none(), "a spectator moves nothing");
    let turn = bo.turn_of(id, Seat::Joiner).await.expect("Bo's turn");
    let state = serde_json::to_value(&turn.state).unwrap();
    let legal = state["legal"].as_array().expect("legal moves");
    assert!(legal.contains(&"ship {a..f}6@3".into()));
    assert!(legal.contains(&"time -{1..2}".into()));
}

#[tokio::test]
async fn random_starts_are_within_the_stated_ranges_and_never_finished() {
    let server = Server::start().await;
    let mut ada = TestClient::connect(&server, "Ada").await;
    let mut starts = std::collections::BTreeSet::new();
    for _ in 0..12 {
        let random =
            r#"{"type":"create","id":"ID","game":"fib-fob","start":{"random":{"time":[0,3]}}}"#;
        let id = fibfob_protocol::CommandId::fresh();
        ada.send_text(&random.replace("ID", id.as_str()))
            .await
            .unwrap();
        let accepted = ada.answer_to(&id).await.unwrap().expect("a match");
        let id = accepted.match_id.unwrap();
        let frame = ada.until(id, "the match", |_| true).await;
        let position = crate::play::position_of(&frame);
        assert!(!position.is_terminal());
        let field = |name: &str| -> u64 {
            let text = frame
                .state
                .start
                .split(' ')
                .find_map(|part| part.strip_prefix(name));
            text.unwrap().parse().unwrap()
        };
        assert!(field("time=") <= 3 && field("nuggets=") <= 7);
        assert!(field("fib=") <= 15 && field("fob=") <= 15);
        starts.insert(frame.state.start);
        let withdraw = fibfob_protocol::Action::Withdraw.in_match(id);
        ada.request(withdraw).await.expect("a withdrawn match");
    }
    assert!(starts.len() > 1, "starts are drawn anew: {starts:?}");
}
