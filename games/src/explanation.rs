//! Explanations as values: steps with numbers. Clients put them into words.

mod part;

use std::borrow::Cow;

use crate::move_set::MoveSet;
use crate::nimber::{Nimber, UnknownReason};

pub use part::{LossCondition, Part, PartValue};

/// The argument for a position being won or lost.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Explanation {
    /// The steps, in the order of the argument.
    pub steps: Vec<ExplanationStep>,
}

/// One step of an argument. More kinds come as games need them.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "step", rename_all = "kebab-case")]
pub enum ExplanationStep {
    /// A part of the position has a nimber of its own.
    Part {
        /// The part.
        part: Part,
        /// Its text in the notation, such as `g` or `15`.
        size: String,
        /// Its nimber.
        nimber: u64,
    },
    /// The nimbers of the parts are added without carrying.
    Xor {
        /// The summands.
        terms: Vec<Summand>,
        /// The nimber of the whole.
        total: u64,
    },
    /// A move changes one part so that the whole becomes 0: it wins.
    Reply {
        /// The part.
        part: Part,
        /// Its nimber before the move.
        from: u64,
        /// Its nimber after the move.
        to: u64,
        /// Its sizes before and after the move, as a part shows them. A group of pins that is split has the
        /// numbers of both sides, such as `2+3`. None where the nimbers say all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sizes: Option<[String; 2]>,
        /// The move in canonical notation.
        #[serde(rename = "move")]
        mv: String,
    },
    /// A heap is counted in whole blocks and a remainder.
    Block {
        /// The heap.
        part: Part,
        /// The coins in the heap.
        coins: u64,
        /// Only the coins modulo this number count, if it is given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        period: Option<u64>,
        /// The size of a block.
        modulus: u64,
        /// The number of whole blocks.
        blocks: u64,
        /// The coins left over.
        rest: u64,
    },
    /// Numbers are added as usual, and the sum is divided with remainder.
    Residue {
        /// The summands.
        terms: Vec<Summand>,
        /// The divisor.
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
    /// One of the conditions that together make the player to move lose. It holds iff both numbers are equal.
    Condition {
        /// The condition.
        condition: LossCondition,
        /// The number in this position.
        value: u64,
        /// The number in a lost position.
        wanted: u64,
    },
    /// The nimber was found by searching all smaller positions: it is the least that no option has.
    Searched {
        /// The nimber.
        nimber: u64,
    },
    /// Vertices of a graph that lie on circuits are contracted to one. The nimber is the parity of the circuits' edges,
    /// xor the terms of the bridges that lead up from here.
    Contracted {
        /// The vertex that joins the part to the part below it, or the ground.
        vertex: u64,
        /// The number of contracted edges: those in circuits.
        edges: u64,
        /// For each bridge, 1 more than the nimber of the part above it.
        bridges: Vec<Summand>,
        /// The nimber of the part with everything above it.
        nimber: u64,
    },
    /// A component of a sum is a game of its own.
    Component {
        /// Its number, from 1.
        number: u64,
        /// The id of its game.
        game: Cow<'static, str>,
        /// Its position in canonical notation.
        position: String,
        /// Its nimber, if it is known.
        #[serde(flatten)]
        nimber: Nimber,
        /// The explanation of its own value.
        explanation: Explanation,
    },
    /// Winning moves.
    Winning {
        /// The moves; only the first families if there are many.
        moves: MoveSet,
        /// `true` if these are all winning moves.
        complete: bool,
    },
    /// The value of a part is not known, so the value of the whole is not known either.
    Unknown {
        /// The part.
        part: Part,
        /// Its text in the notation.
        size: String,
        /// The reason.
        why: UnknownReason,
    },
    /// Under misère play the heaps of more than one coin decide how to play: with two or more of them as in Nim, with
    /// fewer by the parity of the heaps of one.
    BigHeaps {
        /// The number of heaps with more than one coin.
        big: u64,
        /// The number of heaps with one coin.
        ones: u64,
    },
    /// Coins are set aside. The rest is played under normal play.
    SetAside {
        /// The number of coins.
        coins: u64,
    },
    /// A number of coins is a sum of Fibonacci numbers, no two of them consecutive (Zeckendorf). The position is lost
    /// iff the quota is smaller than the smallest summand.
    Zeckendorf {
        /// The number of coins.
        coins: u64,
        /// The parts, the largest first; none for 0.
        parts: Vec<u64>,
        /// The most coins that may be taken.
        quota: u64,
    },
    /// Taking the smallest parts wins, because the opponent may then not take a whole part.
    Tail {
        /// The sum of the parts taken.
        sum: u64,
        /// The next larger part, more than twice the sum; none if nothing is left.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next: Option<u64>,
        /// The move in canonical notation.
        #[serde(rename = "move")]
        mv: String,
    },
    /// A pair of heaps that is lost for the player to move: ⌊kφ⌋ and ⌊kφ⌋ + k, φ being the golden ratio.
    ColdPair {
        /// The difference of the heaps.
        k: u64,
        /// The lower number, ⌊kφ⌋.
        small: u64,
        /// ⌊kφ⌋ + k.
        large: u64,
        /// The winning move that reaches the pair; `None` if the position is the pair.
        #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
        mv: Option<String>,
    },
    /// A move leaves a position that is lost for the opponent: it wins.
    Leaves {
        /// The move in canonical notation.
        #[serde(rename = "move")]
        mv: String,
        /// The position after it, in canonical notation.
        after: String,
    },
    /// Every move leaves the opponent a winning move. Where nimbers are added, every move changes a total of 0.
    Lost,
    /// No move is left.
    Finished,
}

/// A part that an argument adds up: of a position, or a component of a sum.
pub struct AddedPart {
    /// The part.
    pub part: Part,
    /// Its text in the notation; of a component with its game.
    pub size: String,
    /// Its nimber, if it is known.
    pub nimber: Option<u64>,
}

impl From<PartValue> for AddedPart {
    fn from(PartValue { part, size, nimber }: PartValue) -> Self {
        Self {
            part,
            size,
            nimber: Some(nimber),
        }
    }
}

impl Explanation {
    /// The parts that the argument adds up; none where it argues otherwise.
    pub fn parts(&self) -> impl Iterator<Item = AddedPart> {
        self.steps.iter().filter_map(|step| match step {
            ExplanationStep::Part { part, size, nimber } => Some(AddedPart {
                part: *part,
                size: size.clone(),
                nimber: Some(*nimber),
            }),
            ExplanationStep::Component {
                number,
                game,
                position,
                nimber,
                ..
            } => Some(AddedPart {
                part: Part::Component { number: *number },
                size: format!("{game} {position}"),
                nimber: nimber.known(),
            }),
            _ => None,
        })
    }

    /// The same argument, with its moves as [`MoveSet::listed`] has them.
    #[must_use]
    pub fn listed(mut self, most: u128) -> Self {
        for step in &mut self.steps {
            match step {
                ExplanationStep::Winning { moves, .. } => *moves = moves.listed(most),
                ExplanationStep::Component { explanation, .. } => {
                    *explanation = std::mem::take(explanation).listed(most);
                }
                _ => {}
            }
        }
        self
    }
}

/// A named number in a sum.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Summand {
    /// The part it belongs to.
    pub part: Part,
    /// The nimber.
    pub value: u64,
}
