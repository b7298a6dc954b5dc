//! Nim Muskateers: two tanks, from which a gallon is spent or everything ejected.
//!
//! The tanks of Fib Fob. They know nothing of Fib Fob's other parts.

use std::fmt;

use crate::explain::by_parts;
use crate::explanation::{Explanation, Part, PartValue};
use crate::game::Game;
use crate::game_info::{Convention, GameDocs, GameInfo, MoveKind};
use crate::illegal::IllegalReason;
use crate::move_set::MoveSet;
use crate::nimber::{Nimber, UnknownReason};
use crate::notation::{self, Fields, NotationError, NotationErrorKind};
use crate::shape::ShapePart;
use crate::start::{StartError, StartRange, StartSampler};
use crate::table::{Axis, PositionTable, SEQUENCE_MAX, Tables};

pub(super) const HOW: &[MoveKind] = how! {
    "fib=9 fob=6", "spend fib" => "Spend one gallon of a tank.";
    "fib=9 fob=6", "eject fob" => "Eject everything from a tank.";
};

const fn tank(name: &'static str) -> StartRange {
    StartRange::new(name, 0..=99, 0..=15)
}

pub const FIB: StartRange = tank("fib");
pub const FOB: StartRange = tank("fob");

const TANKS: [StartRange; 2] = [FIB, FOB];

/// One of the two fluids, each in a tank of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fluid {
    Fib,
    Fob,
}

impl Fluid {
    const ALL: [Self; 2] = [Self::Fib, Self::Fob];

    const fn name(self) -> &'static str {
        TANKS[self as usize].name
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NimMuskateers {
    gallons: [u64; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// Use one gallon.
    Spend(Fluid),
    /// Empty the tank.
    Eject(Fluid),
}

impl Move {
    const fn text(self) -> &'static str {
        match self {
            Self::Spend(Fluid::Fib) => "spend fib",
            Self::Spend(Fluid::Fob) => "spend fob",
            Self::Eject(Fluid::Fib) => "eject fib",
            Self::Eject(Fluid::Fob) => "eject fob",
        }
    }
}

/// The nimber of one tank: 0 when empty, else 1 for an odd and 2 for an even number of gallons.
const fn value_of(gallons: u64) -> u64 {
    match gallons {
        0 => 0,
        odd if odd % 2 == 1 => 1,
        _ => 2,
    }
}

impl NimMuskateers {
    /// The nimber: that of one tank ⊕ that of the other.
    pub const fn value(self) -> u64 {
        value_of(self.gallons[0]) ^ value_of(self.gallons[1])
    }

    /// The moves of tanks that are not empty; with one gallon left, both are legal and do the same.
    fn moves(self) -> impl Iterator<Item = Move> {
        let full = Fluid::ALL
            .into_iter()
            .filter(move |&fluid| self.gallons[fluid as usize] > 0);
        full.flat_map(|fluid| [Move::Spend(fluid), Move::Eject(fluid)])
    }

    pub(super) fn from_fields(fields: &mut Fields<'_>) -> Result<Self, NotationError> {
        Ok(Self {
            gallons: [fields.amount(FIB.name)?, fields.amount(FOB.name)?],
        })
    }
}

impl fmt::Display for NimMuskateers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [fib, fob] = self.gallons;
        write!(f, "fib={fib} fob={fob}")
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl Game for NimMuskateers {
    type Move = Move;

    const INFO: GameInfo = GameInfo {
        id: "nim-muskateers",
        title: "Nim Muskateers",
        rules: "Two tanks: spend one gallon of one fluid, or eject all of it. Whoever cannot move loses.",
        example: "fib=12 fob=9",
        example_move: "spend fib",
        convention: Convention::Normal,
    };
    const DOCS: GameDocs = GameDocs {
        position: "The gallons in two tanks; missing ones are 0.",
        how: HOW,
        theory: &["The nimber is t(fib) ⊕ t(fob) with t(0) = 0, t(odd) = 1, t(even > 0) = 2."],
    };
    const TABLES: Tables = Ok(&[
        PositionTable::sequence(
            Axis::new("gallons in one tank", 0, SEQUENCE_MAX),
            |fib, _, _| format!("fib={fib} fob=0"),
        ),
        PositionTable::plane(["fib", "fob"], |fib, fob, _| format!("fib={fib} fob={fob}")),
    ]);
    const START_RANGES: &'static [StartRange] = &TANKS;

    fn parse(text: &str) -> Result<Self, NotationError> {
        Fields::read(text, Self::INFO.id, Self::from_fields)
    }

    fn sample(sampler: &mut StartSampler<'_>) -> Self {
        Self {
            gallons: TANKS.map(|range| sampler.amount(&range)),
        }
    }

    fn check_bounds(&self) -> Result<(), StartError> {
        TANKS
            .iter()
            .zip(self.gallons)
            .try_for_each(|(range, gallons)| range.check(gallons))
    }

    fn parse_move(&self, text: &str) -> Result<Move, NotationError> {
        let error =
            |kind: NotationErrorKind, found| kind.error(found, "spend or eject, and fib or fob");
        let (verb, name) = notation::verb(text);
        let made = match verb {
            "spend" => Move::Spend,
            "eject" => Move::Eject,
            _ => return Err(error(NotationErrorKind::UnknownVerb, verb)),
        };
        let fluid = Fluid::ALL.into_iter().find(|fluid| fluid.name() == name);
        fluid
            .map(made)
            .ok_or_else(|| error(NotationErrorKind::Unexpected, name))
    }

    fn after(&self, mv: &Move) -> Result<Self, IllegalReason> {
        let mut after = *self;
        let (Move::Spend(fluid) | Move::Eject(fluid)) = *mv;
        let gallons = &mut after.gallons[fluid as usize];
        let empty = IllegalReason::Empty { tank: fluid.name() };
        let less = gallons.checked_sub(1).ok_or(empty)?;
        *gallons = if matches!(mv, Move::Spend(_)) {
            less
        } else {
            0
        };
        Ok(after)
    }

    fn legal_moves(&self) -> MoveSet {
        self.moves().map(Move::text).collect()
    }

    fn legal_count(&self) -> Option<u128> {
        Some(self.moves().count() as u128)
    }

    fn nimber(&self) -> Nimber {
        Nimber::Known(self.value())
    }

    fn moves_to(&self, value: u64) -> Result<MoveSet, UnknownReason> {
        let hits = |mv: &Move| self.after(mv).is_ok_and(|after| after.value() == value);
        Ok(self.moves().filter(hits).map(Move::text).collect())
    }

    fn longest_play(&self) -> u128 {
        self.gallons
            .iter()
            .map(|&gallons| u128::from(gallons))
            .sum()
    }

    fn shape(&self) -> Vec<ShapePart> {
        vec![ShapePart::Tanks(self.gallons)]
    }

    fn explain(&self) -> Explanation {
        by_parts(self)
    }

    fn parts(&self) -> Vec<PartValue> {
        let tanks = [Part::Fib, Part::Fob].into_iter().zip(self.gallons);
        tanks
            .map(|(part, gallons)| PartValue::new(part, gallons, value_of(gallons)))
            .collect()
    }
}
