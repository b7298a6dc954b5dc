//! The catalogue of games as JSON, for clients that know no game themselves.

use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::http::HeaderMap;
use axum::response::Response;
use fibfob_games::{Convention, GameId, HowToPlay};
use serde::Serialize;

use super::page::{REVALIDATE, respond};
use super::state::HttpState;
use crate::net::address_guard::AddressTraffic;

/// The description of a game.
#[derive(Serialize)]
struct CatalogueEntry {
    id: &'static str,
    title: &'static str,
    rules: &'static str,
    example: &'static str,
    example_move: &'static str,
    convention: &'static str,
    ranges: Vec<AmountRange>,
    how_to_play: HowToPlay,
}

/// One amount of a random start: its bounds, and the default range.
#[derive(Serialize)]
struct AmountRange {
    name: &'static str,
    least: u64,
    most: u64,
    from: u64,
    to: u64,
}

fn text() -> String {
    let entries: Vec<CatalogueEntry> = GameId::ALL.iter().copied().map(entry).collect();
    serde_json::to_string(&entries).expect("entries have string keys and no failing serialiser")
}

fn entry(game: GameId) -> CatalogueEntry {
    let about = game.info();
    let range = |range: &fibfob_games::StartRange| AmountRange {
        name: range.name,
        least: range.least,
        most: range.most,
        from: range.default_from,
        to: range.default_to,
    };
    CatalogueEntry {
        id: about.id,
        title: about.title,
        rules: about.rules,
        example: about.example,
        example_move: about.example_move,
        convention: match about.convention {
            Convention::Normal => "normal",
            Convention::Misere => "misere",
        },
        ranges: game.start_ranges().iter().map(range).collect(),
        how_to_play: game.how_to_play(),
    }
}

/// `GET /api/games`: all games, in the order of the catalogue.
pub(super) async fn games(
    State(state): State<Arc<HttpState>>,
    Extension(asker): Extension<AddressTraffic>,
    headers: HeaderMap,
) -> Response {
    let made = state.file(&asker, "games.json", String::new(), |_| text());
    respond(made.await, &headers, REVALIDATE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_is_complete_and_in_order() {
        let entries: Vec<serde_json::Value> = serde_json::from_str(&text()).unwrap();
        let ids: Vec<&str> = entries
            .iter()
            .map(|entry| entry["id"].as_str().unwrap())
            .collect();
        let known: Vec<&str> = GameId::ALL.iter().map(|game| game.id()).collect();
        assert_eq!(ids, known);
        assert_eq!(entries[0]["example_move"], "time -13");
        assert_eq!(entries[0]["convention"], "normal");
        assert_eq!(entries[0]["ranges"][0]["name"], "file");
        assert_eq!(entries[0]["how_to_play"]["moves"][0]["move"], "ship b6@5");
    }
}
