//! Turning Turtles: turn a turtle on its back, and another to its left over, whichever way it lies.
//!
//! Nim in disguise (Berlekamp, Conway and Guy 1982): a head at place n is a heap of n coins, for two heads at one place
//! would cancel like two equal heaps. The nimber is the xor of the places of the heads.

use std::fmt;

use crate::explain::by_parts;
use crate::explanation::{Explanation, Part, PartValue};
use crate::game::Game;
use crate::game_info::{Convention, GameDocs, GameInfo};
use crate::illegal::{IllegalReason, numbered};
use crate::move_set::MoveSet;
use crate::nimber::{Nimber, UnknownReason};
use crate::notation::{self, Fields, NotationError, ROW_MAX};
use crate::shape::{RowKind, ShapePart};
use crate::start::{StartError, StartRange, StartSampler};
use crate::table::{Axis, PositionTable, Tables};

const TAIL_HEAD: [char; 2] = ['T', 'H'];

/// The number of turtles; a play has at most as many moves as 1 + 2 + … + 27 = 378.
const PLACES: StartRange = StartRange::new("places", 1..=27, 5..=12);
/// The number of heads at each place: one or none.
const HEADS: StartRange = StartRange::new("heads", 0..=1, 0..=1);

/// A row of turtles, at least one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TurningTurtles {
    /// For each turtle, `true` if it shows its head.
    row: Vec<bool>,
}

/// Turn one turtle or two over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// The place of a head, counted from 1.
    head: u64,
    /// A place to its left.
    other: Option<u64>,
}

impl TurningTurtles {
    pub fn value(&self) -> u64 {
        self.heads().fold(0, |sum, head| sum ^ head)
    }

    /// The places of the heads, counted from 1.
    fn heads(&self) -> impl Iterator<Item = u64> {
        let places = (1..).zip(&self.row);
        places.filter(|(_, head)| **head).map(|(place, _)| place)
    }
}

impl fmt::Display for TurningTurtles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        notation::write_row(f, &self.row, TAIL_HEAD)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "turn {}", self.head)?;
        match self.other {
            Some(other) => write!(f, ",{other}"),
            None => Ok(()),
        }
    }
}

impl Game for TurningTurtles {
    type Move = Move;

    const INFO: GameInfo = GameInfo {
        id: "turning-turtles",
        title: "Turning Turtles",
        rules: "Turn one turtle from heads (H) to tails (T), and if you want one to its left over as well. Whoever cannot move \
                loses.",
        example: "HTTHH",
        example_move: "turn 5,2",
        convention: Convention::Normal,
    };
    const DOCS: GameDocs = GameDocs {
        position: "A row of turtles, heads (H) and tails (T), counted from 1 on the left.",
        how: how! {
            "HTHH", "turn 3" => "Turn a turtle that stands on its feet onto its back.";
            "HTHH", "turn 4,2" => "With it you may turn one turtle further left, whichever way up it lies.";
        },
        theory: &["Equivalent to Nim: the nimber is the xor of the places of the heads."],
    };
    const TABLES: Tables = Ok(&[PositionTable::sequence(
        Axis::new("place of a single head", 1, ROW_MAX as u64),
        |place, _, _| format!("{:T>1$}", 'H', place as usize),
    )]);
    const START_RANGES: &'static [StartRange] = &[PLACES, HEADS];

    fn parse(text: &str) -> Result<Self, NotationError> {
        Fields::read(text, Self::INFO.id, |fields| {
            fields.row(TAIL_HEAD).map(|row| Self { row })
        })
    }

    fn sample(sampler: &mut StartSampler<'_>) -> Self {
        Self {
            row: (0..sampler.amount(&PLACES))
                .map(|_| sampler.amount(&HEADS) == 1)
                .collect(),
        }
    }

    fn check_bounds(&self) -> Result<(), StartError> {
        PLACES.check(self.row.len() as u64)
    }

    fn parse_move(&self, text: &str) -> Result<Move, NotationError> {
        let places = notation::verb_list(text, "turn", 1..=2)?;
        Ok(Move {
            head: places[0],
            other: places.get(1).copied(),
        })
    }

    fn after(&self, mv: &Move) -> Result<Self, IllegalReason> {
        let mut after = self.clone();
        if !std::mem::replace(numbered(&mut after.row, "place", mv.head)?, false) {
            return Err(IllegalReason::NoHead { place: mv.head });
        }
        if let Some(other) = mv.other {
            let turtle = numbered(&mut after.row, "place", other)?;
            if other >= mv.head {
                return Err(IllegalReason::NotLeft);
            }
            *turtle = !*turtle;
        }
        Ok(after)
    }

    fn legal_moves(&self) -> MoveSet {
        let heads: Vec<u64> = self.heads().collect();
        let mut moves = MoveSet::new();
        moves.push_numbers("turn {a}", &heads);
        for head in heads {
            moves.push_range(format!("turn {head},{{a}}"), 1, head - 1);
        }
        moves
    }

    fn legal_count(&self) -> Option<u128> {
        // A head at place n has n moves: alone, or with one of n − 1 to its left.
        Some(self.longest_play())
    }

    fn nimber(&self) -> Nimber {
        Nimber::Known(self.value())
    }

    fn moves_to(&self, value: u64) -> Result<MoveSet, UnknownReason> {
        let change = value ^ self.value();
        let lower = self.heads().filter(|head| head ^ change < *head);
        let turn = |head| Move {
            head,
            other: Some(head ^ change).filter(|&place| place > 0),
        };
        Ok(lower.map(|head| turn(head).to_string()).collect())
    }

    fn longest_play(&self) -> u128 {
        // Each move lowers the sum of the places of the heads, and turning the leftmost head n with n − 1, or alone if
        // n = 1, by just one.
        self.heads().map(u128::from).sum()
    }

    fn shape(&self) -> Vec<ShapePart> {
        vec![ShapePart::Row(RowKind::Turtles, self.row.clone())]
    }

    fn explain(&self) -> Explanation {
        by_parts(self)
    }

    fn parts(&self) -> Vec<PartValue> {
        self.heads()
            .map(|place| PartValue::new(Part::Head, place, place))
            .collect()
    }

    fn changed(&self, mv: &Move) -> Option<[PartValue; 2]> {
        let places = [mv.head, mv.other.unwrap_or(0)];
        Some(places.map(|place| PartValue::new(Part::Head, "", place)))
    }
}
