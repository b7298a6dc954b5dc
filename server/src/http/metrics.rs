//! The metrics, for a Prometheus server.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

use super::state::HttpState;
use crate::ops::metrics::{self, GaugeReadings, QueueLabel};

/// `GET /metrics`
pub(super) async fn show(State(state): State<Arc<HttpState>>) -> Response {
    let app = &state.app;
    let readings = GaugeReadings {
        ready: app.readiness().is_ok(),
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
