//! Hostile bytes: each affects only the connection it is sent on.

use std::time::Duration;

use fibfob_protocol::{MESSAGE_BYTES_MAX, RefusalReason, RequestBody};
use fibfob_server::limits::HTTP_HEAD_BYTES_MAX;
use fibfob_server::{Bounds, Config, Rate};
use tokio_tungstenite::tungstenite::Message;

use crate::fixture::{TestServer, within_limit};
use crate::raw::{CONTINUATION, FINAL, PING, Raw, TEXT, frame};

/// The code that closes a connection which sends these bytes.
async fn closes_with(server: &TestServer, bytes: &[u8]) -> Option<u16> {
    let mut raw = Raw::upgraded(server).await;
    // The server may have closed before it has read everything.
    let _ = raw.write(bytes).await;
    raw.closed().await
}

#[tokio::test]
async fn violations_of_the_websocket_protocol_have_distinct_close_codes() {
    let server = TestServer::start(Config::default()).await;
    let mut ada = server.connect("Ada").await;
    let huge = [
        [TEXT, 0xFF].as_slice(),
        &(1_u64 << 62).to_be_bytes(),
        &[0; 4],
    ]
    .concat();
    let long = frame(TEXT, &vec![b' '; MESSAGE_BYTES_MAX + 1]);
    let half = vec![b' '; MESSAGE_BYTES_MAX / 2 + 1];
    let halves = [frame(TEXT & !FINAL, &half), frame(CONTINUATION, &half)].concat();
    for (what, bytes, code) in [
        ("a frame of 2^62 bytes", huge, 1009),
        ("a message above the limit", long, 1009),
        ("one in fragments", halves, 1009),
        ("no UTF-8", frame(TEXT, b"\"\xFF\""), 1007),
        ("half a character", frame(TEXT, b"\"\xF0\x9F\""), 1007),
        ("a reserved bit", frame(TEXT | 0x40, b"{}"), 1002),
        ("a reserved opcode", frame(0x83, b""), 1002),
        ("no mask", vec![TEXT, 2, b'{', b'}'], 1002),
        ("a long ping", frame(PING, &[0; 126]), 1002),
        ("a ping in fragments", frame(PING & !FINAL, b""), 1002),
        (
            "a continuation of nothing",
            frame(CONTINUATION, b"{}"),
            1002,
        ),
    ] {
        assert_eq!(closes_with(&server, &bytes).await, Some(code), "{what}");
    }
    ada.request(RequestBody::Lobby {
        watch: false,
        page: 0,
    })
    .await
    .expect("others are not concerned");
    server.stop().await;
}

#[tokio::test]
async fn the_head_of_a_request_is_bounded() {
    let server = TestServer::start(Config::default()).await;
    let mut raw = Raw::connect(&server).await;
    let long = "x".repeat(HTTP_HEAD_BYTES_MAX);
    let head = format!("GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: {long}\r\n\r\n");
    // The server may have closed before it has read everything.
    let _ = raw.write(head.as_bytes()).await;
    let answer = String::from_utf8(raw.rest().await).unwrap();
    assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
    server.stop().await;
}

#[tokio::test]
async fn deep_json_is_refused_and_the_connection_stays() {
    let server = TestServer::start(Config::default()).await;
    let mut ada = server.connect("Ada").await;
    for depth in [127, MESSAGE_BYTES_MAX / 2 - 40] {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        let text = format!(r#"{{"type":"lobby","id":"deep","x":{open}{close}}}"#);
        let refused = ada.refused(Message::text(text)).await;
        assert_eq!(refused.reason, RefusalReason::Malformed);
        assert!(
            refused.message.contains("recursion limit exceeded"),
            "{}",
            refused.message
        );
    }
    ada.request(RequestBody::Lobby {
        watch: false,
        page: 0,
    })
    .await
    .unwrap();
    server.stop().await;
}

#[tokio::test]
async fn a_flood_of_pings_ends_its_connection() {
    let rate = Rate {
        per_second: 1,
        burst: 5,
    };
    let server = TestServer::start(Config {
        rate,
        ..Config::default()
    })
    .await;
    let pings = frame(PING, b"!").repeat(500);
    assert_eq!(closes_with(&server, &pings).await, Some(1008));
    server.stop().await;
}

/// Fragments are no messages, so they take no tokens; they are read at a bounded rate, and bytes
/// that never become a message count as silence.
#[tokio::test]
async fn a_flood_of_fragments_counts_as_silence() {
    let bounds = Bounds {
        silent_max: Duration::from_secs(1),
        ..Bounds::default()
    };
    let server = TestServer::start(Config {
        bounds,
        ..Config::default()
    })
    .await;
    let mut raw = Raw::upgraded(&server).await;
    raw.write(&frame(TEXT & !FINAL, b"{")).await.unwrap();
    let empty = frame(CONTINUATION & !FINAL, b"").repeat(1_000);
    let mut sent = 0;
    let flood = async {
        while raw.write(&empty).await.is_ok() {
            sent += empty.len();
        }
    };
    let play = async {
        let mut ada = server.connect("Ada").await;
        for _ in 0..20 {
            ada.request(RequestBody::Lobby {
                watch: false,
                page: 0,
            })
            .await
            .unwrap();
        }
    };
    tokio::join!(within_limit("a hang-up", flood), play);
    assert!(sent > 0);
    server.stop().await;
}
