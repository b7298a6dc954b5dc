//! Explanations as values: steps with numbers, for a client to put into words of its own.
//!
//! This file knows how a position that is a xor of terms is explained, and no game by name.

use crate::{Game, MoveSet, Nimber, Outcome, Solution, UnknownReason};

/// The most winning moves that an explanation shows.
pub const REPLIES_SHOWN_MAX: usize = 16;

/// Why a position is won or lost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// The steps, in the order of the argument.
    pub steps: Vec<ExplanationStep>,
}

/// One step of an argument. More kinds come as games need them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExplanationStep {
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
        terms: Vec<Summand>,
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
        terms: Vec<Summand>,
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
        bridges: Vec<Summand>,
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
        /// The moves, of many families only the first.
        moves: MoveSet,
        /// Whether these are all.
        complete: bool,
    },
    /// The value of a part is not known, and so neither is that of the whole.
    Unknown {
        /// The part, such as `heap 2`.
        name: String,
        /// What it is in the notation.
        size: String,
        /// Why it is not known.
        why: UnknownReason,
    },
    /// Under misère play the heaps of more than one coin decide how to play: with two or more of them as in Nim, with
    /// fewer by the parity of the heaps of one.
    BigHeaps {
        /// How many heaps have more than one coin.
        big: u64,
        /// How many heaps have one coin.
        ones: u64,
    },
    /// Coins are set aside: the rest is played as if who takes the last coin of it won.
    SetAside {
        /// How many coins.
        coins: u64,
    },
    /// A number of coins is a sum of Fibonacci numbers, no two of them neighbours: lost iff the quota is smaller than
    /// the smallest.
    Zeckendorf {
        /// The number of coins.
        coins: u64,
        /// The parts, the largest first; none for 0.
        parts: Vec<u64>,
        /// The most coins that may be taken.
        quota: u64,
    },
    /// Taking the smallest parts wins, because the opponent may not take a whole part then.
    Tail {
        /// The sum of the parts taken.
        sum: u64,
        /// The next larger part, more than twice the sum; none if nothing is left.
        next: Option<u64>,
        /// The move in canonical notation.
        mv: String,
    },
    /// A pair of heaps that is lost for the player to move: ⌊kφ⌋ and ⌊kφ⌋ + k, φ being the golden ratio.
    ColdPair {
        /// The difference of the heaps.
        k: u64,
        /// ⌊kφ⌋.
        small: u64,
        /// ⌊kφ⌋ + k.
        large: u64,
        /// The move that reaches it, which wins; none if the position is this pair.
        mv: Option<String>,
    },
    /// A move leaves a position that is lost for the opponent: it wins.
    Leaves {
        /// The move in canonical notation.
        mv: String,
        /// The position after it, in canonical notation.
        after: String,
    },
    /// Every move leaves the opponent a winning one. Where nimbers are added, the whole is 0, and every move makes it
    /// another number.
    Lost,
    /// No move is left.
    Finished,
}

/// A named number in a sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summand {
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
    /// The parts.
    fn parts(&self) -> Vec<Part>;

    /// The part that a legal move changes, and its nimber before and after.
    ///
    /// As it stands, for games whose parts are the same in number and order throughout a play.
    fn changed(&self, mv: &Self::Move) -> Option<(String, u64, u64)> {
        let after = self.play(mv).ok()?.parts();
        let mut pairs = self.parts().into_iter().zip(after);
        let (before, after) = pairs.find(|(before, after)| before.nimber != after.nimber)?;
        Some((after.name, before.nimber, after.nimber))
    }
}

/// Explains a sum of parts: the parts, their xor, and the replies that make it 0.
pub(crate) fn by_parts<G: Parts>(position: &G) -> Explanation {
    let parts = position.parts();
    debug_assert_eq!(
        position.nimber(),
        Nimber::Known(parts.iter().fold(0, |sum, part| sum ^ part.nimber)),
        "the parts add up to the position"
    );
    let mut steps: Vec<ExplanationStep> = Vec::with_capacity(parts.len() + REPLIES_SHOWN_MAX);
    steps.extend(parts.iter().cloned().map(ExplanationStep::from));
    steps.push(xor(&parts));
    let reply = |mv: &G::Move| {
        let (part, from, to) = position.changed(mv)?;
        let mv = mv.to_string();
        Some(ExplanationStep::Reply { part, from, to, mv })
    };
    concluded(position, steps, reply)
}

impl From<Part> for ExplanationStep {
    fn from(Part { name, size, nimber }: Part) -> Self {
        ExplanationStep::Part { name, size, nimber }
    }
}

/// The step that adds the parts.
pub(crate) fn xor(parts: &[Part]) -> ExplanationStep {
    let term = |part: &Part| Summand {
        name: part.name.clone(),
        value: part.nimber,
    };
    ExplanationStep::Xor {
        terms: parts.iter().map(term).collect(),
        total: parts.iter().fold(0, |sum, part| sum ^ part.nimber),
    }
}

/// Ends an explanation: with what each winning move does, or with there being none. If it is not known who wins, the
/// steps so far have said so.
pub(crate) fn concluded<G: Game>(
    position: &G,
    steps: Vec<ExplanationStep>,
    wins: impl Fn(&G::Move) -> Option<ExplanationStep>,
) -> Explanation {
    ended(position, steps, || {
        let winning = position.winning_moves().unwrap_or_default();
        let read = |text: String| {
            position
                .read_move(&text)
                .expect("a listed move is notation")
        };
        let shown = winning.iter().take(REPLIES_SHOWN_MAX).map(read);
        shown.filter_map(|mv| wins(&mv)).collect()
    })
}

/// Ends an explanation: with the winning moves as they are described in little space, with there being none, or with what
/// is not known.
pub(crate) fn verdict<G: Game>(position: &G, mut steps: Vec<ExplanationStep>) -> Explanation {
    if let Nimber::Unknown(why) = position.nimber() {
        let (name, size) = ("position".to_owned(), position.to_string());
        steps.push(ExplanationStep::Unknown { name, size, why });
    }
    ended(position, steps, || {
        let Solution {
            winning, complete, ..
        } = position.solve();
        let families = winning.families().iter().take(REPLIES_SHOWN_MAX);
        let mut moves = MoveSet::new();
        families.for_each(|family| moves.push_family(family.clone()));
        let complete = complete && moves == winning;
        if moves.is_empty() {
            Vec::new()
        } else {
            vec![ExplanationStep::Winning { moves, complete }]
        }
    })
}

fn ended<G: Game>(
    position: &G,
    mut steps: Vec<ExplanationStep>,
    winning: impl FnOnce() -> Vec<ExplanationStep>,
) -> Explanation {
    if position.is_terminal() {
        steps.push(ExplanationStep::Finished);
    } else if position.outcome() == Some(Outcome::P) {
        steps.push(ExplanationStep::Lost);
    } else {
        steps.extend(winning());
    }
    Explanation { steps }
}

/// Numbers with the names that an explanation gives them.
pub(crate) fn terms(named: impl IntoIterator<Item = (String, u64)>) -> Vec<Summand> {
    let term = |(name, value)| Summand { name, value };
    named.into_iter().map(term).collect()
}

/// What a winning move does, where nothing shorter can be said than the position after it.
pub(crate) fn leaves<G: Game>(position: &G, mv: &G::Move) -> Option<ExplanationStep> {
    let after = position.play(mv).ok()?.to_string();
    let mv = mv.to_string();
    Some(ExplanationStep::Leaves { mv, after })
}
