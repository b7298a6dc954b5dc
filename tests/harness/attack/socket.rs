//! A WebSocket from a chosen address, with raw messages: attackers and honest people pay the same
//! for parsing, and no client library slows either.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

/// The longest wait for a connection or a message.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// The bytes of its read buffer.
const BUFFER_BYTES: usize = 4 * 1024;

/// An open WebSocket.
pub(super) struct Socket {
    stream: WebSocketStream<TcpStream>,
    /// Bytes of the messages received so far.
    pub received: u64,
    next_id: u64,
}

/// Connects a TCP stream from this address; none if that fails.
pub(super) async fn dial(server: SocketAddr, source: IpAddr) -> Option<TcpStream> {
    let socket = match server {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    }
    .ok()?;
    socket.bind(SocketAddr::new(source, 0)).ok()?;
    timeout(PATIENCE, socket.connect(server)).await.ok()?.ok()
}

impl Socket {
    /// Opens a WebSocket from this address; none if it is not admitted.
    pub(super) async fn open(server: SocketAddr, source: IpAddr) -> Option<Self> {
        let stream = dial(server, source).await?;
        let request = format!("ws://{server}/ws").into_client_request().ok()?;
        // The default buffers of many connections would be most of this program's memory.
        let buffers = WebSocketConfig::default().read_buffer_size(BUFFER_BYTES);
        let opening = client_async_with_config(request, stream, Some(buffers));
        let opened = timeout(PATIENCE, opening).await;
        let (stream, _) = opened.ok()?.ok()?;
        Some(Self {
            stream,
            received: 0,
            next_id: 0,
        })
    }

    /// Opens a WebSocket and says `hello`.
    pub(super) async fn greeted(server: SocketAddr, source: IpAddr) -> Option<Self> {
        let mut socket = Self::open(server, source).await?;
        let hello = json!({"type": "hello", "protocol": "fibfob.v1", "name": "Guest"});
        socket.send(hello.to_string()).await?;
        let welcome = socket.receive().await?;
        welcome.contains(r#""type":"welcome""#).then_some(socket)
    }

    pub(super) async fn send(&mut self, text: String) -> Option<()> {
        let sent = timeout(PATIENCE, self.stream.send(Message::text(text))).await;
        sent.ok()?.ok()
    }

    /// The next text message; none if the connection has ended or is silent.
    pub(super) async fn receive(&mut self) -> Option<String> {
        loop {
            let message = timeout(PATIENCE, self.stream.next()).await.ok()??.ok()?;
            if let Message::Text(text) = message {
                self.received += text.len() as u64;
                return Some(text.as_str().to_owned());
            }
        }
    }

    /// Reads, and answers pings, until the connection ends, however long it is silent.
    pub(super) async fn read_to_end(&mut self) {
        while let Some(Ok(_)) = self.stream.next().await {}
    }

    /// Receives messages until one that `wanted` accepts.
    pub(super) async fn receive_until(&mut self, wanted: impl Fn(&str) -> bool) -> Option<String> {
        loop {
            let text = self.receive().await?;
            if wanted(&text) {
                return Some(text);
            }
        }
    }

    /// Sends a request under an id of its own, and returns the id.
    pub(super) async fn ask(&mut self, mut request: Value) -> Option<String> {
        self.next_id += 1;
        let id = format!("r{}", self.next_id);
        request["id"] = json!(id);
        self.send(request.to_string()).await?;
        Some(id)
    }

    /// Sends a request and returns its answer, accepted or refused.
    pub(super) async fn answer(&mut self, request: Value) -> Option<Value> {
        let id = format!(r#""id":"{}""#, self.ask(request).await?);
        let text = self.receive_until(|text| text.contains(&id)).await?;
        serde_json::from_str(&text).ok()
    }
}

/// The start of a long match of Nim.
pub(super) const LONG_START: &str = "50,50,50,50,50,50,50,50";

/// The move of a ply of it, from 0, if each takes one coin.
pub(super) fn taking(ply: u64) -> String {
    format!("take 1 from {}", ply / 50 + 1)
}

/// Returns true for a refusal.
pub(super) fn is_refused(answer: &Value) -> bool {
    answer["type"] == "refused"
}
