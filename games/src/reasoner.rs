//! The ideas by which people find winning moves, the simplest first. The simplest one that finds a win in a position
//! says how hard that position is, and what somebody missed who did not win it.
//!
//! Knows positions only by what they answer about themselves, and no game by name.

use std::{
    collections::HashMap,
    fmt,
    mem::{self, Discriminant},
    str::FromStr,
};

use rand::RngExt;
use thiserror::Error;

use crate::budget::{Budget, TooMuchWork};
use crate::catalogue::{GameId, Move, Position};
use crate::explanation::{AddedPart, Part};
use crate::game_info::Convention;
use crate::move_set::MoveSet;

/// The most moves that an idea looks at one by one.
pub const REASONED_MAX: u128 = 64;

/// The most parts that one move changes: two, where it turns two turtles.
const CHANGED_MAX: usize = 2;

/// An idea that finds winning moves in some positions.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Reasoner {
    /// A move that leaves none.
    LastMove,
    /// All moves but one let the opponent make the last move.
    KeepsLast,
    /// Equal parts in pairs: what the opponent does to one is done to the other.
    Copies,
    /// One part is left.
    OnePart,
    /// All parts are 0 or 1.
    Parity,
    /// Parts up to 3, which are worth what they count.
    SmallXor,
    /// Parts of any size, which are worth what they count.
    Xor,
    /// Parts that are worth other than they count, and games of their own theory.
    Theorem,
    /// Games side by side.
    Sums,
    /// The last move loses.
    MisereEnd,
}

impl AddedPart {
    /// Returns true if the nimber is what one sees: the number of coins, the distance of the ship, the time.
    fn is_plain(&self) -> bool {
        match self.part {
            Part::File | Part::Rank | Part::Board | Part::Time => true,
            _ => self.nimber.map(|nimber| nimber.to_string()).as_ref() == Some(&self.size),
        }
    }

    fn is_spent(&self) -> bool {
        self.nimber == Some(0) && self.is_plain()
    }

    /// Parts with the same key are equal: the moves in one are those in the other.
    fn key(self) -> (Discriminant<Part>, String) {
        let (alike, size) = match self.part {
            // A rook moves alike in all its directions.
            Part::File | Part::Rank | Part::Board => (Part::File, format!("{:?}", self.nimber)),
            Part::Fib | Part::Fob => (Part::Fib, self.size),
            part => (part, self.size),
        };
        (mem::discriminant(&alike), size)
    }
}

impl Reasoner {
    /// All ideas, the simplest first.
    pub const ALL: [Self; 10] = [
        Self::LastMove,
        Self::KeepsLast,
        Self::Copies,
        Self::OnePart,
        Self::Parity,
        Self::SmallXor,
        Self::Xor,
        Self::Theorem,
        Self::Sums,
        Self::MisereEnd,
    ];

    /// The name, such as `last-move`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.named().0
    }

    /// The idea in a sentence.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        self.named().1
    }

    const fn named(self) -> (&'static str, &'static str) {
        match self {
            Self::LastMove => ("last-move", "Make the last move."),
            Self::KeepsLast => (
                "keeps-last",
                "Find the only move that does not give the last one away.",
            ),
            Self::Copies => ("copies", "Leave equal parts in pairs, and copy."),
            Self::OnePart => ("one-part", "Only one part is left: empty it."),
            Self::Parity => ("parity", "Leave an even number of ones."),
            Self::SmallXor => (
                "small-xor",
                "Leave every power of two an even number of times; here there are 1 and 2.",
            ),
            Self::Xor => ("xor", "Leave every power of two an even number of times."),
            Self::Theorem => ("theorem", "Know what the parts of this game are worth."),
            Self::Sums => ("sums", "Know what each game is worth, and balance them."),
            Self::MisereEnd => (
                "misere-end",
                "Whoever makes the last move loses: play for the end.",
            ),
        }
    }

    /// The move of these winning ones that the idea finds; `None` where it does not apply.
    ///
    /// # Errors
    /// To look for it would take more than the budget holds.
    pub fn find(
        self,
        position: &Position,
        winning: &MoveSet,
        budget: &mut Budget,
    ) -> Result<Option<Move>, TooMuchWork> {
        let is_normal = position.game().convention() == Convention::Normal;
        let first = || winning.iter().next().map(|text| listed(position, &text));
        Ok(match self {
            Self::LastMove => last_of(position, winning, budget)?,
            Self::KeepsLast if is_normal => only_safe_move(position, budget)?
                .filter(|found| winning.contains(&found.to_string())),
            Self::KeepsLast => None,
            Self::Copies => {
                for text in shown(winning) {
                    let mv = listed(position, &text);
                    if in_pairs(after(position, &mv, budget)?.added_parts()) {
                        return Ok(Some(mv));
                    }
                }
                None
            }
            Self::OnePart => {
                let left = position.added_parts();
                let is_one = left.iter().filter(|part| !part.is_spent()).count() == 1;
                first().filter(|_| is_one && left.iter().all(AddedPart::is_plain) && is_normal)
            }
            Self::Parity => first().filter(|_| all_plain_up_to(position, 1)),
            Self::SmallXor => first().filter(|_| all_plain_up_to(position, 3)),
            Self::Xor => first().filter(|_| all_plain_up_to(position, u64::MAX)),
            Self::Theorem => first().filter(|_| is_normal && position.game() != GameId::Sum),
            Self::Sums => first().filter(|_| position.game() == GameId::Sum),
            Self::MisereEnd => first().filter(|_| !is_normal),
        })
    }

    /// A random move that does not give the last one away; `None` where all or none do, or too many had to be tried.
    #[must_use]
    pub fn safe_move(
        position: &Position,
        budget: &mut Budget,
        rng: &mut dyn rand::Rng,
    ) -> Option<Move> {
        let kept = safe_moves(position, budget).ok()??;
        let number = rng.random_range(0..kept.len().max(1));
        kept.into_iter().nth(number)
    }

    /// The simplest idea that finds one of these winning moves, and that move; `None` where none is known.
    ///
    /// # Errors
    /// To look for it would take more than the budget holds.
    pub fn simplest(
        position: &Position,
        winning: &MoveSet,
        budget: &mut Budget,
    ) -> Result<Option<(Self, Move)>, TooMuchWork> {
        if winning.is_empty() {
            return Ok(None);
        }
        // All ideas but the first three look at the parts of the position alone.
        budget.spend(Self::ALL.len() as u64 * position.play_steps())?;
        for idea in Self::ALL {
            if let Some(found) = idea.find(position, winning, budget)? {
                return Ok(Some((idea, found)));
            }
        }
        Ok(None)
    }
}

