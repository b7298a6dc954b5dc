//! One WebSocket to a server, with typed messages.
//!
//! The lower layer of this crate: nothing is reconnected, sent again or remembered here.
//! [`Client`](crate::Client) does that.

use fibfob_protocol::{
    ClientMessage, Hello, MoveForm, Refused, SUBPROTOCOL, ServerMessage, Welcome, made_visible,
};
use futures_util::{SinkExt, StreamExt};
use thiserror::Error;
use tokio_tungstenite::tungstenite::{Error as WsError, Message};

use crate::endpoint::{ClientSocket, ConnectError, Endpoint, readable};

/// One WebSocket to a server.
///
/// Dropping it closes the TCP connection without a closing handshake.
///
/// ```no_run
/// use fibfob_client::{Connection, Endpoint, ServerUrl};
/// use fibfob_protocol::{RequestBody, ClientMessage, CommandId, Request};
///
/// # async fn lobby() -> Result<(), Box<dyn std::error::Error>> {
/// let endpoint = Endpoint::new(ServerUrl::default());
/// let mut connection = Connection::open(&endpoint).await?;
/// let welcome = connection.hello(Some("Ada".to_owned()), None).await?;
/// println!("{} plays {:?}", welcome.server, welcome.games);
/// let request = Request {
///     id: CommandId::fresh(),
///     body: RequestBody::Lobby { watch: false, page: 0 },
/// };
/// connection.send(&ClientMessage::Request(request)).await?;
/// println!("{:?}", connection.receive().await?);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Connection {
    socket: ClientSocket,
}

/// A connection that failed or ended.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ConnectionError {
    /// The server closed the connection, with this code if it gave one.
    #[error("{}", if reason.is_empty() { "it closed the connection" } else { reason })]
    Closed {
        /// The WebSocket's close code.
        code: Option<u16>,
        /// The server's reason; may be empty.
        reason: String,
    },
    /// The connection broke.
    #[error("{0}")]
    Broken(String),
    /// The server sent a text that is not a message of this protocol.
    #[error("the server sent an unreadable message: {0}")]
    Unreadable(String),
    /// The server refused `hello`.
    #[error("the server refused: {}", .0.message)]
    HelloRefused(Box<Refused>),
}

/// A `hello` with this name and token.
pub(crate) fn hello(name: Option<String>, token: Option<String>) -> Hello {
    Hello {
        protocol: SUBPROTOCOL.to_owned(),
        name,
        token,
        legal: MoveForm::Families,
        ..Hello::default()
    }
}

/// Returns the error for a fault of the WebSocket library; a `From` would make its type public.
fn to_connection_error(error: WsError) -> ConnectionError {
    match error {
        WsError::ConnectionClosed | WsError::AlreadyClosed => ConnectionError::Closed {
            code: None,
            reason: String::new(),
        },
        error => ConnectionError::Broken(readable(&error)),
    }
}

impl Connection {
    /// Opens a WebSocket, within the endpoint's time limit. The server expects `hello` next.
    ///
    /// # Errors
    /// [`ConnectError`].
    pub async fn open(endpoint: &Endpoint) -> Result<Self, ConnectError> {
        let socket = endpoint.open().await?;
        Ok(Self { socket })
    }

    /// Sends `hello` with this name and the token of an earlier `welcome`, and waits for the
    /// answer without a time limit.
    ///
    /// # Errors
    /// [`ConnectionError`]; `Closed` also for the goodbye of a server that shuts down, and
    /// `Unreadable` for any other answer than `welcome` or a refusal.
    pub async fn hello(
        &mut self,
        name: Option<String>,
        token: Option<String>,
    ) -> Result<Welcome, ConnectionError> {
        self.send(&ClientMessage::Hello(hello(name, token))).await?;
        match self.receive().await? {
            ServerMessage::Welcome(welcome) => Ok(*welcome),
            ServerMessage::Refused(refused) => {
                Err(ConnectionError::HelloRefused(Box::new(refused)))
            }
            ServerMessage::Goodbye(goodbye) => Err(ConnectionError::Closed {
                code: None,
                reason: goodbye.message,
            }),
            other => Err(ConnectionError::Unreadable(format!(
                "`welcome` was expected, not {}",
                other.write()
            ))),
        }
    }

    /// Sends a message.
    ///
    /// # Errors
    /// [`ConnectionError::Closed`] and [`ConnectionError::Broken`].
    pub async fn send(&mut self, message: &ClientMessage) -> Result<(), ConnectionError> {
        self.send_text(message.write()).await
    }

    /// Sends a text as it is.
    ///
    /// # Errors
    /// As [`Connection::send`].
    pub async fn send_text(&mut self, text: impl Into<String>) -> Result<(), ConnectionError> {
        self.send_frame(Message::text(text.into())).await
    }

    pub(crate) async fn send_frame(&mut self, frame: Message) -> Result<(), ConnectionError> {
        self.socket.send(frame).await.map_err(to_connection_error)
    }

    /// Sends several messages at once: the server may read all of them before it answers one.
    ///
    /// # Errors
    /// As [`Connection::send`].
    pub async fn send_all(&mut self, messages: &[ClientMessage]) -> Result<(), ConnectionError> {
        for message in messages {
            let fed = self.socket.feed(Message::text(message.write())).await;
            fed.map_err(to_connection_error)?;
        }
        self.socket.flush().await.map_err(to_connection_error)
    }

    /// Returns the next message. Cancel safe: a message is not lost if this future is dropped.
    ///
    /// # Errors
    /// [`ConnectionError`]; after `Unreadable` the connection can still be used.
    pub async fn receive(&mut self) -> Result<ServerMessage, ConnectionError> {
        let text = self.receive_text().await?;
        ServerMessage::read(&text)
            .map_err(|error| ConnectionError::Unreadable(format!("{error} in {text}")))
    }

    /// Returns the text of the next message. Cancel safe.
    ///
    /// # Errors
    /// [`ConnectionError::Closed`] and [`ConnectionError::Broken`].
    pub async fn receive_text(&mut self) -> Result<String, ConnectionError> {
        loop {
            if let Message::Text(text) = self.receive_frame().await? {
                return Ok(text.as_str().to_owned());
            }
        }
    }

    /// Returns the next frame of any kind but `Close`; pings are answered already. Cancel safe.
    pub(crate) async fn receive_frame(&mut self) -> Result<Message, ConnectionError> {
        match self.socket.next().await {
            Some(Ok(Message::Close(frame))) => Err(ConnectionError::Closed {
                code: frame.as_ref().map(|frame| frame.code.into()),
                reason: frame.map_or_else(String::new, |frame| made_visible(&frame.reason)),
            }),
            Some(frame) => frame.map_err(to_connection_error),
            None => Err(ConnectionError::Broken(
                "the connection broke off".to_owned(),
            )),
        }
    }

    /// Starts the closing handshake.
    ///
    /// # Errors
    /// As [`Connection::send`].
    pub async fn close(&mut self) -> Result<(), ConnectionError> {
        self.socket.close(None).await.map_err(to_connection_error)
    }
}
