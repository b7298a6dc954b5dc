//! Chooses moves for a bot: perfectly, or with a stated chance of looking for a win at all.
//!
//! Knows positions only by what they answer about themselves, and no game by name.

use std::{cmp::Reverse, fmt, str::FromStr};

use rand::{RngExt, seq::SliceRandom};
use serde::{Deserialize, Deserializer, Serialize, de};
use thiserror::Error;

use crate::budget::{Budget, TooMuchWork};
use crate::catalogue::{Move, Position};
use crate::move_set::MoveSet;
use crate::nimber::Outcome;
use crate::reasoner::{NamedPart, Reasoner, after, last_of, listed, named_parts};

/// The most moves that are compared with each other in a lost position.
pub const CANDIDATES_MAX: usize = 64;

/// After this many moves in a row that keep the win, the other player has shown that they will not give it away.
pub const SHOWN_MOVES: usize = 5;

/// The most answers that are compared with the position before.
const UNDOING_MAX: usize = 8;

/// The strength of a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Finds every win.
    Perfect,
    /// Looks for a win 85 times in 100.
    Strong,
    /// Looks for a win every second time.
    Casual,
    /// Looks for a win one time in ten.
    Novice,
}

impl Level {
    /// All levels, the best first.
    pub const ALL: [Self; 4] = [Self::Perfect, Self::Strong, Self::Casual, Self::Novice];

    /// The chance, from 0 to 1, that it looks for a winning move; otherwise any legal move is as good to it.
    #[must_use]
    pub const fn chance(self) -> f64 {
        self.facts().0
    }

    /// The name in prose: who plays like this.
    #[must_use]
    pub const fn title(self) -> &'static str {
        self.facts().1
    }

    /// The strength in a sentence.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        self.facts().2
    }

    /// The chance, the title and the sentence.
    const fn facts(self) -> (f64, &'static str, &'static str) {
        match self {
            Self::Perfect => (1.0, "The Auditor", "Finds every win."),
            Self::Strong => (0.85, "Vega", "Misses a win now and then."),
            Self::Casual => (0.5, "Juno", "Thinks about every second move."),
            Self::Novice => (0.1, "Pip", "Moves by feeling, but sees the last move."),
        }
    }
}

/// Writes `perfect`, `strong`, `casual` or `novice`.
impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
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
            .find(|level| level.to_string() == text)
            .ok_or(UnknownLevel)
    }
}

impl<'de> Deserialize<'de> for Level {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(de::Error::custom)
    }
}

/// A legal move, all equally likely as far as [`MoveSet::pick`] promises; `None` iff the game is finished.
pub fn random_move(position: &Position, rng: &mut dyn rand::Rng) -> Option<Move> {
    position
        .legal_moves()
        .pick(rng)
        .map(|text| listed(position, &text))
}

/// Chooses a bot's move within [`Budget::of_move`]; `None` iff the game is finished.
///
/// Every level makes a move that ends the match in its favour. Otherwise, with the level's chance, it makes a
/// good move: the game's favourite winning move, or a random one of the winning moves, or where none is
/// known, the move that is hardest to answer. Else it makes any legal move.
pub fn choose_move(position: &Position, level: Level, rng: &mut dyn rand::Rng) -> Option<Move> {
    choose_move_within(position, level, &mut Budget::of_move(), rng)
}

/// As [`choose_move`], within what is left of a budget. The winning moves are always found, whatever is left of a whole
/// budget. The search for the hardest answer in a lost position stops when the budget is spent. Also `None` if the
/// budget [needs more](Budget::needs_more).
pub fn choose_move_within(
    position: &Position,
    level: Level,
    budget: &mut Budget,
    rng: &mut dyn rand::Rng,
) -> Option<Move> {
    // A search that comes after this has no budget left if it is not enough.
    let _ = budget.spend(position.table_steps() + position.solve_steps());
    if budget.needs_more() {
        return None;
    }
    let winning = position.solve().winning;
    if let Ok(Some(last)) = last_of(position, &winning, budget) {
        return Some(last);
    }
    match (rng.random_bool(level.chance()), winning.is_empty()) {
        (true, false) => position
            .favourite()
            .or_else(|| winning.pick(rng).map(|text| listed(position, &text))),
        (true, true) => hardest_to_answer(position, budget, rng),
        (false, _) => random_move(position, rng),
    }
}

