//! Every path of the server: which hosts may be named, what is made once, and who waits for whom.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fibfob_protocol::{Opponent, RequestBody};
use fibfob_server::{Bounds, Config, Rate};
use fibfob_store::{AppendError, EngineFuture, Memory, Store, StoreError};
use fibfob_store_contract::faulty::{FaultInjector, Faulty, PendingAppend};

use crate::fixture::TestServer;
use crate::raw::Raw;
use crate::{join, nim, unhurried};

/// A path of the table, with these values in its braces.
fn filled(path: &str, code: &str) -> String {
    path.replace("{code}", code)
        .replace("{key}", "no-key")
        .replace("{lesson}", "copycat")
        .replace("{game}/{grade}/{seed}", "nim/xor/7")
        .replace("{picture}", "nim.jpg")
        .replace("{name}/{*path}", "now/main.js")
}

/// The answer to a request of these lines.
async fn answer(server: &TestServer, lines: &str) -> String {
    let mut raw = Raw::connect(server).await;
    raw.write(format!("{lines}\r\n\r\n").as_bytes())
        .await
        .unwrap();
    String::from_utf8_lossy(&raw.rest().await).into_owned()
}

async fn status(server: &TestServer, lines: &str) -> String {
    answer(server, lines).await[9..12].to_owned()
}

#[tokio::test]
async fn a_host_that_is_not_the_servers_is_refused_on_every_path() {
    let server = TestServer::start(unhurried()).await;
    let long = format!("{}.example", "a".repeat(240));
    for path in fibfob_server::paths().map(|path| filled(path, "222222")) {
        let get = |host: &str| format!("GET {path} HTTP/1.1\r\nConnection: close\r\nHost: {host}");
        for host in ["evil.example", "127.0.0.1.evil.example", "a b", &long] {
            assert_eq!(status(&server, &get(host)).await, "403", "{path} of {host}");
        }
        for host in ["127.0.0.1:7171", "localhost", "[::1]:80"] {
            assert_ne!(status(&server, &get(host)).await, "403", "{path} of {host}");
        }
        let two = format!("{}\r\nHost: localhost", get("localhost"));
        assert_eq!(status(&server, &two).await, "400", "{path}");
        let none = format!("GET {path} HTTP/1.1\r\nConnection: close");
        assert_eq!(status(&server, &none).await, "400", "{path}");
    }
    let balancer = status(&server, "GET /readyz HTTP/1.0").await;
    assert_eq!(balancer, "200", "HTTP/1.0 has no such header");
    server.stop().await;
}

