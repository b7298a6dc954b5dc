//! Puzzles: a position that the player to move wins, made from a seed alone.

use std::fmt;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{SeedableRng, seq::SliceRandom};
use thiserror::Error;

use crate::budget::{Budget, TooMuchWork};
use crate::catalogue::{GameId, Position};
use crate::move_set::MoveSet;
use crate::reasoner::{Reasoner, after};
use crate::start::Ranges;
use crate::strategy::random_move;

/// The most random moves that are made from a random start. Plays of the default ranges are rarely longer.
const MOVES_MAX: usize = 64;
/// The positions at the end of a play in which the last move may be near.
const ENDING: usize = 8;
/// The positions that are drawn for a start, on average: the unfair ones are drawn again.
const START_DRAWS: u64 = 4;

/// A position with a task: find a move that wins. Every winning one is right.
#[derive(Clone, Debug)]
pub struct Puzzle {
    /// The simplest idea that finds a winning move.
    pub grade: Reasoner,
    /// The position.
    pub position: Position,
    /// All moves that win.
    pub winning: MoveSet,
}

/// No puzzle of this game and grade was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub struct NoSuchPuzzle {
    /// The game.
    pub game: GameId,
    /// The grade that was asked for.
    pub grade: Option<Reasoner>,
}

impl fmt::Display for NoSuchPuzzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let grades = self.game.grades().iter().map(|grade| grade.name());
        let grades = grades.collect::<Vec<_>>().join(", ");
        match self.grade {
            Some(grade) if !self.game.grades().contains(&grade) => write!(
                f,
                "{} has no puzzles of the grade {grade}; its grades are: {grades}",
                self.game
            ),
            _ => write!(
                f,
                "no puzzle of {} was found for this seed; try another one",
                self.game
            ),
        }
    }
}

impl GameId {
    /// The grades of the puzzles that this game has, the simplest first. Positions of other grades are too rare to be
    /// found, or cannot be.
    #[must_use]
    pub const fn grades(self) -> &'static [Reasoner] {
        use Reasoner::{
            Copies, KeepsLast, LastMove, MisereEnd, OnePart, SmallXor, Sums, Theorem, Xor,
        };
        match self {
            Self::FibFob => &[LastMove, KeepsLast, Copies, OnePart, SmallXor, Xor, Theorem],
            Self::StaircaseNim => &[LastMove, KeepsLast, Copies, OnePart, Xor],
            Self::Rooks | Self::Nim => &[LastMove, KeepsLast, Copies, Xor],
            Self::PokerNim => &[LastMove, KeepsLast, OnePart],
            Self::TurningTurtles => &[LastMove, KeepsLast, Xor],
            Self::NimMuskateers | Self::TakeFibonacci => &[LastMove, KeepsLast, Copies, Theorem],
            Self::FibonacciNim
            | Self::WythoffNim
            | Self::GreenHackenbush
            | Self::RyuoNim3d
            | Self::RyuoNimPass => &[LastMove, KeepsLast, Theorem],
            Self::Kayles => &[LastMove, Copies, Theorem],
            Self::RyuoNim => &[LastMove, Theorem],
            Self::Sum => &[LastMove, Sums],
            Self::MisereNim | Self::MisereFibonacciNim => &[MisereEnd],
        }
    }
}

impl Puzzle {
    /// The puzzle of this game, seed and grade; of any grade without one. The same for every budget that holds it, and the
    /// same whether or not its grade was asked for.
    ///
    /// Simple positions stand at the end of plays and hard ones at the start, so the positions of random plays are
    /// looked at in random order.
    ///
    /// # Errors
    /// The game has no puzzles of that grade, or the budget is spent before one is found.
    pub fn of_seed(
        game: GameId,
        grade: Option<Reasoner>,
        seed: u64,
        budget: &mut Budget,
    ) -> Result<Self, NoSuchPuzzle> {
        let no_such = NoSuchPuzzle { game, grade };
        if grade.is_some_and(|grade| !game.grades().contains(&grade)) {
            return Err(no_such);
        }
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        loop {
            let play = random_play(game, budget, &mut rng).map_err(|_| no_such)?;
            let ending = play.len().saturating_sub(ENDING);
            let mut looked: Vec<(usize, Position)> = play.into_iter().enumerate().collect();
            looked.shuffle(&mut rng);
            for (plies, position) in looked {
                // The last move is near only at the end of a play, where a look is also cheap.
                let fits = |grade| plies >= ending || grade > Reasoner::KeepsLast;
                if !grade.is_none_or(fits) {
                    continue;
                }
                let found = Self::at(position, grade, budget).map_err(|_| no_such)?;
                if let Some(found) = found.filter(|found| fits(found.grade)) {
                    return Ok(found);
                }
            }
        }
    }

    /// The puzzle of a position, if it has a task of this grade.
    fn at(
        position: Position,
        wanted: Option<Reasoner>,
        budget: &mut Budget,
    ) -> Result<Option<Self>, TooMuchWork> {
        budget.spend(position.solve_steps())?;
        let solution = position.solve();
        if !solution.is_task() {
            return Ok(None);
        }
        // Most ideas are quickly ruled out, while the simplest one takes a search.
        if let Some(wanted) = wanted
            && wanted.find(&position, &solution.winning, budget)?.is_none()
        {
            return Ok(None);
        }
        let needed = Reasoner::simplest(&position, &solution.winning, budget)?;
        let grades = position.game().grades();
        let fits =
            |needed: &Reasoner| grades.contains(needed) && wanted.is_none_or(|it| it == *needed);
        let graded = needed.filter(|(needed, _)| fits(needed));
        Ok(graded.map(|(grade, _)| Self {
            grade,
            position,
            winning: solution.winning,
        }))
    }
}

/// Draws a start of the default ranges, and spends the steps of that.
pub(crate) fn draw_start(
    game: GameId,
    budget: &mut Budget,
    rng: &mut Xoshiro256PlusPlus,
) -> Result<Position, TooMuchWork> {
    let start = game.random_start(&Ranges::default(), rng);
    let start = start.expect("every game has unfinished starts in its default ranges");
    budget.spend(START_DRAWS * start.solve_steps())?;
    Ok(start)
}

/// Returns the positions of a random play from a random start.
fn random_play(
    game: GameId,
    budget: &mut Budget,
    rng: &mut Xoshiro256PlusPlus,
) -> Result<Vec<Position>, TooMuchWork> {
    let start = draw_start(game, budget, rng)?;
    let mut play = vec![start];
    while let Some(last) = play.last().filter(|_| play.len() <= MOVES_MAX)
        && let Some(mv) = random_move(last, rng)
    {
        let next = after(last, &mv, budget)?;
        play.push(next);
    }
    Ok(play)
}
