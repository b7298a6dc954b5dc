//! One attempt to reach a server, up to the WebSocket.

use std::io;
use std::time::Duration;

use fibfob_protocol::SUBPROTOCOL;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::rustls::{self, CertificateError};
use tokio_tungstenite::tungstenite::Error as WsError;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::http::{HeaderValue, StatusCode, header};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use super::trust::{Trust, name_of};
use crate::address::ServerUrl;

/// The longest an attempt may take, from the first packet to the WebSocket.
const CONNECT_WAIT: Duration = Duration::from_secs(5);

/// The largest message we take. A snapshot of the longest match is far smaller.
const INCOMING_BYTES_MAX: usize = 4 * 1024 * 1024;

/// A line, under TLS or not.
pub type Socket = WebSocketStream<Box<dyn Wire>>;

/// What bytes go over.
pub trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Wire for T {}

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
    /// A server under TLS might say so, to whom speaks none.
    #[error("it answers {0}; if TLS is spoken there, write https://")]
    PerhapsTls(StatusCode),
    /// It is not proved who answers there.
    #[error("{0}")]
    Untrusted(String),
}

impl NoLine {
    /// Whether the next attempt will meet the same.
    pub fn lasts(&self) -> bool {
        match self {
            Self::NotNow(_) | Self::TooSlow => false,
            Self::SomethingElse(_) | Self::PerhapsTls(_) | Self::Untrusted(_) => true,
        }
    }
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
pub async fn connect(server: &ServerUrl, trust: &Trust) -> Result<Socket, NoLine> {
    let attempted = timeout(CONNECT_WAIT, attempt(server, trust)).await;
    match attempted.unwrap_or(Err(NoLine::TooSlow)) {
        Err(NoLine::SomethingElse(status))
            if status == StatusCode::BAD_REQUEST && !server.is_secure() =>
        {
            Err(NoLine::PerhapsTls(status))
        }
        attempted => attempted,
    }
}

async fn attempt(server: &ServerUrl, trust: &Trust) -> Result<Socket, NoLine> {
    let stream = TcpStream::connect(server.socket()).await?;
    // A move is one small packet; waiting for more would only delay it.
    stream.set_nodelay(true)?;
    let stream = match server.is_secure() {
        true => secured(stream, server, trust).await?,
        false => Box::new(stream) as Box<dyn Wire>,
    };
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

/// The client's half of the handshake.
async fn secured(
    stream: TcpStream,
    server: &ServerUrl,
    trust: &Trust,
) -> Result<Box<dyn Wire>, NoLine> {
    let untrusted = |why: &dyn std::fmt::Display| NoLine::Untrusted(why.to_string());
    let connector = trust.connector().map_err(|why| untrusted(&why))?;
    let name = name_of(&server.host()).map_err(|why| untrusted(&why))?;
    let shaken = connector.connect(name, stream).await;
    Ok(Box::new(shaken.map_err(|error| unproved(&error))?))
}

/// What kept a handshake from proving who answers.
fn unproved(error: &io::Error) -> NoLine {
    let fault = error.get_ref().and_then(|fault| fault.downcast_ref());
    match fault {
        Some(rustls::Error::InvalidCertificate(fault)) => NoLine::Untrusted(format!(
            "its certificate is not to be trusted: {}; \
             --ca-cert FILE names an authority of your own",
            in_words(fault)
        )),
        Some(rustls::Error::InvalidMessage(_)) => {
            NoLine::Untrusted("TLS is not spoken there; write http://".to_owned())
        }
        Some(fault) => NoLine::Untrusted(fault.to_string()),
        None => NoLine::NotNow(error.kind().to_string()),
    }
}

/// What is wrong with a certificate, as far as it can be said plainly.
fn in_words(fault: &CertificateError) -> String {
    use CertificateError as Fault;
    match fault {
        Fault::UnknownIssuer => "no authority that is trusted here vouches for it".to_owned(),
        Fault::Expired | Fault::ExpiredContext { .. } => "it has expired".to_owned(),
        Fault::NotValidForName | Fault::NotValidForNameContext { .. } => {
            "it is for another name".to_owned()
        }
        other => other.to_string(),
    }
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
