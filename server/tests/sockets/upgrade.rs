//! The WebSocket upgrade: allowed origins, protocols and paths.

use fibfob_games::Catalogue;
use fibfob_protocol::{CommandId, Opponent, RequestBody};
use fibfob_server::Config;

use crate::fixture::TestServer;
use crate::nim;
use crate::raw::Raw;

#[tokio::test]
async fn only_allowed_origins_protocols_and_paths_are_upgraded() {
    let allow_origins = vec!["https://play.example.org".parse().unwrap()];
    let config = Config {
        allow_origins,
        ..Config::default()
    };
    let server = TestServer::start(config).await;
    let own = format!("http://{}", server.address);
    assert_eq!(server.upgrade_status(&[("origin", &own)]).await, 101);
    assert_eq!(
        server
            .upgrade_status(&[("origin", "https://play.example.org")])
            .await,
        101
    );
    assert_eq!(
        server
            .upgrade_status(&[("origin", "https://evil.example")])
            .await,
        403
    );
    let handshake = "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n\
                     sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==";
    for twice in [
        format!("origin: {own}\r\norigin: https://evil.example"),
        "sec-websocket-key: BBBBBBBBBBBBBBBBBBBBBB==".to_owned(),
    ] {
        let (head, why) = server
            .get_with("/ws", &format!("{handshake}\r\n{twice}"))
            .await;
        assert!(head.starts_with("HTTP/1.1 400"), "{twice}: {head}");
        assert!(why.starts_with("expected one header"), "{why}");
    }
    assert_eq!(
        server
            .upgrade_status(&[("sec-websocket-protocol", "fibfob.v9, fibfob.v1")])
            .await,
        101
    );
    assert_eq!(
        server
            .upgrade_status(&[("sec-websocket-protocol", "chat")])
            .await,
        400
    );
    let (head, body) = server.get("/").await;
    assert!(head.starts_with("HTTP/1.1 200") && head.contains("content-security-policy"));
    for policy in [
        "permissions",
        "cross-origin-opener",
        "cross-origin-resource",
    ] {
        assert!(head.contains(&format!("{policy}-policy: ")), "{head}");
    }
    assert!(!head.contains("strict-transport"), "without TLS: {head}");
    let (_, path) = body.split_once("<link rel=\"stylesheet\" href=\"").unwrap();
    let style = path.split('"').next().unwrap().to_owned();
    let mut ada = server.connect("Ada").await;
    let made = ada
        .request(RequestBody::Create(nim("1", Opponent::Friend)))
        .await
        .unwrap();
    let code = made.code.unwrap();
    let (head, body) = server.get(&format!("/m/{code}")).await;
    assert!(head.starts_with("HTTP/1.1 200") && body.contains(&style));
    let (with_slash, _) = server.get(&format!("/m/{code}/")).await;
    assert!(with_slash.starts_with("HTTP/1.1 200"), "{with_slash}");
    assert!(server.get("/m/222222").await.0.starts_with("HTTP/1.1 404"));
    assert!(server.get("/m/%3Cb%3E").await.0.starts_with("HTTP/1.1 404"));
    let mut raw = Raw::connect(&server).await;
    let picture = b"GET /preview/nim.jpg HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    raw.write(picture).await.unwrap();
    let answer = raw.rest().await;
    let head = String::from_utf8_lossy(&answer[..answer.len().min(1024)]);
    assert!(head.contains("image/jpeg"), "{head}");
    assert!(
        !head.contains("resource-policy"),
        "other sites show it: {head}"
    );
    let (head, _) = server.get(&style).await;
    assert!(head.contains("text/css") && head.contains("immutable"));
    for path in [
        "/protocol/fibfob.v1.schema.json",
        "/protocol/fibfob.json-lines.schema.json",
    ] {
        let (head, body) = server.get(path).await;
        assert!(head.contains("application/json"), "{head}");
        let schema: serde_json::Value = serde_json::from_str(&body).unwrap();
        assert!(schema.pointer("/$defs/ServerMessage").is_some());
        assert_eq!(schema["$id"], path);
    }
    let (_, document) = server.get("/protocol/PROTOCOL.md").await;
    assert!(document.starts_with("# The wire"), "{document}");
    assert!(server.get("/healthz").await.0.starts_with("HTTP/1.1 200"));
    assert!(server.get("/readyz").await.0.starts_with("HTTP/1.1 200"));
    assert!(server.get("/else").await.0.starts_with("HTTP/1.1 404"));
    server.stop().await;
}

