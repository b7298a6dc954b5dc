//! Documents for clients that have none of this built in: the catalogue of games, the lessons, the protocol,
//! and the JSON Schemas from `protocol/schema`.

use axum::response::Response;
use fibfob_games::Catalogue;
use fibfob_page::REVALIDATE;

use super::state::FileRequest;

const SCHEMA: &str = include_str!("../../../protocol/schema/fibfob.v1.schema.json");
const LINES_SCHEMA: &str = include_str!("../../../protocol/schema/fibfob.json-lines.schema.json");
const PROTOCOL: &str = include_str!("../../../protocol/PROTOCOL.md");

/// `GET /api/games`: all games, in the order of the catalogue.
pub(super) async fn games(request: FileRequest) -> Response {
    answer(request, "games.json", catalogue).await
}

/// `GET /api/lessons`: all lessons, in their order.
pub(super) async fn lessons(request: FileRequest) -> Response {
    let lessons = || {
        let lessons = serde_json::to_string(fibfob_games::lessons());
        lessons.expect("lessons have string keys and no failing serialiser")
    };
    answer(request, "lessons.json", lessons).await
}

/// `GET /protocol/fibfob.v1.schema.json`
pub(super) async fn schema(request: FileRequest) -> Response {
    answer(request, "schema.json", || SCHEMA.to_owned()).await
}

/// `GET /protocol/fibfob.json-lines.schema.json`: what `fibfob --json` prints.
pub(super) async fn lines_schema(request: FileRequest) -> Response {
    answer(request, "lines.json", || LINES_SCHEMA.to_owned()).await
}

/// `GET /protocol/PROTOCOL.md`
pub(super) async fn protocol(request: FileRequest) -> Response {
    answer(request, "PROTOCOL.md", || PROTOCOL.to_owned()).await
}

async fn answer(request: FileRequest, name: &'static str, make: fn() -> String) -> Response {
    request
        .answer(name, String::new(), move |_| make(), REVALIDATE)
        .await
}

fn catalogue() -> String {
    let games = serde_json::to_string(&Catalogue::built().games);
    games.expect("entries have string keys and no failing serialiser")
}

#[cfg(test)]
mod tests {
    use fibfob_games::GameId;

    use super::*;

    #[test]
    fn the_catalogue_is_complete_and_in_order() {
        let entries: Vec<serde_json::Value> = serde_json::from_str(&catalogue()).unwrap();
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
