//! Rooks: one rook, the ship, on a stack of chess boards, that may only move towards the corner a1 of the lowest.
//!
//! The ship of Fib Fob, and a Nim of three heaps in disguise. It knows nothing of Fib Fob's other parts.

use std::fmt;

use crate::explain::by_parts;
use crate::explanation::{Explanation, Part, PartValue};
use crate::game::Game;
use crate::game_info::{Convention, GameDocs, GameInfo, MoveKind};
use crate::illegal::IllegalReason;
use crate::move_set::MoveSet;
use crate::nimber::{Nimber, UnknownReason};
use crate::notation::{self, Fields, NotationError, NotationErrorKind};
use crate::shape::{SIDE, ShapePart, Square};
use crate::start::{StartError, StartRange, StartSampler};
use crate::table::{Axis, PositionTable, Tables};

pub(super) const HOW: &[MoveKind] = how! {
    "f6@5", "ship b6@5" => "Fly left, towards file a.";
    "f6@5", "ship f2@5" => "Fly down the board, towards rank 1.";
    "f6@5", "ship f6@2" => "Take the lift: to any lower board.";
};

const SQUARE: &str = "a square a1 to h8 on a board 1 to 8";

const fn axis(name: &'static str) -> StartRange {
    StartRange::new(name, 1..=SIDE as u64, 1..=SIDE as u64)
}

pub const FILE: StartRange = axis("file");
pub const RANK: StartRange = axis("rank");
pub const BOARD: StartRange = axis("board");

const AXES: [StartRange; 3] = [FILE, RANK, BOARD];

/// A square in the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rooks {
    /// File, rank and board, each counted from 0 and less than [`SIDE`].
    at: [u8; 3],
}

/// The rook goes to this square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move(Rooks);

impl Rooks {
    /// The nimber: file ⊕ rank ⊕ board, counted from 0.
    pub const fn value(self) -> u64 {
        (self.at[0] ^ self.at[1] ^ self.at[2]) as u64
    }

    fn square(text: &str) -> Option<Self> {
        let digit = |byte: u8, first: u8| byte.checked_sub(first).filter(|&index| index < SIDE);
        match *text.as_bytes() {
            [file, rank, b'@', board] => Some(Self {
                at: [digit(file, b'a')?, digit(rank, b'1')?, digit(board, b'1')?],
            }),
            _ => None,
        }
    }

    const fn on(self) -> Square {
        let [file, rank, board] = self.at;
        Square { file, rank, board }
    }

    pub(super) fn from_fields(fields: &mut Fields<'_>) -> Result<Self, NotationError> {
        let literal = fields.literal()?;
        let unexpected = || NotationErrorKind::Unexpected.error(&literal, SQUARE);
        Self::square(&literal).ok_or_else(unexpected)
    }
}

impl fmt::Display for Rooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.on().fmt(f)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ship {}", self.0)
    }
}

impl Game for Rooks {
    type Move = Move;

    const INFO: GameInfo = GameInfo {
        id: "rooks",
        title: "Rooks",
        rules: "A rook on a stack of eight chess boards: lower its file, its rank or its board. Whoever cannot move loses.",
        example: "g6@3",
        example_move: "ship g2@3",
        convention: Convention::Normal,
    };
    const DOCS: GameDocs = GameDocs {
        position: "A square a1 to h8, and the board 1 to 8 from the bottom.",
        how: HOW,
        theory: &["Three heaps of Nim: file ⊕ rank ⊕ board, counting a1@1 as 0, 0, 0."],
    };
    const TABLES: Tables = Ok(&[PositionTable {
        columns: Some(Axis {
            label: file_letter,
            ..Axis::new("file", 1, 8)
        }),
        ..PositionTable::sequence(Axis::new("rank", 1, 8), |rank, file, _| {
            format!("{}{rank}@1", file_letter(file))
        })
    }]);
    const START_RANGES: &'static [StartRange] = &AXES;

    fn parse(text: &str) -> Result<Self, NotationError> {
        Fields::read(text, Self::INFO.id, Self::from_fields)
    }

    fn sample(sampler: &mut StartSampler<'_>) -> Self {
        // No truncation: the ranges end at SIDE.
        Self {
            at: AXES.map(|range| (sampler.amount(&range) - 1) as u8),
        }
    }

    fn check_bounds(&self) -> Result<(), StartError> {
        AXES.iter()
            .zip(self.at)
            .try_for_each(|(range, at)| range.check(u64::from(at) + 1))
    }

    fn parse_move(&self, text: &str) -> Result<Move, NotationError> {
        let error =
            |kind: NotationErrorKind, found| kind.error(found, format!("ship and {SQUARE}"));
        match notation::verb(text) {
            ("ship", square) => Self::square(square)
                .map(Move)
                .ok_or_else(|| error(NotationErrorKind::Unexpected, square)),
            (verb, _) => Err(error(NotationErrorKind::UnknownVerb, verb)),
        }
    }

    fn after(&self, mv: &Move) -> Result<Self, IllegalReason> {
        let changed = || {
            self.at
                .iter()
                .zip(mv.0.at)
                .filter(|(from, to)| **from != *to)
        };
        if changed().count() == 1 && changed().all(|(from, to)| to < *from) {
            Ok(mv.0)
        } else {
            Err(IllegalReason::NotOneLower)
        }
    }

    fn legal_moves(&self) -> MoveSet {
        let square = self.to_string();
        let (file, rank, board) = (&square[..1], &square[1..2], &square[3..]);
        let [files, ranks, boards] = self.at.map(u64::from);
        let mut moves = MoveSet::with_capacity(3);
        moves.push_letters(["ship {a}", rank, "@", board].concat(), 1, files);
        moves.push_range(["ship ", file, "{a}@", board].concat(), 1, ranks);
        moves.push_range(["ship ", file, rank, "@{a}"].concat(), 1, boards);
        moves
    }

    fn legal_count(&self) -> Option<u128> {
        // Every smaller coordinate is one move away, and the longest play visits each.
        Some(self.longest_play())
    }

    fn nimber(&self) -> Nimber {
        Nimber::Known(self.value())
    }

    fn moves_to(&self, value: u64) -> Result<MoveSet, UnknownReason> {
        let mut moves = MoveSet::new();
        for (axis, &from) in self.at.iter().enumerate() {
            let to = value ^ self.value() ^ u64::from(from);
            if let Some(to) = u8::try_from(to).ok().filter(|&to| to < from) {
                let mut after = *self;
                after.at[axis] = to;
                moves.push(Move(after).to_string());
            }
        }
        Ok(moves)
    }

    fn longest_play(&self) -> u128 {
        self.at.iter().map(|&at| u128::from(at)).sum()
    }

    fn shape(&self) -> Vec<ShapePart> {
        vec![ShapePart::Ship(self.on())]
    }

    fn explain(&self) -> Explanation {
        by_parts(self)
    }

    fn parts(&self) -> Vec<PartValue> {
        let [file, rank, board] = self.at;
        let sizes = [
            char::from(b'a' + file).to_string(),
            (rank + 1).to_string(),
            (board + 1).to_string(),
        ];
        let parts = [Part::File, Part::Rank, Part::Board].into_iter().zip(sizes);
        parts
            .zip(self.at)
            .map(|((part, size), at)| PartValue::new(part, size, at.into()))
            .collect()
    }
}

/// Returns the letter of a file counted from 1.
fn file_letter(file: u64) -> String {
    ('a'..='h')
        .zip(1..)
        .find(|&(_, number)| number == file)
        .map_or(String::new(), |(letter, _)| letter.to_string())
}