#[tokio::test]
async fn the_key_of_a_handshake_is_16_bytes_in_base64() {
    let server = TestServer::start(Config::default()).await;
    for (key, expected) in [
        ("x", "400"),
        ("dGhlIHNhbXBsZSBub25jZR==", "400"),
        ("dGhlIHNhbXBsZSBub25jZQ==", "101"),
    ] {
        let upgrade = format!(
            "GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n\u{1}\u{0}"
        );
        assert_eq!(status(&server, &upgrade).await, expected, "{key}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_handshake_of_another_websocket_version_is_answered_with_the_supported_one() {
    let server = TestServer::start(Config::default()).await;
    let mut raw = Raw::connect(&server).await;
    let old = "GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\n\
               Upgrade: websocket\r\nSec-WebSocket-Version: 8\r\n\
               Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    raw.write(old.as_bytes()).await.unwrap();
    let answer = String::from_utf8_lossy(&raw.rest().await).into_owned();
    assert!(answer.starts_with("HTTP/1.1 426"), "{answer}");
    assert!(answer.contains("sec-websocket-version: 13"), "{answer}");
    assert!(
        answer.contains("expected a WebSocket handshake"),
        "{answer}"
    );
    server.stop().await;
}

/// Returns how many answers the server has computed so far.
async fn computed(server: &TestServer) -> u64 {
    let (_, metrics) = server.get("/metrics").await;
    let name = "fibfob_answers_computed_total ";
    let line = metrics.lines().find_map(|line| line.strip_prefix(name));
    line.unwrap().parse().unwrap()
}

#[tokio::test]
async fn drawn_and_compressed_answers_are_cached() {
    let server = TestServer::start(unhurried()).await;
    let mut ada = server.connect("Ada").await;
    let made = ada.request(RequestBody::Create(nim("3,4", Opponent::Friend)));
    let code = made.await.unwrap().code.unwrap().to_string();
    let paths: Vec<_> = fibfob_server::paths()
        .map(|path| filled(path, &code))
        .collect();
    let visit = async || {
        for path in &paths {
            let lines = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close");
            answer(&server, &lines).await;
        }
        computed(&server).await
    };
    let first = visit().await;
    assert!(first >= 6, "{first}: pages, pictures and documents");
    assert_eq!(visit().await, first);
    server.stop().await;
}

#[tokio::test]
async fn a_link_says_who_plays_and_how_the_match_stands() {
    let server = TestServer::start(unhurried()).await;
    let (mut ada, mut bo) = (server.connect("Ada & Co").await, server.connect("Bo").await);
    let made = ada.request(RequestBody::Create(nim("3,4", Opponent::Friend)));
    let made = made.await.unwrap();
    let (id, code) = (made.match_id.unwrap(), made.code.unwrap());
    let says = async |title: &str, description: &str| {
        let (_, page) = server.get(&format!("/m/{code}")).await;
        for (name, text) in [("title", title), ("description", description)] {
            let tag = format!("<meta property=\"og:{name}\" content=\"{text}\">");
            assert!(page.contains(&tag), "{tag} in {page}");
        }
        let picture = format!("{}/preview/nim.jpg\">", server.address);
        assert!(page.contains(&picture), "{picture} in {page}");
    };
    says(
        "Nim: Ada &amp; Co waits for an opponent",
        "One seat is free: the link leads to it. Position: 3,4",
    )
    .await;
    bo.request(join(code)).await.unwrap();
    let both = "Nim: Ada &amp; Co against Bo";
    says(
        both,
        "After 0 moves it is the turn of Ada &amp; Co. Position: 3,4",
    )
    .await;
    ada.play(id, 2, "take 4 from 2").await.unwrap();
    says(both, "After 1 move it is the turn of Bo. Position: 3,0").await;
    bo.play(id, 3, "take 3 from 1").await.unwrap();
    says(both, "Won by Bo after 2 moves (no move left). Start: 3,4").await;

    server.stop().await;
}

/// Counts the looks at a store.
#[derive(Clone, Default)]
struct Looks(Arc<AtomicUsize>);

impl FaultInjector for Looks {
    fn append(&self, append: PendingAppend) -> EngineFuture<'static, (), AppendError> {
        Box::pin(append.store())
    }

    fn ready(&self) -> Result<(), StoreError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
}

#[tokio::test]
async fn those_who_ask_for_the_readiness_share_the_looks_at_the_store() {
    let looks = Looks::default();
    let store = Store::new(Faulty::new(Memory::default(), looks.clone()));
    let server = TestServer::over(store, unhurried()).await;
    for _ in 0..200 {
        let (head, _) = server.get("/readyz").await;
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    }
    let looked = looks.0.load(Ordering::SeqCst);
    assert!((1..100).contains(&looked), "{looked} looks for 200 who ask");
    server.stop().await;
}

/// Each address has a tenth of a second of the processor, for ever.
#[tokio::test]
async fn an_address_out_of_time_waits_while_others_and_its_match_go_on() {
    let computed = Rate {
        per_second: 0,
        burst: 100_000,
    };
    let server = TestServer::start(Config {
        trusted_proxies: vec!["127.0.0.1".parse().unwrap()],
        bounds: Bounds {
            computed,
            ..Bounds::default()
        },
        ..unhurried()
    })
    .await;
    let come = async |address| {
        let headers = [("x-forwarded-for", address)];
        let socket = server.try_open(&headers).await.unwrap();
        socket.hello("Ada", None).await
    };
    let greedy = "203.0.113.5";
    let (mut ada, mut bo) = (come(greedy).await, come("203.0.113.6").await);
    let made = ada.request(RequestBody::Create(nim("50", Opponent::Friend)));
    let made = made.await.unwrap();
    let (id, code) = (made.match_id.unwrap(), made.code.unwrap());
    bo.request(join(code)).await.unwrap();

    let get = |path: &str, from: &str| {
        format!(
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             X-Forwarded-For: {from}"
        )
    };
    let mut others = 0_u32;
    let mut drawn = 0;
    'flood: loop {
        let path = format!("/m/2222{}{}/qr.svg", 2 + drawn / 8, 2 + drawn % 8);
        drawn += 1;
        assert!(drawn < 64, "the address never waits");
        let mut raw = Raw::connect(&server).await;
        let lines = format!("{}\r\n\r\n", get(&path, greedy));
        raw.write(lines.as_bytes()).await.unwrap();
        for _ in 0..50 {
            if raw.has_something() {
                continue 'flood;
            }
            // An address of its own each time, so that its share is not used up.
            others += 1;
            let other = format!("198.51.{}.{}", others / 250, others % 250);
            assert_eq!(status(&server, &get("/readyz", &other)).await, "200");
        }
        break;
    }
    for version in 2..10 {
        let player = if version % 2 == 0 { &mut ada } else { &mut bo };
        player.play(id, version, "take 1 from 1").await.unwrap();
    }
    server.stop().await;
}
