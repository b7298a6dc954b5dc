//! The listener: accepts connections within the bounds of the server and of each address, and
//! serves HTTP on them.
//!
//! axum's own `serve` and the crate axum-server would replace this loop, but have none of its
//! bounds: connections in total (further ones wait in the backlog), connections per address
//! (rejected before a TLS handshake), time for the handshake and for the head of a request, bytes
//! read per second, writes that make no progress, and an answer in plain HTTP where TLS is
//! expected.

use std::future::ready;
use std::io::{self, ErrorKind};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::http::header::{CONNECTION, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, timeout};
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::admission::{AdmissionPolicy, ConnectionPermit, Peer, StreamBounds};
use crate::client_address::is_proxy;
use crate::limits::{
    ACCEPT_PAUSE, ACCEPT_WARNED_EVERY, HTTP_HEAD_BYTES_MAX, READ_RATE, REJECTION_WITHIN,
    REJECTIONS_MAX, TLS_WITHIN, UNREAD_BYTES_MAX, UNSENT_BYTES_MAX,
};
use crate::refusals::RefusedFor;
use crate::throttle::Throttled;
use crate::tls::{HANDSHAKE, Tls};

/// The bounds of a connection that is only told why it is rejected.
const REJECTED: StreamBounds = StreamBounds {
    head_within: REJECTION_WITHIN,
    read_rate: READ_RATE,
    write_within: REJECTION_WITHIN,
};

/// A TCP port that accepts connections and serves HTTP on them.
pub struct Listener {
    policy: Arc<AdmissionPolicy>,
    router: Router,
    /// None if a proxy terminates TLS, or nothing does. With it comes the router that answers plain HTTP
    /// there.
    tls: Option<(Tls, Router)>,
    connections: TaskTracker,
    stop: CancellationToken,
    /// Permits for rejected connections that are sent the reason.
    rejections: Arc<Semaphore>,
}

impl Listener {
    /// A listener that spawns its connections on `connections` and ends at `stop`.
    pub fn new(
        policy: Arc<AdmissionPolicy>,
        router: Router,
        tls: Option<(Tls, Router)>,
        connections: TaskTracker,
        stop: CancellationToken,
    ) -> Self {
        Self {
            policy,
            router,
            tls,
            connections,
            stop,
            rejections: Arc::new(Semaphore::new(REJECTIONS_MAX)),
        }
    }

