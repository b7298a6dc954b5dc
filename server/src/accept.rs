//! Takes connections in: no more than there is room for, none that dawdles over its request.

use std::io::{self, ErrorKind};
use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;
use axum::http::header::CONNECTION;
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

use crate::limits::{
    ACCEPT_PAUSE, CONNECTIONS_MAX, HTTP_HEAD_BYTES_MAX, HTTP_HEAD_WITHIN, TLS_WITHIN,
    UNSENT_BYTES_MAX,
};
use crate::tls::{Tls, is_handshake};

/// A connection's place among [`CONNECTIONS_MAX`]; free again when the last clone is dropped.
#[derive(Clone)]
pub(crate) struct Place(#[expect(dead_code, reason = "held, not read")] Arc<OwnedSemaphorePermit>);

/// Accepts until `stop`.
pub(crate) async fn accept(
    listener: TcpListener,
    tls: Option<Tls>,
    router: Router,
    connections: TaskTracker,
    stop: CancellationToken,
) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        let accepted = async {
            // Room first: whoever waits for it waits in the listener's backlog.
            let place = Arc::clone(&places).acquire_owned().await;
            let place = place.expect("nobody closes the semaphore");
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            () = stop.cancelled() => return,
            accepted = accepted => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                let place = Place(Arc::new(place));
                let (tls, router, stop) = (tls.clone(), router.clone(), stop.clone());
                let serving = receive(stream, tls, router, place, stop);
                connections.spawn(serving);
            }
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

/// Serves one connection, under TLS where that is spoken.
async fn receive(
    stream: TcpStream,
    tls: Option<Tls>,
    router: Router,
    place: Place,
    stop: CancellationToken,
) {
    // Frames are small and wanted at once. Where this fails they are late, but right.
    let _ = stream.set_nodelay(true);
    let _ = SockRef::from(&stream).set_send_buffer_size(UNSENT_BYTES_MAX);
    let Some(tls) = tls else {
        return serve(stream, router, place, stop).await;
    };
    let shaken = tokio::select! {
        shaken = timeout(TLS_WITHIN, shake(stream, &tls)) => shaken,
        () = stop.cancelled() => return,
    };
    match shaken {
        Ok(Ok(Spoken::Tls(stream))) => serve(stream, router, place, stop).await,
        Ok(Ok(Spoken::Plain(stream))) => serve(stream, only_tls(), place, stop).await,
        Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
        Err(_) => tracing::debug!("a TLS handshake took too long"),
    }
}

/// What a client speaks where TLS is spoken.
enum Spoken {
    Tls(Box<TlsStream<TcpStream>>),
    Plain(TcpStream),
}

async fn shake(stream: TcpStream, tls: &Tls) -> io::Result<Spoken> {
    let mut first = [0];
    if stream.peek(&mut first).await? == 1 && !is_handshake(first[0]) {
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
async fn serve<S>(stream: S, router: Router, place: Place, stop: CancellationToken)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(place.clone());
        router.call(request)
    });
    let mut connection = std::pin::pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HTTP_HEAD_WITHIN)
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
    use crate::tls::tests::Files;

    /// Time passes only while everybody waits, and then as fast as it can.
    #[tokio::test(start_paused = true)]
    async fn a_handshake_that_dawdles_is_given_up() {
        let files = Files::new();
        for begun in [&[][..], &[0x16, 3, 1]] {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let (connections, stop) = (TaskTracker::new(), CancellationToken::new());
            let tls = Some(files.load().unwrap());
            let taking = accept(
                listener,
                tls,
                Router::new(),
                connections.clone(),
                stop.clone(),
            );
            let taking = tokio::spawn(taking);
            let start = Instant::now();
            let mut line = TcpStream::connect(address).await.unwrap();
            line.write_all(begun).await.unwrap();
            let mut heard = Vec::new();
            line.read_to_end(&mut heard).await.unwrap();
            assert!(heard.is_empty());
            assert!(start.elapsed() >= TLS_WITHIN);
            stop.cancel();
            taking.await.unwrap();
        }
    }
}
