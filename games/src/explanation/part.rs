//! Keys for the parts of positions and for conditions, so that explanations contain no prose.

use std::fmt;

/// A part of a position that an explanation refers to.
///
/// `Display` writes it in English, such as `file` or `heap 2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Part {
    /// The file of a rook.
    File,
    /// The rank of a rook.
    Rank,
    /// The board of a rook.
    Board,
    /// The time left.
    Time,
    /// The tank of fib.
    Fib,
    /// The tank of fob.
    Fob,
    /// A turtle that shows its head.
    Head,
    /// The whole position.
    Position,
    /// A heap.
    Heap {
        /// Counted from 1.
        number: u64,
    },
    /// A step of a staircase.
    Step {
        /// Counted from 0, the floor.
        number: u64,
    },
    /// A group of adjacent pins.
    Group {
        /// Counted from 1.
        number: u64,
    },
    /// A component of a sum.
    Component {
        /// Counted from 1.
        number: u64,
    },
    /// An edge of a graph that lies on no circuit.
    Bridge {
        /// The end with the lower number.
        low: u64,
        /// The other end.
        high: u64,
    },
}

impl Part {
    pub(crate) const fn heap(number: u64) -> Self {
        Self::Heap { number }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => f.write_str("file"),
            Self::Rank => f.write_str("rank"),
            Self::Board => f.write_str("board"),
            Self::Time => f.write_str("time"),
            Self::Fib => f.write_str("fib"),
            Self::Fob => f.write_str("fob"),
            Self::Head => f.write_str("head"),
            Self::Position => f.write_str("position"),
            Self::Heap { number } => write!(f, "heap {number}"),
            Self::Step { number } => write!(f, "step {number}"),
            Self::Group { number } => write!(f, "group {number}"),
            Self::Component { number } => write!(f, "component {number}"),
            Self::Bridge { low, high } => write!(f, "{low}-{high}"),
        }
    }
}

/// A number of a position that must have a certain value if the position is lost.
///
/// `Display` writes it in English.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LossCondition {
    /// The block in which the first heap, less one coin, ends.
    #[serde(rename = "block-of-heap-1")]
    BlockOfHeap1,
    /// The sum of the remainders of both heaps, less one coin each.
    SumOfRests,
    /// The coins in both heaps together.
    CoinsInBothHeaps,
    /// The sum of all heaps modulo 3.
    #[serde(rename = "sum-mod-3")]
    SumMod3,
    /// The xor of the whole blocks of all heaps.
    XorOfBlocks,
}

impl fmt::Display for LossCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BlockOfHeap1 => "block of heap 1",
            Self::SumOfRests => "sum of both blocks' rests",
            Self::CoinsInBothHeaps => "coins in both heaps",
            Self::SumMod3 => "sum mod 3",
            Self::XorOfBlocks => "xor of the blocks",
        })
    }
}

/// A part of a position with its nimber.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartValue {
    pub part: Part,
    /// The text of the part in the notation.
    pub size: String,
    pub nimber: u64,
}

impl PartValue {
    pub fn new(part: Part, size: impl ToString, nimber: u64) -> Self {
        Self {
            part,
            size: size.to_string(),
            nimber,
        }
    }
}
