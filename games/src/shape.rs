//! The shape of a position: typed parts, from which a picture is drawn without reading the notation.

use std::fmt;

/// The number of files, of ranks and of boards in the ship's stack.
pub const SIDE: u8 = 8;

/// A part of a position.
///
/// All positions of a match have the same parts in the same order; only bounds may go at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShapePart {
    /// The ship. It moves along its row, its column or its lift, to a lower square.
    Ship(Square),
    /// The time left, and the nuggets that can be turned into time.
    Clock {
        /// The time left.
        time: u64,
        /// The time that nuggets can give.
        nuggets: u64,
    },
    /// The gallons in the tanks of fib and of fob.
    Tanks([u64; 2]),
    /// Heaps of coins, which the notation numbers from 1.
    Heaps(Vec<u64>),
    /// The only heap of coins.
    Coins(u64),
    /// Coins on steps; the first step is the floor, number 0.
    Steps(Vec<u64>),
    /// Places in a row, numbered from 1: `true` where a pin stands, and for a turtle that shows its head.
    Row(RowKind, Vec<bool>),
    /// Edges between numbered vertices, in ascending order, each with its lower end first; 0 is the ground.
    Edges(Vec<(u64, u64)>),
    /// Games side by side, each with its title; the notation numbers them from 1.
    Components(Vec<(&'static str, Vec<Self>)>),
    /// A bound on the next move.
    Bound(MoveBound),
}

impl ShapePart {
    /// The number of things in it that are written one by one, such as heaps, places or the ends of edges.
    pub(crate) fn count(&self) -> u64 {
        let count = match self {
            Self::Heaps(coins) | Self::Steps(coins) => coins.len(),
            Self::Row(_, places) => places.len(),
            Self::Edges(edges) => 2 * edges.len(),
            Self::Components(components) => components.len(),
            Self::Ship(_)
            | Self::Clock { .. }
            | Self::Tanks(_)
            | Self::Coins(_)
            | Self::Bound(_) => 1,
        };
        count as u64
    }
}

/// The things in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// Pins and the gaps that knocked down ones leave.
    Pins,
    /// Turtles, on their feet or on their backs.
    Turtles,
}

/// A bound on the next move that the amounts alone do not show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveBound {
    /// The first move takes any number of coins but all.
    NotAll,
    /// A move takes at most twice as many coins as the last one took.
    AfterTake {
        /// The coins that the last move took.
        last: u64,
        /// The most coins that can be taken now.
        most: u64,
    },
    /// From several heaps fewer than this number, p, are taken together. It is at least 1.
    Together(u64),
    /// From one heap alone fewer than this number, q, are taken. It is at least 1.
    Alone(u64),
    /// One player may pass once in the whole game: whether the pass is still to come.
    Pass(bool),
}

/// A square of the stack of boards, each coordinate counted from 0 and less than [`SIDE`].
///
/// `Display` writes it as the notation does, such as `g6@3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Square {
    /// The file, 0 for a.
    pub file: u8,
    /// The rank, 0 for 1.
    pub rank: u8,
    /// The board, 0 for the lowest.
    pub board: u8,
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, rank, board } = *self;
        write!(f, "{}{}@{}", char::from(b'a' + file), rank + 1, board + 1)
    }
}
