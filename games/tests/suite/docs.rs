//! The documentation of each game: examples that can be read, and a row in the README.

use fibfob_games::{GameId, Position};

#[test]
fn example_moves_are_legal_notation() {
    for &game in GameId::ALL {
        let example = Position::read(game, game.info().example).unwrap();
        for (text, _) in game.docs().moves {
            let mv = example.read_move(text);
            assert!(mv.is_ok(), "{game}: {mv:?}");
        }
    }
}

#[test]
fn the_readme_lists_every_game_in_order() {
    let readme = include_str!("../../../README.md");
    let rows = readme.lines().filter_map(|line| line.strip_prefix("| `"));
    let listed = rows.filter_map(|row| row.split('`').next()?.parse().ok());
    let listed: Vec<GameId> = listed.collect();
    assert_eq!(listed, GameId::ALL);
}
