//! The client over real sockets, against a scripted server.

use fibfob_protocol::Version;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request as Upgrade, Response};

use super::*;
use crate::connection::{Connection, ConnectionError};
use crate::endpoint::Endpoint;
use crate::event::StopReason;
use fibfob_protocol::Action;

/// The time limit of every wait.
const WAIT_MAX: Duration = Duration::from_secs(20);

const MATCH: &str = "5f0c2d34-1b7e-5a9d-8c26-e4f1a3b5c7d9";

struct Server {
    listener: TcpListener,
}

/// The server's end of one connection.
struct Peer(WebSocketStream<TcpStream>);

impl Server {
    async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self { listener }
    }

    fn client(&self) -> Client {
        self.client_with(|_| {})
    }

    fn client_with(&self, change: impl FnOnce(&mut ClientConfig)) -> Client {
        let address = self.listener.local_addr().unwrap();
        let server = address.to_string().parse().unwrap();
        let mut config = ClientConfig::new(server);
        config.give_up_after = WAIT_MAX;
        change(&mut config);
        Client::connect(config)
    }

    /// Accepts the next connection.
    async fn accept(&self) -> Peer {
        let (stream, _) = self.listener.accept().await.unwrap();
        #[expect(clippy::result_large_err, reason = "the library's own signature")]
        let subprotocol = |request: &Upgrade, mut response: Response| {
            let asked = request.headers()["sec-websocket-protocol"].clone();
            response
                .headers_mut()
                .insert("sec-websocket-protocol", asked);
            Ok(response)
        };
        let socket = tokio_tungstenite::accept_hdr_async(stream, subprotocol)
            .await
            .unwrap();
        Peer(socket)
    }

    /// Accepts the next connection and greets; returns the client's `hello` too.
    async fn greet(&self) -> (Peer, Value) {
        let mut peer = self.accept().await;
        let hello = peer.receive().await;
        let welcome = include_str!("../../../protocol/golden/server-welcome.json");
        peer.0.send(Message::text(welcome)).await.unwrap();
        (peer, hello)
    }
}

impl Peer {
    async fn receive(&mut self) -> Value {
        let message = timeout(WAIT_MAX, self.0.next()).await.unwrap();
        let Some(Ok(Message::Text(text))) = message else {
            panic!("{message:?}")
        };
        serde_json::from_str(&text).unwrap()
    }

    async fn send(&mut self, message: Value) {
        self.0
            .send(Message::text(message.to_string()))
            .await
            .unwrap();
    }
}

/// The next event that is not about the connection.
async fn next_event(client: &mut Client) -> ClientEvent {
    loop {
        let event = timeout(WAIT_MAX, client.next_event()).await.unwrap();
        match event.unwrap() {
            ClientEvent::Connected { .. } | ClientEvent::Disconnected { .. } => {}
            event => return event,
        }
    }
}

fn play() -> RequestBody {
    let id = serde_json::from_value(json!(MATCH)).unwrap();
    RequestBody::Act {
        id,
        action: Action::Play {
            expecting: Version(2),
            text: "time -13".to_owned(),
        },
    }
}

#[tokio::test]
async fn a_new_name_is_said_on_a_new_connection_of_the_same_guest() {
    let server = Server::new().await;
    let mut client = server.client();
    let (_peer, hello) = server.greet().await;
    assert_eq!((hello.get("name"), hello.get("token")), (None, None));
    client.request(play()).await.unwrap();
    client.rename("Ada").await.unwrap();
    let (mut peer, hello) = server.greet().await;
    assert_eq!(hello["name"], "Ada");
    assert_eq!(hello["token"], "0b8f5e2c7d3a4c1e9f602a4b6c8d0e1f.secret");
    let asked = peer.receive().await;
    peer.send(json!({"type": "accepted", "id": asked["id"], "version": 3}))
        .await;
    let mut event = timeout(WAIT_MAX, client.next_event()).await.unwrap();
    let mut connected = 0;
    while let Some(ClientEvent::Connected { .. }) = event {
        connected += 1;
        event = timeout(WAIT_MAX, client.next_event()).await.unwrap();
    }
    assert_eq!(connected, 2);
    assert!(
        matches!(event, Some(ClientEvent::Accepted { .. })),
        "no connection was lost: {event:?}"
    );
}

