//! Clients that send nothing, or too slowly: every wait for a client has a documented bound.

use std::time::Duration;

use fibfob_protocol::{RefusalReason, RequestBody};
use fibfob_server::{Bounds, Config};
use tokio_tungstenite::tungstenite::Message;

use crate::fixture::{Received, TestServer};
use crate::raw::{Raw, TEXT, frame};
use crate::unhurried;

/// Long enough for a handshake on a busy machine, short enough for a test.
const SHORT: Duration = Duration::from_millis(1_500);

async fn impatient(bounds: Bounds) -> TestServer {
    TestServer::start(Config {
        bounds,
        ..unhurried()
    })
    .await
}

#[tokio::test]
async fn a_connection_without_a_request_is_closed() {
    let bounds = Bounds {
        http_head_within: SHORT,
        ..Bounds::default()
    };
    let server = impatient(bounds).await;
    let mut silent = Raw::connect(&server).await;
    let mut slow = Raw::connect(&server).await;
    let trickle = async {
        // A head that never ends, with a byte every second.
        while slow.write(b"x").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::join!(
        silent.rest(),
        crate::fixture::within_limit("a hang-up", trickle)
    );
    let mut again = Raw::connect(&server).await;
    again
        .write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .await
        .unwrap();
    let answer = again.rest().await;
    assert!(
        answer.starts_with(b"HTTP/1.1 200"),
        "the second request never arrives"
    );
    let mut body = Raw::connect(&server).await;
    let post = b"POST /ws HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999\r\n\r\nand no more";
    body.write(post).await.unwrap();
    let answer = body.rest().await;
    assert!(answer.starts_with(b"HTTP/1.1 405"));
    server.stop().await;
}

#[tokio::test]
async fn a_connection_without_an_acceptable_hello_is_closed_whatever_it_sends() {
    let bounds = Bounds {
        hello_within: SHORT,
        ..Bounds::default()
    };
    let server = impatient(bounds).await;
    let mut silent = Raw::upgraded(&server).await;
    assert_eq!(silent.closed().await, Some(1008));
    // Refused tokens do not extend the time.
    let mut guesser = server.open().await;
    let (mut guesses, mut code) = (0, None);
    while code.is_none() {
        let token = format!("{:032x}.{:064x}", 7, guesses);
        let hello = format!(r#"{{"type":"hello","protocol":"fibfob.v1","token":"{token}"}}"#);
        guesser.send(Message::text(hello)).await;
        match guesser.receive().await {
            Received::Message(fibfob_protocol::ServerMessage::Refused(refused)) => {
                assert_eq!(refused.reason, RefusalReason::BadToken);
                guesses += 1;
            }
            Received::Closed(closed) => code = Some(closed),
            other => panic!("{other:?}"),
        }
    }
    assert!(
        guesses > 0 && code == Some(1008),
        "{guesses} guesses, {code:?}"
    );
    server.stop().await;
}

#[tokio::test]
async fn a_silent_connection_is_closed_and_one_that_answers_pings_stays() {
    let bounds = Bounds {
        ping_every: SHORT / 15,
        silent_max: SHORT,
        ..Bounds::default()
    };
    let server = impatient(bounds).await;
    let mut ada = server.connect("Ada").await;
    assert_eq!(ada.limits().silent_ms, 1_500);
    // A client whose machine has lost power: bytes are sent to it, and nothing comes back.
    let mut vanished = Raw::upgraded(&server).await;
    let hello = frame(TEXT, br#"{"type":"hello","protocol":"fibfob.v1"}"#);
    vanished.write(&hello).await.unwrap();
    let watch = async {
        // Reading answers pings; the client sends nothing else.
        tokio::time::timeout(2 * SHORT, ada.receive())
            .await
            .is_err()
    };
    let (code, stayed) = tokio::join!(vanished.closed(), watch);
    assert_eq!(code, Some(1001));
    assert!(stayed, "a client that answers pings stays");
    ada.request(RequestBody::Lobby {
        watch: false,
        page: 0,
    })
    .await
    .unwrap();
    server.stop().await;
}
