//! The picture that a link to a match shows where it is posted: the game and its position.
//!
//! Whoever has the link sees what the picture shows, also in a private match. Names are not in it.

mod canvas;
mod drawing;
mod plant;
mod position;

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Extension, Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use fibfob_games::{GameId, Position};
use fibfob_protocol::{Code, Phase, Refusal};
use tokio::time::Instant;

use self::canvas::{Align, Area, Canvas, INK, QUIET};
use self::drawing::{GROUND, SHIP};
use super::state::HttpState;
use crate::net::listener::{ConnectionPermit, too_many_bytes};

/// The size that sites which show links ask for.
pub(super) const WIDTH: u32 = 1200;
pub(super) const HEIGHT: u32 = 630;
/// A crawler keeps a picture, and asks again after so many seconds at the earliest.
const CACHED: &str = "public, max-age=60";
const MARGIN: f32 = 64.0;

/// The tags of a page that lead to its picture, at `path` of a server that is reached at `origin`.
/// Sites that show links ask for whole addresses.
pub(super) fn tags(origin: &str, path: &str, picture: &str, title: &str) -> String {
    // A client names the host; what no host has is not repeated.
    let usual = |sign: u8| sign.is_ascii_alphanumeric() || b"-._:/[]".contains(&sign);
    if !origin.bytes().all(usual) {
        return String::new();
    }
    let tags = [
        ("og:title", title.to_owned()),
        ("og:url", format!("{origin}{path}")),
        ("og:image", format!("{origin}{picture}")),
        ("og:image:type", "image/png".to_owned()),
        ("og:image:width", WIDTH.to_string()),
        ("og:image:height", HEIGHT.to_string()),
        ("og:image:alt", format!("{title}: the position")),
    ];
    let tags = tags.map(|(name, value)| format!("<meta property=\"{name}\" content=\"{value}\">"));
    let card = "<meta name=\"twitter:card\" content=\"summary_large_image\">";
    format!("{}\n  {card}", tags.join("\n  "))
}

/// `GET /m/CODE/preview.png`
pub(super) async fn of_match(
    State(state): State<Arc<HttpState>>,
    Extension(permit): Extension<ConnectionPermit>,
    Path(code): Path<String>,
    headers: HeaderMap,
) -> Response {
    let Ok(code) = code.parse::<Code>() else {
        return (StatusCode::NOT_FOUND, "this is not a match code\n").into_response();
    };
    let traffic = permit.traffic(&headers);
    let began = Instant::now();
    if traffic.may_ask(began).is_err() {
        return too_many_bytes();
    }
    let directory = &state.app.directory;
    let read = async { directory.read(directory.find(code).await?).await };
    let read = read.await;
    let ended = Instant::now();
    traffic.computed(ended - began, ended);
    let current = match read {
        Ok(read) => read.current,
        Err(Refusal::NoSuchMatch(_)) => {
            return (StatusCode::NOT_FOUND, "no such match\n").into_response();
        }
        Err(refusal) => return unavailable(&refusal),
    };
    let (id, version) = (current.id(), current.version());
    let tag = format!("\"{}.{}\"", id, version.0);
    let tag = HeaderValue::from_str(&tag).expect("ids and numbers are visible ASCII");
    if headers.get(IF_NONE_MATCH) == Some(&tag) {
        let head = [
            (CACHE_CONTROL, HeaderValue::from_static(CACHED)),
            (ETAG, tag),
        ];
        return (StatusCode::NOT_MODIFIED, head).into_response();
    }
    let picture = match state.previews.of(id, version) {
        Some(kept) => kept,
        None => {
            let asker = state.app.asker(permit.client_address(&headers), traffic);
            let status = status(current.phase());
            let caption = format!("match {code} · {status}");
            let draw = move || Bytes::from(draw(current.position(), &caption));
            match directory.answer(&asker, draw).await {
                Ok(drawn) => {
                    state.previews.keep(id, version, drawn.clone());
                    drawn
                }
                Err(refusal) => return unavailable(&refusal),
            }
        }
    };
    png(picture, tag)
}

/// `GET /preview.png`: the picture of the start page, an example of Fib Fob.
pub(super) async fn of_start_page(State(state): State<Arc<HttpState>>) -> Response {
    let picture = state.previews.of_start_page(|| {
        let example = GameId::FibFob.info().example;
        let position = Position::read(GameId::FibFob, example).expect("an example is a position");
        Bytes::from(draw(&position, "the last move wins"))
    });
    png(picture, HeaderValue::from_static("\"example\""))
}

fn png(picture: Bytes, tag: HeaderValue) -> Response {
    let head = [
        (CONTENT_TYPE, HeaderValue::from_static("image/png")),
        (CACHE_CONTROL, HeaderValue::from_static(CACHED)),
        (ETAG, tag),
    ];
    (head, picture).into_response()
}

fn unavailable(refusal: &Refusal) -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, format!("{refusal}\n")).into_response()
}

fn status(phase: &Phase) -> &'static str {
    match phase {
        Phase::Open => "one seat is free",
        Phase::Choosing { .. } | Phase::Playing { .. } => "in play",
        Phase::Over { .. } => "over",
        Phase::Closed { .. } => "closed",
    }
}

/// The picture of a position as PNG, with a line of text below it.
fn draw(position: &Position, caption: &str) -> Vec<u8> {
    drawn(position.game(), &position.to_string(), caption).png()
}

fn drawn(game: GameId, position: &str, caption: &str) -> Canvas {
    let mut canvas = Canvas::new(WIDTH, HEIGHT, GROUND);
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let whole = Area {
        x: 0.0,
        y: 0.0,
        width: WIDTH as f32,
        height: HEIGHT as f32,
    };
    let inner = whole.within(MARGIN);
    let title = (inner.x, inner.y + 36.0);
    canvas.text(
        game.info().title,
        title,
        (60.0, inner.width),
        Align::Left,
        INK,
    );
    let picture = Area {
        y: inner.y + 64.0,
        height: inner.height - 132.0,
        ..inner
    };
    drawing::draw(&mut canvas, &position::parts(game, position), picture);
    let below = inner.bottom() + 12.0;
    canvas.text(
        "Fib Fob",
        (inner.x, below),
        (34.0, 300.0),
        Align::Left,
        SHIP,
    );
    let at = (inner.right(), below);
    canvas.text(caption, at, (34.0, inner.width * 0.7), Align::Right, QUIET);
    canvas
}

#[cfg(test)]
mod tests;
