//! The routes of the web page.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::header::{ACCEPT, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use fibfob_page::{INDEX, LinkText, REVALIDATE, View};
use fibfob_protocol::{Code, Refusal};

use super::state::{FileRequest, HttpState};

/// The header in which a proxy says what scheme its client used. Only the answer to that request depends on it.
const FORWARDED_PROTO: &str = "x-forwarded-proto";

const NOTHING: &str = "nothing here; the page is at /\n";

/// `GET /`
pub(super) async fn index(request: FileRequest) -> Response {
    let tags = preview_tags(&request, "/", &LinkText::of_start_page());
    send_index(&request, request.state.page.index(View::Home, &tags)).await
}

/// `GET /device`: the page, which reads a device code from the fragment of its address. That is not sent.
pub(super) async fn device(request: FileRequest) -> Response {
    send_index(&request, request.state.page.index(View::Device, "")).await
}

/// `GET /m/CODE`: the page, which reads the code from its address, also with what people type after it.
pub(super) async fn match_page(
    code: Result<Path<String>, PathRejection>,
    request: FileRequest,
) -> Response {
    let state = Arc::clone(&request.state);
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
        // A match that cannot be read still has its page, which says why.
        if let Ok(read) = directory.read(id).await
            && !state.app.lobby.is_hidden(id)
        {
            let text = LinkText::of_match(&read.current.view(0));
            tags = preview_tags(&request, &format!("/m/{code}"), &text);
        }
    }
    let status = match found {
        Ok(_) => StatusCode::OK,
        Err(Refusal::Unavailable) => StatusCode::SERVICE_UNAVAILABLE,
        Err(_) => StatusCode::NOT_FOUND,
    };
    send_index_as(status, request, state.page.index(View::Match, &tags)).await
}

/// `GET /contact`, `GET /imprint`, `GET /privacy`: the operator's text, if there is one.
pub(super) async fn operators_text(path: Uri, request: FileRequest) -> Response {
    let name = path.path().trim_start_matches('/');
    match request.state.app.texts.get(name) {
        Some(text) => text.clone().into_response(),
        None => nothing(request).await,
    }
}

/// Any other path: the page says so to a browser.
pub(super) async fn nothing(request: FileRequest) -> Response {
    let accepted = request.headers.get(ACCEPT).map(HeaderValue::as_bytes);
    let is_browser = accepted.is_some_and(|kinds| kinds.starts_with(b"text/html"));
    match is_browser {
        true => {
            let index = request.state.page.index(View::Home, "");
            send_index_as(StatusCode::NOT_FOUND, request, index).await
        }
        false => (StatusCode::NOT_FOUND, NOTHING).into_response(),
    }
}

/// Sends the index with a status that programs other than browsers can read.
async fn send_index_as(status: StatusCode, mut request: FileRequest, text: String) -> Response {
    if status != StatusCode::OK {
        // The whole page, even if the browser has it: "not modified" would hide the status.
        request.headers.remove(IF_NONE_MATCH);
    }
    let mut response = send_index(&request, text).await;
    if response.status() == StatusCode::OK {
        *response.status_mut() = status;
    }
    response
}

async fn send_index(request: &FileRequest, text: String) -> Response {
    request.answer(INDEX, text, str::to_owned, REVALIDATE).await
}

/// Returns a page's tags for link previews; none if the request does not say where this server is reached.
fn preview_tags(request: &FileRequest, path: &str, text: &LinkText) -> String {
    let forwarded = request.headers.get(FORWARDED_PROTO);
    let origin = request.origin(forwarded.is_some_and(|scheme| scheme == "https"));
    origin.map_or(String::new(), |origin| text.tags(&origin, path))
}

/// `GET /page/DIGEST/PATH`: a file of the page's version with this digest.
pub(super) async fn file(
    State(state): State<Arc<HttpState>>,
    Path((version, path)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    let file = state.page.file(&version, &path, &headers);
    file.unwrap_or_else(|| (StatusCode::NOT_FOUND, NOTHING).into_response())
}

/// `GET /preview/GAME.jpg`: the picture that a link shows.
pub(super) async fn preview(
    State(state): State<Arc<HttpState>>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Response {
    let nothing = (StatusCode::NOT_FOUND, "no game has this picture\n");
    let picture = state.page.preview(&name, &headers);
    picture.unwrap_or_else(|| nothing.into_response())
}
