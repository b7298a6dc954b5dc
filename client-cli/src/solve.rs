//! `fibfob solve`: who wins a position, by which moves, and why. Needs no server.

mod answer;
mod batch;
mod reason;

use std::io::{self, IsTerminal, Write};

use fibfob_games::{Nimber, Outcome, Position};

use crate::args::SolveArgs;
use crate::exit::Exit;
use answer::Answer;

/// How many single winning moves are listed in text; beyond it they are shown as families.
const LISTED_MAX: u128 = 24;

/// Answers the command line.
///
/// # Errors
/// When standard output takes no more.
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
    let position = match Position::read(args.game, &text) {
        Ok(position) => position,
        Err(fault) => {
            let _ = writeln!(io::stderr(), "fibfob: {fault}");
            return Ok(Exit::No);
        }
    };
    let mut out = io::stdout().lock();
    if args.json {
        let answer = Answer::solve(&position);
        writeln!(out, "{}", answer.line())?;
    } else {
        write!(out, "{}", written(&position))?;
    }
    out.flush()?;
    Ok(Exit::Done)
}

/// The answer in words.
fn written(position: &Position) -> String {
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
    lines.extend(reason::written(&position.explain()));
    if !position.is_terminal() {
        lines.push(match solution.winning.count() {
            Some(0) if solution.complete => "winning moves: none".to_owned(),
            Some(count) if count <= LISTED_MAX => {
                let moves: Vec<String> = solution.winning.iter().collect();
                format!("winning moves: {}", moves.join(", "))
            }
            Some(count) => format!("{count} winning moves: {}", solution.winning),
            None => format!("winning moves: {}", solution.winning),
        });
        if !solution.complete {
            lines.push("there may be more winning moves than are known".to_owned());
        }
    }
    lines.push(match solution.legal_moves {
        Some(1) => "1 legal move".to_owned(),
        Some(count) => format!("{count} legal moves"),
        None => "more than 2^128 legal moves".to_owned(),
    });
    lines.push(String::new());
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(game: &str, position: &str, expected: &str) {
        let position = Position::read(game.parse().unwrap(), position).unwrap();
        assert_eq!(written(&position), expected);
    }

    #[test]
    fn the_worked_example() {
        check(
            "fib-fob",
            "g6@3 time=15 nuggets=5 fib=12 fob=9",
            "fib-fob g6@3 time=15 nuggets=5 fib=12 fob=9\n\
             the player to move wins (N); nimber 13\n\
             file g = 6, rank 6 = 5, board 3 = 2, time 15, fib 12 = 2, fob 9 = 1\n\
             6⊕5⊕2⊕15⊕2⊕1 = 13; time 15 → 2 makes it 0\n\
             winning moves: time -13\n\
             37 legal moves\n",
        );
    }

    #[test]
    fn a_lost_position_and_a_finished_one() {
        check(
            "nim",
            "3,3",
            "nim 3,3\n\
             the player who has just moved wins (P); nimber 0\n\
             heap 1: 3, heap 2: 3\n\
             3⊕3 = 0; every move makes it another number, and the other player makes it 0 again\n\
             winning moves: none\n\
             6 legal moves\n",
        );
        check(
            "nim",
            "0",
            "nim 0\n\
             the game is over, and the player who has just moved has won (P); nimber 0\n\
             heap 1: 0\n\
             0 = 0; no move is left\n\
             0 legal moves\n",
        );
    }

    #[test]
    fn several_winning_moves_have_a_reason_each() {
        check(
            "nim",
            "1,1,1",
            "nim 1,1,1\n\
             the player to move wins (N); nimber 1\n\
             heap 1: 1, heap 2: 1, heap 3: 1\n\
             1⊕1⊕1 = 1; heap 1: 1 → 0, heap 2: 1 → 0 or heap 3: 1 → 0 makes it 0\n\
             winning moves: take 1 from 1, take 1 from 2, take 1 from 3\n\
             3 legal moves\n",
        );
    }
}
