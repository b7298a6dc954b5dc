//! The metrics, for a Prometheus server.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HOST};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};

use super::state::HttpState;
use crate::net::origin::may_read;
use crate::ops::metrics::{self, GaugeReadings, QueueLabel};

/// `GET /metrics`
pub(super) async fn show(State(state): State<Arc<HttpState>>, headers: HeaderMap) -> Response {
    let host = headers.get(HOST).map(|host| host.to_str().unwrap_or(""));
    if !may_read(host, &state.allow_origins) {
        let why = "this name is not the server's; use its address, localhost, or --public-url\n";
        return (StatusCode::FORBIDDEN, why).into_response();
    }
    let app = &state.app;
    let readings = GaugeReadings {
        ready: app.readiness().await.is_ok(),
        queues: [
            (QueueLabel::Append, app.store.queue()),
            (QueueLabel::FullestInbox, app.directory.fullest_inbox()),
            (QueueLabel::Thinkers, app.directory.computations()),
        ],
    };
    let head = [
        (CONTENT_TYPE, metrics::CONTENT_TYPE),
        (CACHE_CONTROL, "no-store"),
    ];
    (head, app.metrics.encode(&readings)).into_response()
}
