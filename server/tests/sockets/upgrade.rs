//! The WebSocket upgrade: allowed origins, protocols and paths.

use fibfob_protocol::{Opponent, RequestBody};
use fibfob_server::Config;

use crate::fixture::TestServer;
use crate::nim;

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
    let (head, _) = server.get(&style).await;
    assert!(head.contains("text/css") && head.contains("immutable"));
    let (_, games) = server.get("/api/games").await;
    assert!(games.contains("\"example_move\":\"time -13\""));
    assert!(server.get("/healthz").await.0.starts_with("HTTP/1.1 200"));
    assert!(server.get("/readyz").await.0.starts_with("HTTP/1.1 200"));
    assert!(server.get("/else").await.0.starts_with("HTTP/1.1 404"));
    server.stop().await;
}
