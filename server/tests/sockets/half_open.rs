//! Who says nothing, or says it too slowly: each wait for a client has an end, and a documented one.

use std::time::Duration;

use fibfob_protocol::{RefusalReason, RequestBody};
use fibfob_server::{Bounds, Config};
use tokio_tungstenite::tungstenite::Message;

use crate::bench::{Bench, Heard};
use crate::raw::{Raw, TEXT, frame};
use crate::unhurried;

/// Long enough for a handshake on a busy machine, short enough to wait for.
const SHORT: Duration = Duration::from_millis(1_500);

async fn impatient(bounds: Bounds) -> Bench {
    Bench::start(Config {
        bounds,
        ..unhurried()
    })
    .await
}

#[tokio::test]
async fn a_request_that_does_not_come_is_not_waited_for() {
    let bounds = Bounds {
        http_head_within: SHORT,
        ..Bounds::default()
    };
    let bench = impatient(bounds).await;
    let mut silent = Raw::connect(&bench).await;
    let mut slow = Raw::connect(&bench).await;
    let trickle = async {
        // Never the end of a head, and never a second without a byte.
        while slow.write(b"x").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::join!(silent.rest(), crate::bench::patiently("a hang-up", trickle));
    let mut again = Raw::connect(&bench).await;
    again
        .write(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
        .await
        .unwrap();
    let answer = again.rest().await;
    assert!(
        answer.starts_with(b"HTTP/1.1 200"),
        "and the second request never comes"
    );
    let mut body = Raw::connect(&bench).await;
    let post = b"POST /ws HTTP/1.1\r\nHost: a\r\nContent-Length: 9999\r\n\r\nand no more";
    body.write(post).await.unwrap();
    let answer = body.rest().await;
    assert!(answer.starts_with(b"HTTP/1.1 405"));
    bench.stop().await;
}

#[tokio::test]
async fn without_an_acceptable_hello_the_door_closes_however_much_is_said() {
    let bounds = Bounds {
        hello_within: SHORT,
        ..Bounds::default()
    };
    let bench = impatient(bounds).await;
    let mut silent = Raw::upgraded(&bench).await;
    assert_eq!(silent.closed().await, Some(1008));
    // Guessing tokens is no way to stay.
    let mut guesser = bench.line().await;
    let (mut guesses, mut code) = (0, None);
    while code.is_none() {
        let token = format!("{:032x}.{:064x}", 7, guesses);
        let hello = format!(r#"{{"type":"hello","protocol":"fibfob.v1","token":"{token}"}}"#);
        guesser.send(Message::text(hello)).await;
        match guesser.hear().await {
            Heard::Message(fibfob_protocol::ServerMessage::Refused(refused)) => {
                assert_eq!(refused.reason, RefusalReason::BadToken);
                guesses += 1;
            }
            Heard::Closed(closed) => code = Some(closed),
            other => panic!("{other:?}"),
        }
    }
    assert!(
        guesses > 0 && code == Some(1008),
        "{guesses} guesses, {code:?}"
    );
    bench.stop().await;
}

#[tokio::test]
async fn who_has_vanished_is_closed_and_who_answers_pings_stays() {
    let bounds = Bounds {
        ping_every: SHORT / 15,
        silent_max: SHORT,
        ..Bounds::default()
    };
    let bench = impatient(bounds).await;
    let mut ada = bench.connect("Ada").await;
    assert_eq!(ada.limits().silent_ms, 1_500);
    // What the server sees of a client whose machine has lost its power: bytes go out, and nothing
    // ever comes back.
    let mut vanished = Raw::upgraded(&bench).await;
    let hello = frame(TEXT, br#"{"type":"hello","protocol":"fibfob.v1"}"#);
    vanished.write(&hello).await.unwrap();
    let watch = async {
        // Reading is what answers pings; nothing else is said.
        tokio::time::timeout(2 * SHORT, ada.hear()).await.is_err()
    };
    let (code, stayed) = tokio::join!(vanished.closed(), watch);
    assert_eq!(code, Some(1001));
    assert!(stayed, "nothing happened to who answers");
    ada.ask(RequestBody::Lobby { watch: false }).await.unwrap();
    bench.stop().await;
}
