//! `fibfob puzzle --json`: a position to win, made from a seed.

use fibfob_games::{Budget, GameId, MoveSet, NoSuchPuzzle, Puzzle, Reasoner};
use serde::Serialize;

use crate::{JSON_LISTED_MAX, json_line};

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
    let puzzle = Puzzle::of_seed(game, grade, seed.into(), &mut Budget::of_question())?;
    Ok(json_line(&PuzzleJson {
        game,
        grade: puzzle.grade.name(),
        seed,
        position: puzzle.position.to_string(),
        winning_moves: puzzle.winning.listed(JSON_LISTED_MAX),
    }))
}
