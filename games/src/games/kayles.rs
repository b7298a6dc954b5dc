//! Kayles: a row of pins; knock one down, or two neighbours.
//!
//! Solved by Guy and Smith (1956): the nimber is the xor of those of the groups of neighbouring pins, and the nimber of
//! a group has the period 12 from 71 pins on.

mod values;

use std::fmt;

pub use values::group_value;

use crate::explain::by_parts;
use crate::explanation::{Explanation, Part, PartValue};
use crate::game::Game;
use crate::game_info::{Convention, GameDocs, GameInfo};
use crate::illegal::{IllegalReason, numbered};
use crate::move_set::{MoveSet, Progression};
use crate::nimber::{Nimber, UnknownReason};
use crate::notation::{self, Fields, NotationError, ROW_MAX};
use crate::shape::{RowKind, ShapePart};
use crate::start::{StartError, StartRange, StartSampler};
use crate::table::{Axis, PositionTable, Tables};

const GAP_PIN: [char; 2] = ['.', 'x'];

/// The length of the row, gaps included, and the most moves a play can have.
const PLACES: StartRange = StartRange::new("places", 1..=400, 7..=25);
/// The number of adjacent pins in each group; the last may have fewer, if the row ends.
const PINS: StartRange = StartRange::new("pins", 1..=400, 1..=9);

/// A row of pins and gaps, at least one place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Kayles {
    /// For each place, `true` if a pin stands there.
    row: Vec<bool>,
}

/// Knock down pins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// The place of a pin, counted from 1.
    pin: u64,
    /// The place of another, not to its left.
    other: Option<u64>,
}

/// Neighbouring pins between gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PinGroup {
    /// The place of the first, counted from 1.
    first: u64,
    pins: u64,
}

impl PinGroup {
    fn value(self) -> u64 {
        group_value(self.pins)
    }

    /// Returns the nimber of what is left of the group when `count` pins are knocked down from a place on.
    fn value_after(self, pin: u64, count: u64) -> Option<u64> {
        let left = pin.checked_sub(self.first)?;
        let right = self.pins.checked_sub(left + count)?;
        Some(group_value(left) ^ group_value(right))
    }

    fn places(self) -> impl Iterator<Item = u64> {
        self.first..self.first + self.pins
    }
}

impl Kayles {
    /// The nimber: the xor of those of the groups.
    #[must_use]
    pub fn value(&self) -> u64 {
        self.groups().fold(0, |sum, group| sum ^ group.value())
    }

    fn pins(&self) -> usize {
        self.row.iter().filter(|pin| **pin).count()
    }

    /// The groups from the left.
    fn groups(&self) -> impl Iterator<Item = PinGroup> {
        let mut first = 1;
        let groups = self.row.split(|pin| !pin).map(move |pins| {
            let pins = pins.len() as u64;
            let group = PinGroup { first, pins };
            first += pins + 1;
            group
        });
        groups.filter(|group| group.pins > 0)
    }

    /// Lists the moves for which `holds` is true, given the group and the nimber of what they leave of it.
    fn moves_where(&self, holds: impl Fn(PinGroup, u64) -> bool) -> MoveSet {
        let runs = |count: u64| {
            let places = self.groups().flat_map(|group| {
                let fits = |&pin: &u64| {
                    let after = group.value_after(pin, count);
                    after.is_some_and(|after| holds(group, after))
                };
                group.places().filter(fits).collect::<Vec<u64>>()
            });
            Progression::cover(&places.collect::<Vec<u64>>(), values::PERIOD)
        };
        let mut moves = MoveSet::new();
        moves.push_runs("knock {a}", runs(1));
        moves.push_runs("knock {a},{a+1}", runs(2));
        moves
    }

    /// The group with a pin at this place.
    fn group_at(&self, pin: u64) -> Option<PinGroup> {
        self.groups()
            .find(|group| group.places().any(|place| place == pin))
    }

    fn knock_down(&mut self, place: u64) -> Result<(), IllegalReason> {
        let pin = numbered(&mut self.row, "place", place)?;
        if std::mem::replace(pin, false) {
            Ok(())
        } else {
            Err(IllegalReason::NoPin { place })
        }
    }
}

impl fmt::Display for Kayles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        notation::write_row(f, &self.row, GAP_PIN)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "knock {}", self.pin)?;
        match self.other {
            Some(other) => write!(f, ",{other}"),
            None => Ok(()),
        }
    }
}

impl Game for Kayles {
    type Move = Move;

