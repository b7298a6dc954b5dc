//! HTTP: the web page, the WebSocket upgrade, and the endpoints of an operator's tools.

mod bundle;
mod catalogue;
mod feed;
mod feed_words;
mod files;
mod health;
mod metrics;
mod page;
mod page_routes;
mod preview;
mod preview_cache;
mod qr_code;
mod schemas;
mod state;
mod upgrade;

use std::sync::Arc;

use axum::Router;
use axum::body::HttpBody;
use axum::extract::{Extension, Request};
use axum::http::header::{
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::get;
use tokio::time::Instant;

pub(crate) use self::page::WebPage;
pub(crate) use self::preview_cache::Previews;
pub(crate) use self::state::HttpState;
use crate::net::listener::{ConnectionPermit, too_many_bytes};

/// The page may load from this server and connect to it, and no site may frame it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

/// The length of a response's head, about, in bytes.
const HEAD_BYTES: usize = 512;

/// The router for clients; with `/metrics` if they are served on the same port.
pub(crate) fn router(state: Arc<HttpState>, with_metrics: bool) -> Router {
    let mut paths = Router::new();
    if with_metrics {
        paths = paths.route("/metrics", get(metrics::show));
    }
    paths
        .route("/", get(page_routes::index))
        .route("/m/{code}", get(page_routes::match_page))
        .route("/m/{code}/", get(page_routes::match_page))
        .route("/m/{code}/qr.svg", get(qr_code::show))
        .route("/m/{code}/preview.png", get(preview::of_match))
        .route("/preview.png", get(preview::of_start_page))
        .route("/feed/{key}", get(feed::show))
        .route("/device", get(page_routes::device))
        .route("/device/qr.svg", get(qr_code::show_device_link))
        .route("/page/{name}/{*path}", get(page_routes::file))
        .route("/api/games", get(catalogue::games))
        .route("/protocol/fibfob.v1.schema.json", get(schemas::schema))
        .route("/protocol/fibfob.v1.asyncapi.json", get(schemas::asyncapi))
        .route("/ws", get(upgrade::open))
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .fallback(async || (StatusCode::NOT_FOUND, "nothing here; the page is at /\n"))
        .layer(middleware::from_fn(security_headers))
        .layer(middleware::from_fn(count_sent))
        .with_state(state)
}

/// The router of a separate port for an operator's tools.
pub(crate) fn operators_router(state: Arc<HttpState>) -> Router {
    Router::new()
        .route("/metrics", get(metrics::show))
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .fallback(async || (StatusCode::NOT_FOUND, "nothing here; see /metrics\n"))
        .layer(middleware::from_fn(security_headers))
        .with_state(state)
}

/// Counts the bytes of each response against the client's address, which is refused after too many.
async fn count_sent(
    Extension(permit): Extension<ConnectionPermit>,
    request: Request,
    next: Next,
) -> Response {
    let traffic = permit.traffic(request.headers());
    if traffic.may_receive(Instant::now()).is_err() {
        return too_many_bytes();
    }
    let response = next.run(request).await;
    let body = response.body().size_hint().lower();
    let bytes = usize::try_from(body).unwrap_or(usize::MAX);
    traffic.sent(bytes.saturating_add(HEAD_BYTES), Instant::now());
    response
}

/// Adds the security headers of every response.
async fn security_headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    // The policy applies to documents. It is longer than some of the modules and styles.
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
