//! `fibfob puzzle`: a position to win, made from a seed.

use fibfob_games::{DRAWS_MAX, GameId, MoveSet, Puzzle};
use serde::Serialize;
use thiserror::Error;

use crate::args::PuzzleArgs;
use crate::{JSON_LISTED_MAX, json_line};

/// No puzzle of the wanted grade was found.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("none of {DRAWS_MAX} positions of {0} has this grade; try another grade, or none")]
pub struct NotFound(GameId);

/// The puzzle as JSON.
#[derive(Serialize)]
struct PuzzleJson {
    game: GameId,
    grade: &'static str,
    seed: u64,
    position: String,
    winning_moves: MoveSet,
}

/// Returns the puzzle.
///
/// # Errors
/// There is none of this grade.
pub fn answer(args: &PuzzleArgs) -> Result<String, NotFound> {
    let seed = args.seed.unwrap_or_else(rand::random);
    let found = Puzzle::of_seed(args.game, args.grade, seed);
    let puzzle = found.ok_or(NotFound(args.game))?;
    let (game, grade, position) = (args.game, puzzle.grade, puzzle.position.to_string());
    Ok(match args.json {
        true => json_line(&PuzzleJson {
            game,
            grade: grade.name(),
            seed,
            position,
            winning_moves: puzzle.winning.listed(JSON_LISTED_MAX),
        }),
        false => format!(
            "Find a move that wins: {game} {position}\n\
             Every winning move is right; `fibfob solve {game} {position}` shows them all.\n\
             The idea: {}  ({grade}, seed {seed})\n",
            grade.sentence()
        ),
    })
}
