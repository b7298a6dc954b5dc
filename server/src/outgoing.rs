//! Sends one request to another server: a push service, a certificate authority, or another fibfob-server for
//! `ready`. Does not follow redirects.

use std::error::Error;
use std::io;
use std::sync::{Arc, OnceLock};

use fibfob_net::trust::{client_config, system_roots};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{HOST, HeaderValue};
use hyper::http::uri::Scheme;
use hyper::{Request, Response, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{self, RootCertStore};

use crate::limits::CALL_WITHIN;

/// A reason why a request was not answered.
#[derive(Debug, Error)]
pub enum NotAnswered {
    /// The address has no host.
    #[error("its address has no host that can be reached")]
    NoHost,
    /// No answer came in time.
    #[error("no answer within {}", humantime::format_duration(CALL_WITHIN))]
    Late,
    /// The connection failed.
    #[error("it cannot be reached: {0}")]
    Connection(#[from] io::Error),
    /// TLS failed.
    #[error("TLS cannot be used: {0}")]
    Tls(#[from] rustls::Error),
    /// The answer is not HTTP.
    #[error(transparent)]
    Http(#[from] hyper::Error),
    /// The answer could not be read to its end.
    #[error("its answer cannot be read: {0}")]
    Answer(Box<dyn Error + Send + Sync>),
}

/// Sends a request, and returns only the answer's status.
pub(crate) async fn status_of(request: Request<Full<Bytes>>) -> Result<StatusCode, NotAnswered> {
    let connector = system_connector()?;
    Ok(answer_to(request, connector, 0).await?.status())
}

/// Sends a request, and returns the answer with a body of at most `most` bytes. With 0, the body is not read.
pub(crate) async fn answer_to(
    request: Request<Full<Bytes>>,
    connector: TlsConnector,
    body_max: usize,
) -> Result<Response<Bytes>, NotAnswered> {
    let sending = timeout(CALL_WITHIN, send(request, connector, body_max));
    sending.await.unwrap_or(Err(NotAnswered::Late))
}

async fn send(
    mut request: Request<Full<Bytes>>,
    connector: TlsConnector,
    body_max: usize,
) -> Result<Response<Bytes>, NotAnswered> {
    let uri = request.uri().clone();
    let (host, authority) = uri.host().zip(uri.authority()).ok_or(NotAnswered::NoHost)?;
    let named = HeaderValue::try_from(authority.as_str()).map_err(|_| NotAnswered::NoHost)?;
    request.headers_mut().insert(HOST, named);
    let path = uri.path_and_query().cloned().ok_or(NotAnswered::NoHost)?;
    *request.uri_mut() = Uri::from(path);
    let is_secure = uri.scheme() == Some(&Scheme::HTTPS);
    let port = uri.port_u16().unwrap_or(if is_secure { 443 } else { 80 });
    let host = host.trim_matches(['[', ']']);
    let stream = TcpStream::connect((host, port)).await?;
    if !is_secure {
        return exchange(stream, request, body_max).await;
    }
    let name = ServerName::try_from(host.to_owned()).map_err(|_| NotAnswered::NoHost)?;
    exchange(connector.connect(name, stream).await?, request, body_max).await
}

/// Sends a request on a connection of its own.
pub(crate) async fn exchange(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    request: Request<Full<Bytes>>,
    body_max: usize,
) -> Result<Response<Bytes>, NotAnswered> {
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    let answering = async {
        let (head, body) = sender.send_request(request).await?.into_parts();
        let body = match body_max {
            0 => Bytes::new(),
            most => {
                let read = Limited::new(body, most).collect().await;
                read.map_err(NotAnswered::Answer)?.to_bytes()
            }
        };
        Ok(Response::from_parts(head, body))
    };
    tokio::pin!(answering);
    tokio::select! {
        answer = &mut answering => answer,
        // If the connection ends with the answer, the answer has arrived.
        ended = connection => match ended {
            Ok(()) => answering.await,
            Err(error) => Err(error.into()),
        },
    }
}

/// Makes a TLS connector that trusts the operating system's authorities. They are read for the first call.
pub(crate) fn system_connector() -> Result<TlsConnector, rustls::Error> {
    static CONNECTOR: OnceLock<TlsConnector> = OnceLock::new();
    if let Some(connector) = CONNECTOR.get() {
        return Ok(connector.clone());
    }
    let connector = connector(system_roots())?;
    Ok(CONNECTOR.get_or_init(|| connector).clone())
}

/// Makes a TLS connector that trusts these authorities.
pub(crate) fn connector(trusted: RootCertStore) -> Result<TlsConnector, rustls::Error> {
    Ok(TlsConnector::from(Arc::new(client_config(trusted)?)))
}
