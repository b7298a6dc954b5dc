//! `fibfob compare`: the equivalence of two positions, or a Nim heap that distinguishes them.
//!
//! Two positions are equivalent iff their nimbers are equal. If they differ, adding a heap of the
//! first one's nimber makes the first a lost position and the second a won one.

use std::fmt;
use std::io::{self, Write};

use fibfob_games::{Convention, GameId, Nimber, NotationError, Outcome, Position};
use serde::Serialize;
use thiserror::Error;

use crate::args::CompareArgs;
use crate::exit::Exit;
use crate::typed::{UnknownGameName, read_game, read_position};

/// The reason why positions cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
enum CannotCompare {
    #[error("expected a game and a position in one argument, such as 'nim 1,2'")]
    NoPosition,
    #[error("{0}")]
    Game(#[from] UnknownGameName),
    #[error("{0}")]
    Position(#[from] NotationError),
    #[error(
        "{0} is a misère game: misère positions have no nimber, so they cannot be compared by it; \
         the winner of a sum depends on the whole sum"
    )]
    Misere(GameId),
}

/// Two positions with the result of their comparison.
struct Comparison {
    a: Position,
    b: Position,
    verdict: Verdict,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    Equivalent,
    /// With this heap added, the positions have different winners.
    Apart {
        heap: u64,
        outcomes: [Outcome; 2],
    },
    Unknown(String),
}

/// Runs the command.
///
/// # Errors
/// Standard output cannot be written to.
pub fn run(args: &CompareArgs) -> io::Result<Exit> {
    let comparison = match Comparison::read(&args.a, &args.b) {
        Ok(comparison) => comparison,
        Err(fault) => return Ok(super::refused(&fault)),
    };
    let mut out = io::stdout().lock();
    if args.json {
        super::json(&comparison.json(), &mut out)?;
    } else {
        write!(out, "{comparison}")?;
        out.flush()?;
    }
    Ok(match comparison.verdict {
        Verdict::Equivalent => Exit::Done,
        Verdict::Apart { .. } | Verdict::Unknown(_) => Exit::No,
    })
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

impl Comparison {
    fn read(a: &str, b: &str) -> Result<Self, CannotCompare> {
        let (a, b) = (read(a)?, read(b)?);
        let verdict = verdict(&a, &b);
        Ok(Self { a, b, verdict })
    }
}

fn verdict(a: &Position, b: &Position) -> Verdict {
    let unknown = |position: &Position| match position.nimber() {
        Nimber::Unknown(why) => why.to_string(),
        Nimber::Known(_) | Nimber::None => String::new(),
    };
    match (a.nimber().known(), b.nimber().known()) {
        (Some(x), Some(y)) if x == y => Verdict::Equivalent,
        (Some(x), Some(_)) => Verdict::Apart {
            heap: x,
            outcomes: [Outcome::P, Outcome::N],
        },
        // A position is equivalent to itself, known nimber or not.
        _ if a == b => Verdict::Equivalent,
        // Positions with different winners are distinguished without a heap.
        (x, _) => match (a.outcome(), b.outcome()) {
            (Some(first), Some(second)) if first != second => Verdict::Apart {
                heap: 0,
                outcomes: [first, second],
            },
            _ => Verdict::Unknown(unknown(if x.is_none() { a } else { b })),
        },
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { a, b, verdict } = self;
        for (name, position) in [("A", a), ("B", b)] {
            let nimber = position.nimber();
            writeln!(
                f,
                "{name} = {} {position}: nimber {nimber}",
                position.game()
            )?;
        }
        match verdict {
            Verdict::Equivalent => writeln!(
                f,
                "equivalent: whatever is added to both, the same player wins"
            ),
            Verdict::Unknown(why) => writeln!(f, "not known: {why}"),
            Verdict::Apart { heap, outcomes } => {
                match heap {
                    0 => writeln!(
                        f,
                        "not equivalent: they have different winners by themselves"
                    )?,
                    _ => writeln!(f, "not equivalent: a Nim heap of {heap} tells them apart")?,
                }
                for (name, outcome) in ["A", "B"].into_iter().zip(outcomes) {
                    let with = match heap {
                        0 => name.to_owned(),
                        _ => format!("{name} + nim {heap}"),
                    };
                    let wins = match outcome {
                        Outcome::N => "the player to move wins (N)",
                        Outcome::P => "the player who has just moved wins (P)",
                    };
                    writeln!(f, "  {with}: {wins}")?;
                }
                Ok(())
            }
        }
    }
}

/// A comparison as JSON.
#[derive(Serialize)]
struct ComparisonJson {
    a: ComparedPosition,
    b: ComparedPosition,
    /// Null where the equivalence is not known.
    equivalent: Option<bool>,
    /// The size of the Nim heap that distinguishes the positions.
    #[serde(skip_serializing_if = "Option::is_none")]
    heap: Option<u64>,
    /// The reason why it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<String>,
}

#[derive(Serialize)]
struct ComparedPosition {
    game: &'static str,
    position: String,
    nimber: Option<u64>,
    /// The outcome with the heap added.
    #[serde(skip_serializing_if = "Option::is_none")]
    with_heap: Option<String>,
}

impl Comparison {
    fn json(&self) -> ComparisonJson {
        let (equivalent, apart, unknown) = match &self.verdict {
            Verdict::Equivalent => (Some(true), None, None),
            Verdict::Apart { heap, outcomes } => (Some(false), Some((*heap, *outcomes)), None),
            Verdict::Unknown(why) => (None, None, Some(why.clone())),
        };
        let side = |position: &Position, index: usize| ComparedPosition {
            game: position.game().id(),
            position: position.to_string(),
            nimber: position.nimber().known(),
            with_heap: apart.map(|(_, outcomes)| outcomes[index].to_string()),
        };
        ComparisonJson {
            a: side(&self.a, 0),
            b: side(&self.b, 1),
            equivalent,
            heap: apart.map(|(heap, _)| heap),
            unknown,
        }
    }
}

#[cfg(test)]
mod tests;
