//! The WebSocket of a session, with a bound on every wait.

use std::collections::VecDeque;
use std::task::{Context, Poll};
use std::time::Duration;

use fibfob_net::address_guard::UntakenBytes;
use fibfob_server_matches::encoded::EncodedMessage;
use futures_util::{Sink, SinkExt, Stream, StreamExt};
use tokio::time::{Instant, timeout};
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::{Bytes, Error, Message, Utf8Bytes};

use super::readiness::Readiness;
use super::session_end::SessionEnd;
use crate::limits::UNTAKEN_FREE;
use crate::ops::config::Bounds;

/// A frame from the client.
pub(super) enum ReceivedFrame {
    Text(Utf8Bytes),
    Binary,
    /// A ping, which the WebSocket layer has answered, or a pong.
    KeepAlive,
}

/// A source and sink of WebSocket messages: a connection, or a simulated one.
pub trait SessionSocket:
    Stream<Item = Result<Message, Error>> + Sink<Message, Error = Error> + Send + Unpin
{
}

impl<T> SessionSocket for T where
    T: Stream<Item = Result<Message, Error>> + Sink<Message, Error = Error> + Send + Unpin
{
}

/// A socket whose waits are bounded.
pub(super) struct BoundedSocket {
    socket: Box<dyn SessionSocket>,
    readiness: Readiness,
    /// Messages for the WebSocket layer, those of one event at most. The next event is handled once they are
    /// handed over.
    unsent: VecDeque<Message>,
    send_within: Duration,
    close_within: Duration,
    flush: FlushState,
    /// The bytes sent that are not yet counted against the address.
    uncounted: usize,
    /// The bytes sent since the client had taken everything.
    unflushed: usize,
    untaken: UntakenBytes,
}

/// The progress of the messages that the WebSocket layer has.
#[derive(Clone, Copy)]
enum FlushState {
    /// All are sent.
    Flushed,
    /// Some wait for the next flush.
    Buffered,
    /// The client does not read. The connection ends unless that changes before this time.
    Blocked { until: Instant },
    /// As blocked, and the WebSocket layer has no room for the next message.
    Full { until: Instant },
}

impl BoundedSocket {
    pub(super) fn new(
        socket: Box<dyn SessionSocket>,
        bounds: &Bounds,
        untaken: UntakenBytes,
    ) -> Self {
        Self {
            socket,
            readiness: Readiness::new(),
            unsent: VecDeque::new(),
            send_within: bounds.send_within,
            close_within: bounds.close_within,
            flush: FlushState::Flushed,
            uncounted: 0,
            unflushed: 0,
            untaken,
        }
    }

    /// The bytes sent that are not yet counted against the address.
    pub(super) fn uncounted(&self) -> usize {
        self.uncounted
    }

    /// Takes the bytes that are not counted yet, to count them.
    pub(super) fn take_uncounted(&mut self) -> usize {
        std::mem::take(&mut self.uncounted)
    }

    /// Polls for the next frame.
    pub(super) fn poll_receive(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Result<ReceivedFrame, SessionEnd>> {
        let socket = &mut self.socket;
        let look = |context: &mut Context<'_>| socket.poll_next_unpin(context);
        let received = self.readiness.poll(context, look);
        received.map(|received| match received {
            Some(Ok(Message::Text(text))) => Ok(ReceivedFrame::Text(text)),
            Some(Ok(Message::Binary(_))) => Ok(ReceivedFrame::Binary),
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {
                Ok(ReceivedFrame::KeepAlive)
            }
            Some(Ok(Message::Close(_))) | None => Err(SessionEnd::Gone),
            Some(Err(error)) => Err(reason_of(&error)),
        })
    }

    /// Flushes what was sent. Pending while the client does not read, or if nothing is left to flush. Call it
    /// when nothing else is to be done, so that all messages of one wake-up share a write.
    pub(super) fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<SessionEnd> {
        if matches!(self.flush, FlushState::Flushed) {
            return Poll::Pending;
        }
        match self.socket.poll_flush_unpin(context) {
            Poll::Ready(Ok(())) => {
                self.flush = FlushState::Flushed;
                if std::mem::take(&mut self.unflushed) > UNTAKEN_FREE {
                    self.untaken.set(0);
                }
            }
            Poll::Ready(Err(_)) => return Poll::Ready(SessionEnd::Gone),
            Poll::Pending => {
                self.flush = FlushState::Blocked {
                    until: self.progress_deadline(),
                };
            }
        }
        Poll::Pending
    }

    /// Returns when the client will have read nothing for too long; none if nothing waits.
    pub(super) fn blocked_until(&self) -> Option<Instant> {
        match self.flush {
            FlushState::Blocked { until } | FlushState::Full { until } => Some(until),
            FlushState::Flushed | FlushState::Buffered => None,
        }
    }

    /// Returns by when a client that does not read now must have read.
    fn progress_deadline(&self) -> Instant {
        self.blocked_until()
            .unwrap_or_else(|| Instant::now() + self.send_within)
    }

    /// Sends a message without a copy. It leaves with the next flush.
    pub(super) fn send(&mut self, message: EncodedMessage) -> Result<(), SessionEnd> {
        self.uncounted += message.len();
        self.unflushed += message.len();
        if self.unflushed > UNTAKEN_FREE && !self.untaken.set(self.unflushed) {
            return Err(SessionEnd::Slow);
        }
        self.unsent.push_back(Message::Text(message.into_text()));
        Ok(())
    }

    pub(super) fn ping(&mut self) {
        self.unsent.push_back(Message::Ping(Bytes::new()));
    }

    /// Hands over what was sent to the WebSocket layer. Pending while that has no room.
    pub(super) fn poll_hand_over(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), SessionEnd>> {
        while !self.unsent.is_empty() {
            match self.socket.poll_ready_unpin(context) {
                Poll::Ready(Ok(())) => {}
                Poll::Ready(Err(_)) => return Poll::Ready(Err(SessionEnd::Gone)),
                Poll::Pending => {
                    self.flush = FlushState::Full {
                        until: self.progress_deadline(),
                    };
                    return Poll::Pending;
                }
            }
            if let FlushState::Flushed | FlushState::Full { .. } = self.flush {
                self.flush = FlushState::Buffered;
            }
            if let Some(message) = self.unsent.pop_front()
                && self.socket.start_send_unpin(message).is_err()
            {
                return Poll::Ready(Err(SessionEnd::Gone));
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Sends the close frame, and waits a short time for the client's, so that the reason arrives before the
    /// TCP connection ends.
    pub(super) async fn close(&mut self, reason: SessionEnd) {
        let closing = async {
            for message in self.unsent.drain(..) {
                self.socket.feed(message).await?;
            }
            if let Some(frame) = reason.close_frame() {
                self.socket.send(Message::Close(Some(frame))).await?;
            }
            while let Some(received) = self.socket.next().await {
                received?;
            }
            Ok::<_, Error>(())
        };
        // A client that does neither is disconnected.
        let _ = timeout(self.close_within, closing).await;
    }
}

/// Returns the close reason for an error of the WebSocket library.
fn reason_of(error: &Error) -> SessionEnd {
    match error {
        Error::Capacity(_) => SessionEnd::TooBig,
        // The TCP connection ended without a close frame: the network failed, the protocol did not.
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => SessionEnd::Gone,
        Error::Utf8(_) => SessionEnd::InvalidText,
        Error::Protocol(_) => SessionEnd::ProtocolError,
        _ => SessionEnd::Gone,
    }
}
