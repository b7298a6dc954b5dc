//! Who takes too little of what is sent: it costs little, it ends, and nobody else notices.

use std::time::Duration;

use fibfob_protocol::{MatchId, Opponent, RequestBody, ServerMessage, Version};
use fibfob_server::limits::{SOCKET_BUFFER_BYTES, UNSENT_BYTES_MAX};
use fibfob_server::{Bounds, Config};
use tokio_tungstenite::tungstenite::Message;

use crate::bench::{Bench, Client, Heard, NARROW_BYTES, patiently};
use crate::raw::Raw;
use crate::{join, nim, unhurried};

#[tokio::test]
async fn who_takes_nothing_is_closed_and_the_others_notice_nothing() {
    let bounds = Bounds {
        send_within: Duration::from_millis(300),
        ..Bounds::default()
    };
    let bench = Bench::start(Config {
        bounds,
        ..unhurried()
    })
    .await;
    let mut ada = bench.connect("Ada").await;
    for _ in 0..8 {
        ada.ask(RequestBody::Create(nim("1,2,3,4,5,6,7", Opponent::Open)))
            .await
            .unwrap();
    }
    let mut eve = bench.connect("Eve").await;
    let lobby = r#"{"type":"lobby","id":"a"}"#;
    let flood = async {
        // Every one is answered by kilobytes that nobody reads.
        while eve.try_send(Message::text(lobby)).await.is_ok() {}
    };
    tokio::time::timeout(Duration::from_secs(30), flood)
        .await
        .expect("the server hangs up");
    ada.ask(RequestBody::Lobby { watch: false }).await.unwrap();
    bench.stop().await;
}

