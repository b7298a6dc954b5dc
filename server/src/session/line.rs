//! The WebSocket of one connection, with every wait bounded.

use std::error::Error as _;
use std::time::Duration;

use axum::Error;
use axum::body::Bytes;
use axum::extract::ws::{Message, Utf8Bytes};
use futures_util::{Sink, SinkExt, Stream, StreamExt};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite;

use super::ending::Ending;
use crate::ops::config::Bounds;

/// What came from the client.
pub(super) enum Heard {
    Text(Utf8Bytes),
    Binary,
    /// A ping or pong: a sign of life and nothing more. The WebSocket layer has answered it.
    Sign,
}

/// What messages come from and go to: axum's WebSocket, or a simulated one.
pub(crate) trait Socket:
    Stream<Item = Result<Message, Error>> + Sink<Message, Error = Error> + Send + Unpin
{
}

impl<T> Socket for T where
    T: Stream<Item = Result<Message, Error>> + Sink<Message, Error = Error> + Send + Unpin
{
}

pub(super) struct Line {
    socket: Box<dyn Socket>,
    send_within: Duration,
    close_within: Duration,
}

impl Line {
    pub(super) fn new(socket: impl Socket + 'static, bounds: &Bounds) -> Self {
        Self {
            socket: Box::new(socket),
            send_within: bounds.send_within,
            close_within: bounds.close_within,
        }
    }

    /// The next thing from the client. Nothing is lost if this is not waited for to the end.
    pub(super) async fn hear(&mut self) -> Result<Heard, Ending> {
        match self.socket.next().await {
            Some(Ok(Message::Text(text))) => Ok(Heard::Text(text)),
            Some(Ok(Message::Binary(_))) => Ok(Heard::Binary),
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(Heard::Sign),
            Some(Ok(Message::Close(_))) | None => Err(Ending::Gone),
            Some(Err(error)) => Err(ending_of(&error)),
        }
    }

    pub(super) async fn send(&mut self, text: Utf8Bytes) -> Result<(), Ending> {
        self.put(Message::Text(text)).await
    }

    pub(super) async fn ping(&mut self) -> Result<(), Ending> {
        self.put(Message::Ping(Bytes::new())).await
    }

    async fn put(&mut self, message: Message) -> Result<(), Ending> {
        match timeout(self.send_within, self.socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(Ending::Gone),
            Err(_) => Err(Ending::Slow),
        }
    }

    /// Says why, and waits a little for the other side to agree, so that the reason arrives
    /// before the end of the line does.
    pub(super) async fn close(&mut self, ending: Ending) {
        let closing = async {
            if let Some(frame) = ending.frame() {
                self.socket.send(Message::Close(Some(frame))).await?;
            }
            while let Some(heard) = self.socket.next().await {
                heard?;
            }
            Ok::<_, Error>(())
        };
        // Whoever neither agrees nor hangs up is left.
        let _ = timeout(self.close_within, closing).await;
    }
}

fn ending_of(error: &Error) -> Ending {
    use tungstenite::Error as Fault;
    match error
        .source()
        .and_then(|fault| fault.downcast_ref::<Fault>())
    {
        Some(Fault::Capacity(_)) => Ending::TooBig,
        // The line ended without a farewell: a broken line, not a broken protocol.
        Some(Fault::Protocol(tungstenite::error::ProtocolError::ResetWithoutClosingHandshake)) => {
            Ending::Gone
        }
        Some(Fault::Utf8(_)) => Ending::NoText,
        Some(Fault::Protocol(_)) => Ending::BrokenProtocol,
        _ => Ending::Gone,
    }
}
