//! The HTTP side: the page, the socket's door, and two questions an operator's tools ask.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Extension, Request, State, WebSocketUpgrade};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use fibfob_protocol::{MESSAGE_BYTES_MAX, SUBPROTOCOL};
use tokio::time::timeout;

use crate::accept::Place;
use crate::app::App;
use crate::limits::{READY_WITHIN, SOCKET_BUFFER_BYTES};
use crate::origin::may_connect;
use crate::session;

const PAGE: &str = include_str!("../web/index.html");
const STYLE: &str = include_str!("../web/style.css");

/// The page may load what this server serves, and nothing may frame it.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// Every path of this server.
pub(crate) fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/", get(page))
        .route("/style.css", get(style))
        .route("/ws", get(socket))
        .route("/healthz", get(async || "alive\n"))
        .route("/readyz", get(ready))
        .fallback(async || (StatusCode::NOT_FOUND, "nothing here; the page is at /\n"))
        .layer(middleware::from_fn(guard))
        .with_state(app)
}

/// What every answer says to a browser.
async fn guard(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value| headers.insert(name, HeaderValue::from_static(value));
    set(CONTENT_SECURITY_POLICY, POLICY);
    set(X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(REFERRER_POLICY, "no-referrer");
    response
}

/// The page names the address it was asked for at, so that its commands can be copied.
async fn page(headers: HeaderMap) -> Response {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let host = host
        .filter(|host| is_plain(host))
        .unwrap_or("127.0.0.1:7171");
    let page = PAGE.replace("{{host}}", host);
    (
        [
            (CONTENT_TYPE, "text/html; charset=utf-8"),
            (CACHE_CONTROL, "no-store"),
        ],
        page,
    )
        .into_response()
}

/// Only what a host and port are made of may go into the page.
fn is_plain(host: &str) -> bool {
    host.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte))
}

async fn style() -> Response {
    (
        [
            (CONTENT_TYPE, "text/css; charset=utf-8"),
            (CACHE_CONTROL, "max-age=300"),
        ],
        STYLE,
    )
        .into_response()
}

async fn ready(State(app): State<Arc<App>>) -> (StatusCode, String) {
    if app.draining.is_cancelled() {
        return (
            StatusCode::SERVICE_UNAVAILABLE,
            "shutting down\n".to_owned(),
        );
    }
    match timeout(READY_WITHIN, app.store.ready()).await {
        Ok(Ok(())) => (StatusCode::OK, "ready\n".to_owned()),
        Ok(Err(error)) => (StatusCode::SERVICE_UNAVAILABLE, format!("{error}\n")),
        Err(_) => (
            StatusCode::SERVICE_UNAVAILABLE,
            "the store does not answer\n".to_owned(),
        ),
    }
}

async fn socket(
    State(app): State<Arc<App>>,
    Extension(place): Extension<Place>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let text = |name| {
        headers
            .get(name)
            .map(|value: &HeaderValue| value.to_str().unwrap_or(""))
    };
    if !may_connect(text(ORIGIN), text(HOST), &app.allow_origins) {
        let why = "pages of this origin may not connect here; the operator can --allow-origin it\n";
        return (StatusCode::FORBIDDEN, why).into_response();
    }
    if app.draining.is_cancelled() {
        return (StatusCode::SERVICE_UNAVAILABLE, "shutting down\n").into_response();
    }
    let upgrade = upgrade.protocols([SUBPROTOCOL]);
    if upgrade.selected_protocol().is_none() && upgrade.requested_protocols().next().is_some() {
        let why = format!("the WebSocket subprotocol spoken here is {SUBPROTOCOL}\n");
        return (StatusCode::BAD_REQUEST, why).into_response();
    }
    let counted = app.sessions.token();
    upgrade
        .read_buffer_size(SOCKET_BUFFER_BYTES)
        .write_buffer_size(SOCKET_BUFFER_BYTES)
        .max_message_size(MESSAGE_BYTES_MAX)
        .max_frame_size(MESSAGE_BYTES_MAX)
        .on_upgrade(async move |socket| {
            session::serve(socket, app).await;
            drop((place, counted));
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_host_goes_into_the_page() {
        for host in ["127.0.0.1:7171", "[::1]:80", "play.example-1.org"] {
            assert!(is_plain(host), "{host}");
        }
        for host in ["<script>", "a b", "a\"b", "a/b", "{{host}}"] {
            assert!(!is_plain(host), "{host}");
        }
    }
}