    const INFO: GameInfo = GameInfo {
        id: "kayles",
        title: "Kayles",
        rules: "A row of pins (x) and gaps (.): knock down one pin, or two with no gap between. Whoever cannot move loses.",
        example: "xxxxx.xxxxxx.xxx.xx",
        example_move: "knock 2",
        convention: Convention::Normal,
    };
    const DOCS: GameDocs = GameDocs {
        position: "Pins (x) and gaps (.), counted from 1 on the left.",
        how: how! {
            "xxx.xxx", "knock 2" => "Knock down one pin.";
            "xxx.xxx", "knock 5,6" => "Or two neighbours with no gap between them.";
        },
        theory: &[
            "The nimber is the xor of the groups' nimbers; that of a group has the period 12 from 71 pins on: \
             4 1 2 8 1 4 7 2 1 8 2 7 for n mod 12 = 0, 1, … 11 (Guy and Smith 1956).",
        ],
    };
    const TABLES: Tables = Ok(&[
        PositionTable::sequence(Axis::new("pins", 0, ROW_MAX as u64), |pins, _, _| {
            pins_or_gap(pins)
        }),
        PositionTable::plane(["group 1", "group 2"], |left, right, _| {
            format!("{}.{}", pins_or_gap(left), pins_or_gap(right))
        }),
    ]);
    const START_RANGES: &'static [StartRange] = &[PLACES, PINS];

    fn parse(text: &str) -> Result<Self, NotationError> {
        Fields::read(text, Self::INFO.id, |fields| {
            fields.row(GAP_PIN).map(|row| Self { row })
        })
    }

    fn sample(sampler: &mut StartSampler<'_>) -> Self {
        // No truncation: the ranges are small.
        let places = sampler.amount(&PLACES) as usize;
        let mut row = Vec::new();
        while row.len() < places {
            row.extend((0..sampler.amount(&PINS)).map(|_| true));
            row.push(false);
        }
        row.truncate(places);
        Self { row }
    }

    fn check_bounds(&self) -> Result<(), StartError> {
        PLACES.check(self.row.len() as u64)
    }

    fn parse_move(&self, text: &str) -> Result<Move, NotationError> {
        let mut places = notation::verb_list(text, "knock", 1..=2)?;
        places.sort_unstable();
        Ok(Move {
            pin: places[0],
            other: places.get(1).copied(),
        })
    }

    fn after(&self, mv: &Move) -> Result<Self, IllegalReason> {
        let mut after = self.clone();
        if mv.other.is_some_and(|other| other != mv.pin + 1) {
            return Err(IllegalReason::NotNeighbours);
        }
        after.knock_down(mv.pin)?;
        if let Some(other) = mv.other {
            after.knock_down(other)?;
        }
        Ok(after)
    }

    fn legal_moves(&self) -> MoveSet {
        self.moves_where(|_, _| true)
    }

    fn legal_count(&self) -> Option<u128> {
        // In a group of n pins, any one, and any of the first n − 1 with its neighbour to the right.
        Some(2 * self.pins() as u128 - self.groups().count() as u128)
    }

    fn nimber(&self) -> Nimber {
        Nimber::Known(self.value())
    }

    fn moves_to(&self, value: u64) -> Result<MoveSet, UnknownReason> {
        let change = value ^ self.value();
        Ok(self.moves_where(|group, after| after == group.value() ^ change))
    }

    fn longest_play(&self) -> u128 {
        // Pins are knocked down singly.
        self.pins() as u128
    }

    fn shape(&self) -> Vec<ShapePart> {
        vec![ShapePart::Row(RowKind::Pins, self.row.clone())]
    }

    fn explain(&self) -> Explanation {
        by_parts(self)
    }

    fn parts(&self) -> Vec<PartValue> {
        let groups = (1..).zip(self.groups());
        let part = |(number, group): (u64, PinGroup)| {
            PartValue::new(Part::Group { number }, group.pins, group.value())
        };
        groups.map(part).collect()
    }

    fn changed(&self, mv: &Move) -> Option<[PartValue; 2]> {
        let group = self.group_at(mv.pin)?;
        let number = 1 + self.groups().position(|other| other == group)? as u64;
        let count = 1 + u64::from(mv.other.is_some());
        let after = group.value_after(mv.pin, count)?;
        let left = mv.pin - group.first;
        let size = match (left, group.pins - left - count) {
            (0, rest) | (rest, 0) => rest.to_string(),
            (left, right) => format!("{left}+{right}"),
        };
        let part = Part::Group { number };
        let before = PartValue::new(part, group.pins, group.value());
        Some([before, PartValue::new(part, size, after)])
    }

    /// Picks the first group from the left whose nimber has the whole nimber's highest bit, and in it the
    /// first winning move, one pin before two. (Both never win there: groups of n and n + 1 pins have
    /// different nimbers, because a move leads from one to the other.)
    fn favourite(&self) -> Option<Move> {
        let sum = self.value();
        let top = sum.checked_ilog2()?;
        let group = self.groups().find(|group| group.value() >> top & 1 == 1)?;
        let wins = |pin, count| group.value_after(pin, count) == Some(group.value() ^ sum);
        group.places().find_map(|pin| {
            let count = (1..=2).find(|&count| wins(pin, count))?;
            let other = (count == 2).then_some(pin + 1);
            Some(Move { pin, other })
        })
    }
}

/// Returns a group of pins, or a gap for none: a row has at least one place.
fn pins_or_gap(pins: u64) -> String {
    match pins {
        0 => ".".to_owned(),
        // No truncation: tables end at ROW_MAX.
        _ => "x".repeat(pins as usize),
    }
}
