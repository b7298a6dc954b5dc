//! Takes connections in: no more than there is room for, no more from one address than its share, none
//! that dawdles over its request.

use std::io::{self, ErrorKind};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::header::{CONNECTION, RETRY_AFTER};
use axum::http::{HeaderMap, StatusCode};
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
use tokio::time::{sleep, timeout};
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::app::App;
use crate::limits::{
    ACCEPT_PAUSE, HTTP_HEAD_BYTES_MAX, READ_RATE, TLS_WITHIN, TURNED_AWAY_MAX, TURNED_AWAY_WITHIN,
    UNREAD_BYTES_MAX, UNSENT_BYTES_MAX,
};
use crate::net::address_limits::Visitor;
use crate::net::client_address::{client, is_proxy};
use crate::net::throttle::Throttled;
use crate::net::tls::{Tls, is_handshake};

/// Where connections come in.
pub(crate) struct Door {
    app: Arc<App>,
    router: Router,
    /// None where TLS is left to a proxy, or to nobody.
    tls: Option<Tls>,
    connections: TaskTracker,
    stop: CancellationToken,
    /// Places for those who are told that they cannot come in.
    telling: Arc<Semaphore>,
}

/// One connection's place, among all and among those of its address; free again when the last clone is
/// dropped.
#[derive(Clone)]
pub(crate) struct Place {
    peer: IpAddr,
    /// None for a trusted proxy, which is not counted itself.
    visitor: Option<Arc<Visitor>>,
    _permit: Arc<OwnedSemaphorePermit>,
}

impl Place {
    /// The client behind a request on this connection, among those of its address; none if there are
    /// too many of them.
    pub(crate) fn visitor(&self, app: &App, headers: &HeaderMap) -> Option<Arc<Visitor>> {
        if let Some(visitor) = &self.visitor {
            return Some(Arc::clone(visitor));
        }
        let forwarded = headers.get_all("x-forwarded-for");
        let forwarded: Vec<_> = forwarded
            .iter()
            .map(|list| list.to_str().unwrap_or(""))
            .collect();
        let client = client(self.peer, forwarded.into_iter(), &app.trusted_proxies);
        app.addresses.enter(client.into()).map(Arc::new)
    }
}

impl Door {
    pub(crate) fn new(
        app: Arc<App>,
        router: Router,
        tls: Option<Tls>,
        connections: TaskTracker,
        stop: CancellationToken,
    ) -> Self {
        Self {
            app,
            router,
            tls,
            connections,
            stop,
            telling: Arc::new(Semaphore::new(TURNED_AWAY_MAX)),
        }
    }

