//! Takes connections in: no more than there is room for, none that dawdles over its request.

use std::io::ErrorKind;
use std::sync::Arc;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use socket2::SockRef;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::limits::{
    ACCEPT_PAUSE, CONNECTIONS_MAX, HTTP_HEAD_BYTES_MAX, HTTP_HEAD_WITHIN, UNSENT_BYTES_MAX,
};

/// A connection's place among [`CONNECTIONS_MAX`]; free again when the last clone is dropped.
#[derive(Clone)]
pub(crate) struct Place(#[expect(dead_code, reason = "held, not read")] Arc<OwnedSemaphorePermit>);

/// Accepts until `stop`.
pub(crate) async fn accept(
    listener: TcpListener,
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
                let serving = serve(stream, router.clone(), place, stop.clone());
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

/// Serves one connection's requests, until it becomes a WebSocket or ends.
async fn serve(stream: TcpStream, router: Router, place: Place, stop: CancellationToken) {
    // Frames are small and wanted at once. Where this fails they are late, but right.
    let _ = stream.set_nodelay(true);
    let _ = SockRef::from(&stream).set_send_buffer_size(UNSENT_BYTES_MAX);
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
