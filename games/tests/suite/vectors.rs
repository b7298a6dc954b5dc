//! The test data in `vectors/`: every line of every file, as found by exhaustive search elsewhere.

use std::{fs, path::Path};

use fibfob_games::{GameId, Position};
use serde_json::Value;

/// Compares all answers about the position of one line.
fn check(line: &str) {
    let data: Value = serde_json::from_str(line).unwrap();
    let game: GameId = data["game"].as_str().unwrap().parse().unwrap();
    let text = data["position"].as_str().unwrap();
    let position = Position::read(game, text).unwrap();
    let solution = position.solve();
    assert_eq!(position.to_string(), text);
    assert_eq!(solution.nimber.known(), data["nimber"].as_u64(), "{line}");
    assert_eq!(
        solution.outcome.unwrap().to_string(),
        data["outcome"].as_str().unwrap(),
        "{line}"
    );
    let mut winning: Vec<String> = solution.winning.iter().collect();
    winning.sort();
    assert_eq!(Value::from(winning), data["winning_moves"], "{line}");
    assert!(solution.complete, "{line}");
    assert_eq!(position.is_terminal(), data["terminal"] == true, "{line}");
    if let Some(favourite) = data.get("lecture_move") {
        let chosen = position.favourite().map(|mv| mv.to_string());
        assert_eq!(chosen.as_deref(), favourite.as_str(), "{line}");
    }
    if let Some(legal) = data["legal_moves"].as_u64() {
        assert_eq!(solution.legal_moves, Some(legal.into()), "{line}");
        assert_eq!(
            position.legal_moves().iter().count() as u64,
            legal,
            "{line}"
        );
    }
}

#[test]
fn every_line_of_every_file_is_answered_as_searched() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    let mut games = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        text.lines().for_each(check);
        assert!(text.lines().count() > 0, "{} is empty", path.display());
        games.extend(
            GameId::ALL
                .iter()
                .filter(|game| text.contains(&format!("\"game\":\"{game}\""))),
        );
    }
    let without: Vec<_> = GameId::ALL
        .iter()
        .filter(|game| !games.contains(game))
        .collect();
    assert!(without.is_empty(), "games without data: {without:?}");
}
