//! Tests of a server whose runtime comes late to what it is to read.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use fibfob_protocol::millis;
use fibfob_protocol::{SUBPROTOCOL, Timestamp};
use fibfob_server_matches::clock::Clock;
use fibfob_store::Memory;
use futures_util::{Sink, Stream};
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{advance, sleep};
use tokio_tungstenite::tungstenite::{Error, Message};

use super::*;

/// The server's end of a connection.
struct ServerEnd {
    received: UnboundedReceiver<Message>,
    sent: UnboundedSender<Message>,
}

impl Stream for ServerEnd {
    type Item = Result<Message, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.received.poll_recv(context).map(|next| next.map(Ok))
    }
}

impl Sink<Message> for ServerEnd {
    type Error = Error;

    fn poll_ready(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn start_send(self: Pin<&mut Self>, message: Message) -> Result<(), Error> {
        self.sent.send(message).map_err(|_| Error::ConnectionClosed)
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }
}

struct ClientEnd {
    sent: UnboundedSender<Message>,
    received: UnboundedReceiver<Message>,
}

impl ClientEnd {
    /// Connects a client, which says `hello`.
    fn connect(server: &Server) -> Self {
        let (to_server, received) = unbounded_channel();
        let (sent, from_server) = unbounded_channel();
        let end = ServerEnd { received, sent };
        let session = server.connect(end, IpAddr::from([192, 0, 2, 1]));
        Tasks::default().spawn(session.expect("room for a connection"));
        let client = Self {
            sent: to_server,
            received: from_server,
        };
        client.send(&format!(
            r#"{{"type":"hello","protocol":"{SUBPROTOCOL}","name":"Ada"}}"#
        ));
        client
    }

    fn send(&self, text: &str) {
        self.sent.send(Message::text(text)).unwrap();
    }

    /// The next message in which `field` has this value.
    async fn receive(&mut self, field: &str, value: &str) -> Value {
        loop {
            let message = self.received.recv().await.expect("the session goes on");
            if let Message::Text(text) = message
                && let message = serde_json::from_str::<Value>(&text).unwrap()
                && message[field] == value
            {
                return message;
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_move_that_waits_for_a_stalled_runtime_is_not_charged_for_it() {
    let start = Instant::now();
    let clock = Clock::from_fn(move || Timestamp(1_000_000 + millis(start.elapsed())));
    let config = Config {
        clock: clock.clone(),
        ..Config::default()
    };
    let tasks = Tasks::default();
    let server = Server::start(Store::new(Memory::default()), &config, tasks.clone());
    let server = server.await.unwrap();
    tasks.spawn(async move { clock.probe().await });
    let (mut ada, mut bo) = (ClientEnd::connect(&server), ClientEnd::connect(&server));
    ada.send(
        r#"{"type":"create","id":"1","game":"nim","start":{"position":"5,5"},"opponent":"friend",
            "first":"me","visibility":"private","learning":false,
            "time":{"match":{"initial_ms":5000,"increment_ms":0}},"grace_ms":60000}"#,
    );
    let made = ada.receive("id", "1").await;
    let (id, code) = (&made["match"], &made["code"]);
    bo.send(&format!(r#"{{"type":"join","id":"1","code":{code}}}"#));
    assert_eq!(bo.receive("id", "1").await["type"], "accepted");
    let play = |version, text| {
        format!(
            r#"{{"type":"play","id":"{version}","match":{id},"expecting":{version},"move":"{text}"}}"#
        )
    };

    sleep(Duration::from_millis(4_000)).await;
    ada.send(&play(2, "take 1 from 1"));
    // Nothing runs before the deadline has passed.
    advance(Duration::from_millis(2_500)).await;
    let moved = ada.receive("event", "moved").await;
    let left = moved["change"]["clocks"]["creator_ms"].as_u64().unwrap();
    let probed = millis(crate::limits::LATENESS_PROBED_EVERY);
    assert!((1_000 - probed..=1_000).contains(&left), "{moved}");

    // Bo thinks for too long, and the runtime is late besides.
    sleep(Duration::from_millis(4_950)).await;
    advance(Duration::from_millis(100)).await;
    sleep(Duration::from_millis(150)).await;
    bo.send(&play(3, "take 1 from 1"));
    assert_eq!(bo.receive("id", "3").await["reason"], "not-in-play");
}
