//! `fibfob compare`: whether two positions are equivalent, or else a Nim heap that distinguishes them.
//!
//! Two positions are equivalent iff their nimbers are equal. If they differ, a heap of the first one's
//! nimber, added to both, makes the first a lost position and the second a won one.

use std::fmt;

use fibfob_games::{Convention, GameId, Nimber, NotationError, Outcome, Position, UnknownReason};
use serde::Serialize;
use thiserror::Error;

use crate::args::CompareArgs;
use crate::exit::Exit;
use crate::json_line;
use crate::typed::{UnknownGameName, read_game, read_position};
use crate::wrapping::in_window;

/// The reason why positions cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CannotCompare {
    #[error("expected a game and a position in one argument, such as 'nim 1,2'")]
    NoPosition,
    #[error(transparent)]
    Game(#[from] UnknownGameName),
    #[error(transparent)]
    Position(#[from] NotationError),
    #[error(
        "{0} is a misère game: misère positions have no nimber, so they cannot be compared by it; \
         the winner of a sum depends on the whole sum"
    )]
    Misere(GameId),
}

/// Two positions with the result of their comparison.
#[derive(Debug, Serialize)]
struct Comparison {
    a: ComparedPosition,
    b: ComparedPosition,
    /// None where the equivalence is not known.
    equivalent: Option<bool>,
    /// The size of the Nim heap that distinguishes the positions; 0 if they differ by themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    heap: Option<u64>,
    /// The reason why it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<String>,
}

#[derive(Debug, Serialize)]
struct ComparedPosition {
    game: GameId,
    position: String,
    nimber: Option<u64>,
    /// The outcome with the heap added.
    #[serde(skip_serializing_if = "Option::is_none")]
    with_heap: Option<Outcome>,
}

/// A Nim heap that distinguishes two positions, and their outcomes with it.
type Difference = (u64, [Outcome; 2]);

/// Compares the positions; the exit code says whether they are equivalent.
pub fn answer(args: &CompareArgs) -> Result<(String, Exit), CannotCompare> {
    let comparison = Comparison::read(&args.a, &args.b)?;
    let text = match args.json {
        true => json_line(&comparison),
        false => in_window(&comparison.to_string()),
    };
    let exit = match comparison.equivalent {
        Some(true) => Exit::Done,
        Some(false) | None => Exit::No,
    };
    Ok((text, exit))
}

fn read(text: &str) -> Result<Position, CannotCompare> {
    let text = text.trim_ascii();
    let (game, position) = text
        .split_once(|letter: char| letter.is_ascii_whitespace())
        .ok_or(CannotCompare::NoPosition)?;
    let game = read_game(game)?;
    match game.convention() {
        Convention::Normal => Ok(read_position(game, position)?),
        Convention::Misere => Err(CannotCompare::Misere(game)),
    }
}

/// Returns the difference between two positions, none if they are equivalent.
fn difference(a: &Position, b: &Position) -> Result<Option<Difference>, UnknownReason> {
    match (a.nimber(), b.nimber()) {
        (Nimber::Known(x), Nimber::Known(y)) if x == y => Ok(None),
        (Nimber::Known(x), Nimber::Known(_)) => Ok(Some((x, [Outcome::P, Outcome::N]))),
        // A position is equivalent to itself, known nimber or not.
        _ if a == b => Ok(None),
        (Nimber::Unknown(why), _) | (_, Nimber::Unknown(why)) => match (a.outcome(), b.outcome()) {
            // Positions with different winners are distinguished without a heap.
            (Some(x), Some(y)) if x != y => Ok(Some((0, [x, y]))),
            _ => Err(why),
        },
        (Nimber::None, _) | (_, Nimber::None) => Err(UnknownReason::Misere),
    }
}

impl Comparison {
    fn read(a: &str, b: &str) -> Result<Self, CannotCompare> {
        let (a, b) = (read(a)?, read(b)?);
        let difference = difference(&a, &b);
        let apart = difference.unwrap_or_default();
        let side = |position: &Position, index: usize| ComparedPosition {
            game: position.game(),
            position: position.to_string(),
            nimber: position.nimber().known(),
            with_heap: apart.map(|(_, outcomes)| outcomes[index]),
        };
        Ok(Self {
            a: side(&a, 0),
            b: side(&b, 1),
            equivalent: difference.ok().map(|apart| apart.is_none()),
            heap: apart.map(|(heap, _)| heap),
            unknown: difference.err().map(|why| why.to_string()),
        })
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sides = [("A", &self.a), ("B", &self.b)];
        for (name, side) in sides {
            let nimber = side
                .nimber
                .map_or("unknown".to_owned(), |it| it.to_string());
            writeln!(
                f,
                "{name} = {} {}: nimber {nimber}",
                side.game, side.position
            )?;
        }
        if let Some(why) = &self.unknown {
            return writeln!(f, "not known: {why}");
        }
        let (how, added) = match self.heap {
            None => {
                return writeln!(
                    f,
                    "equivalent: whatever is added to both, the same player wins"
                );
            }
            Some(0) => (
                "they have different winners by themselves".to_owned(),
                String::new(),
            ),
            Some(heap) => (
                format!("a Nim heap of {heap} tells them apart"),
                format!(" + nim {heap}"),
            ),
        };
        writeln!(f, "not equivalent: {how}")?;
        for (name, side) in sides {
            let wins = match side.with_heap {
                Some(Outcome::N) => "the player to move wins (N)",
                Some(Outcome::P) | None => "the player who has just moved wins (P)",
            };
            writeln!(f, "  {name}{added}: {wins}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
