//! `fibfob rules`: how a game is played, its notation and theory, and a solved example.

use fibfob_games::{Convention, GameDocs, GameId, ListedGame, Position};
use serde::Serialize;

use crate::args::RulesArgs;
use crate::how_to_play;
use crate::json_line;
use crate::solve;
use crate::wrapping::{columns, in_window, wrap, wrap_indented};

/// The maximum width of running text, in columns.
const TEXT_COLUMNS: usize = 92;

/// An explanation for somebody who has never heard of a nimber.
const NIMBERS: &str = "Every position is worth as much as one heap of coins in Nim; the size of that heap is its \
    nimber. With nimber 0 the player to move loses against perfect play; with any other one that player wins, by \
    a move to nimber 0. Side by side, nimbers are added without carrying, as binary numbers: 3⊕5 = 6 (xor). \
    `fibfob solve` computes them, and `fibfob table` lists them.";

/// Returns the explanation of a game.
pub fn answer(args: &RulesArgs) -> String {
    let game = args.game.unwrap_or(GameId::FibFob);
    match args.json {
        true => json_line(&Rules::of(game)),
        false => in_window(&write(game, text_columns())),
    }
}

/// A game as the server's catalogue has it, and what else this command tells of it.
#[derive(Serialize)]
struct Rules {
    #[serde(flatten)]
    game: ListedGame,
    theory: &'static [&'static str],
}

impl Rules {
    fn of(game: GameId) -> Self {
        Self {
            game: game.into(),
            theory: game.docs().theory,
        }
    }
}

/// The width of running text: the window less the indent, and not more than is easily read.
fn text_columns() -> usize {
    columns().map_or(TEXT_COLUMNS, |columns| {
        columns.saturating_sub(2).min(TEXT_COLUMNS)
    })
}

fn write(game: GameId, columns: usize) -> String {
    let info = game.info();
    let GameDocs {
        position, theory, ..
    } = game.docs();
    let mut lines = vec![format!("{} · {}", info.title, info.id)];
    let mut section = |title: &str, body: Vec<String>| {
        lines.push(String::new());
        lines.push(title.to_owned());
        let body = body.iter().map(|line| format!("  {line}"));
        lines.extend(body.map(|line| line.trim_end().to_owned()));
    };
    let sheet = how_to_play::sheet(game);
    let sheet = sheet.iter().flat_map(|text| wrap_indented(text, columns));
    section("How to play", sheet.collect());
    section("The rule in short", wrap(info.rules, columns));

    let mut positions = vec![info.example.to_owned()];
    positions.extend(wrap(position, columns));
    section("Positions", positions);

    let ranges = game.start_ranges();
    let names = ranges.iter().map(|range| range.name.len());
    let name = names.max().unwrap_or(0);
    let row =
        |what: &str, drawn: &str, allowed: &str| format!("{what:name$}  {drawn:>9}  {allowed}");
    let mut starts = vec![row("", "drawn", "allowed in a match")];
    starts.extend(ranges.iter().map(|range| {
        let drawn = write_span(range.default_from, range.default_to);
        row(range.name, &drawn, &write_span(range.least, range.most))
    }));
    section("Random starts", starts);
    let nimbers = (game.convention() == Convention::Normal).then_some(NIMBERS);
    let theory = nimbers.iter().chain(theory.iter());
    let theory = theory.flat_map(|line| wrap(line, columns));
    section("Theory", theory.collect());

    let example = Position::read(game, info.example).expect("tests read every example");
    let example = solve::write(&example);
    section(
        "An example, solved",
        example.lines().map(str::to_owned).collect(),
    );
    lines.push(String::new());
    lines.join("\n")
}

fn write_span(from: u64, to: u64) -> String {
    if from == to {
        from.to_string()
    } else {
        format!("{from}–{to}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_has_all_sections() {
        for &game in GameId::ALL {
            let text = write(game, 40);
            for section in [
                "How to play",
                "The rule in short",
                "Positions",
                "Random starts",
                "Theory",
                "An example, solved",
            ] {
                assert!(
                    text.contains(&format!("\n{section}\n  ")),
                    "{game}: {section}"
                );
            }
            assert!(text.ends_with("legal moves\n"), "{text}");
        }
    }
}
