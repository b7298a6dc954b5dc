//! Clients that read too slowly: they cost little, are disconnected, and delay no other client.

use std::time::Duration;

use fibfob_protocol::{MatchId, Opponent, RequestBody, ServerMessage, Version};
use fibfob_server::limits::{SOCKET_BUFFER_BYTES, UNSENT_BYTES_MAX};
use fibfob_server::{Bounds, Config};
use tokio_tungstenite::tungstenite::Message;

use crate::fixture::{Client, NARROW_BYTES, Received, TestServer, within_limit};
use crate::raw::Raw;
use crate::{join, nim, unhurried};

#[tokio::test]
async fn a_client_that_reads_nothing_is_closed_and_others_are_not_delayed() {
    let bounds = Bounds {
        send_within: Duration::from_millis(300),
        ..Bounds::default()
    };
    let server = TestServer::start(Config {
        bounds,
        ..unhurried()
    })
    .await;
    let mut ada = server.connect("Ada").await;
    for _ in 0..8 {
        ada.request(RequestBody::Create(nim("1,2,3,4,5,6,7", Opponent::Open)))
            .await
            .unwrap();
    }
    let mut eve = server.connect("Eve").await;
    let lobby = r#"{"type":"lobby","id":"a"}"#;
    let flood = async {
        // Each is answered by kilobytes that the client does not read.
        while eve.try_send(Message::text(lobby)).await.is_ok() {}
    };
    tokio::time::timeout(Duration::from_secs(30), flood)
        .await
        .expect("the server closes the connection");
    ada.request(RequestBody::Lobby {
        watch: false,
        page: 0,
    })
    .await
    .unwrap();
    server.stop().await;
}

#[tokio::test]
async fn an_http_client_that_reads_nothing_is_disconnected() {
    let bounds = Bounds {
        write_within: Duration::from_millis(300),
        ..Bounds::default()
    };
    let server = TestServer::start(Config {
        bounds,
        ..Config::default()
    })
    .await;
    let mut raw = Raw::connect(&server).await;
    // Requests one page after the other and reads none of them.
    let asking = async {
        while raw
            .write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            .await
            .is_ok()
        {}
    };
    within_limit("a hang-up", asking).await;
    server.stop().await;
}

/// A sum of stars in Green Hackenbush: its text is long, and each move cuts one ray.
const STARS: usize = 4;
const RAYS: usize = 99;
const MOVES: usize = STARS * RAYS;

/// Ada and Bo in a match of many long frames, and Eve, who watches it over a narrow connection.
struct WatchedMatch {
    server: TestServer,
    ada: Client,
    bo: Client,
    eve: Client,
    id: MatchId,
}

async fn watched_match(config: Config) -> WatchedMatch {
    let server = TestServer::start(config).await;
    let (mut ada, mut bo) = (server.connect("Ada").await, server.connect("Bo").await);
    let rays: Vec<_> = (1..=RAYS).map(|ray| format!("0-{ray}")).collect();
    let star = format!("green-hackenbush {}", rays.join(","));
    let start = vec![star; STARS].join(" + ");
    let mut opening = nim(&start, Opponent::Open);
    opening.game = "sum".to_owned();
    let made = ada.request(RequestBody::Create(opening)).await.unwrap();
    let (id, code) = (made.match_id.unwrap(), made.code.unwrap());
    bo.request(join(code)).await.unwrap();
    let mut eve = server.open_narrow().await.hello("Eve", None).await;
    let code = code.to_string();
    eve.request(RequestBody::Spectate { code }).await.unwrap();
    ada.until_spectators(1).await;
    WatchedMatch {
        server,
        ada,
        bo,
        eve,
        id,
    }
}

impl WatchedMatch {
    /// Plays the next move, and waits for its answer.
    async fn play(&mut self, number: usize) {
        let version = 2 + number as u64;
        let mover = if number.is_multiple_of(2) {
            &mut self.ada
        } else {
            &mut self.bo
        };
        let (star, ray) = (number / RAYS + 1, number % RAYS + 1);
        let text = format!("{star}: cut 0-{ray}");
        mover.play(self.id, version, &text).await.unwrap();
    }
}