/// Returns `true` if a bot that may choose moves first.
///
/// With the level's chance it moves first iff the first player wins, if that is known; otherwise it tosses a coin.
/// It does not know it either if the budget does not hold the steps of one solution.
pub fn chooses_first(
    position: &Position,
    level: Level,
    budget: &mut Budget,
    rng: &mut dyn rand::Rng,
) -> bool {
    let good = rng.random_bool(level.chance());
    let steps = position.table_steps() + position.solve_steps();
    let solution = budget.spend(steps).is_ok().then(|| position.solve());
    match solution.and_then(|it| it.outcome) {
        Some(outcome) if good => outcome == Outcome::N,
        _ => rng.random(),
    }
}

/// Returns `true` if a bot that is to move gives up: the position is lost, and each of the other player's
/// last [`SHOWN_MOVES`] moves (`answers`, the latest first) won where others would have lost. It does not give up
/// where the budget does not hold the steps to tell.
pub fn concedes(
    position: &Position,
    answers: impl IntoIterator<Item = (Position, Move)>,
    budget: &mut Budget,
) -> bool {
    let shows_the_way = |(before, mv): (Position, Move)| {
        let steps = before.play_steps() + before.solve_steps();
        let solution = budget.spend(steps).is_ok().then(|| before.solve());
        solution.is_some_and(|it| it.is_task() && it.winning.contains(&mv.to_string()))
    };
    position.outcome() == Some(Outcome::P)
        && answers
            .into_iter()
            .take(SHOWN_MOVES)
            .map(shows_the_way)
            .take_while(|shown| *shown)
            .count()
            == SHOWN_MOVES
}

/// Picks the move whose winning answer is hardest to find, then the one with the fewest winning answers; ties
/// are broken at random. A move that an answer simply undoes, such as burning a nugget, only makes a match
/// longer, so it comes last. When the budget is spent, the best move so far is picked.
fn hardest_to_answer(
    position: &Position,
    budget: &mut Budget,
    rng: &mut dyn rand::Rng,
) -> Option<Move> {
    let mut candidates = candidates(&position.legal_moves(), rng);
    candidates.shuffle(rng);
    let parts = named_parts(position);
    let mut best = None;
    for text in &candidates {
        let mv = listed(position, text);
        let Ok(hardness) = hardness(position, &parts, &mv, budget) else {
            break;
        };
        if best.as_ref().is_none_or(|(most, _)| hardness > *most) {
            best = Some((hardness, mv));
        }
    }
    let first = || candidates.first().map(|text| listed(position, text));
    best.map(|(_, mv)| mv).or_else(first)
}

/// Ranks a move: whether it wins after all, whether no answer undoes it, the idea that answers it, and how few
/// answers win.
fn hardness(
    position: &Position,
    parts: &[NamedPart],
    mv: &Move,
    budget: &mut Budget,
) -> Result<(bool, bool, Option<Reasoner>, Reverse<u128>), TooMuchWork> {
    let after = after(position, mv, budget)?;
    budget.spend(after.play_steps() + after.solve_steps())?;
    let solution = after.solve();
    // If the outcome was unknown, a move may turn out to win after all.
    let wins = solution.outcome == Some(Outcome::P);
    let replies = solution.winning.count().unwrap_or(u128::MAX);
    let undone = is_undone(parts, &after, &solution.winning, budget)?;
    let needed = Reasoner::simplest(&after, &solution.winning, budget)?.map(|(idea, _)| idea);
    Ok((wins, !undone, needed, Reverse(replies)))
}

/// Returns true if a winning answer brings back the parts as they were.
fn is_undone(
    parts: &[NamedPart],
    moved: &Position,
    winning: &MoveSet,
    budget: &mut Budget,
) -> Result<bool, TooMuchWork> {
    for text in winning.iter().take(UNDOING_MAX) {
        let answered = after(moved, &listed(moved, &text), budget)?;
        if !parts.is_empty() && parts == named_parts(&answered) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns all moves if they are at most [`CANDIDATES_MAX`], else the families' ends and random ones.
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
