//! Poker Nim with one heap: time to be lowered, and nuggets that can be turned into time.
//!
//! The clock of Fib Fob. It knows nothing of Fib Fob's other parts.

use std::fmt;

use crate::explain::by_parts;
use crate::explanation::{Explanation, Part, PartValue};
use crate::game::Game;
use crate::game_info::{Convention, GameDocs, GameInfo, MoveKind};
use crate::illegal::IllegalReason;
use crate::move_set::MoveSet;
use crate::nimber::{Nimber, UnknownReason};
use crate::notation::{self, AMOUNT_MAX, Fields, NotationError, NotationErrorKind};
use crate::shape::ShapePart;
use crate::start::{StartError, StartRange, StartSampler};
use crate::table::{PositionTable, Tables};

pub(super) const HOW: &[MoveKind] = how! {
    "time=9 nuggets=4", "time -5" => "Let time pass: any amount.";
    "time=9 nuggets=4", "time +3" => "Turn nuggets into time: each gives 1.";
};

pub const TIME: StartRange = StartRange {
    wild: 31,
    ..StartRange::new("time", 0..=99, 0..=7)
};
pub const NUGGETS: StartRange = StartRange::new("nuggets", 0..=31, 0..=7);

/// A heap of time and a store of nuggets, each at most [`AMOUNT_MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PokerNim {
    time: u64,
    nuggets: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// Lower the time by so much.
    Lower(u64),
    /// Turn so many nuggets into time.
    Raise(u64),
}

impl PokerNim {
    /// The nimber: the time. Nuggets do not matter, because turning them into time can be reversed by lowering the
    /// time again, and there are only so many of them.
    pub const fn value(self) -> u64 {
        self.time
    }

    /// The most nuggets that can be turned into time at once.
    fn usable(self) -> u64 {
        self.nuggets.min(AMOUNT_MAX - self.time)
    }

    fn refused(self, mv: Move) -> IllegalReason {
        match mv {
            Move::Lower(0) | Move::Raise(0) => IllegalReason::Nothing,
            Move::Lower(asked) => IllegalReason::TooMany {
                what: "time",
                asked,
                there: self.time,
            },
            Move::Raise(asked) if asked > self.nuggets => IllegalReason::TooMany {
                what: "nuggets",
                asked,
                there: self.nuggets,
            },
            Move::Raise(_) => IllegalReason::PastAmount { what: "time" },
        }
    }

    pub(super) fn from_fields(fields: &mut Fields<'_>) -> Result<Self, NotationError> {
        Ok(Self {
            time: fields.amount(TIME.name)?,
            nuggets: fields.amount(NUGGETS.name)?,
        })
    }
}

impl fmt::Display for PokerNim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "time={} nuggets={}", self.time, self.nuggets)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lower(time) => write!(f, "time -{time}"),
            Self::Raise(nuggets) => write!(f, "time +{nuggets}"),
        }
    }
}

impl Game for PokerNim {
    type Move = Move;

    const INFO: GameInfo = GameInfo {
        id: "poker-nim",
        title: "Poker Nim",
        rules: "Lower the time, or turn nuggets into as much time. Whoever cannot move loses.",
        example: "time=15 nuggets=5",
        example_move: "time -13",
        convention: Convention::Normal,
    };
    const DOCS: GameDocs = GameDocs {
        position: "Two counters; missing ones are 0.",
        how: HOW,
        theory: &[
            "The nimber is the time. Nuggets do not matter: the opponent can take the added time away \
             again, and the number of nuggets only falls.",
        ],
    };
    const TABLES: Tables = Ok(&[PositionTable::plane(
        ["time", "nuggets"],
        |time, nuggets, _| format!("time={time} nuggets={nuggets}"),
    )]);
    /// The time is 0 as often as 1, because letting all of it pass is the only move that ever wins.
    const START_RANGES: &'static [StartRange] = &[
        StartRange {
            default_to: 1,
            ..TIME
        },
        NUGGETS,
    ];

    fn parse(text: &str) -> Result<Self, NotationError> {
        Fields::read(text, Self::INFO.id, Self::from_fields)
    }

    fn sample(sampler: &mut StartSampler<'_>) -> Self {
        Self {
            time: sampler.amount(&TIME),
            nuggets: sampler.amount(&NUGGETS),
        }
    }

    fn check_bounds(&self) -> Result<(), StartError> {
        TIME.check(self.time)?;
        NUGGETS.check(self.nuggets)
    }

    fn parse_move(&self, text: &str) -> Result<Move, NotationError> {
        let expected = "time -1 or more, or time +1 or more";
        let (verb, change) = notation::verb(text);
        if verb != "time" {
            return Err(NotationErrorKind::UnknownVerb.error(verb, expected));
        }
        let read = |amount: &str| notation::amount(amount.trim_ascii());
        match change.split_at_checked(1) {
            Some(("-", amount)) => Ok(Move::Lower(read(amount)?)),
            Some(("+", amount)) => Ok(Move::Raise(read(amount)?)),
            _ => Err(NotationErrorKind::Unexpected.error(change, expected)),
        }
    }

    fn after(&self, mv: &Move) -> Result<Self, IllegalReason> {
        let Self { time, nuggets } = *self;
        match *mv {
            Move::Lower(by) if 0 < by && by <= time => Ok(Self {
                time: time - by,
                nuggets,
            }),
            Move::Raise(by) if 0 < by && by <= self.usable() => Ok(Self {
                time: time + by,
                nuggets: nuggets - by,
            }),
            _ => Err(self.refused(*mv)),
        }
    }

    fn legal_moves(&self) -> MoveSet {
        let mut moves = MoveSet::new();
        moves.push_range("time -{a}", 1, self.time);
        moves.push_range("time +{a}", 1, self.usable());
        moves
    }

    fn legal_count(&self) -> Option<u128> {
        Some(u128::from(self.time) + u128::from(self.usable()))
    }

    fn nimber(&self) -> Nimber {
        Nimber::Known(self.value())
    }

    fn moves_to(&self, value: u64) -> Result<MoveSet, UnknownReason> {
        let mut moves = MoveSet::new();
        if value < self.time {
            moves.push(Move::Lower(self.time - value).to_string());
        } else if value > self.time && value - self.time <= self.usable() {
            moves.push(Move::Raise(value - self.time).to_string());
        }
        Ok(moves)
    }

    fn longest_play(&self) -> u128 {
        // A nugget is turned into time in one move, and that time used up in another.
        u128::from(self.time) + 2 * u128::from(self.nuggets)
    }

    fn shape(&self) -> Vec<ShapePart> {
        let Self { time, nuggets } = *self;
        vec![ShapePart::Clock { time, nuggets }]
    }

    fn explain(&self) -> Explanation {
        by_parts(self)
    }

    fn parts(&self) -> Vec<PartValue> {
        vec![PartValue::new(Part::Time, self.time, self.value())]
    }
}
