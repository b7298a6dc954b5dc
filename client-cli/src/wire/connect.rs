//! One attempt to reach a server, up to the WebSocket.

use std::time::Duration;

use fibfob_protocol::SUBPROTOCOL;
use thiserror::Error;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Error as WsError;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::http::{HeaderValue, StatusCode, header};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use crate::address::ServerUrl;

/// The longest an attempt may take, from the first packet to the WebSocket.
const CONNECT_WAIT: Duration = Duration::from_secs(5);

/// The largest message we take. A snapshot of the longest match is far smaller.
const INCOMING_BYTES_MAX: usize = 4 * 1024 * 1024;

/// A line.
pub type Socket = WebSocketStream<TcpStream>;

/// Why there is no line.
#[derive(Debug, Error)]
pub enum NoLine {
    /// Nobody answers, or not as a WebSocket; perhaps later.
    #[error("{0}")]
    NotNow(String),
    /// It took too long.
    #[error("it did not answer in time")]
    TooSlow,
    /// Something else answers there, and will do so the next time.
    #[error("it answers {0}")]
    SomethingElse(StatusCode),
}

impl<E: Into<WsError>> From<E> for NoLine {
    fn from(error: E) -> Self {
        match error.into() {
            WsError::Http(answer) if says_no(answer.status()) => {
                Self::SomethingElse(answer.status())
            }
            error => Self::NotNow(plainly(&error)),
        }
    }
}

/// Connects.
///
/// # Errors
/// [`NoLine`].
pub async fn connect(server: &ServerUrl) -> Result<Socket, NoLine> {
    timeout(CONNECT_WAIT, attempt(server))
        .await
        .unwrap_or(Err(NoLine::TooSlow))
}

async fn attempt(server: &ServerUrl) -> Result<Socket, NoLine> {
    let stream = TcpStream::connect(server.socket()).await?;
    // A move is one small packet; waiting for more would only delay it.
    stream.set_nodelay(true)?;
    let mut request = server.to_string().into_client_request()?;
    let subprotocol = HeaderValue::from_static(SUBPROTOCOL);
    request
        .headers_mut()
        .insert(header::SEC_WEBSOCKET_PROTOCOL, subprotocol);
    let config = WebSocketConfig::default()
        .max_message_size(Some(INCOMING_BYTES_MAX))
        .max_frame_size(Some(INCOMING_BYTES_MAX));
    let (socket, _) = client_async_with_config(request, stream, Some(config)).await?;
    Ok(socket)
}

/// An answer that will be the same next time: unlike 429 and the 500s, it is about us.
fn says_no(status: StatusCode) -> bool {
    status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS || status.is_success()
}

/// What happened to a line, in the words of somebody who plays.
pub fn plainly(error: &WsError) -> String {
    match error {
        WsError::Io(error) => error.kind().to_string(),
        WsError::ConnectionClosed
        | WsError::AlreadyClosed
        | WsError::Protocol(
            ProtocolError::ResetWithoutClosingHandshake | ProtocolError::HandshakeIncomplete,
        ) => "the connection broke off".to_owned(),
        error => error.to_string(),
    }
}
