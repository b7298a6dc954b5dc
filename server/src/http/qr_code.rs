//! Links as QR codes: that of a match for a friend's camera, and that of a device code for another
//! device's.
//!
//! Knows where this server is reached, and nothing of the match or the guest.

use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HOST};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use fibfob_protocol::Code;
use qrcode::render::svg;
use qrcode::{EcLevel, QrCode};

use super::page::{REVALIDATE, StaticFile};
use super::state::HttpState;
use crate::identity::is_device_code;

/// The side of the picture, about; it is drawn in any size.
const SIDE: u32 = 240;
/// The query of a page that was loaded with TLS, which a proxy may have terminated.
pub(super) const SECURE: &str = "secure";
/// The header with a device code.
const DEVICE_CODE: &str = "x-device-code";
/// The longest host in a link, as DNS allows it, with a port.
const HOST_BYTES_MAX: usize = 259;

/// Answers `GET /m/CODE/qr.svg`; the query `secure` asks for a link with `https`.
pub(super) async fn show(
    State(state): State<Arc<HttpState>>,
    Path(code): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let Ok(code) = code.parse::<Code>() else {
        return (StatusCode::NOT_FOUND, "this is not a match code\n").into_response();
    };
    let secure = state.secure || query.as_deref() == Some(SECURE);
    let picture =
        origin(&state, &headers, secure).and_then(|origin| draw(&format!("{origin}/m/{code}")));
    match picture {
        Some(text) => StaticFile::new("qr.svg", text).respond(&headers, REVALIDATE),
        None => (StatusCode::BAD_REQUEST, "the host is missing or too long\n").into_response(),
    }
}

/// Answers `GET /device/qr.svg`, with the device code in a header: addresses are logged and kept by
/// proxies and browsers, and the code is a secret. In the link it is a fragment, which no browser
/// sends.
pub(super) async fn show_device_link(
    State(state): State<Arc<HttpState>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let code = headers.get(DEVICE_CODE).and_then(|code| code.to_str().ok());
    let Some(code) = code.filter(|code| is_device_code(code)) else {
        return (StatusCode::BAD_REQUEST, "this is not a device code\n").into_response();
    };
    let secure = state.secure || query.as_deref() == Some(SECURE);
    let picture = origin(&state, &headers, secure)
        .and_then(|origin| draw(&format!("{origin}/device#{code}")));
    let Some(text) = picture else {
        let why = "the host is missing or too long\n";
        return (StatusCode::BAD_REQUEST, why).into_response();
    };
    let head = [(CONTENT_TYPE, "image/svg+xml"), (CACHE_CONTROL, "no-store")];
    (head, text).into_response()
}

/// The address that the client reached this server at: the public one, or that of the request.
pub(super) fn origin(state: &HttpState, headers: &HeaderMap, secure: bool) -> Option<String> {
    if let Some(public) = &state.public_url {
        return Some(public.to_string());
    }
    let host = headers.get(HOST)?.to_str().ok()?;
    let scheme = if secure { "https" } else { "http" };
    (host.len() <= HOST_BYTES_MAX).then(|| format!("{scheme}://{host}"))
}

/// The picture of a text, with the quiet zone that cameras need, dark on light in every theme.
fn draw(text: &str) -> Option<String> {
    let code = QrCode::with_error_correction_level(text, EcLevel::M).ok()?;
    let mut picture = code.render::<svg::Color<'_>>();
    Some(picture.min_dimensions(SIDE, SIDE).build())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_drawn_and_a_text_that_is_too_long_is_not() {
        let picture = draw("https://fibfob.example/m/K7M2QX").unwrap();
        assert!(picture.contains("<svg"));
        assert_ne!(draw("https://fibfob.example/m/K7M2QY"), Some(picture));
        assert_eq!(draw(&"x".repeat(5_000)), None);
    }
}
