//! Choosing moves for a bot: perfectly, or with a stated chance of missing a win.
//!
//! Knows positions only by what they answer about themselves, and no game by name.

use std::{cmp::Reverse, fmt, str::FromStr};

use rand::RngExt;
use thiserror::Error;

use crate::{Move, MoveSet, Outcome, Position};

/// The most moves that are compared with each other in a lost position.
pub const CANDIDATES_MAX: usize = 256;

/// The maximum number of draws to find a move that does not win.
const REJECTIONS_MAX: usize = 64;

/// The strength of a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// Finds every win.
    Perfect,
    /// Finds nine wins of ten.
    Strong,
    /// Finds six wins of ten.
    Casual,
    /// Finds one win of four.
    Novice,
}

impl Level {
    /// All levels, the best first.
    pub const ALL: [Self; 4] = [Self::Perfect, Self::Strong, Self::Casual, Self::Novice];

    /// The chance, from 0 to 1, of playing a winning move where there is one.
    #[must_use]
    pub const fn chance(self) -> f64 {
        match self {
            Self::Perfect => 1.0,
            Self::Strong => 0.9,
            Self::Casual => 0.6,
            Self::Novice => 0.25,
        }
    }

    /// The strength in a sentence.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Perfect => "Finds every win.",
            Self::Strong => "Finds nine wins of ten.",
            Self::Casual => "Finds six wins of ten.",
            Self::Novice => "Finds one win of four.",
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Perfect => "perfect",
            Self::Strong => "strong",
            Self::Casual => "casual",
            Self::Novice => "novice",
        }
    }
}

/// Writes `perfect`, `strong`, `casual` or `novice`.
impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// No level has this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("there is no such level; there are: perfect, strong, casual, novice")]
pub struct UnknownLevel;

impl FromStr for Level {
    type Err = UnknownLevel;

    fn from_str(text: &str) -> Result<Self, UnknownLevel> {
        Self::ALL
            .into_iter()
            .find(|level| level.name() == text)
            .ok_or(UnknownLevel)
    }
}

/// A legal move, all equally likely as far as [`MoveSet::pick`] promises; `None` iff the game is finished.
pub fn random_move(position: &Position, rng: &mut dyn rand::Rng) -> Option<Move> {
    position
        .legal_moves()
        .pick(rng)
        .map(|text| listed(position, &text))
}

/// The move of a bot; `None` iff the game is finished.
///
/// With the level's chance it is a good move: where a winning move is known, the game's favourite or else one of those
/// at random; where none is, the most stubborn move. Otherwise it is a random legal move that does not win, as far as a bounded number of tries finds one.
pub fn choose_move(position: &Position, level: Level, rng: &mut dyn rand::Rng) -> Option<Move> {
    let good = rng.random_bool(level.chance());
    let winning = position.solve().winning;
    match (good, winning.is_empty()) {
        (true, false) => position
            .favourite()
            .or_else(|| winning.pick(rng).map(|text| listed(position, &text))),
        (true, true) => most_stubborn(position, rng),
        (false, true) => random_move(position, rng),
        (false, false) => miss(position, &winning, rng),
    }
}

/// Returns `true` if a bot that may choose moves first.
///
/// With the level's chance it moves first iff the first player wins, if that is known; otherwise it tosses a coin.
pub fn chooses_first(position: &Position, level: Level, rng: &mut dyn rand::Rng) -> bool {
    let good = rng.random_bool(level.chance());
    match position.solve().outcome {
        Some(outcome) if good => outcome == Outcome::N,
        _ => rng.random(),
    }
}

/// Turns a listed move into a move.
fn listed(position: &Position, text: &str) -> Move {
    position.read_move(text).expect("a listed move is notation")
}

/// A legal move that does not win, or any if none is found.
fn miss(position: &Position, winning: &MoveSet, rng: &mut dyn rand::Rng) -> Option<Move> {
    let legal = position.legal_moves();
    let losing = (0..REJECTIONS_MAX)
        .filter_map(|_| legal.pick(rng))
        .find(|text| !winning.contains(text));
    losing
        .or_else(|| legal.pick(rng))
        .map(|text| listed(position, &text))
}

/// The move that leaves the fewest winning replies, then the longest play; ties are broken at random.
fn most_stubborn(position: &Position, rng: &mut dyn rand::Rng) -> Option<Move> {
    let candidates = candidates(&position.legal_moves(), rng);
    let ranked = candidates.into_iter().map(|text| {
        let mv = listed(position, &text);
        let after = position.play(&mv).expect("a listed move is legal");
        let solution = after.solve();
        // Where the outcome was unknown, a move may turn out to win after all.
        let wins = solution.outcome == Some(Outcome::P);
        let replies = solution.winning.count().unwrap_or(u128::MAX);
        let rank = (
            wins,
            Reverse(replies),
            after.longest_play(),
            rng.random::<u32>(),
        );
        (rank, mv)
    });
    ranked.max_by_key(|(rank, _)| *rank).map(|(_, mv)| mv)
}

/// All moves if they are at most [`CANDIDATES_MAX`], else the ends of the families and random ones.
fn candidates(legal: &MoveSet, rng: &mut dyn rand::Rng) -> Vec<String> {
    if legal
        .count()
        .is_some_and(|count| count <= CANDIDATES_MAX as u128)
    {
        return legal.iter().collect();
    }
    let ends = legal.families().iter().flat_map(|family| family.ends());
    let mut candidates: Vec<String> = ends.take(CANDIDATES_MAX / 2).collect();
    candidates.extend((candidates.len()..CANDIDATES_MAX).filter_map(|_| legal.pick(rng)));
    candidates
}
