//! The line through real sockets, with a server that is played by hand.

use fibfob_protocol::Version;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};

use super::*;

/// The longest a test waits for anything.
const PATIENCE: Duration = Duration::from_secs(20);

const MATCH: &str = "5f0c2d34-1b7e-5a9d-8c26-e4f1a3b5c7d9";

struct Server {
    listener: TcpListener,
}

/// The server's end of one line.
struct Peer(WebSocketStream<TcpStream>);

impl Server {
    async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self { listener }
    }

    fn link(&self, conversation: Conversation) -> Link {
        let address = self.listener.local_addr().unwrap();
        let reach = Reach {
            server: address.to_string().parse().unwrap(),
            trust: Trust::system(),
            give_up_after: PATIENCE,
        };
        Link::open(reach, conversation)
    }

    /// Takes the next line, up to the welcome; gives the client's `hello` too.
    async fn welcomes(&self) -> (Peer, Value) {
        let (stream, _) = self.listener.accept().await.unwrap();
        #[expect(clippy::result_large_err, reason = "the library's own signature")]
        let subprotocol = |request: &Request, mut response: Response| {
            let asked = request.headers()["sec-websocket-protocol"].clone();
            response
                .headers_mut()
                .insert("sec-websocket-protocol", asked);
            Ok(response)
        };
        let socket = tokio_tungstenite::accept_hdr_async(stream, subprotocol)
            .await
            .unwrap();
        let mut peer = Peer(socket);
        let hello = peer.hears().await;
        let welcome = include_str!("../../../../protocol/golden/server-welcome.json");
        peer.0.send(Message::text(welcome)).await.unwrap();
        (peer, hello)
    }
}

impl Peer {
    async fn hears(&mut self) -> Value {
        let message = timeout(PATIENCE, self.0.next()).await.unwrap();
        let Some(Ok(Message::Text(text))) = message else {
            panic!("{message:?}")
        };
        serde_json::from_str(&text).unwrap()
    }

    async fn says(&mut self, message: Value) {
        self.0
            .send(Message::text(message.to_string()))
            .await
            .unwrap();
    }
}

async fn news(link: &mut Link) -> News {
    loop {
        let report = timeout(PATIENCE, link.report()).await.unwrap().unwrap();
        if let Report::Message {
            news: Some(news), ..
        } = report
            && !matches!(news, News::Welcome { .. })
        {
            return news;
        }
    }
}

fn play() -> RequestBody {
    let id = serde_json::from_value(json!(MATCH)).unwrap();
    RequestBody::Play {
        id,
        expecting: Version(2),
        text: "time -13".to_owned(),
    }
}

#[tokio::test]
async fn a_command_cut_off_in_mid_air_is_sent_again_under_the_same_id_by_the_same_guest() {
    let server = Server::new().await;
    let mut link = server.link(Conversation::new(None, None, None));
    let (mut peer, hello) = server.welcomes().await;
    assert_eq!(hello.get("token"), None);
    link.wish(Wish::Request(play())).unwrap();
    let first = peer.hears().await;
    drop(peer);

    let (mut peer, hello) = server.welcomes().await;
    assert_eq!(hello["token"], "0b8f5e2c7d3a4c1e9f602a4b6c8d0e1f.secret");
    assert_eq!(peer.hears().await, first);
    peer.says(json!({"type": "accepted", "id": first["id"], "version": 3}))
        .await;
    assert!(matches!(news(&mut link).await, News::Accepted { .. }));
}

#[tokio::test]
async fn what_is_wished_while_the_line_is_broken_is_said_on_the_next() {
    let server = Server::new().await;
    let mut link = server.link(Conversation::new(None, None, None));
    let (peer, _) = server.welcomes().await;
    drop(peer);
    while !matches!(link.report().await, Some(Report::Line(Line::Down { .. }))) {}
    link.wish(Wish::Request(play())).unwrap();
    let (mut peer, _) = server.welcomes().await;
    assert_eq!(peer.hears().await["move"], "time -13");
}

#[tokio::test]
async fn a_goodbye_says_when_to_come_back() {
    let server = Server::new().await;
    let mut link = server.link(Conversation::new(None, None, None));
    let (mut peer, _) = server.welcomes().await;
    peer.says(json!({"type": "goodbye", "message": "a moment", "retry_after_ms": 700}))
        .await;
    assert!(matches!(news(&mut link).await, News::Goodbye(..)));
    drop(peer);
    let report = timeout(PATIENCE, link.report()).await.unwrap();
    let Some(Report::Line(Line::Down { why, again_in, .. })) = report else {
        panic!("{report:?}")
    };
    assert_eq!(why, "a moment");
    assert!(again_in >= Duration::from_millis(700), "{again_in:?}");
    server.welcomes().await;
}

#[tokio::test]
async fn leaving_waits_for_the_answer_to_what_was_asked() {
    let server = Server::new().await;
    let link = server.link(Conversation::new(None, None, None));
    let (mut peer, _) = server.welcomes().await;
    link.wish(Wish::Request(play())).unwrap();
    let closing = tokio::spawn(link.close());
    let asked = peer.hears().await;
    assert!(!closing.is_finished());
    peer.says(json!({"type": "accepted", "id": asked["id"]}))
        .await;
    let end = timeout(PATIENCE, peer.0.next()).await.unwrap();
    assert!(matches!(end, Some(Ok(Message::Close(_)))), "{end:?}");
    timeout(PATIENCE, closing).await.unwrap().unwrap();
}

#[tokio::test]
async fn something_else_that_answers_there_is_told_apart() {
    use tokio::io::AsyncWriteExt;
    let server = Server::new().await;
    let mut link = server.link(Conversation::new(None, None, None));
    let (mut stream, _) = server.listener.accept().await.unwrap();
    let no = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
    stream.write_all(no).await.unwrap();
    let report = timeout(PATIENCE, link.report()).await.unwrap();
    let other = matches!(report, Some(Report::GaveUp(GaveUp::OtherServer { .. })));
    assert!(other, "{report:?}");
}

#[tokio::test]
async fn a_line_nobody_wants_is_closed() {
    let server = Server::new().await;
    let link = server.link(Conversation::new(None, None, None));
    let (mut peer, _) = server.welcomes().await;
    link.close().await;
    let end = peer.0.next().await;
    assert!(matches!(end, Some(Ok(Message::Close(_)))), "{end:?}");
}
