//! A WebSocket and an HTTP request to a server of another kind.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Bytes, Message};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use crate::error::LoadError;

/// A WebSocket's read buffer, in bytes: as the client library's.
const READ_BUFFER_BYTES: usize = 8 * 1024;
/// The longest HTTP answer, in bytes.
const ANSWER_BYTES_MAX: u64 = 64 * 1024;
/// The longest wait for one.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// A WebSocket that is set up as the client library's.
#[derive(Debug)]
pub(super) struct PeerSocket(WebSocketStream<TcpStream>);

impl PeerSocket {
    /// Connects to a path of the server at `host:port`.
    pub(super) async fn open(authority: &str, path: &str) -> Result<Self, LoadError> {
        let stream = TcpStream::connect(authority).await.map_err(failed)?;
        stream.set_nodelay(true).map_err(failed)?;
        let config = WebSocketConfig::default()
            .read_buffer_size(READ_BUFFER_BYTES)
            .write_buffer_size(0);
        let url = format!("ws://{authority}{path}");
        let opened = client_async_with_config(url, stream, Some(config)).await;
        Ok(Self(opened.map_err(failed)?.0))
    }

    pub(super) async fn send(&mut self, message: Message) -> Result<(), LoadError> {
        self.0.send(message).await.map_err(failed)
    }

    /// The bytes of the next text or binary message.
    pub(super) async fn receive(&mut self) -> Result<Bytes, LoadError> {
        loop {
            match self.0.next().await {
                Some(Ok(Message::Text(text))) => return Ok(text.into()),
                Some(Ok(Message::Binary(bytes))) => return Ok(bytes),
                Some(Ok(Message::Close(_))) | None => return Err(failed("it was closed")),
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(failed(error)),
            }
        }
    }
}

/// The body of the answer to `POST path` with this JSON.
pub(super) async fn post(authority: &str, path: &str, body: &str) -> Result<String, LoadError> {
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: {authority}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    let answer = async {
        let mut stream = TcpStream::connect(authority).await?;
        stream.write_all(request.as_bytes()).await?;
        let mut answer = String::new();
        stream
            .take(ANSWER_BYTES_MAX)
            .read_to_string(&mut answer)
            .await?;
        std::io::Result::Ok(answer)
    };
    let answer = tokio::time::timeout(ANSWER_WITHIN, answer).await;
    let answer = answer.map_err(failed)?.map_err(failed)?;
    match answer.split_once("\r\n\r\n") {
        Some((head, body)) if head.starts_with("HTTP/1.1 200") => Ok(body.to_owned()),
        _ => Err(failed(answer)),
    }
}

pub(super) fn failed(error: impl ToString) -> LoadError {
    LoadError::Peer(error.to_string())
}
