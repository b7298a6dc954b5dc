//! Explanations as values: steps with numbers, for a client to put into words of its own.
//!
//! This file knows how a position that is a xor of terms is explained, and no game by name.

use crate::{Game, MoveSet, Nimber, Outcome, Unknown};

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
    /// A heap is counted in whole blocks and a rest.
    Block {
        /// The heap.
        name: String,
        /// How many coins it has.
        coins: u64,
        /// Only the coins modulo this number count, if it is given.
        period: Option<u64>,
        /// The size of a block.
        modulus: u64,
        /// How many whole blocks count.
        blocks: u64,
        /// How many coins are left beside whole blocks.
        rest: u64,
    },
    /// Numbers are added as usual, and the sum is divided with remainder.
    Residue {
        /// What is added.
        terms: Vec<Term>,
        /// What the sum is divided by.
        modulus: u64,
        /// The remainder.
        residue: u64,
    },
    /// The nimber is put together: `residue + modulus · blocks`.
    Combined {
        /// The remainder of the sum of all heaps.
        residue: u64,
        /// The size of a block.
        modulus: u64,
        /// The xor of the whole blocks.
        blocks: u64,
        /// The nimber.
        nimber: u64,
    },
    /// One of the conditions that together say that the player to move loses: it holds iff the two numbers are equal.
    Condition {
        /// What is looked at.
        name: String,
        /// What it is.
        value: u64,
        /// What it would have to be.
        wanted: u64,
    },
    /// The nimber was found by searching all smaller positions: it is the least that no option has.
    Searched {
        /// The nimber.
        nimber: u64,
    },
    /// Vertices of a graph that circuits join are contracted to one. The nimber is the parity of the circuits' edges,
    /// xor the terms of the bridges that lead up from here.
    Contracted {
        /// The vertex that joins the part to what is below, or the ground.
        vertex: u64,
        /// How many edges are in circuits: those that are contracted.
        edges: u64,
        /// For each bridge, 1 more than the nimber of the part it leads to.
        bridges: Vec<Term>,
        /// The nimber of the part with everything above it.
        nimber: u64,
    },
    /// A component of a sum is a game of its own.
    Component {
        /// Its number, from 1.
        number: u64,
        /// The id of its game.
        game: &'static str,
        /// Its position in canonical notation.
        position: String,
        /// Its nimber, as far as it is known.
        nimber: Nimber,
        /// Why it is that.
        explanation: Explanation,
    },
    /// These moves win.
    Winning {
        /// The moves.
        moves: MoveSet,
        /// Whether no other move wins.
        complete: bool,
    },
    /// Something is not known.
    Unknown {
        /// Why.
        reason: Unknown,
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

/// The end of an argument about moves that change more than one part: who wins, and how.
pub(crate) fn verdict<G: Game>(position: &G) -> Vec<Step> {
    let mut steps = Vec::new();
    if position.is_terminal() {
        return vec![Step::Finished];
    }
    if let Nimber::Unknown(reason) = position.nimber() {
        steps.push(Step::Unknown { reason });
    }
    let solution = position.solve();
    if solution.outcome == Some(Outcome::P) {
        steps.push(Step::Lost);
    } else if !solution.winning.is_empty() {
        steps.push(Step::Winning {
            moves: solution.winning,
            complete: solution.complete,
        });
    }
    steps
}

/// Numbers with the names that an explanation gives them.
pub(crate) fn terms(named: impl IntoIterator<Item = (String, u64)>) -> Vec<Term> {
    let term = |(name, value)| Term { name, value };
    named.into_iter().map(term).collect()
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
