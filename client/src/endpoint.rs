//! One attempt to open a WebSocket to a server.

use std::fmt::{Debug, Display};
use std::io;
use std::time::Duration;

use fibfob_protocol::SUBPROTOCOL;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use tokio_rustls::rustls::{self, CertificateError};
use tokio_tungstenite::tungstenite::Error as WsError;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::http::{HeaderValue, StatusCode, header};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use crate::address::ServerUrl;
use crate::trust::{Trust, server_name};

/// The default time limit of an attempt, from the first packet to the open WebSocket.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The largest message that is accepted, in bytes. A snapshot of the longest match is far smaller.
const INCOMING_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The size of a WebSocket's read buffer, in bytes: a load program has thousands of them.
const READ_BUFFER_BYTES: usize = 8 * 1024;

/// A WebSocket, over TLS or not.
pub(crate) type ClientSocket = WebSocketStream<Box<dyn ByteStream>>;

/// A TCP or TLS stream.
pub(crate) trait ByteStream: AsyncRead + AsyncWrite + Debug + Send + Sync + Unpin {}

impl<T: AsyncRead + AsyncWrite + Debug + Send + Sync + Unpin> ByteStream for T {}

/// A server's address and the way to connect to it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Endpoint {
    /// The server's address.
    pub server: ServerUrl,
    /// The certificate authorities to trust: those of the operating system unless others are set.
    pub trust: Trust,
    /// The time limit of one attempt: five seconds unless another one is set.
    pub connect_timeout: Duration,
}

impl Endpoint {
    /// An endpoint with the default settings.
    #[must_use]
    pub fn new(server: ServerUrl) -> Self {
        Self {
            server,
            trust: Trust::system(),
            connect_timeout: CONNECT_TIMEOUT,
        }
    }

    /// Opens a WebSocket.
    pub(crate) async fn open(&self) -> Result<ClientSocket, ConnectError> {
        let attempt = timeout(self.connect_timeout, self.attempt()).await;
        attempt.unwrap_or(Err(ConnectError::Timeout))
    }

    async fn attempt(&self) -> Result<ClientSocket, ConnectError> {
        let stream = self.connect().await?;
        // A move is one small packet; waiting for more would only delay it.
        stream.set_nodelay(true)?;
        let stream = match self.server.is_secure() {
            true => self.encrypt(stream).await?,
            false => Box::new(stream) as Box<dyn ByteStream>,
        };
        let request = self.server.to_string().into_client_request();
        let mut request = request.map_err(|error| self.to_connect_error(&error))?;
        let subprotocol = HeaderValue::from_static(SUBPROTOCOL);
        request
            .headers_mut()
            .insert(header::SEC_WEBSOCKET_PROTOCOL, subprotocol);
        let config = WebSocketConfig::default()
            .read_buffer_size(READ_BUFFER_BYTES)
            .write_buffer_size(0)
            .max_message_size(Some(INCOMING_BYTES_MAX))
            .max_frame_size(Some(INCOMING_BYTES_MAX));
        let opened = client_async_with_config(request, stream, Some(config)).await;
        let (socket, _) = opened.map_err(|error| self.to_connect_error(&error))?;
        Ok(socket)
    }

    fn to_connect_error(&self, error: &WsError) -> ConnectError {
        match error {
            WsError::Http(answer) if is_lasting(answer.status()) => {
                let status = answer.status();
                match status == StatusCode::BAD_REQUEST && !self.server.is_secure() {
                    true => ConnectError::MaybeTls(status.to_string()),
                    false => ConnectError::NotAServer(status.to_string()),
                }
            }
            error => ConnectError::Unreachable(readable(error)),
        }
    }

    async fn connect(&self) -> Result<TcpStream, ConnectError> {
        let unknown = |_| ConnectError::UnknownHost(self.server.host());
        let addresses = lookup_host(self.server.host_and_port()).await;
        let mut failure = io::Error::from(io::ErrorKind::NotFound);
        for address in addresses.map_err(unknown)? {
            match TcpStream::connect(address).await {
                Ok(stream) => return Ok(stream),
                Err(error) => failure = error,
            }
        }
        Err(failure.into())
    }

