//! One WebSocket to the server, before anybody says anything on it.
//!
//! Knows how a line is opened, read and how it ends; not what is said on it.

use fibfob_protocol::{ClientMessage, Hello, SUBPROTOCOL, ServerMessage, Welcome};
use futures_util::{SinkExt, StreamExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, client_async_with_config};

use crate::patiently;

/// A WebSocket's buffers, in bytes: a test may have thousands of them.
const BUFFER_BYTES: usize = 8 * 1024;

/// A WebSocket as the library has it.
pub(crate) type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// How a line ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The server said so, with this close code; none where it gave none.
    Closed(Option<u16>),
    /// Without a word.
    Broken,
}

/// One connection.
pub struct Line {
    socket: Socket,
}

impl Line {
    /// Connects and says `hello`. A small `receive` buffer, in bytes, lets the server feel at
    /// once when nobody reads here.
    ///
    /// # Errors
    /// How the line ended instead.
    ///
    /// # Panics
    /// If the server refuses `hello`, or answers no WebSocket.
    pub async fn greet(
        address: &str,
        name: &str,
        token: Option<String>,
        receive: Option<u32>,
    ) -> Result<(Self, Welcome), Ended> {
        let socket = open_socket(address, receive).await;
        let mut line = Self {
            socket: socket.map_err(|error| ended_by(&error))?,
        };
        let hello = Hello {
            protocol: SUBPROTOCOL.to_owned(),
            name: Some(name.to_owned()),
            token,
        };
        line.say(&ClientMessage::Hello(hello)).await?;
        let text = patiently("a welcome", line.hear()).await?;
        match serde_json::from_str(&text) {
            Ok(ServerMessage::Welcome(welcome)) => Ok((line, *welcome)),
            other => panic!("expected a welcome, got {other:?}"),
        }
    }

    /// Says one message.
    ///
    /// # Errors
    /// How the line ended instead.
    pub async fn say(&mut self, message: &ClientMessage) -> Result<(), Ended> {
        let sent = self.socket.send(Message::text(message.write())).await;
        sent.map_err(|error| ended_by(&error))
    }

    /// The next message as it came. Nothing is lost if this is not waited for to the end.
    ///
    /// # Errors
    /// How the line ended.
    pub async fn hear(&mut self) -> Result<Utf8Bytes, Ended> {
        loop {
            match self.socket.next().await {
                Some(Ok(Message::Text(text))) => return Ok(text),
                Some(Ok(Message::Close(frame))) => {
                    return Err(Ended::Closed(frame.map(|frame| frame.code.into())));
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(ended_by(&error)),
                None => return Err(Ended::Broken),
            }
        }
    }
}

fn ended_by(error: &Error) -> Ended {
    match error {
        Error::ConnectionClosed | Error::AlreadyClosed => Ended::Closed(None),
        _ => Ended::Broken,
    }
}

/// A WebSocket to the server, before any `hello`.
pub(crate) async fn open_socket(address: &str, receive: Option<u32>) -> Result<Socket, Error> {
    let mut request = format!("ws://{address}/ws").into_client_request()?;
    let subprotocol = HeaderValue::from_static(SUBPROTOCOL);
    request
        .headers_mut()
        .insert("sec-websocket-protocol", subprotocol);
    let tcp = TcpSocket::new_v4()?;
    if let Some(bytes) = receive {
        tcp.set_recv_buffer_size(bytes)?;
    }
    let address = address.parse().expect("a server says a numeric address");
    let stream = patiently("a connection", tcp.connect(address)).await?;
    stream.set_nodelay(true)?;
    let config = WebSocketConfig::default()
        .read_buffer_size(BUFFER_BYTES)
        .write_buffer_size(0);
    let stream = MaybeTlsStream::Plain(stream);
    let opening = client_async_with_config(request, stream, Some(config));
    let (socket, answer) = patiently("a WebSocket", opening).await?;
    let chosen = answer.headers().get("sec-websocket-protocol");
    assert_eq!(chosen, Some(&HeaderValue::from_static(SUBPROTOCOL)));
    Ok(socket)
}
