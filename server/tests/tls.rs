//! TLS on the server's own port.
#![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]
#![allow(clippy::disallowed_methods)]

#[allow(dead_code, unused_imports, reason = "shared with other tests")]
mod fixture;
#[allow(dead_code, reason = "shared with other tests")]
mod secure;

use fibfob_protocol::{SUBPROTOCOL, ServerMessage};
use fibfob_server::Tls;
use fixture::{TestServer, get, get_over, within_limit};
use futures_util::{SinkExt, StreamExt};
use secure::Certificate;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::handshake::client::Request;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

async fn secured(certificate: &Certificate) -> TestServer {
    TestServer::secured(Tls::load(certificate.file(), certificate.key()).unwrap()).await
}

fn handshake(server: &TestServer, origin: &str) -> Request {
    let address = format!("wss://{}/ws", server.address);
    let mut request = address.into_client_request().unwrap();
    let mut set = |name, value: &str| request.headers_mut().insert(name, value.parse().unwrap());
    set("sec-websocket-protocol", SUBPROTOCOL);
    set("origin", origin);
    request
}

async fn send(socket: &mut WebSocketStream<impl AsyncRead + AsyncWrite + Unpin>, text: &str) {
    socket.send(Message::text(text)).await.unwrap();
}

/// The first message for which `pick` returns a value.
async fn receive<T>(
    socket: &mut WebSocketStream<impl AsyncRead + AsyncWrite + Unpin>,
    pick: impl Fn(ServerMessage) -> Option<T>,
) -> T {
    loop {
        let received = within_limit("a message", socket.next())
            .await
            .unwrap()
            .unwrap();
        if let Message::Text(text) = received
            && let Some(picked) = pick(ServerMessage::read(&text).unwrap())
        {
            return picked;
        }
    }
}

#[tokio::test]
async fn a_match_is_played_and_the_page_read_over_tls() {
    let certificate = Certificate::new();
    let server = secured(&certificate).await;
    let line = secure::connect(server.address, &certificate.file())
        .await
        .unwrap();
    let (head, body) = get_over(line, server.address, "/").await;
    assert!(
        head.starts_with("HTTP/1.1 200") && body.contains("<html"),
        "{head}"
    );
    assert!(
        head.contains("strict-transport-security: max-age="),
        "{head}"
    );

    let line = secure::connect(server.address, &certificate.file())
        .await
        .unwrap();
    let own = format!("https://{}", server.address);
    let (mut socket, _) = client_async(handshake(&server, &own), line).await.unwrap();
    send(
        &mut socket,
        r#"{"type":"hello","protocol":"fibfob.v1","name":"Ada"}"#,
    )
    .await;
    let create = r#"{"type":"create","id":"c","game":"nim","start":{"position":"1"},"opponent":{"bot":"perfect"},"first":"me"}"#;
    send(&mut socket, create).await;
    let id = receive(&mut socket, |message| match message {
        ServerMessage::Accepted(accepted) => accepted.match_id,
        _ => None,
    })
    .await;
    let play = r#"{"type":"play","id":"p","match":"ID","expecting":1,"move":"take 1 from 1"}"#;
    send(&mut socket, &play.replace("ID", &id.to_string())).await;
    receive(&mut socket, |message| match message {
        ServerMessage::Frame(frame) => (frame.change.0.get("phase")? == "over").then_some(()),
        _ => None,
    })
    .await;
    server.stop().await;
}

#[tokio::test]
async fn only_pages_that_were_loaded_over_tls_may_connect() {
    let certificate = Certificate::new();
    let server = secured(&certificate).await;
    let line = secure::connect(server.address, &certificate.file())
        .await
        .unwrap();
    let plain = format!("http://{}", server.address);
    match client_async(handshake(&server, &plain), line).await {
        Err(Error::Http(answer)) => assert_eq!(answer.status(), 403),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_client_without_tls_receives_the_reason() {
    let certificate = Certificate::new();
    let server = secured(&certificate).await;
    let (head, body) = get(server.address, "/").await;
    assert!(head.starts_with("HTTP/1.1 400"), "{head}");
    assert!(body.contains("https://"), "{body}");
    assert_eq!(server.upgrade_status(&[]).await, 400);
    server.stop().await;
}

#[tokio::test]
async fn a_failed_handshake_affects_no_other_connection() {
    let (certificate, other) = (Certificate::new(), Certificate::new());
    let server = secured(&certificate).await;
    let distrusting = secure::connect(server.address, &other.file()).await;
    assert!(distrusting.is_err(), "the server shows another certificate");
    let mut broken = TcpStream::connect(server.address).await.unwrap();
    broken
        .write_all(&[0x16, 3, 1, 0, 4, 9, 9, 9, 9])
        .await
        .unwrap();
    let mut answer = Vec::new();
    // An alert, or a reset; in any case an end.
    let _ = within_limit("the connection to end", broken.read_to_end(&mut answer)).await;
    assert!(
        secure::connect(server.address, &certificate.file())
            .await
            .is_ok()
    );
    server.stop().await;
}

#[tokio::test]
async fn a_server_that_waits_for_its_certificate_is_alive_and_not_ready() {
    let certificate = Certificate::new();
    let awaited = Tls::awaiting(certificate.file(), certificate.key());
    let server = TestServer::secured(awaited.clone()).await;
    let (head, body) = get(server.address, "/readyz").await;
    assert!(head.starts_with("HTTP/1.1 503"), "{head}");
    assert!(body.contains("no certificate yet"), "{body}");
    let (head, _) = get(server.address, "/healthz").await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    awaited.reload().unwrap();
    let (head, _) = get(server.address, "/readyz").await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    server.stop().await;
}
