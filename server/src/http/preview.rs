//! The picture that a link to a match shows where it is posted: the game and its position.
//!
//! Whoever has the link sees what the picture shows, also in a private match. Names are not in it.

mod canvas;
mod drawing;
mod plant;
mod position;

use std::sync::Arc;

use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use fibfob_games::{GameId, Position};
use fibfob_protocol::{Code, Phase, Refusal};

use self::canvas::{Align, Area, Canvas, INK, QUIET};
use self::drawing::{GROUND, SHIP};
use super::page::{respond, unavailable};
use super::state::HttpState;
use crate::net::address_guard::AddressTraffic;

/// The size that sites which show links ask for.
pub(super) const WIDTH: u32 = 1200;
pub(super) const HEIGHT: u32 = 630;
/// A crawler keeps a picture, and asks again after so many seconds at the earliest.
const CACHED: &str = "public, max-age=60";
const MARGIN: f32 = 64.0;

/// The tags of a page that lead to its picture, at `path` of a server that is reached at `origin`.
/// Sites that show links ask for whole addresses.
pub(super) fn tags(origin: &str, path: &str, picture: &str, title: &str) -> String {
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
    Extension(asker): Extension<AddressTraffic>,
    Path(code): Path<String>,
    headers: HeaderMap,
) -> Response {
    let Ok(code) = code.parse::<Code>() else {
        return (StatusCode::NOT_FOUND, "this is not a match code\n").into_response();
    };
    let directory = &state.app.directory;
    let read = async { directory.read(directory.find(code).await?).await };
    let current = match read.await {
        Ok(read) => read.current,
        Err(Refusal::NoSuchMatch(_)) => {
            return (StatusCode::NOT_FOUND, "no such match\n").into_response();
        }
        Err(refusal) => return unavailable(&refusal),
    };
    let version = format!("{}.{}", current.id(), current.version().0);
    let draw = move |_| {
        let caption = format!("match {code} · {}", status(current.phase()));
        draw(current.position(), &caption)
    };
    let made = state.file(&asker, "preview.png", version, draw).await;
    respond(made, &headers, CACHED)
}

/// `GET /preview.png`: the picture of the start page, an example of Fib Fob.
pub(super) async fn of_start_page(
    State(state): State<Arc<HttpState>>,
    Extension(asker): Extension<AddressTraffic>,
    headers: HeaderMap,
) -> Response {
    let example = GameId::FibFob.info().example;
    let draw = |example: String| {
        let position = Position::read(GameId::FibFob, &example).expect("an example is a position");
        draw(&position, "the last move wins")
    };
    let made = state
        .file(&asker, "preview.png", example.to_owned(), draw)
        .await;
    respond(made, &headers, CACHED)
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
