//! The HTTP side: the page, the socket's door, and two questions an operator's tools ask.

mod catalogue;
mod files;
mod metrics;
mod page;
mod socket;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::get;
use tokio::time::timeout;

pub(crate) use self::page::Page;
use crate::app::App;
use crate::limits::READY_WITHIN;

/// The page may load what this server serves and talk to it, and nothing may frame it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

/// Every path of this server; `/metrics` too, if it is shown here.
pub(crate) fn router(app: Arc<App>, with_metrics: bool) -> Router {
    let mut paths = Router::new();
    if with_metrics {
        paths = paths.route("/metrics", get(metrics::show));
    }
    paths
        .route("/", get(page::index_page))
        .route("/m/{code}", get(page::match_page))
        .route("/page/{name}/{*path}", get(page::file))
        .route("/api/games", get(catalogue::games))
        .route("/ws", get(socket::open))
        .route("/healthz", get(async || "alive\n"))
        .route("/readyz", get(ready))
        .fallback(async || (StatusCode::NOT_FOUND, "nothing here; the page is at /\n"))
        .layer(middleware::from_fn(guard))
        .with_state(app)
}

/// What only an operator's tools ask, on an address of their own.
pub(crate) fn operators_router(app: Arc<App>) -> Router {
    Router::new()
        .route("/metrics", get(metrics::show))
        .route("/healthz", get(async || "alive\n"))
        .route("/readyz", get(ready))
        .fallback(async || (StatusCode::NOT_FOUND, "nothing here; see /metrics\n"))
        .layer(middleware::from_fn(guard))
        .with_state(app)
}

/// What every answer says to a browser.
async fn guard(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    // A policy is a document's. Modules and styles are many, and it is longer than some of them.
    let kind = headers
        .get(CONTENT_TYPE)
        .map_or("", |kind| kind.to_str().unwrap_or(""));
    let part_of_a_document = kind.starts_with("text/css") || kind.starts_with("text/javascript");
    let mut set = |name: HeaderName, value| headers.insert(name, HeaderValue::from_static(value));
    if !part_of_a_document {
        set(CONTENT_SECURITY_POLICY, POLICY);
    }
    set(X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(REFERRER_POLICY, "no-referrer");
    response
}

async fn ready(State(app): State<Arc<App>>) -> (StatusCode, String) {
    match readiness(&app).await {
        Ok(()) => (StatusCode::OK, "ready\n".to_owned()),
        Err(why) => (StatusCode::SERVICE_UNAVAILABLE, format!("{why}\n")),
    }
}

/// Whether the server can do what it is for, or why it cannot.
async fn readiness(app: &App) -> Result<(), String> {
    if app.draining.is_cancelled() {
        return Err("shutting down".to_owned());
    }
    match timeout(READY_WITHIN, app.store.ready()).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("the store does not answer".to_owned()),
    }
}
