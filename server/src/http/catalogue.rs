//! The catalogue of games and the lessons as JSON, for clients that know neither themselves.

use axum::response::Response;
use fibfob_games::Catalogue;

use super::page::REVALIDATE;
use super::state::FileRequest;

fn text() -> String {
    let games = serde_json::to_string(&Catalogue::built().games);
    games.expect("entries have string keys and no failing serialiser")
}

/// `GET /api/games`: all games, in the order of the catalogue.
pub(super) async fn games(request: FileRequest) -> Response {
    let games = |_| text();
    request
        .answer("games.json", String::new(), games, REVALIDATE)
        .await
}

/// `GET /api/lessons`: all lessons, in their order.
pub(super) async fn lessons(request: FileRequest) -> Response {
    let lessons = |_| {
        let lessons = serde_json::to_string(fibfob_games::lessons());
        lessons.expect("lessons have string keys and no failing serialiser")
    };
    request
        .answer("lessons.json", String::new(), lessons, REVALIDATE)
        .await
}

#[cfg(test)]
mod tests {
    use fibfob_games::GameId;

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
