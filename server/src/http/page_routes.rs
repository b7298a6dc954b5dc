//! The routes of the web page.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Extension, Path, State};
use axum::http::header::IF_NONE_MATCH;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use fibfob_net::address_guard::AddressAccount;
use fibfob_protocol::{Code, Refusal};

use super::page::{INDEX, REVALIDATE, respond};
use super::preview::LinkText;
use super::qr_code::origin;
use super::state::HttpState;

/// The scheme that a client of a proxy has used. Only the answer to the same request depends on it.
const FORWARDED_PROTO: &str = "x-forwarded-proto";

/// `GET /`
pub(super) async fn index(
    State(state): State<Arc<HttpState>>,
    Extension(asker): Extension<AddressAccount>,
    headers: HeaderMap,
) -> Response {
    let tags = preview_tags(&state, &headers, "/", &LinkText::of_start_page());
    send_index(&state, &asker, state.page.home(&tags), &headers).await
}

/// `GET /device`: the page, which reads a device code from the fragment of its address. That is not
/// sent.
pub(super) async fn device(
    State(state): State<Arc<HttpState>>,
    Extension(asker): Extension<AddressAccount>,
    headers: HeaderMap,
) -> Response {
    send_index(&state, &asker, state.page.device(), &headers).await
}

/// `GET /m/CODE`: the page, which reads the code from its address, also with what people type after
/// it. The status is for programs other than browsers.
pub(super) async fn match_page(
    State(state): State<Arc<HttpState>>,
    Extension(asker): Extension<AddressAccount>,
    code: Result<Path<String>, PathRejection>,
    mut headers: HeaderMap,
) -> Response {
    // A stray percent sign is no part of a code.
    let code = code.map_or_else(|_| String::new(), |Path(code)| code);
    let code = code.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
    let directory = &state.app.directory;
    let found = match code.to_ascii_uppercase().parse::<Code>() {
        Ok(code) => directory.find(code).await.map(|id| (code, id)),
        Err(wrong) => Err(Refusal::Id(wrong)),
    };
    let mut tags = String::new();
    if let Ok((code, id)) = found {
        // A match that cannot be read has its page all the same, which says why.
        if let Ok(read) = directory.read(id).await {
            let text = LinkText::of_match(&read.current.view(0));
            tags = preview_tags(&state, &headers, &format!("/m/{code}"), &text);
        }
    }
    let status = match found {
        Ok(_) => StatusCode::OK,
        Err(Refusal::Unavailable) => StatusCode::SERVICE_UNAVAILABLE,
        Err(_) => StatusCode::NOT_FOUND,
    };
    if status != StatusCode::OK {
        // The full response even if the browser has the page: "not modified" would hide the status.
        headers.remove(IF_NONE_MATCH);
    }
    let mut response = send_index(&state, &asker, state.page.match_page(&tags), &headers).await;
    if response.status() == StatusCode::OK {
        *response.status_mut() = status;
    }
    response
}

async fn send_index(
    state: &HttpState,
    asker: &AddressAccount,
    text: String,
    headers: &HeaderMap,
) -> Response {
    let made = state.file(asker, INDEX, text, |text| text).await;
    respond(made, headers, REVALIDATE)
}

/// The tags of a page; none if the request does not say where this server is reached.
fn preview_tags(state: &HttpState, headers: &HeaderMap, path: &str, text: &LinkText) -> String {
    let forwarded = headers.get(FORWARDED_PROTO);
    let secure = state.secure || forwarded.is_some_and(|scheme| scheme == "https");
    let origin = origin(state, headers, secure);
    origin.map_or(String::new(), |origin| text.tags(&origin, path))
}

/// `GET /page/DIGEST/PATH`: a file of the version of the page with this digest.
pub(super) async fn file(
    State(state): State<Arc<HttpState>>,
    Path((version, path)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    match state.page.file(&version, &path) {
        Some(file) => file.respond(&headers, state.page.file_cache_control()),
        None => (StatusCode::NOT_FOUND, "nothing here; the page is at /\n").into_response(),
    }
}
