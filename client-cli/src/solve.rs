//! `fibfob solve`: the winner of a position, the winning moves, and the reason. Needs no server.

mod batch;
mod json;

use std::io::{self, IsTerminal, Write};

use fibfob_games::{GameId, Nimber, Outcome, Position};

use crate::args::SolveArgs;
use crate::exit::Exit;
use crate::explain;
use crate::typed::{read_game, read_game_and_position, read_position};
use json::SolutionJson;

/// The maximum number of winning moves listed one by one; more are shown as move families.
const LISTED_MAX: u128 = 24;

/// Runs the command.
///
/// # Errors
/// Standard output cannot be written to.
pub fn run(args: &SolveArgs) -> io::Result<Exit> {
    if args.batch {
        let stdin = io::stdin().lock();
        if stdin.is_terminal() {
            let hint = "reading lines {\"game\":…,\"position\":…}; end with Ctrl-D";
            let _ = writeln!(io::stderr(), "{hint}");
        }
        return batch::run(stdin, &mut io::stdout().lock());
    }
    let text = args.position.join(" ");
    let (game, text) = match args.game {
        Some(game) => (game, &text[..]),
        None => read_game_and_position(&text).unwrap_or((GameId::FibFob, &text)),
    };
    let position = match read_position(game, text) {
        Ok(position) => position,
        Err(fault) => {
            let fault = match misspelt_game(args, text) {
                Some(fault) => fault,
                None => fault.to_string(),
            };
            let _ = writeln!(io::stderr(), "fibfob: {fault}");
            return Ok(Exit::No);
        }
    };
    let mut out = io::stdout().lock();
    if args.json {
        let solution = SolutionJson::solve(&position).explained(&position);
        writeln!(out, "{}", solution.line())?;
    } else {
        write!(out, "{}", written(&position))?;
    }
    out.flush()?;
    Ok(Exit::Done)
}

/// Returns what is wrong with the game's name at the beginning of a text that is no position.
fn misspelt_game(args: &SolveArgs, text: &str) -> Option<String> {
    let first = text.split_ascii_whitespace().next()?;
    let named = first
        .bytes()
        .all(|it| it.is_ascii_alphabetic() || it == b'-');
    let fault = read_game(first).err()?;
    (args.game.is_none() && named && fault.is_misspelt()).then(|| format!("{first}: {fault}"))
}

/// Returns the solution in words.
pub fn written(position: &Position) -> String {
    let solution = position.solve();
    let mut lines = vec![format!("{} {position}", position.game())];
    let outcome = match solution.outcome {
        _ if position.is_terminal() => match solution.outcome {
            Some(Outcome::N) => "the game is over, and the player to move has won (N)",
            _ => "the game is over, and the player who has just moved has won (P)",
        },
        Some(Outcome::N) => "the player to move wins (N)",
        Some(Outcome::P) => "the player who has just moved wins (P)",
        None => "who wins is not known",
    };
    lines.push(match solution.nimber {
        Nimber::Known(value) => format!("{outcome}; nimber {value}"),
        Nimber::Unknown(why) => format!("{outcome}; nimber unknown: {why}"),
        Nimber::None => format!("{outcome}; a misère position has no nimber"),
    });
    lines.extend(explain::written(&position.explain()));
    if !position.is_terminal() {
        lines.push(match solution.winning.count() {
            Some(0) if solution.complete => "winning moves: none".to_owned(),
            Some(0) => "winning moves: not known".to_owned(),
            Some(count) if count <= LISTED_MAX => {
                let moves: Vec<String> = solution.winning.iter().collect();
                format!("winning moves: {}", moves.join(", "))
            }
            Some(count) => format!("{count} winning moves: {}", solution.winning),
            None => format!("winning moves: {}", solution.winning),
        });
        if !solution.complete && !solution.winning.is_empty() {
            lines.push("there may be more winning moves than are known".to_owned());
        }
    }
    lines.push(match solution.legal_moves {
        Some(1) => "1 legal move".to_owned(),
        Some(count) => format!("{count} legal moves"),
        None => "more than 2^64 legal moves".to_owned(),
    });
    lines.push(String::new());
    lines.join("\n")
}

#[cfg(test)]
mod tests;
