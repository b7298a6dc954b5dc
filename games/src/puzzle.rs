//! Puzzles: a position that the player to move wins, made from a seed alone.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use crate::catalogue::{GameId, Position};
use crate::move_set::MoveSet;
use crate::reasoner::Reasoner;
use crate::start::Ranges;
use crate::strategy::random_move;

/// The most positions that are drawn to find one of the wanted grade.
pub const DRAWS_MAX: usize = 2_000;
/// The most random moves that are made from a random start: simple positions stand at the end of matches.
const MOVES_MAX: u64 = 24;

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

impl Puzzle {
    /// The puzzle of this game, seed and grade; of any grade without one. `None` if no position of that grade is found.
    #[must_use]
    pub fn of_seed(game: GameId, grade: Option<Reasoner>, seed: u64) -> Option<Self> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        (0..DRAWS_MAX).find_map(|_| {
            let mut position = game.random_start(&Ranges::default(), &mut rng).ok()?;
            for _ in 0..rng.random_range(0..=MOVES_MAX) {
                let Some(mv) = random_move(&position, &mut rng) else {
                    break;
                };
                position = position.play(&mv).expect("a listed move is legal");
            }
            let solution = position.solve();
            if !solution.is_task() {
                return None;
            }
            let (needed, _) = Reasoner::simplest(&position)?;
            grade.is_none_or(|grade| grade == needed).then_some(Self {
                grade: needed,
                position,
                winning: solution.winning,
            })
        })
    }
}
