//! `fibfob rules`: one game on one screen.

use std::io::{self, Write};

use fibfob_games::{GameId, Position};

use super::lore::{Lore, lore};
use crate::args::RulesArgs;
use crate::exit::Exit;
use crate::solve;

/// The longest line of running text, in characters.
const LINE_MAX: usize = 92;

/// Explains the game.
///
/// # Errors
/// When standard output takes no more.
pub fn run(args: &RulesArgs) -> io::Result<Exit> {
    let mut out = io::stdout().lock();
    write!(out, "{}", written(args.game))?;
    out.flush()?;
    Ok(Exit::Done)
}

fn written(game: GameId) -> String {
    let about = game.info();
    let Lore {
        position,
        moves,
        theory,
    } = lore(game);
    let mut lines = vec![format!("{} · {}", about.title, about.id)];
    let mut section = |title: &str, body: Vec<String>| {
        lines.push(String::new());
        lines.push(title.to_owned());
        lines.extend(
            body.into_iter()
                .map(|line| format!("  {line}").trim_end().to_owned()),
        );
    };
    section("Rules", wrapped(about.rules));

    let mut positions = vec![about.example.to_owned()];
    positions.extend(wrapped(position));
    section("Positions", positions);

    let width = moves.iter().map(|(text, _)| text.len()).max().unwrap_or(0);
    let moves = moves.iter();
    section(
        "Moves",
        moves
            .map(|(text, what)| format!("{text:width$}  {what}"))
            .collect(),
    );

    let ranges = game.start_ranges();
    let name = ranges
        .iter()
        .map(|range| range.name.len())
        .max()
        .unwrap_or(0);
    let row =
        |what: &str, drawn: &str, allowed: &str| format!("{what:name$}  {drawn:>9}  {allowed}");
    let mut starts = vec![row("", "drawn", "allowed in a match")];
    starts.extend(ranges.iter().map(|range| {
        let drawn = spanned(range.default_from, range.default_to);
        row(range.name, &drawn, &spanned(range.least, range.most))
    }));
    section("Random starts", starts);
    section(
        "Theory",
        theory.iter().flat_map(|line| wrapped(line)).collect(),
    );

    let example = match Position::read(game, about.example) {
        Ok(example) => solve::written(&example),
        Err(fault) => fault.to_string(),
    };
    section(
        "An example, solved",
        example.lines().map(str::to_owned).collect(),
    );
    lines.push(String::new());
    lines.join("\n")
}

fn spanned(from: u64, to: u64) -> String {
    if from == to {
        from.to_string()
    } else {
        format!("{from}–{to}")
    }
}

/// Text broken into lines at spaces.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= LINE_MAX => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_has_all_sections() {
        for &game in GameId::ALL {
            let text = written(game);
            for section in [
                "Rules",
                "Positions",
                "Moves",
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

    #[test]
    fn text_is_broken_between_words() {
        let words = "word ".repeat(40);
        let lines = wrapped(words.trim_end());
        assert!(lines.len() == 3 && lines.iter().all(|line| line.len() <= LINE_MAX));
        assert_eq!(lines.join(" "), words.trim_end());
    }
}