#[tokio::test]
async fn a_request_made_while_disconnected_is_sent_on_the_next_connection() {
    let server = Server::new().await;
    let mut client = server.client();
    let (peer, _) = server.greet().await;
    drop(peer);
    while !matches!(
        client.next_event().await,
        Some(ClientEvent::Disconnected { .. })
    ) {}
    client.request(play()).await.unwrap();
    let (mut peer, _) = server.greet().await;
    assert_eq!(peer.receive().await["move"], "time -13");
    drop(peer);
    loop {
        if let Some(ClientEvent::Disconnected { unanswered, .. }) = client.next_event().await
            && !unanswered.is_empty()
        {
            assert_eq!(unanswered, [play()], "it is not known to be played");
            break;
        }
    }
    let (mut peer, _) = server.greet().await;
    assert_eq!(peer.receive().await["move"], "time -13");
}

#[tokio::test]
async fn a_goodbye_sets_the_time_of_the_next_attempt() {
    let server = Server::new().await;
    let mut client = server.client();
    let (mut peer, _) = server.greet().await;
    peer.send(json!({"type": "goodbye", "message": "a moment", "retry_after_ms": 700}))
        .await;
    let event = next_event(&mut client).await;
    assert!(matches!(event, ClientEvent::Goodbye { .. }), "{event:?}");
    drop(peer);
    let event = timeout(WAIT_MAX, client.next_event()).await.unwrap();
    let Some(ClientEvent::Disconnected {
        cause, retry_in, ..
    }) = event
    else {
        panic!("{event:?}")
    };
    assert_eq!(cause, "a moment");
    assert!(retry_in >= Duration::from_millis(700), "{retry_in:?}");
    server.greet().await;
}

#[tokio::test]
async fn closing_waits_for_outstanding_answers() {
    let server = Server::new().await;
    let mut client = server.client();
    let (mut peer, _) = server.greet().await;
    client.request(play()).await.unwrap();
    let closing = tokio::spawn(client.close());
    let request = peer.receive().await;
    assert!(!closing.is_finished());
    peer.send(json!({"type": "accepted", "id": request["id"]}))
        .await;
    let end = timeout(WAIT_MAX, peer.0.next()).await.unwrap();
    assert!(matches!(end, Some(Ok(Message::Close(_)))), "{end:?}");
    timeout(WAIT_MAX, closing).await.unwrap().unwrap();
}

#[tokio::test]
async fn another_kind_of_server_stops_the_client() {
    use tokio::io::AsyncWriteExt;
    let server = Server::new().await;
    let mut client = server.client();
    let (mut stream, _) = server.listener.accept().await.unwrap();
    let no = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
    stream.write_all(no).await.unwrap();
    let event = timeout(WAIT_MAX, client.next_event()).await.unwrap();
    let other = matches!(
        event,
        Some(ClientEvent::Stopped(StopReason::OtherServer { .. }))
    );
    assert!(other, "{event:?}");
    assert_eq!(client.next_event().await, None);
    assert_eq!(client.request(play()).await, Err(RequestError::Stopped));
}

#[tokio::test]
async fn a_request_waits_while_too_many_have_no_answer() {
    let server = Server::new().await;
    let mut client = server.client();
    let (mut peer, _) = server.greet().await;
    for _ in 0..REQUESTS_MAX {
        client.request(play()).await.unwrap();
    }
    let answering = async {
        let request = peer.receive().await;
        peer.send(json!({"type": "accepted", "id": request["id"]}))
            .await;
    };
    let (taken, ()) = tokio::join!(timeout(WAIT_MAX, client.request(play())), answering);
    taken.unwrap().unwrap();
    let event = next_event(&mut client).await;
    assert!(matches!(event, ClientEvent::Accepted { .. }), "{event:?}");
}

