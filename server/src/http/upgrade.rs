//! The WebSocket upgrade: the checks before a session begins, and the bounds of its socket.

use std::sync::Arc;

use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{Extension, State, WebSocketUpgrade};
use axum::http::header::{HOST, ORIGIN, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use fibfob_protocol::{MESSAGE_BYTES_MAX, SUBPROTOCOL};

use super::state::HttpState;
use crate::limits::{SOCKET_BUFFER_BYTES, SOCKET_READ_BUFFER_BYTES};
use crate::net::listener::{ConnectionPermit, too_many_connections};
use crate::net::origin::may_connect;
use crate::session;

/// The version of RFC 6455, the only one there is.
const WEBSOCKET_VERSION: &str = "13";

/// `GET /ws`
pub(super) async fn open(
    State(state): State<Arc<HttpState>>,
    Extension(permit): Extension<ConnectionPermit>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(rejection) => return handshake_failed(rejection),
    };
    let text = |name| {
        headers
            .get(name)
            .map(|value: &HeaderValue| value.to_str().unwrap_or(""))
    };
    let allowed = &state.allow_origins;
    if !may_connect(text(ORIGIN), text(HOST), state.secure, allowed) {
        let why = "pages of this origin may not connect here; the operator can --allow-origin it, \
                   or name the server's own with --public-url\n";
        return (StatusCode::FORBIDDEN, why).into_response();
    }
    if !text(SEC_WEBSOCKET_KEY).is_some_and(is_key) {
        let why = "expected a `Sec-WebSocket-Key` of 16 bytes in base64\n";
        return (StatusCode::BAD_REQUEST, why).into_response();
    }
    let app = Arc::clone(&state.app);
    if app.draining.is_cancelled() {
        return (StatusCode::SERVICE_UNAVAILABLE, "shutting down\n").into_response();
    }
    let upgrade = upgrade.protocols([SUBPROTOCOL]);
    if upgrade.selected_protocol().is_none() && upgrade.requested_protocols().next().is_some() {
        let why = format!("the WebSocket subprotocol spoken here is {SUBPROTOCOL}\n");
        return (StatusCode::BAD_REQUEST, why).into_response();
    }
    let Some(guard) = permit.address_guard(&headers).await else {
        return too_many_connections();
    };
    let counted = app.sessions.token();
    upgrade
        .read_buffer_size(SOCKET_READ_BUFFER_BYTES)
        .write_buffer_size(SOCKET_BUFFER_BYTES)
        .max_message_size(MESSAGE_BYTES_MAX)
        .max_frame_size(MESSAGE_BYTES_MAX)
        // Boxed at once, because the socket would have room in each of the futures around it.
        .on_upgrade(|socket| session::serve(Box::new(socket), app, guard, (permit, counted)))
}

/// Returns true for 16 bytes in base64 (RFC 6455, 4.1).
fn is_key(text: &str) -> bool {
    let is_digit = |sign: u8| sign.is_ascii_alphanumeric() || b"+/".contains(&sign);
    text.len() == 24
        && text.ends_with("==")
        && text[..22].bytes().all(is_digit)
        // The last digit has two bits of the last byte.
        && text[21..22].contains(['A', 'Q', 'g', 'w'])
}

/// The response to a request that is no opening handshake. For another version it names the
/// supported one, as RFC 6455 requires (4.4).
fn handshake_failed(rejection: WebSocketUpgradeRejection) -> Response {
    if let WebSocketUpgradeRejection::InvalidWebSocketVersionHeader(why) = rejection {
        let version = [(SEC_WEBSOCKET_VERSION, WEBSOCKET_VERSION)];
        return (StatusCode::UPGRADE_REQUIRED, version, why.body_text()).into_response();
    }
    rejection.into_response()
}
