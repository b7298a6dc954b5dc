//! Puzzles: find a move that wins.

use fibfob_games::{Budget, GameId, NoSuchPuzzle, Position, Puzzle, Reasoner};

use super::line::StudyLine;
use super::note;
use crate::app::{Effect, refuse};

#[derive(Clone, Debug)]
pub struct PuzzleTask {
    /// The idea that was asked for; none for any.
    wanted: Option<Reasoner>,
    game: GameId,
    grade: Reasoner,
    seed: u32,
    pub(super) is_solved: bool,
    is_missed: bool,
}

impl PuzzleTask {
    /// Sets the puzzle with this seed.
    ///
    /// # Errors
    /// The game has no puzzles of this grade, or none was found.
    pub fn set(
        game: GameId,
        wanted: Option<Reasoner>,
        seed: u32,
    ) -> Result<(Self, Position), NoSuchPuzzle> {
        let budget = &mut Budget::of_question();
        let puzzle = Puzzle::of_seed(game, wanted, seed.into(), budget)?;
        let task = Self {
            wanted,
            game,
            grade: puzzle.grade,
            seed,
            is_solved: false,
            is_missed: false,
        };
        Ok((task, puzzle.position))
    }

    fn mark(&self) -> String {
        format!("missed/{}/{}/{}", self.game, self.grade, self.seed)
    }

    pub fn head(&self, title: &str) -> [String; 3] {
        let asked = match self.is_solved {
            true => "Solved. Enter: the next one.",
            false => "Find a move that wins.",
        };
        [
            format!("Puzzle  {title}  {}/{}", self.grade, self.seed),
            asked.to_owned(),
            "a move, `hint`, `why`, `next`, `play`, `quit`".to_owned(),
        ]
    }

    pub fn opening(&self, position: &Position) -> String {
        let game = position.game();
        let (grade, seed, idea) = (self.grade, self.seed, self.grade.sentence());
        format!(
            "Find a move that wins: {game} {position}. Every winning move is right. \
             The idea: {idea} ({grade}, seed {seed})"
        )
    }

    /// Returns the steps after a right answer. A puzzle that is solved at the first try is no longer listed as missed.
    pub fn solved(&mut self, said: &str) -> Vec<Effect> {
        self.is_solved = true;
        let found = (!self.is_missed).then(|| Effect::Mark(self.mark(), false));
        let said = note(format!("Right. {said}. Enter or `next` sets another one."));
        std::iter::once(said).chain(found).collect()
    }

    /// Returns the step after a wrong answer, the first one only: the puzzle is listed as missed.
    pub fn missed(&mut self) -> Option<Effect> {
        let first = !std::mem::replace(&mut self.is_missed, true);
        first.then(|| Effect::Mark(self.mark(), true))
    }

    pub fn next(&mut self, line: &mut StudyLine) -> Vec<Effect> {
        match Self::set(self.game, self.wanted, rand::random()) {
            Ok((task, position)) => {
                let opening = note(task.opening(&position));
                (*self, *line) = (task, StudyLine::new(vec![position]));
                vec![opening]
            }
            Err(none) => refuse(none.to_string()),
        }
    }
}
