//! Guessed and stolen tokens, ids of other matches, and many guests at one seat.

use fibfob_protocol::{Action, CommandId, Opponent, RefusalReason, RequestBody, Version};
use fibfob_server::Config;
use futures_util::future::join_all;
use tokio_tungstenite::tungstenite::Message;

use crate::fixture::{Client, TestServer};
use crate::{join, nim, unhurried};

#[tokio::test]
async fn a_token_is_valid_only_on_the_server_that_issued_it() {
    let (here, there) = (
        TestServer::start(Config::default()).await,
        TestServer::start(Config::default()).await,
    );
    let mut ada = here.connect("Ada").await;
    let hello = |token: &str| {
        Message::text(format!(
            r#"{{"type":"hello","protocol":"fibfob.v1","token":"{token}"}}"#
        ))
    };
    let refused = there.open().await.refused(hello(&ada.token())).await;
    assert_eq!(refused.reason, RefusalReason::BadToken, "another server's");
    let eve = here.connect("Eve").await;
    let (adas, eves) = (ada.token(), eve.token());
    let (id, _) = adas.split_once('.').unwrap();
    let (_, signature) = eves.split_once('.').unwrap();
    let refused = here
        .open()
        .await
        .refused(hello(&format!("{id}.{signature}")))
        .await;
    assert_eq!(
        refused.reason,
        RefusalReason::BadToken,
        "another guest's signature"
    );

    // The token is valid on any number of connections; a seat stays one seat.
    let mut again = here.connect_as("Ada", ada.token()).await;
    assert_eq!(again.guest(), ada.guest());
    let made = ada
        .request(RequestBody::Create(nim("2,2", Opponent::Open)))
        .await
        .unwrap();
    let (id, code) = (made.match_id.unwrap(), made.code.unwrap());
    let refused = again.request(join(code)).await.unwrap_err();
    assert_eq!(refused.reason, RefusalReason::AlreadySeated);
    let mut bo = here.connect("Bo").await;
    bo.request(join(code)).await.unwrap();
    let command = CommandId::fresh();
    let (expecting, text) = (Version(2), "take 1 from 1".to_owned());
    let play = RequestBody::Act {
        id,
        action: Action::Play { expecting, text },
    };
    let (one, two) = tokio::join!(
        ada.request_as(command.clone(), play.clone()),
        again.request_as(command.clone(), play.clone())
    );
    let (one, two) = (one.unwrap(), two.unwrap());
    assert_eq!(
        one.version, two.version,
        "one move, however often it is sent"
    );
    assert!(one.repeated != two.repeated, "one of them made it");
    here.stop().await;
    there.stop().await;
}

#[tokio::test]
async fn ids_of_one_match_give_no_access_to_another() {
    let server = TestServer::start(Config::default()).await;
    let (mut ada, mut bo) = (server.connect("Ada").await, server.connect("Bo").await);
    let mut eve = server.connect("Eve").await;
    let first = ada
        .request(RequestBody::Create(nim("2,2", Opponent::Open)))
        .await
        .unwrap();
    let second = eve
        .request(RequestBody::Create(nim("3,3", Opponent::Open)))
        .await
        .unwrap();
    bo.request(join(first.code.unwrap())).await.unwrap();
    bo.request(join(second.code.unwrap())).await.unwrap();
    let command = CommandId::fresh();
    let play = |id| RequestBody::Act {
        id,
        action: Action::Play {
            expecting: Version(2),
            text: "take 1 from 1".to_owned(),
        },
    };
    let (first, second) = (first.match_id.unwrap(), second.match_id.unwrap());
    let played = ada.request_as(command.clone(), play(first)).await.unwrap();
    assert_eq!(played.version, Some(Version(3)));
    for ask in [
        play(second),
        RequestBody::Act {
            id: second,
            action: Action::Resign,
        },
        RequestBody::Act {
            id: second,
            action: Action::OfferRematch,
        },
    ] {
        let refused = ada.request_as(command.clone(), ask).await.unwrap_err();
        assert_eq!(
            refused.reason,
            RefusalReason::NotAPlayer,
            "a seat is one match's"
        );
    }
    let refused = eve
        .request_as(command.clone(), play(first))
        .await
        .unwrap_err();
    assert_eq!(
        refused.reason,
        RefusalReason::NotAPlayer,
        "an id is one guest's"
    );
    // The same id by the same guest in the other match is another command, not a repeat.
    let bos = CommandId::fresh();
    let refused = bo.request_as(bos.clone(), play(second)).await.unwrap_err();
    assert_eq!(refused.reason, RefusalReason::NotYourTurn);
    let since = Version(2);
    let resumed = eve
        .request(RequestBody::Resume { id: second, since })
        .await
        .unwrap();
    assert_eq!(
        resumed.version,
        Some(Version(2)),
        "the other match is unchanged"
    );
    server.stop().await;
}

/// Sends eight requests at once, the most that may be unanswered.
async fn rush(client: &mut Client, body: &RequestBody) -> Vec<Result<(), RefusalReason>> {
    let commands: Vec<CommandId> = (0..8).map(|_| CommandId::fresh()).collect();
    for command in &commands {
        client.send_request(command.clone(), body.clone()).await;
    }
    let mut answers = Vec::new();
    for command in &commands {
        let mut answer = client.answer_to(command).await;
        while answer.as_ref().is_err_and(|refused| refused.retry) {
            answer = client.request_as(command.clone(), body.clone()).await;
        }
        answers.push(answer.map(|_| ()).map_err(|refused| refused.reason));
    }
    answers
}

#[tokio::test]
async fn one_of_a_thousand_concurrent_joins_takes_the_seat() {
    let server = TestServer::start(unhurried()).await;
    let mut ada = server.connect("Ada").await;
    let made = ada
        .request(RequestBody::Create(nim("2,2", Opponent::Open)))
        .await
        .unwrap();
    let ask = join(made.code.unwrap());
    let mut crowd = Vec::new();
    for _ in 0..125 {
        crowd.push(server.connect("Bo").await);
    }
    let answers = join_all(crowd.iter_mut().map(|client| rush(client, &ask))).await;
    let all: Vec<_> = answers.iter().flatten().collect();
    let count =
        |wanted: Result<(), RefusalReason>| all.iter().filter(|answer| ***answer == wanted).count();
    assert_eq!(all.len(), 1000);
    assert_eq!(count(Ok(())), 1);
    assert_eq!(
        count(Err(RefusalReason::AlreadySeated)),
        7,
        "the same guest's other ones"
    );
    assert_eq!(count(Err(RefusalReason::SeatTaken)), 992);
    ada.frame(1).await;
    ada.frame(2).await;
    ada.play(made.match_id.unwrap(), 2, "take 1 from 1")
        .await
        .unwrap();
    server.stop().await;
}
