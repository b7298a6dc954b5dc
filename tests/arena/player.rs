//! The players of an arena: bots, and models of people who are new to a game.

use std::fmt;
use std::str::FromStr;

use fibfob_games::{Budget, Level, Move, Position, Reasoner, choose_move, random_move};
use rand::Rng;
use thiserror::Error;

/// Whoever plays in an arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArenaPlayer {
    /// Any legal move.
    Random,
    /// Makes a last move, and otherwise moves at random.
    Greedy,
    /// Looks one move ahead: makes a last move, gives none away, and otherwise moves at random.
    Careful,
    /// A bot.
    Bot(Level),
}

/// Nobody has this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "there is no such player; there are: random, greedy, careful, novice, casual, strong, perfect"
)]
pub struct UnknownPlayer;

impl FromStr for ArenaPlayer {
    type Err = UnknownPlayer;

    fn from_str(text: &str) -> Result<Self, UnknownPlayer> {
        match text {
            "random" => Ok(Self::Random),
            "greedy" => Ok(Self::Greedy),
            "careful" => Ok(Self::Careful),
            _ => text.parse().map(Self::Bot).map_err(|_| UnknownPlayer),
        }
    }
}

impl fmt::Display for ArenaPlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random => f.write_str("random"),
            Self::Greedy => f.write_str("greedy"),
            Self::Careful => f.write_str("careful"),
            Self::Bot(level) => level.fmt(f),
        }
    }
}

impl ArenaPlayer {
    /// The player's move; `None` iff the game is finished.
    pub fn choose(self, position: &Position, rng: &mut dyn Rng) -> Option<Move> {
        let budget = &mut Budget::of_question();
        let mut last = || {
            let winning = position.solve().winning;
            Reasoner::LastMove.find(position, &winning, budget).ok()?
        };
        match self {
            Self::Random => random_move(position, rng),
            Self::Greedy => last().or_else(|| random_move(position, rng)),
            Self::Careful => last()
                .or_else(|| Reasoner::safe_move(position, budget, rng))
                .or_else(|| random_move(position, rng)),
            Self::Bot(level) => choose_move(position, level, rng),
        }
    }
}