    /// Accepts connections until `stop`.
    pub async fn accept(self, listener: TcpListener) {
        let permits = &self.policy.permits;
        let mut warned: Option<Instant> = None;
        loop {
            let accepted = async {
                // The permit comes first, so that further connections wait in the backlog.
                let permit = Arc::clone(permits).acquire_owned().await;
                let permit = permit.expect("the semaphore is never closed");
                (permit, listener.accept().await)
            };
            let (permit, accepted) = tokio::select! {
                () = self.stop.cancelled() => return,
                accepted = accepted => accepted,
            };
            match accepted {
                Ok((stream, peer)) => self.admit(stream, peer.ip(), permit),
                // This client has already left; the next one is not affected.
                Err(error) if error.kind() == ErrorKind::ConnectionAborted => {}
                Err(error) => {
                    // Usually no descriptor is free; an immediate retry would only spin.
                    if warned.is_none_or(|at| at.elapsed() >= ACCEPT_WARNED_EVERY) {
                        warned = Some(Instant::now());
                        tracing::warn!(%error, "a connection could not be accepted");
                    }
                    sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    fn admit(&self, stream: TcpStream, peer: IpAddr, permit: OwnedSemaphorePermit) {
        let policy = &self.policy;
        let guard = if is_proxy(peer, &policy.trusted_proxies) {
            None
        } else {
            let Some(guard) = policy.addresses.admit(peer.into()) else {
                return self.reject(stream, peer);
            };
            Some(Arc::new(guard))
        };
        let started = guard.clone();
        let permit = ConnectionPermit {
            peer,
            guard,
            policy: Arc::clone(policy),
            _open: Arc::new(permit),
        };
        let serving = serve_stream(
            stream,
            self.peer(peer),
            self.tls.clone(),
            self.router.clone(),
            permit,
            policy.stream,
            self.stop.clone(),
        );
        let stop = self.stop.clone();
        self.connections.spawn(async move {
            if let Some(guard) = started {
                tokio::select! {
                    biased;
                    () = stop.cancelled() => return,
                    () = guard.start() => {}
                }
            }
            serving.await;
        });
    }

    fn peer(&self, address: IpAddr) -> Peer {
        let addresses = Arc::clone(&self.policy.addresses);
        Peer { address, addresses }
    }

    /// Tells a rejected client the reason, if few enough are being told, also of its address; otherwise only
    /// closes the connection. Its permit is given back either way.
    fn reject(&self, stream: TcpStream, peer: IpAddr) {
        if !self.policy.addresses.explains_to(peer.into()) {
            return;
        }
        let Ok(permit) = Arc::clone(&self.rejections).try_acquire_owned() else {
            return;
        };
        let router = Router::new().fallback(async || {
            let mut answer = too_many_connections();
            let close = HeaderValue::from_static("close");
            answer.headers_mut().insert(CONNECTION, close);
            answer
        });
        let tls = self.tls.clone();
        let serving = serve_stream(
            stream,
            self.peer(peer),
            tls.map(|(tls, _)| (tls, router.clone())),
            router,
            Arc::new(permit),
            REJECTED,
            self.stop.clone(),
        );
        self.connections.spawn(serving);
    }
}

/// The answer to a client whose address has as many connections as it may.
pub fn too_many_connections() -> Response {
    let why = "your address has as many connections as it may, or has opened too many lately; \
               close one, or come back later\n";
    come_back_later(why)
}

/// The answer to a client whose address was sent too much.
pub fn too_many_bytes() -> Response {
    come_back_later("too much was sent to your address; come back later\n")
}

/// The answer to a client whose address has used up its processor time for a while.
pub fn too_much_time() -> Response {
    come_back_later(
        "your address has asked for more than its share of the server's time; come back later\n",
    )
}

fn come_back_later(why: &'static str) -> Response {
    let later = [(RETRY_AFTER, "10")];
    (StatusCode::TOO_MANY_REQUESTS, later, why).into_response()
}

/// Serves one connection, with TLS if the listener has it, and holds `permit` meanwhile.
async fn serve_stream<P: Clone + Send + Sync + 'static>(
    stream: TcpStream,
    peer: Peer,
    tls: Option<(Tls, Router)>,
    router: Router,
    permit: P,
    bounds: StreamBounds,
    stop: CancellationToken,
) {
    // Frames are small and urgent. Without this option they are late, but correct.
    let _ = stream.set_nodelay(true);
    let _ = SockRef::from(&stream).set_send_buffer_size(UNSENT_BYTES_MAX);
    let _ = SockRef::from(&stream).set_recv_buffer_size(UNREAD_BYTES_MAX);
    let Some((tls, plain)) = tls else {
        let stream = bounds.throttled(stream);
        let received = stream.received();
        let serving = serve_http(stream, &received, router, permit, bounds.head_within, stop);
        return peer.note_failure(&serving.await, &received);
    };
    let accepted = tokio::select! {
        biased;
        () = stop.cancelled() => return,
        accepted = timeout(TLS_WITHIN, handshake(stream, &tls, bounds)) => accepted,
    };
    match accepted {
        Ok(Ok(Transport::Tls(stream))) => {
            let received = stream.get_ref().0.received();
            received.store(false, Ordering::Relaxed);
            let serving = serve_http(stream, &received, router, permit, bounds.head_within, stop);
            peer.note_failure(&serving.await, &received);
        }
        Ok(Ok(Transport::Plain(stream))) => {
            let received = stream.received();
            // Only probes are answered.
            let router = plain.layer(map_response(move |answer: Response| {
                if answer.status() == StatusCode::BAD_REQUEST {
                    peer.refused(RefusedFor::NoTls);
                }
                ready(answer)
            }));
            let _ = serve_http(stream, &received, router, permit, bounds.head_within, stop).await;
        }
        Ok(Ok(Transport::Answered)) => {}
        Ok(Err(error)) => {
            peer.refused(RefusedFor::NoTls);
            tracing::debug!(%error, "a TLS handshake failed");
        }
        Err(_) => {
            peer.refused(RefusedFor::Late);
            tracing::debug!("a TLS handshake took too long");
        }
    }
}

/// The transport that a client chose where TLS is expected.
enum Transport {
    Tls(Box<TlsStream<Throttled<TcpStream>>>),
    Plain(Throttled<TcpStream>),
    /// Nothing more to do: an authority checked that a name is this server's.
    Answered,
}

async fn handshake(stream: TcpStream, tls: &Tls, bounds: StreamBounds) -> io::Result<Transport> {
    let mut first = [0];
    let plain = stream.peek(&mut first).await? == 1 && first != [HANDSHAKE];
    let stream = bounds.throttled(stream);
    if plain {
        return Ok(Transport::Plain(stream));
    }
    let stream = tls.accept(stream).await?;
    Ok(stream.map_or(Transport::Answered, |stream| {
        Transport::Tls(Box::new(stream))
    }))
}

/// Serves the requests of one connection until it ends or becomes a WebSocket. Each request carries `permit`. A
/// connection that does not send the whole head of a request within `head_within` is closed.
///
/// # Errors
/// If the connection fails, or what comes is no HTTP.
pub async fn serve_http<S, P>(
    stream: S,
    received: &Arc<AtomicBool>,
    router: Router,
    permit: P,
    head_within: Duration,
    stop: CancellationToken,
) -> hyper::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    P: Clone + Send + Sync + 'static,
{
    let router = TowerToHyperService::new(router);
    let received = Arc::clone(received);
    let service = service_fn(move |mut request: Request<Incoming>| {
        received.store(false, Ordering::Relaxed);
        request.extensions_mut().insert(permit.clone());
        router.call(request)
    });
    let mut connection = std::pin::pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(head_within)
            .max_buf_size(HTTP_HEAD_BYTES_MAX)
            .serve_connection(TokioIo::new(stream), service)
            .with_upgrades()
    );
    tokio::select! {
        served = connection.as_mut() => served,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address_guard::{AddressShare, AddressTable};
    use crate::tls::tests::CertificateFiles;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    #[tokio::test(start_paused = true)]
    async fn a_tls_handshake_that_does_not_complete_in_time_is_closed() {
        let files = CertificateFiles::new();
        for first_bytes in [&[][..], &[0x16, 3, 1]] {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let tls = Some((files.load().unwrap(), Router::new()));
            let serving = async move {
                let (stream, _) = listener.accept().await.unwrap();
                let bounds = StreamBounds {
                    head_within: TLS_WITHIN,
                    read_rate: READ_RATE,
                    write_within: TLS_WITHIN,
                };
                let stop = CancellationToken::new();
                let messages = READ_RATE;
                let share = AddressShare::of(1, 1, messages, messages);
                let peer = Peer {
                    address: address.ip(),
                    addresses: AddressTable::new(share, 1),
                };
                serve_stream(stream, peer, tls, Router::new(), (), bounds, stop).await;
            };
            let serving = tokio::spawn(serving);
            let start = Instant::now();
            let mut client = TcpStream::connect(address).await.unwrap();
            client.write_all(first_bytes).await.unwrap();
            let mut received = Vec::new();
            client.read_to_end(&mut received).await.unwrap();
            assert!(received.is_empty());
            assert!(start.elapsed() >= TLS_WITHIN);
            serving.await.unwrap();
        }
    }
}
