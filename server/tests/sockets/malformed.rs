//! Malformed messages, which are refused without ending the connection.

use fibfob_protocol::{Opponent, RefusalReason, RequestBody, ServerMessage, Start};
use fibfob_server::Config;
use tokio_tungstenite::tungstenite::{Bytes, Message};

use crate::fixture::{Received, TestServer};
use crate::nim;

#[tokio::test]
async fn a_malformed_message_is_refused_and_the_connection_stays() {
    let server = TestServer::start(Config::default()).await;
    let mut line = server.open().await;
    let mut refused = async |message: Message| line.refused(message).await;
    let message = |text: &str| Message::text(text);
    assert_eq!(
        refused(message("hello")).await.reason,
        RefusalReason::Malformed
    );
    let binary = Message::Binary(Bytes::from_static(b"{}"));
    assert_eq!(refused(binary).await.reason, RefusalReason::Malformed);
    let early = refused(message(r#"{"type":"lobby","id":"a"}"#)).await;
    assert_eq!(
        (early.reason, early.id.unwrap().as_str()),
        (RefusalReason::HelloFirst, "a")
    );
    let newer = refused(message(r#"{"type":"hello","protocol":"fibfob.v9"}"#)).await;
    assert_eq!(newer.supported, ["fibfob.v1"]);
    let name = refused(message(
        r#"{"type":"hello","protocol":"fibfob.v1","name":" "}"#,
    ))
    .await;
    assert_eq!(name.reason, RefusalReason::BadName);
    let token = refused(message(
        r#"{"type":"hello","protocol":"fibfob.v1","token":"a.b"}"#,
    ))
    .await;
    assert_eq!(token.reason, RefusalReason::BadToken);

    let mut ada = line.hello("Ada", None).await;
    let again = ada
        .refused(message(r#"{"type":"hello","protocol":"fibfob.v1"}"#))
        .await;
    assert_eq!(again.reason, RefusalReason::HelloAgain);
    let unknown = ada.refused(message(r#"{"type":"dance","id":"b"}"#)).await;
    assert_eq!(
        (unknown.reason, unknown.id.unwrap().as_str()),
        (RefusalReason::UnknownType, "b")
    );
    let reason = |outcome: Result<_, fibfob_protocol::Refused>| outcome.unwrap_err().reason;
    let code = "0O1I".to_owned();
    assert_eq!(
        reason(ada.request(RequestBody::Join { code }).await),
        RefusalReason::BadId
    );
    let code = "222222".to_owned();
    assert_eq!(
        reason(ada.request(RequestBody::Spectate { code }).await),
        RefusalReason::NoSuchMatch
    );
    let mut opening = nim("0,0", Opponent::Open);
    assert_eq!(
        reason(ada.request(RequestBody::Create(opening.clone())).await),
        RefusalReason::BadStart
    );
    opening.start = Start::Position("three".to_owned());
    assert_eq!(
        reason(ada.request(RequestBody::Create(opening.clone())).await),
        RefusalReason::BadNotation
    );
    opening.game = "chess".to_owned();
    assert_eq!(
        reason(ada.request(RequestBody::Create(opening)).await),
        RefusalReason::UnknownGame
    );
    server.stop().await;
}

#[tokio::test]
async fn a_strict_client_learns_of_its_misspelt_field_and_another_one_has_it_ignored() {
    let server = TestServer::start(Config::default()).await;
    let create = r#"{"type":"create","id":"a","game":"nim","fist":"me"}"#;
    let mut line = server.open().await;
    let misspelt = r#"{"type":"hello","protocol":"fibfob.v1","strict":true,"nom":"Ada"}"#;
    let refused = line.refused(Message::text(misspelt)).await;
    assert!(
        refused.message.ends_with("unknown field `nom`"),
        "{refused:?}"
    );
    let hello = Message::text(r#"{"type":"hello","protocol":"fibfob.v1","strict":true}"#);
    line.send(hello).await;
    line.receive().await;
    let refused = line.refused(Message::text(create)).await;
    assert_eq!(refused.reason, RefusalReason::Malformed);
    assert!(
        refused.message.ends_with("unknown field `fist`"),
        "{refused:?}"
    );

    let mut ada = server.open().await.hello("Ada", None).await;
    ada.send(Message::text(create)).await;
    let answer = ada.receive().await;
    let Received::Message(ServerMessage::Accepted(_)) = answer else {
        panic!("{answer:?}")
    };
}
