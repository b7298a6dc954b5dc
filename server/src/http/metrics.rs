//! The server's numbers, for who collects them.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

use super::readiness;
use crate::app::App;
use crate::ops::metrics::{self, Levels, Queue};

/// `GET /metrics`
pub(super) async fn show(State(app): State<Arc<App>>) -> Response {
    let levels = Levels {
        ready: readiness(&app).await.is_ok(),
        queues: [
            (Queue::Append, app.store.queue()),
            (Queue::FullestInbox, app.directory.fullest_inbox()),
            (Queue::Thinkers, app.directory.thinkers()),
        ],
    };
    let head = [
        (CONTENT_TYPE, metrics::CONTENT_TYPE),
        (CACHE_CONTROL, "no-store"),
    ];
    (head, app.metrics.text(&levels)).into_response()
}