#[tokio::test]
async fn an_awaited_answer_belongs_to_its_request_and_no_event_is_lost() {
    let server = Server::new().await;
    let mut client = server.client();
    let (mut peer, _) = server.greet().await;
    let answering = async {
        peer.send(json!({"type": "lobby", "open": [], "playing": []}))
            .await;
        let first = peer.receive().await;
        peer.send(json!({"type": "accepted", "id": first["id"], "version": 3}))
            .await;
        let second = peer.receive().await;
        peer.send(
            json!({"type": "refused", "id": second["id"], "reason": "stale",
            "message": "too late", "retry": false}),
        )
        .await;
    };
    let asking = async {
        let answer = client.ask(play()).await.unwrap();
        assert!(matches!(answer, ServerMessage::Accepted(_)), "{answer:?}");
        client.ask(play()).await.unwrap_err()
    };
    let (refused, ()) = tokio::join!(asking, answering);
    assert_eq!(refused.to_string(), "too late");
    assert!(client.guest().is_some());
    let event = next_event(&mut client).await;
    assert!(matches!(event, ClientEvent::Lobby(_)), "{event:?}");
}

#[tokio::test]
async fn messages_are_returned_as_received_if_that_is_wanted_but_never_the_welcome() {
    let server = Server::new().await;
    let mut client = server.client_with(|config| config.raw_messages = true);
    let (mut peer, _) = server.greet().await;
    let text = r#"{"type":"lobby","open":[],"playing":[],"new":1}"#;
    peer.0.send(Message::text(text)).await.unwrap();
    let event = next_event(&mut client).await;
    assert_eq!(event, ClientEvent::Raw(text.to_owned()));
    let event = next_event(&mut client).await;
    assert!(matches!(event, ClientEvent::Lobby(_)), "{event:?}");
}

#[tokio::test]
async fn a_frame_that_is_returned_as_received_names_its_match() {
    let server = Server::new().await;
    let mut client = server.client_with(|config| config.raw_messages = true);
    let (mut peer, _) = server.greet().await;
    let snapshot = include_str!("../../../protocol/golden/server-snapshot-created.json");
    let mut snapshot: Value = serde_json::from_str(snapshot).unwrap();
    let id = serde_json::from_value(snapshot["match"].clone()).unwrap();
    client.follow(id).await.unwrap();
    peer.receive().await;
    peer.send(snapshot.clone()).await;
    next_event(&mut client).await;
    next_event(&mut client).await;
    let frame = include_str!("../../../protocol/golden/server-frame-choosing.json");
    let mut frame: Value = serde_json::from_str(frame).unwrap();
    frame["version"] = json!(snapshot["version"].as_u64().unwrap() + 1);
    peer.send(frame.clone()).await;
    let event = next_event(&mut client).await;
    let ClientEvent::Raw(text) = event else {
        panic!("{event:?}")
    };
    frame["match"] = snapshot["match"].take();
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), frame);
}

#[tokio::test]
async fn a_goodbye_in_place_of_a_welcome_says_that_the_server_shuts_down() {
    let server = Server::new().await;
    let at = server.listener.local_addr().unwrap().to_string();
    let endpoint = Endpoint::new(at.parse().unwrap());
    let leaving = async {
        let mut peer = server.accept().await;
        peer.receive().await;
        peer.send(json!({"type": "goodbye", "message": "a moment", "retry_after_ms": 700}))
            .await;
        peer
    };
    let coming = async {
        let mut connection = Connection::open(&endpoint).await.unwrap();
        connection.hello(None, None).await
    };
    let (greeted, _peer) = tokio::join!(coming, leaving);
    let reason = "a moment".to_owned();
    assert_eq!(
        greeted.unwrap_err(),
        ConnectionError::Closed { code: None, reason }
    );
}
