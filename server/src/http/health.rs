//! Liveness and readiness, for an operator's tools.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use tokio::time::timeout;

use super::state::HttpState;
use crate::app::App;
use crate::limits::READY_WITHIN;

/// `GET /healthz`
pub(super) async fn alive() -> &'static str {
    "alive\n"
}

/// `GET /readyz`
pub(super) async fn ready(State(state): State<Arc<HttpState>>) -> (StatusCode, String) {
    match readiness(&state.app).await {
        Ok(()) => (StatusCode::OK, "ready\n".to_owned()),
        Err(why) => (StatusCode::SERVICE_UNAVAILABLE, format!("{why}\n")),
    }
}

/// Checks that the server accepts requests and its store can write.
///
/// # Errors
/// The reason why not.
pub(super) async fn readiness(app: &App) -> Result<(), String> {
    if app.draining.is_cancelled() {
        return Err("shutting down".to_owned());
    }
    match timeout(READY_WITHIN, app.store.ready()).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("the store does not answer".to_owned()),
    }
}
