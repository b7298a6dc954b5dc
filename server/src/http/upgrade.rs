//! The WebSocket upgrade: the checks before a session begins, and the bounds of its socket.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Extension, Request, State};
use axum::http::header::{
    HOST, ORIGIN, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use fibfob_net::address_guard::AddressAccount;
use fibfob_net::admission::ConnectionPermit;
use fibfob_net::listener::too_many_connections;
use fibfob_net::origin::may_connect;
use fibfob_net::refusals::RefusedFor;
use fibfob_protocol::{MESSAGE_BYTES_MAX, SUBPROTOCOL};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::handshake::server::create_response;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::state::HttpState;
use crate::limits::{SOCKET_BUFFER_BYTES, SOCKET_READ_BUFFER_BYTES};
use crate::session;

/// The length of a client's key (RFC 6455, 4.1).
const KEY_BYTES: usize = 16;
/// The version of RFC 6455, the only one there is.
const WEBSOCKET_VERSION: &str = "13";

/// `GET /ws`
pub(super) async fn open(
    State(state): State<Arc<HttpState>>,
    Extension(permit): Extension<ConnectionPermit>,
    Extension(asker): Extension<AddressAccount>,
    request: Request,
) -> Response {
    let (mut parts, _) = request.into_parts();
    let upgrading = parts.extensions.remove::<OnUpgrade>();
    let request = Request::from_parts(parts, ());
    let mut accepted = match create_response(&request) {
        Ok(accepted) => accepted.map(|()| Body::empty()),
        Err(error) => {
            state.app.refused(&asker, RefusedFor::Malformed);
            return handshake_failed(&error);
        }
    };
    match agreed_protocol(&state, request.headers()) {
        Ok(None) => {}
        Ok(Some(ours)) => {
            accepted.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, ours);
        }
        Err((status, why)) => {
            if status == StatusCode::FORBIDDEN {
                state.app.refused(&asker, RefusedFor::WrongOrigin);
            } else if status.is_client_error() {
                state.app.refused(&asker, RefusedFor::Malformed);
            }
            return (status, why).into_response();
        }
    }
    let Some(upgrading) = upgrading else {
        return (StatusCode::UPGRADE_REQUIRED, "expected HTTP/1.1\n").into_response();
    };
    let Some(guard) = permit.address_guard(request.headers()).await else {
        return too_many_connections();
    };
    let app = Arc::clone(&state.app);
    let config = WebSocketConfig::default()
        .read_buffer_size(SOCKET_READ_BUFFER_BYTES)
        .write_buffer_size(SOCKET_BUFFER_BYTES)
        .max_message_size(Some(MESSAGE_BYTES_MAX))
        .max_frame_size(Some(MESSAGE_BYTES_MAX));
    let sessions = app.sessions.clone();
    sessions.spawn(async move {
        // A client that has left meanwhile gets no session.
        let Ok(upgraded) = upgrading.await else {
            return;
        };
        let stream = TokioIo::new(upgraded);
        let socket = WebSocketStream::from_raw_socket(stream, Role::Server, Some(config)).await;
        // Boxed at once, because every future around it would be as large as the socket.
        session::serve(Box::new(socket), app, guard, permit).await;
    });
    accepted
}

/// Checks whether this connection is wanted, and returns the protocol if the client named it.
///
/// # Errors
/// The reason why not.
fn agreed_protocol(
    state: &HttpState,
    headers: &HeaderMap,
) -> Result<Option<HeaderValue>, (StatusCode, String)> {
    let origin = single(headers, &ORIGIN)?;
    let host = single(headers, &HOST)?;
    let allowed = &state.allow_origins;
    if !may_connect(origin, host, state.tls.is_some(), allowed) {
        let why = "pages of this origin may not connect here; the operator can --allow-origin it, \
                   or name the server's own with --public-url\n";
        return Err((StatusCode::FORBIDDEN, why.to_owned()));
    }
    let key = single(headers, &SEC_WEBSOCKET_KEY)?.and_then(|key| BASE64.decode(key).ok());
    if key.is_none_or(|key| key.len() != KEY_BYTES) {
        let why = "expected a `Sec-WebSocket-Key` of 16 bytes in base64\n";
        return Err((StatusCode::BAD_REQUEST, why.to_owned()));
    }
    if state.app.draining.is_cancelled() {
        return Err((
            StatusCode::SERVICE_UNAVAILABLE,
            "shutting down\n".to_owned(),
        ));
    }
    if !headers.contains_key(SEC_WEBSOCKET_PROTOCOL) {
        return Ok(None);
    }
    let lines = headers.get_all(SEC_WEBSOCKET_PROTOCOL).iter();
    let mut offered = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','));
    if !offered.any(|name| name.trim() == SUBPROTOCOL) {
        let why = format!("the WebSocket subprotocol spoken here is {SUBPROTOCOL}\n");
        return Err((StatusCode::BAD_REQUEST, why));
    }
    Ok(Some(HeaderValue::from_static(SUBPROTOCOL)))
}

/// Returns the text of a header that a request has at most once; empty if it is no text.
///
/// # Errors
/// If the request has two. A proxy in front of the server may have checked the other one.
fn single<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'a str>, (StatusCode, String)> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (value, None) => Ok(value.map(|value| value.to_str().unwrap_or(""))),
        (_, Some(_)) => {
            let why = format!("expected one header `{name}`\n");
            Err((StatusCode::BAD_REQUEST, why))
        }
    }
}

/// Answers a request that is no opening handshake. RFC 6455 (4.4) requires that another version is told the
/// supported one.
fn handshake_failed(error: &Error) -> Response {
    let fault = match error {
        Error::Protocol(fault) => fault.to_string(),
        error => error.to_string(),
    };
    let why = format!("expected a WebSocket handshake: {fault}\n");
    if let Error::Protocol(ProtocolError::MissingSecWebSocketVersionHeader) = error {
        let version = [(SEC_WEBSOCKET_VERSION, WEBSOCKET_VERSION)];
        return (StatusCode::UPGRADE_REQUIRED, version, why).into_response();
    }
    (StatusCode::BAD_REQUEST, why).into_response()
}