/// Writes the name.
impl fmt::Display for Reasoner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// No idea has this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("there is no such grade; there are: {}", Reasoner::ALL.map(Reasoner::name).join(", "))]
pub struct UnknownReasoner;

impl FromStr for Reasoner {
    type Err = UnknownReasoner;

    fn from_str(text: &str) -> Result<Self, UnknownReasoner> {
        let mut all = Self::ALL.into_iter();
        all.find(|idea| idea.name() == text).ok_or(UnknownReasoner)
    }
}

/// The first of these moves that leaves none; few are looked at.
pub(crate) fn last_of(
    position: &Position,
    moves: &MoveSet,
    budget: &mut Budget,
) -> Result<Option<Move>, TooMuchWork> {
    if unfinished_parts(position) > CHANGED_MAX {
        return Ok(None);
    }
    for text in shown(moves) {
        let mv = listed(position, &text);
        if after(position, &mv, budget)?.is_terminal() {
            return Ok(Some(mv));
        }
    }
    Ok(None)
}

/// The number of parts in which moves are left for certain, since a part without moves is worth 0.
fn unfinished_parts(position: &Position) -> usize {
    let parts = position.added_parts().into_iter();
    parts.filter(|part| part.nimber != Some(0)).count()
}

/// The moves after which the opponent has no last one; `None` if there are too many moves to look at.
fn safe_moves(position: &Position, budget: &mut Budget) -> Result<Option<Vec<Move>>, TooMuchWork> {
    let legal = position.legal_moves();
    if legal.count().is_none_or(|count| count > REASONED_MAX) {
        return Ok(None);
    }
    let mut safe = Vec::new();
    for text in legal.iter() {
        let mv = listed(position, &text);
        let left = after(position, &mv, budget)?;
        budget.spend(left.solve_steps())?;
        // A last move wins under normal play, so it is looked for among the winning ones where they are known.
        let replies = left.moves_to(0).unwrap_or_else(|_| left.legal_moves());
        if last_of(&left, &replies, budget)?.is_none() {
            safe.push(mv);
        }
    }
    Ok(Some(safe))
}

/// The only move of several that does not give the last one away.
fn only_safe_move(position: &Position, budget: &mut Budget) -> Result<Option<Move>, TooMuchWork> {
    // So many parts cannot be finished by a move and the answer to it, so every move is safe.
    if unfinished_parts(position) > 2 * CHANGED_MAX {
        return Ok(None);
    }
    let Some(mut safe) = safe_moves(position, budget)? else {
        return Ok(None);
    };
    let is_only = safe.len() == 1 && position.legal_count() != Some(1);
    Ok(if is_only { safe.pop() } else { None })
}

/// A part and its size, as the notation has them.
pub(crate) type NamedPart = (Part, String);

/// The parts of a position. What lies beside them, such as nuggets, does not count.
pub(crate) fn named_parts(position: &Position) -> Vec<NamedPart> {
    let parts = position.added_parts().into_iter();
    parts.map(|part| (part.part, part.size)).collect()
}

/// The moves that are looked at one by one.
fn shown(moves: &MoveSet) -> impl Iterator<Item = String> {
    moves.iter().take(REASONED_MAX as usize)
}

/// A listed move.
pub(crate) fn listed(position: &Position, text: &str) -> Move {
    position.read_move(text).expect("a listed move is notation")
}

/// The position after a listed move.
pub(crate) fn after(
    position: &Position,
    mv: &Move,
    budget: &mut Budget,
) -> Result<Position, TooMuchWork> {
    budget.spend(position.play_steps())?;
    Ok(position.play(mv).expect("a listed move is legal"))
}

fn in_pairs(parts: Vec<AddedPart>) -> bool {
    let mut counts: HashMap<_, usize> = HashMap::new();
    for part in parts.into_iter().filter(|part| !part.is_spent()) {
        *counts.entry(part.key()).or_default() += 1;
    }
    !counts.is_empty() && counts.values().all(|count| count % 2 == 0)
}

/// Returns true if the xor of what one sees decides, and no part is larger.
fn all_plain_up_to(position: &Position, most: u64) -> bool {
    let parts = position.added_parts();
    let fits =
        |part: &AddedPart| part.is_plain() && part.nimber.is_some_and(|nimber| nimber <= most);
    !parts.is_empty() && parts.iter().all(fits)
}
