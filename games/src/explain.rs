//! Explanations as values: steps with numbers, for a client to put into words of its own.
//!
//! This file knows how a position that is a xor of terms is explained, and no game by name.

use crate::{Game, Nimber};

/// The most winning moves that an explanation shows.
pub const REPLIES_SHOWN_MAX: usize = 16;

/// Why a position is won or lost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// The steps, in the order of the argument.
    pub steps: Vec<Step>,
}

/// One step of an argument. More kinds come as games need them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A part of the position has a nimber of its own.
    Part {
        /// The part, such as `file` or `heap 2`.
        name: String,
        /// What it is in the notation, such as `g` or `15`.
        size: String,
        /// Its nimber.
        nimber: u64,
    },
    /// The nimbers of the parts are added without carrying.
    Xor {
        /// What is added.
        terms: Vec<Term>,
        /// The nimber of the whole.
        total: u64,
    },
    /// A move changes one part so that the whole becomes 0: it wins.
    Reply {
        /// The part.
        part: String,
        /// Its nimber before the move.
        from: u64,
        /// Its nimber after the move.
        to: u64,
        /// The move in canonical notation.
        mv: String,
    },
    /// The whole is 0: every move makes it another number, and the opponent can make it 0 again.
    Lost,
    /// No move is left.
    Finished,
}

/// A named number in a sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The part it is the nimber of.
    pub name: String,
    /// The nimber.
    pub value: u64,
}

/// A part of a position with a nimber of its own, as an explanation names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub name: String,
    pub size: String,
    pub nimber: u64,
}

impl Part {
    pub fn new(name: impl Into<String>, size: impl ToString, nimber: u64) -> Self {
        Part {
            name: name.into(),
            size: size.to_string(),
            nimber,
        }
    }
}

/// A game whose positions are sums of parts of known nimber, each move changing one of them.
pub(crate) trait Parts: Game {
    /// The parts, in the same number and order throughout a play.
    fn parts(&self) -> Vec<Part>;
}

/// Explains a sum of parts: the parts, their xor, and the replies that make it 0.
pub(crate) fn by_parts<G: Parts>(position: &G) -> Explanation {
    let parts = position.parts();
    let total = parts.iter().fold(0, |sum, part| sum ^ part.nimber);
    debug_assert_eq!(
        position.nimber(),
        Nimber::Known(total),
        "the parts add up to the position"
    );
    let terms = parts
        .iter()
        .map(|part| Term {
            name: part.name.clone(),
            value: part.nimber,
        })
        .collect();
    let mut steps: Vec<Step> = Vec::with_capacity(parts.len() + REPLIES_SHOWN_MAX);
    steps.extend(
        parts
            .iter()
            .cloned()
            .map(|Part { name, size, nimber }| Step::Part { name, size, nimber }),
    );
    steps.push(Step::Xor { terms, total });
    if position.is_terminal() {
        steps.push(Step::Finished);
    } else if total == 0 {
        steps.push(Step::Lost);
    } else {
        steps.extend(replies(position, &parts));
    }
    Explanation { steps }
}

fn replies<G: Parts>(position: &G, before: &[Part]) -> Vec<Step> {
    let winning = position.winning_moves().unwrap_or_default();
    let reply = |text: String| {
        let mv = position
            .read_move(&text)
            .expect("a listed move is notation");
        let after = position.play(&mv).expect("a listed move is legal").parts();
        let changed = before
            .iter()
            .zip(after)
            .find(|(before, after)| before.nimber != after.nimber);
        changed.map(|(before, after)| Step::Reply {
            part: after.name,
            from: before.nimber,
            to: after.nimber,
            mv: text,
        })
    };
    winning
        .iter()
        .take(REPLIES_SHOWN_MAX)
        .filter_map(reply)
        .collect()
}