    /// Accepts until the stop.
    pub(crate) async fn accept(self, listener: TcpListener) {
        let places = Arc::new(Semaphore::new(self.app.bounds.connections));
        loop {
            let accepted = async {
                // Room first: whoever waits for it waits in the listener's backlog.
                let place = Arc::clone(&places).acquire_owned().await;
                let place = place.expect("nobody closes the semaphore");
                (place, listener.accept().await)
            };
            let (permit, accepted) = tokio::select! {
                () = self.stop.cancelled() => return,
                accepted = accepted => accepted,
            };
            match accepted {
                Ok((stream, peer)) => self.take_in(stream, peer.ip(), permit),
                // The client has gone before it came; the next one is not concerned.
                Err(error) if error.kind() == ErrorKind::ConnectionAborted => {}
                Err(error) => {
                    // Most often: no descriptor is free. Asking again at once would only spin.
                    tracing::warn!(%error, "a connection could not be accepted");
                    sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    fn take_in(&self, stream: TcpStream, peer: IpAddr, permit: OwnedSemaphorePermit) {
        let visitor = if is_proxy(peer, &self.app.trusted_proxies) {
            None
        } else {
            let Some(visitor) = self.app.addresses.enter(peer.into()) else {
                return self.turn_away(stream);
            };
            Some(Arc::new(visitor))
        };
        let place = Place {
            peer,
            visitor,
            _permit: Arc::new(permit),
        };
        let bounds = &self.app.bounds;
        let within = (bounds.http_head_within, bounds.write_within);
        let serving = receive(
            stream,
            self.tls.clone(),
            self.router.clone(),
            place,
            within,
            self.stop.clone(),
        );
        self.connections.spawn(serving);
    }

    /// Says why, to as many as can be told; the others find the line closed. Either way the place among
    /// all is free again.
    fn turn_away(&self, stream: TcpStream) {
        let Ok(telling) = Arc::clone(&self.telling).try_acquire_owned() else {
            return;
        };
        let router = Router::new().fallback(async || {
            let mut answer = too_many_here();
            let close = "close".parse().expect("a word is a header's value");
            answer.headers_mut().insert(CONNECTION, close);
            answer
        });
        let serving = receive(
            stream,
            self.tls.clone(),
            router,
            Arc::new(telling),
            (TURNED_AWAY_WITHIN, TURNED_AWAY_WITHIN),
            self.stop.clone(),
        );
        self.connections.spawn(serving);
    }
}

/// What a client hears whose address has as many connections as it may.
pub(crate) fn too_many_here() -> Response {
    let why = "your address has as many connections as it may; close one, or come back later\n";
    let later = [(RETRY_AFTER, "10")];
    (StatusCode::TOO_MANY_REQUESTS, later, why).into_response()
}

/// Serves one connection, under TLS where that is spoken; `place` is held as long.
async fn receive<P: Clone + Send + Sync + 'static>(
    stream: TcpStream,
    tls: Option<Tls>,
    router: Router,
    place: P,
    (head_within, write_within): (Duration, Duration),
    stop: CancellationToken,
) {
    // Frames are small and wanted at once. Where this fails they are late, but right.
    let _ = stream.set_nodelay(true);
    let _ = SockRef::from(&stream).set_send_buffer_size(UNSENT_BYTES_MAX);
    let _ = SockRef::from(&stream).set_recv_buffer_size(UNREAD_BYTES_MAX);
    let Some(tls) = tls else {
        let stream = Throttled::new(stream, READ_RATE, write_within);
        return serve(stream, router, place, head_within, stop).await;
    };
    let shaken = tokio::select! {
        biased;
        () = stop.cancelled() => return,
        shaken = timeout(TLS_WITHIN, shake(stream, &tls, write_within)) => shaken,
    };
    match shaken {
        Ok(Ok(Spoken::Tls(stream))) => serve(stream, router, place, head_within, stop).await,
        Ok(Ok(Spoken::Plain(stream))) => {
            serve(stream, only_tls(), place, head_within, stop).await;
        }
        Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
        Err(_) => tracing::debug!("a TLS handshake took too long"),
    }
}

/// What a client speaks where TLS is spoken.
enum Spoken {
    Tls(Box<TlsStream<Throttled<TcpStream>>>),
    Plain(Throttled<TcpStream>),
}

async fn shake(stream: TcpStream, tls: &Tls, write_within: Duration) -> io::Result<Spoken> {
    let mut first = [0];
    let plain = stream.peek(&mut first).await? == 1 && !is_handshake(first[0]);
    let stream = Throttled::new(stream, READ_RATE, write_within);
    if plain {
        return Ok(Spoken::Plain(stream));
    }
    let stream = tls.greet(stream).await?;
    Ok(Spoken::Tls(Box::new(stream)))
}

/// What somebody hears who speaks plain HTTP where TLS is spoken.
fn only_tls() -> Router {
    let why = "TLS is spoken here: the address begins with https://, or with wss://\n";
    Router::new().fallback(async move || (StatusCode::BAD_REQUEST, [(CONNECTION, "close")], why))
}

/// Serves one connection's requests, until it becomes a WebSocket or ends.
async fn serve<S, P>(
    stream: S,
    router: Router,
    place: P,
    head_within: Duration,
    stop: CancellationToken,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    P: Clone + Send + Sync + 'static,
{
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(place.clone());
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
    let served = tokio::select! {
        served = connection.as_mut() => served,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = served {
        tracing::debug!(%error, "a connection failed");
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::time::Instant;

    use super::*;
    use crate::net::tls::tests::Files;

    /// Time passes only while everybody waits, and then as fast as it can.
    #[tokio::test(start_paused = true)]
    async fn a_handshake_that_dawdles_is_given_up() {
        let files = Files::new();
        for begun in [&[][..], &[0x16, 3, 1]] {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let tls = Some(files.load().unwrap());
            let serving = async move {
                let (stream, _) = listener.accept().await.unwrap();
                let within = (TLS_WITHIN, TLS_WITHIN);
                receive(
                    stream,
                    tls,
                    Router::new(),
                    (),
                    within,
                    CancellationToken::new(),
                )
                .await;
            };
            let serving = tokio::spawn(serving);
            let start = Instant::now();
            let mut line = TcpStream::connect(address).await.unwrap();
            line.write_all(begun).await.unwrap();
            let mut heard = Vec::new();
            line.read_to_end(&mut heard).await.unwrap();
            assert!(heard.is_empty());
            assert!(start.elapsed() >= TLS_WITHIN);
            serving.await.unwrap();
        }
    }
}
