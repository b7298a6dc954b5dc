//! Queries about a match, through a real server.

use fibfob_protocol::{
    Action, CommandId, MatchId, MatchSetup, RefusalReason, RequestBody, ServerMessage, Version,
};
use fibfob_tests::{Server, TestClient, WORKED_EXAMPLE, match_setup, with_timeout};
use serde_json::{Value, json};

/// What `ask` is answered, as JSON, whichever kind of answer it is.
async fn told(client: &mut TestClient, ask: Value) -> Value {
    let id = CommandId::fresh();
    let mut ask = ask;
    ask["id"] = json!(id.as_str());
    client.send_text(&ask.to_string()).await.unwrap();
    with_timeout("an answer", async {
        loop {
            let answer = match client.receive().await.expect("the connection lasts") {
                message @ (ServerMessage::Preview(_)
                | ServerMessage::Analysis(_)
                | ServerMessage::Review(_)
                | ServerMessage::Refused(_)) => serde_json::to_value(message).unwrap(),
                _ => continue,
            };
            if answer["id"] == id.as_str() {
                break answer;
            }
        }
    })
    .await
}

async fn begun(learning: bool) -> (Server, TestClient, TestClient, MatchId) {
    let server = Server::start().await;
    let mut ada = TestClient::connect(&server, "Ada").await;
    let mut bo = TestClient::connect(&server, "Bo").await;
    let wanted = MatchSetup {
        learning,
        ..match_setup("fib-fob", WORKED_EXAMPLE)
    };
    let (id, code) = ada.create(wanted).await;
    bo.join(code).await;
    ada.until(id, "the beginning", |frame| {
        frame.timed.version == Version(2)
    })
    .await;
    (server, ada, bo, id)
}

#[tokio::test]
async fn a_preview_shows_the_next_position_and_plays_nothing() {
    let (_server, mut ada, mut bo, id) = begun(false).await;
    let ask = json!({"type": "preview", "match": id, "move": "time -13"});
    for client in [&mut ada, &mut bo] {
        let preview = told(client, ask.clone()).await;
        assert_eq!(preview["position"], "g6@3 time=2 nuggets=5 fib=12 fob=9");
        assert_eq!(
            (&preview["version"], &preview["over"]),
            (&json!(2), &json!(false))
        );
    }
    let illegal = json!({"type": "preview", "match": id, "move": "time -16"});
    assert_eq!(told(&mut ada, illegal).await["reason"], "illegal-move");
    ada.play(id, "time -13")
        .await
        .expect("nothing was played before");
}

#[tokio::test]
async fn analysis_is_refused_before_the_end_except_in_matches_for_learning() {
    let (_server, mut ada, mut bo, id) = begun(false).await;
    let analyse = json!({"type": "analyse", "match": id, "version": 2});
    let review = json!({"type": "review", "match": id});
    for ask in [&analyse, &review] {
        assert_eq!(
            told(&mut ada, ask.clone()).await["reason"],
            "not-for-learning"
        );
    }
    ada.play(id, "time -12").await.expect("a move");
    bo.request(RequestBody::Act {
        id,
        action: Action::Resign,
    })
    .await
    .expect("to resign");
    let why = told(&mut ada, analyse.clone()).await;
    assert_eq!((&why["nimber"], &why["outcome"]), (&json!(13), &json!("N")));
    assert_eq!(why["winning"], json!(["time -13"]));
    assert!(why["steps"].as_array().is_some_and(|steps| steps.len() > 6));
    let reviewed = told(&mut ada, review.clone()).await;
    assert_eq!(reviewed["plies"][1]["gave_away"], true);

    let (_server, mut ada, _bo, id) = begun(true).await;
    assert!(ada.newest[&id].state.learning);
    let analyse = json!({"type": "analyse", "match": id, "version": 2});
    assert_eq!(told(&mut ada, analyse).await["nimber"], 13);
}

#[tokio::test]
async fn an_unknown_version_is_refused_with_its_reason() {
    let (_server, mut ada, _bo, id) = begun(true).await;
    let analyse = json!({"type": "analyse", "match": id, "version": 9});
    assert_eq!(told(&mut ada, analyse).await["reason"], "no-such-version");
    let since = Version(9);
    let reason = ada.refused(RequestBody::Resume { id, since }).await;
    assert_eq!(reason, RefusalReason::NoSuchVersion);
}