/// The versions that a viewer received in order, and the number of snapshots among them.
#[derive(Default)]
struct Seen {
    versions: Vec<u64>,
    bytes: usize,
    snapshots: usize,
    code: Option<u16>,
}

impl Seen {
    fn note(&mut self, received: Received) {
        let message = match received {
            Received::Message(message) => message,
            Received::Closed(code) => return self.code = Some(code),
            Received::Pong => return,
            Received::Broken => panic!("the connection broke without a reason"),
        };
        self.bytes += message.write().len();
        match message {
            ServerMessage::Frame(frame) => self.versions.push(frame.timed.version.0),
            ServerMessage::Snapshot(snapshot) => {
                self.snapshots += 1;
                let versions = snapshot.events.iter().map(|past| past.timed.version.0);
                self.versions.extend(versions);
            }
            _ => {}
        }
    }

    async fn until(&mut self, viewer: &mut Client, newest: u64) {
        while self.versions.last() != Some(&newest) && self.code.is_none() {
            self.note(viewer.receive().await);
        }
    }

    fn assert_gapless(&self) {
        let expected: Vec<u64> = (1..=self.versions.len() as u64).collect();
        assert_eq!(self.versions, expected);
    }
}

/// The server buffers no more for a viewer than the operating system does: it takes the next
/// message when there is room for it.
#[tokio::test]
async fn a_spectator_who_stops_reading_is_closed_and_uses_little_memory() {
    let bounds = Bounds {
        send_within: Duration::from_millis(300),
        // The server must still wait with its close frame when she reads again.
        close_within: Duration::from_secs(60),
        write_within: Duration::from_secs(60),
        ..Bounds::default()
    };
    let mut table = watched_match(Config {
        bounds,
        ..unhurried()
    })
    .await;
    for number in 0..MOVES {
        table.play(number).await;
    }
    let mut shown = Seen::default();
    for version in 1..=MOVES as u64 + 2 {
        shown.bytes += table.ada.frame(version).await.bytes;
    }
    // The match has removed her before she reads the reason.
    table.ada.until_spectators(0).await;

    let mut seen = Seen::default();
    seen.until(&mut table.eve, u64::MAX).await;
    assert_eq!(seen.code, Some(1013));
    seen.assert_gapless();
    // The operating system counts its own overhead, and doubles the requested size.
    let bound = 2 * UNSENT_BYTES_MAX + 2 * NARROW_BYTES as usize + 2 * SOCKET_BUFFER_BYTES;
    assert!(
        seen.bytes <= bound && shown.bytes > 2 * bound,
        "{} of {}",
        seen.bytes,
        shown.bytes
    );

    let token = table.eve.token();
    let mut eve = table.server.connect_as("Eve", token).await;
    let (id, since) = (table.id, Version(*seen.versions.last().unwrap()));
    eve.request(RequestBody::Resume { id, since })
        .await
        .unwrap();
    seen.code = None;
    seen.until(&mut eve, MOVES as u64 + 2).await;
    seen.assert_gapless();
    table.server.stop().await;
}

#[tokio::test]
async fn a_spectator_who_reads_slowly_receives_a_snapshot_without_a_gap() {
    let bounds = Bounds {
        // She reads at a steady rate, however slow this machine is.
        send_within: Duration::from_secs(60),
        write_within: Duration::from_secs(60),
        ..Bounds::default()
    };
    let mut table = watched_match(Config {
        bounds,
        snapshot_after: 32,
        ..unhurried()
    })
    .await;
    let mut seen = Seen::default();
    for number in 0..MOVES {
        table.play(number).await;
        if number.is_multiple_of(8) {
            seen.note(table.eve.receive().await);
        }
    }
    seen.until(&mut table.eve, MOVES as u64 + 2).await;
    seen.assert_gapless();
    assert_eq!((seen.versions.len(), seen.code), (MOVES + 2, None));
    assert!(
        seen.snapshots > 0,
        "she was further behind than frames are kept"
    );
    table.server.stop().await;
}
