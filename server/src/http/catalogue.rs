//! The catalogue as JSON, for a page that knows no game by itself.

use std::sync::LazyLock;

use axum::http::HeaderMap;
use axum::response::Response;
use fibfob_games::{Convention, GameId};
use serde::Serialize;

use super::page::{ASK_FIRST, File};

/// What a page says about a game before a match of it begins.
#[derive(Serialize)]
struct Entry {
    id: &'static str,
    title: &'static str,
    rules: &'static str,
    example: &'static str,
    example_move: &'static str,
    convention: &'static str,
    ranges: Vec<Range>,
}

/// One amount of a random start: its bounds, and what is drawn without a wish.
#[derive(Serialize)]
struct Range {
    name: &'static str,
    least: u64,
    most: u64,
    from: u64,
    to: u64,
}

static CATALOGUE: LazyLock<File> = LazyLock::new(|| File::new("games.json", text()));

fn text() -> String {
    let entries: Vec<Entry> = GameId::ALL.iter().copied().map(entry).collect();
    serde_json::to_string(&entries).expect("entries have string keys and no failing serialiser")
}

fn entry(game: GameId) -> Entry {
    let about = game.info();
    let range = |range: &fibfob_games::StartRange| Range {
        name: range.name,
        least: range.least,
        most: range.most,
        from: range.default_from,
        to: range.default_to,
    };
    Entry {
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
    }
}

/// `GET /api/games`: every game, in the order of the catalogue.
pub(super) async fn games(headers: HeaderMap) -> Response {
    CATALOGUE.clone().answer(&headers, ASK_FIRST)
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
    }
}
