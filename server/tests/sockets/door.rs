//! Who comes in: the right pages, protocols and paths.

use fibfob_protocol::{Opponent, RequestBody};
use fibfob_server::Config;

use crate::bench::Bench;
use crate::nim;

#[tokio::test]
async fn a_door_for_the_right_pages_and_protocols() {
    let allow_origins = vec!["https://play.example.org".parse().unwrap()];
    let config = Config {
        allow_origins,
        ..Config::default()
    };
    let bench = Bench::start(config).await;
    let own = format!("http://{}", bench.address);
    assert_eq!(bench.knock(&[("origin", &own)]).await, 101);
    assert_eq!(
        bench.knock(&[("origin", "https://play.example.org")]).await,
        101
    );
    assert_eq!(
        bench.knock(&[("origin", "https://evil.example")]).await,
        403
    );
    assert_eq!(
        bench
            .knock(&[("sec-websocket-protocol", "fibfob.v9, fibfob.v1")])
            .await,
        101
    );
    assert_eq!(
        bench.knock(&[("sec-websocket-protocol", "chat")]).await,
        400
    );
    let (head, body) = bench.get("/").await;
    assert!(head.starts_with("HTTP/1.1 200") && head.contains("content-security-policy"));
    let (_, path) = body.split_once("<link rel=\"stylesheet\" href=\"").unwrap();
    let style = path.split('"').next().unwrap().to_owned();
    let mut ada = bench.connect("Ada").await;
    let made = ada
        .ask(RequestBody::Create(nim("1", Opponent::Friend)))
        .await
        .unwrap();
    let code = made.code.unwrap();
    let (head, body) = bench.get(&format!("/m/{code}")).await;
    assert!(head.starts_with("HTTP/1.1 200") && body.contains(&style));
    assert!(bench.get("/m/222222").await.0.starts_with("HTTP/1.1 404"));
    assert!(bench.get("/m/%3Cb%3E").await.0.starts_with("HTTP/1.1 404"));
    let (head, _) = bench.get(&style).await;
    assert!(head.contains("text/css") && head.contains("immutable"));
    let (_, games) = bench.get("/api/games").await;
    assert!(games.contains("\"example_move\":\"time -13\""));
    assert!(bench.get("/healthz").await.0.starts_with("HTTP/1.1 200"));
    assert!(bench.get("/readyz").await.0.starts_with("HTTP/1.1 200"));
    assert!(bench.get("/else").await.0.starts_with("HTTP/1.1 404"));
    bench.stop().await;
}