/// `fibfob games --json` prints `told`, too: `client-cli/tests/reference.rs` compares it.
#[tokio::test]
async fn all_games_are_told_on_the_wire_and_to_the_page_with_the_same_bytes() {
    let server = TestServer::start(Config::default()).await;
    let mut client = server.connect("Ada").await;
    let id = CommandId::try_from("q8".to_owned()).unwrap();
    let answer = client.query_as(id, RequestBody::Games).await.write();
    let told = serde_json::to_string(Catalogue::built()).unwrap();
    assert_eq!(
        answer,
        told.replacen('{', r#"{"type":"games","id":"q8","#, 1)
    );
    assert!(answer.len() < 32 * 1024, "{} bytes", answer.len());
    let (_, page) = server.get("/api/games").await;
    assert!(told.starts_with(&format!(r#"{{"games":{page},"levels":[{{"#)));
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    let ids = |list: &str, name: &str| -> Vec<String> {
        let entries = told[list].as_array().unwrap().iter();
        let text = |entry: &serde_json::Value| entry[name].as_str().unwrap().to_owned();
        entries.map(text).collect()
    };
    assert_eq!(ids("games", "id"), client.welcome().games);
    assert_eq!(ids("games", "id").len(), 18);
    let levels = ["perfect", "strong", "casual", "novice"];
    assert_eq!(ids("levels", "level"), levels);
    server.stop().await;
}

#[tokio::test]
async fn the_welcome_names_the_address_that_others_reach_the_server_at() {
    for public_url in [None, Some("https://fib.example")] {
        let server = TestServer::start(Config {
            public_url: public_url.map(|url| url.parse().unwrap()),
            ..Config::default()
        })
        .await;
        let client = server.connect("Ada").await;
        assert_eq!(client.welcome().public_url.as_deref(), public_url);
        server.stop().await;
    }
}

/// A name of another site that points to this machine is no own address of the server.
#[tokio::test]
async fn a_page_under_a_name_that_points_to_this_machine_may_neither_connect_nor_read_metrics() {
    let public_url = Some("https://fib.example".parse().unwrap());
    let server = TestServer::start(Config {
        public_url,
        ..Config::default()
    })
    .await;
    let status = async |head: String| {
        let mut raw = Raw::connect(&server).await;
        raw.write(head.as_bytes()).await.unwrap();
        String::from_utf8_lossy(&raw.rest().await)[9..12].to_owned()
    };
    for (name, connects, reads, metrics) in [
        ("evil.example", "403", "403", "403"),
        ("localhost", "101", "200", "200"),
        ("127.0.0.1", "101", "200", "200"),
        // Under the public name a proxy may forward for anybody.
        ("fib.example", "403", "200", "403"),
    ] {
        let host = format!("{name}:{}", server.address.port());
        let upgrade = format!(
            "GET /ws HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nConnection: Upgrade\r\n\
             Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        // A frame without a mask ends an accepted connection, and its answer can be read whole.
        let upgrade = format!("{upgrade}\u{1}\u{0}");
        assert_eq!(status(upgrade).await, connects, "{name}");
        for (path, expected) in [("/healthz", reads), ("/metrics", metrics)] {
            let get = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
            assert_eq!(status(get).await, expected, "{name} {path}");
        }
    }
    for (origin, status) in [("https://fib.example", 101), ("http://fib.example", 403)] {
        let found = server.upgrade_status(&[("origin", origin)]).await;
        assert_eq!(found, status, "{origin}");
    }
    server.stop().await;
}
