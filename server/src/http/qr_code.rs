//! Links as QR codes: a match's for a friend's camera, a device code's for another device's camera.
//!
//! Knows where this server is reached, and nothing about the match or the guest.

use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use fibfob_page::REVALIDATE;
use fibfob_protocol::Code;
use qrcode::render::svg;
use qrcode::{EcLevel, QrCode};

use super::state::FileRequest;
use crate::identity::is_device_code;

/// The side of the picture, about; it is drawn in any size.
const SIDE: u32 = 240;
/// The query of a page that was loaded with TLS, which a proxy may have terminated.
const SECURE: &str = "secure";
/// The header with a device code.
const DEVICE_CODE: &str = "x-device-code";

/// Answers `GET /m/CODE/qr.svg`; the query `secure` asks for a link with `https`.
pub(super) async fn show(Path(code): Path<String>, request: FileRequest) -> Response {
    let Ok(code) = code.parse::<Code>() else {
        return (StatusCode::NOT_FOUND, "this is not a match code\n").into_response();
    };
    answer(&request, &format!("/m/{code}"), REVALIDATE).await
}

/// Answers `GET /device/qr.svg`. The device code is a secret, so it comes in a header: proxies and browsers
/// log and keep addresses. In the link it is a fragment, which browsers do not send.
pub(super) async fn show_device_link(request: FileRequest) -> Response {
    let code = request.headers.get(DEVICE_CODE);
    let code = code.and_then(|code| code.to_str().ok());
    let Some(code) = code.filter(|code| is_device_code(code)) else {
        return (StatusCode::BAD_REQUEST, "this is not a device code\n").into_response();
    };
    answer(&request, &format!("/device#{code}"), "no-store").await
}

async fn answer(request: &FileRequest, path: &str, cache: &'static str) -> Response {
    let Some(origin) = request.origin(request.asks(SECURE)) else {
        // A program that speaks HTTP/1.0 need not name one.
        return (StatusCode::BAD_REQUEST, "the host is missing\n").into_response();
    };
    let link = format!("{origin}{path}");
    request.answer("qr.svg", link, draw, cache).await
}

/// Draws a text, with the quiet zone that cameras need; dark on light in every theme.
fn draw(link: &str) -> String {
    let code = QrCode::with_error_correction_level(link, EcLevel::M);
    let code = code.expect("a link is shorter than what a QR code holds");
    let mut picture = code.render::<svg::Color<'_>>();
    picture.min_dimensions(SIDE, SIDE).build()
}

#[cfg(test)]
mod tests {
    use fibfob_net::origin::HOST_BYTES_MAX;

    use super::*;

    #[test]
    fn the_longest_link_is_drawn() {
        let longest = "x".repeat(HOST_BYTES_MAX);
        let picture = draw(&format!("https://{longest}/device#AAAA-AAAA-AAAA"));
        assert!(picture.contains("<svg"));
        assert_ne!(draw("https://fibfob.example/m/K7M2QY"), picture);
    }
}
