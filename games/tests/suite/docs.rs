//! The documentation of each game: examples that can be read, and a row in the README.

use fibfob_games::{GameId, Nimber, Position};

#[test]
fn ryuo_nims_theory_names_each_case_with_a_formula() {
    let theory = GameId::RyuoNim.docs().theory.join(" ");
    let says = |words: &str| theory.contains(words);
    for p in 1..=8 {
        for q in 1..=24 {
            let beyond_tables = format!("1000,2001 p={p} q={q}");
            let position = Position::read(GameId::RyuoNim, &beyond_tables).unwrap();
            let has_formula = matches!(position.nimber(), Nimber::Known(_));
            let is_told =
                q % p == 0 && says("if p divides q") || p <= 2 && says("with p of 1 or 2");
            assert_eq!(has_formula, is_told, "{beyond_tables}: {theory}");
        }
    }
}

#[test]
fn the_document_of_the_terminal_lists_every_game_in_order() {
    let document = include_str!("../../../docs/TERMINAL.md");
    let rows = document.lines().filter_map(|line| line.strip_prefix("| `"));
    let listed = rows.filter_map(|row| row.split('`').next()?.parse().ok());
    let listed: Vec<GameId> = listed.collect();
    assert_eq!(listed, GameId::ALL);
}