    /// The client's half of the TLS handshake.
    async fn encrypt(&self, stream: TcpStream) -> Result<Box<dyn ByteStream>, ConnectError> {
        let untrusted = |error: &dyn Display| ConnectError::Untrusted(error.to_string());
        let connector = self.trust.connector().map_err(|error| untrusted(&error))?;
        let name = server_name(&self.server.host()).map_err(|error| untrusted(&error))?;
        let stream = connector.connect(name, stream).await;
        Ok(Box::new(stream.map_err(|error| tls_error(&error))?))
    }
}

/// A failed attempt to connect.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// No server answers, or not with a WebSocket; a later attempt may succeed.
    #[error("{0}")]
    Unreachable(String),
    /// The server's name has no address: it is misspelt, or this machine is offline.
    #[error("no address is known for the name {0}; is it spelt right, and is this machine online?")]
    UnknownHost(String),
    /// The time limit has passed.
    #[error("it did not answer in time")]
    Timeout,
    /// An HTTP server without this protocol answers, with this status; a later attempt will meet the same.
    #[error("it answers {0}")]
    NotAServer(String),
    /// An HTTP server refuses plain text, as servers with TLS do.
    #[error("it answers {0}; if it uses TLS, write https://")]
    MaybeTls(String),
    /// The server's identity is not proved.
    #[error("{0}")]
    Untrusted(String),
}

impl ConnectError {
    /// Returns true if another attempt would meet the same error.
    #[must_use]
    pub fn is_permanent(&self) -> bool {
        match self {
            Self::Unreachable(_) | Self::UnknownHost(_) | Self::Timeout => false,
            Self::NotAServer(_) | Self::MaybeTls(_) | Self::Untrusted(_) => true,
        }
    }
}

impl From<io::Error> for ConnectError {
    fn from(error: io::Error) -> Self {
        Self::Unreachable(io_text(&error))
    }
}

/// Says why a TLS handshake failed.
fn tls_error(error: &io::Error) -> ConnectError {
    let cause = error.get_ref().and_then(|cause| cause.downcast_ref());
    match cause {
        Some(rustls::Error::InvalidCertificate(error)) => ConnectError::Untrusted(format!(
            "its certificate is not trusted: {}",
            certificate_error(error)
        )),
        Some(rustls::Error::InvalidMessage(_)) => {
            ConnectError::Untrusted("it does not use TLS; write http://".to_owned())
        }
        Some(error) => ConnectError::Untrusted(error.to_string()),
        None => ConnectError::Unreachable(io_text(error)),
    }
}

/// A certificate's fault in plain words, where there are such.
fn certificate_error(error: &CertificateError) -> String {
    use CertificateError as E;
    match error {
        E::UnknownIssuer => "it was issued by an unknown authority".to_owned(),
        E::Expired | E::ExpiredContext { .. } => "it has expired".to_owned(),
        E::NotValidForName | E::NotValidForNameContext { .. } => {
            "it is for another name".to_owned()
        }
        // The TLS library has no type for these two errors of self-made certificates.
        E::Other(fault) if fault.to_string() == "CaUsedAsEndEntity" => "it is an authority's own, \
             as `openssl req -x509` makes it; the server needs one that was made with `-addext \
             basicConstraints=critical,CA:FALSE`, as its docs/OPERATING.md says"
            .to_owned(),
        E::Other(fault) if fault.to_string() == "UnsupportedCertVersion" => "it is of version 1; \
             the server needs one of version 3, as its docs/OPERATING.md says"
            .to_owned(),
        other => other.to_string(),
    }
}

/// Returns true for an answer that would be the same next time, because it is about the request; 429 and the
/// 500s are not.
fn is_lasting(status: StatusCode) -> bool {
    status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS || status.is_success()
}

/// An error of the operating system in plain words. A kind without a name says less than the error.
fn io_text(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::Other => error.to_string(),
        kind if kind.to_string() == "uncategorized error" => error.to_string(),
        kind => kind.to_string(),
    }
}

/// A WebSocket's error in plain words.
pub(crate) fn readable(error: &WsError) -> String {
    match error {
        WsError::Io(error) => io_text(error),
        WsError::ConnectionClosed
        | WsError::AlreadyClosed
        | WsError::Protocol(
            ProtocolError::ResetWithoutClosingHandshake | ProtocolError::HandshakeIncomplete,
        ) => "the connection broke off".to_owned(),
        error => error.to_string(),
    }
}
