//! Liveness and readiness, for an operator's tools.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;

use super::state::HttpState;

/// `GET /healthz`
pub(super) async fn alive() -> &'static str {
    "alive\n"
}

/// `GET /readyz`: whether clients can connect, and how the last look found the store.
pub(super) async fn ready(State(state): State<Arc<HttpState>>) -> (StatusCode, String) {
    match state.readiness() {
        Ok(store) => (StatusCode::OK, format!("ready\nstore: {store}\n")),
        Err(why) => (StatusCode::SERVICE_UNAVAILABLE, format!("{why}\n")),
    }
}