#[tokio::test]
async fn a_browser_that_takes_no_page_is_hung_up_on() {
    let bounds = Bounds {
        write_within: Duration::from_millis(300),
        ..Bounds::default()
    };
    let bench = Bench::start(Config {
        bounds,
        ..Config::default()
    })
    .await;
    let mut raw = Raw::connect(&bench).await;
    // Asks for one page after the other and reads none of them.
    let asking = async {
        while raw
            .write(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            .await
            .is_ok()
        {}
    };
    patiently("a hang-up", asking).await;
    bench.stop().await;
}

/// Many heaps, so that frames are long, and few coins in each, so that there are many moves.
const SUMMANDS: usize = 8;
const HEAPS: usize = 8;
const COINS: usize = 5;
const MOVES: usize = SUMMANDS * HEAPS * COINS;

/// Ada and Bo in a match of many long frames, and Eve, who watches it over a narrow line.
struct Table {
    bench: Bench,
    ada: Client,
    bo: Client,
    eve: Client,
    id: MatchId,
}

async fn table(config: Config) -> Table {
    let bench = Bench::start(config).await;
    let (mut ada, mut bo) = (bench.connect("Ada").await, bench.connect("Bo").await);
    let heaps = vec![COINS.to_string(); HEAPS].join(",");
    let start = vec![format!("nim {heaps}"); SUMMANDS].join(" + ");
    let mut opening = nim(&start, Opponent::Open);
    opening.game = "sum".to_owned();
    let made = ada.ask(RequestBody::Create(opening)).await.unwrap();
    let (id, code) = (made.match_id.unwrap(), made.code.unwrap());
    bo.ask(join(code)).await.unwrap();
    let mut eve = bench.narrow_line().await.hello("Eve", None).await;
    let code = code.to_string();
    eve.ask(RequestBody::Spectate { code }).await.unwrap();
    ada.until_spectators(1).await;
    Table {
        bench,
        ada,
        bo,
        eve,
        id,
    }
}

impl Table {
    /// The players' next move, answered as any.
    async fn play(&mut self, number: usize) {
        let version = 2 + number as u64;
        let mover = if number.is_multiple_of(2) {
            &mut self.ada
        } else {
            &mut self.bo
        };
        let (summand, heap) = (number / (HEAPS * COINS), number / COINS % HEAPS);
        let text = format!("{}: take 1 from {}", summand + 1, heap + 1);
        mover.play(self.id, version, &text).await.unwrap();
    }
}

/// The versions in what a viewer has got, one after the other, and whether a snapshot was among it.
#[derive(Default)]
struct Seen {
    versions: Vec<u64>,
    bytes: usize,
    snapshots: usize,
    code: Option<u16>,
}

impl Seen {
    fn note(&mut self, heard: Heard) {
        let message = match heard {
            Heard::Message(message) => message,
            Heard::Closed(code) => return self.code = Some(code),
            Heard::Pong => return,
            Heard::Broken => panic!("the line broke without a reason"),
        };
        self.bytes += message.write().len();
        match message {
            ServerMessage::Frame(frame) => self.versions.push(frame.timed.version.0),
            ServerMessage::Snapshot(snapshot) => {
                self.snapshots += 1;
                let versions = snapshot.events.iter().map(|event| event.version.0);
                self.versions.extend(versions);
            }
            _ => {}
        }
    }

    async fn until(&mut self, viewer: &mut Client, newest: u64) {
        while self.versions.last() != Some(&newest) && self.code.is_none() {
            self.note(viewer.hear().await);
        }
    }

    fn assert_gapless(&self) {
        let expected: Vec<u64> = (1..=self.versions.len() as u64).collect();
        assert_eq!(self.versions, expected);
    }
}

/// What the server holds for a viewer is bounded by what the operating system holds: the next message
/// is made when there is room for it.
#[tokio::test]
async fn a_spectator_who_stops_reading_is_closed_and_cost_little() {
    let bounds = Bounds {
        send_within: Duration::from_millis(300),
        // So that the reason is still there when she looks.
        close_within: Duration::from_secs(60),
        write_within: Duration::from_secs(60),
        ..Bounds::default()
    };
    let mut table = table(Config {
        bounds,
        ..unhurried()
    })
    .await;
    for number in 0..MOVES {
        table.play(number).await;
    }
    let mut shown = Seen::default();
    for version in 1..=MOVES as u64 + 2 {
        let frame = Box::new(table.ada.frame(version).await);
        shown.note(Heard::Message(ServerMessage::Frame(frame)));
    }
    // The match knows that she is gone before she does.
    table.ada.until_spectators(0).await;

    let mut seen = Seen::default();
    seen.until(&mut table.eve, u64::MAX).await;
    assert_eq!(seen.code, Some(1013));
    seen.assert_gapless();
    // The operating system counts its own overhead, and doubles what is asked for.
    let bound = 2 * UNSENT_BYTES_MAX + 2 * NARROW_BYTES as usize + 2 * SOCKET_BUFFER_BYTES;
    assert!(
        seen.bytes <= bound && shown.bytes > 4 * bound,
        "{} of {}",
        seen.bytes,
        shown.bytes
    );

    let token = table.eve.token();
    let mut eve = table.bench.connect_as("Eve", token).await;
    let (id, since) = (table.id, Version(*seen.versions.last().unwrap()));
    eve.ask(RequestBody::Resume { id, since }).await.unwrap();
    seen.code = None;
    seen.until(&mut eve, MOVES as u64 + 2).await;
    seen.assert_gapless();
    table.bench.stop().await;
}

#[tokio::test]
async fn a_spectator_who_reads_slowly_is_moved_to_a_snapshot_and_misses_nothing() {
    let bounds = Bounds {
        // However slow this machine is, hers is a steady hand.
        send_within: Duration::from_secs(60),
        write_within: Duration::from_secs(60),
        ..Bounds::default()
    };
    let mut table = table(Config {
        bounds,
        snapshot_after: 32,
        ..unhurried()
    })
    .await;
    let mut seen = Seen::default();
    for number in 0..MOVES {
        table.play(number).await;
        if number.is_multiple_of(8) {
            seen.note(table.eve.hear().await);
        }
    }
    seen.until(&mut table.eve, MOVES as u64 + 2).await;
    seen.assert_gapless();
    assert_eq!((seen.versions.len(), seen.code), (MOVES + 2, None));
    assert!(
        seen.snapshots > 0,
        "she was further behind than frames are kept"
    );
    table.bench.stop().await;
}
