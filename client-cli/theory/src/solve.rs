//! `fibfob solve`: the winner of a position, the winning moves, and the reason. Needs no server.

mod batch;
mod json;

use std::io::{self, IsTerminal};

use fibfob_games::{GameId, Outcome, Position};

use crate::args::SolveArgs;
use crate::exit::Exit;
use crate::typed::{read_named_position, read_position};
use crate::wrapping::in_window;
use crate::{Failure, complain, explain, json_line};
use json::SolutionJson;

/// The maximum number of winning moves listed one by one; more are shown as move families.
const LISTED_MAX: u128 = 24;

/// Answers each line of standard input.
pub fn batch() -> Result<Exit, Failure> {
    let stdin = io::stdin().lock();
    if stdin.is_terminal() {
        complain(&"reading lines {\"game\":…,\"position\":…}; end with Ctrl-D");
    }
    Ok(batch::run(stdin, &mut io::stdout().lock())?)
}

/// Returns the solution of a position.
pub fn answer(args: &SolveArgs) -> Result<String, Failure> {
    let text = args.position.join(" ");
    let position = match args.game {
        Some(game) => read_position(game, &text)?,
        None => read_named_position(&text, GameId::FibFob)?,
    };
    Ok(match args.json {
        true => json_line(&SolutionJson::solve(&position, Some(position.explain()))),
        false => in_window(&(write(&position) + GLOSSARY + "\n")),
    })
}

/// The words of the theory, each in a sentence.
const GLOSSARY: &str = "\
N: the next player, who is to move, wins. P: the previous one does. Nimber: the heap of Nim it equals.
⊕ (xor): each power of two that stands there twice goes. Mex: the least number from 0 on that is missing.";

/// Returns the solution in words.
pub fn write(position: &Position) -> String {
    explain_position(position).join("\n") + "\n"
}

/// Says who wins and why: in words and lamps, then in the language of the theory.
#[must_use]
pub fn explain_position(position: &Position) -> Vec<String> {
    let (solution, explanation) = (position.solve(), position.explain());
    let mut lines = vec![format!("{} {position}", position.game())];
    let [said, outcome] = match (position.is_terminal(), solution.outcome) {
        (true, Some(Outcome::N)) => [
            "No move is left: whoever is to move has won.",
            "the game is over, and the player to move has won (N)",
        ],
        (true, _) => [
            "No move is left: whoever has just moved has won.",
            "the game is over, and the player who has just moved has won (P)",
        ],
        (false, Some(Outcome::N)) => ["Whoever is to move can win.", "the player to move wins (N)"],
        (false, Some(Outcome::P)) => [
            "Whoever is to move loses, if the other player knows the way.",
            "the player who has just moved wins (P)",
        ],
        (false, None) => ["It is not known who can win.", "who wins is not known"],
    };
    lines.push(said.to_owned());
    lines.extend(explain::write_with_lamps(position, &explanation));
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
    lines.push("In the language of the theory:".to_owned());
    let value = explain::write_value(solution.nimber);
    lines.push(format!("  {outcome}; {value}"));
    let theory = explain::write(&explanation).into_iter();
    lines.extend(theory.map(|line| format!("  {line}")));
    lines.push(match solution.legal_moves {
        Some(1) => "1 legal move".to_owned(),
        Some(count) => format!("{count} legal moves"),
        None => "more than 2^64 legal moves".to_owned(),
    });
    lines
}

#[cfg(test)]
mod tests;
