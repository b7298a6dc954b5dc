//! `fibfob puzzle --json`: a position to win, made from a seed.

use fibfob_games::{DRAWS_MAX, GameId, MoveSet, Puzzle, Reasoner};
use serde::Serialize;
use thiserror::Error;

use crate::{JSON_LISTED_MAX, json_line};

/// No puzzle of the wanted grade was found.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("none of {DRAWS_MAX} positions of {0} has this grade; try another grade, or none")]
pub struct NoSuchPuzzle(pub GameId);

/// The puzzle as JSON.
#[derive(Serialize)]
struct PuzzleJson {
    game: GameId,
    grade: &'static str,
    seed: u32,
    position: String,
    winning_moves: MoveSet,
}

/// Returns the puzzle as a line of JSON.
///
/// # Errors
/// There is none of this grade.
pub fn line(game: GameId, grade: Option<Reasoner>, seed: u32) -> Result<String, NoSuchPuzzle> {
    let puzzle = Puzzle::of_seed(game, grade, seed.into()).ok_or(NoSuchPuzzle(game))?;
    Ok(json_line(&PuzzleJson {
        game,
        grade: puzzle.grade.name(),
        seed,
        position: puzzle.position.to_string(),
        winning_moves: puzzle.winning.listed(JSON_LISTED_MAX),
    }))
}
