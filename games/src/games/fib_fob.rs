//! Fib Fob: a ship on a stack of boards, a clock with nuggets, and two tanks of fuel, as one game.
//!
//! It is the sum of [`Rooks`], [`PokerNim`] and [`NimMuskateers`], which know their own moves; this file only says how
//! three games are one: a move is a move in one of them, and nimbers add by xor.

use std::{
    fmt,
    mem::{self, Discriminant},
};

use super::nim_muskateers::{self, FIB, FOB, NimMuskateers};
use super::poker_nim::{self, NUGGETS, PokerNim, TIME};
use super::rooks::{self, BOARD, FILE, RANK, Rooks};
use crate::explain::by_parts;
use crate::explanation::{Explanation, PartValue};
use crate::game::Game;
use crate::game_info::{Convention, GameDocs, GameInfo, MoveKind};
use crate::illegal::IllegalReason;
use crate::move_set::MoveSet;
use crate::nimber::{Nimber, UnknownReason};
use crate::notation::{self, Fields, NotationError, NotationErrorKind};
use crate::shape::ShapePart;
use crate::start::{StartError, StartRange, StartSampler};
use crate::table::Tables;

/// A kind of move of a part, in a position that has all parts.
const fn shown((_, mv, sentence): MoveKind) -> MoveKind {
    ("f6@5 time=9 nuggets=4 fib=9 fob=6", mv, sentence)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FibFob {
    ship: Rooks,
    clock: PokerNim,
    tanks: NimMuskateers,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    Ship(rooks::Move),
    Clock(poker_nim::Move),
    Tank(nim_muskateers::Move),
}

impl FibFob {
    /// The nimber: file ⊕ rank ⊕ board ⊕ time ⊕ t(fib) ⊕ t(fob).
    pub const fn value(self) -> u64 {
        self.ship.value() ^ self.clock.value() ^ self.tanks.value()
    }
}

impl fmt::Display for FibFob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.ship, self.clock, self.tanks)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ship(mv) => mv.fmt(f),
            Self::Clock(mv) => mv.fmt(f),
            Self::Tank(mv) => mv.fmt(f),
        }
    }
}

impl Game for FibFob {
    type Move = Move;

    const INFO: GameInfo = GameInfo {
        id: "fib-fob",
        title: "Fib Fob",
        rules: "Lower the ship's file, rank or board, or the time; or turn nuggets into time; or spend a gallon or eject \
                all of fib or fob. Whoever cannot move loses.",
        example: "g6@3 time=15 nuggets=5 fib=12 fob=9",
        example_move: "time -13",
        convention: Convention::Normal,
    };
    const DOCS: GameDocs = GameDocs {
        position: "A square a1 to h8, the board 1 to 8 from the bottom, and four counters; missing ones are 0.",
        how: &[
            shown(rooks::HOW[0]),
            shown(rooks::HOW[1]),
            shown(rooks::HOW[2]),
            shown(poker_nim::HOW[0]),
            shown(poker_nim::HOW[1]),
            shown(nim_muskateers::HOW[0]),
            shown(nim_muskateers::HOW[1]),
        ],
        theory: &[
            "A sum of a rook on a stack of boards, Poker Nim and two tanks: the nimber is \
             file ⊕ rank ⊕ board ⊕ time ⊕ t(fib) ⊕ t(fob), counting a1@1 as 0, 0, 0.",
            "t(0) = 0, t(odd) = 1, t(even > 0) = 2. Nuggets do not matter: the opponent can take the added time away again.",
        ],
    };
    const TABLES: Tables =
        Err("it has seven amounts; its parts have tables: rooks, poker-nim and nim-muskateers");
    const START_RANGES: &'static [StartRange] = &[FILE, RANK, BOARD, TIME, NUGGETS, FIB, FOB];

    fn parse(text: &str) -> Result<Self, NotationError> {
        Fields::read(text, Self::INFO.id, |fields| {
            Ok(Self {
                ship: Rooks::from_fields(fields)?,
                clock: PokerNim::from_fields(fields)?,
                tanks: NimMuskateers::from_fields(fields)?,
            })
        })
    }

    fn sample(sampler: &mut StartSampler<'_>) -> Self {
        Self {
            ship: Rooks::sample(sampler),
            clock: PokerNim::sample(sampler),
            tanks: NimMuskateers::sample(sampler),
        }
    }

    fn check_bounds(&self) -> Result<(), StartError> {
        self.ship.check_bounds()?;
        self.clock.check_bounds()?;
        self.tanks.check_bounds()
    }

    fn parse_move(&self, text: &str) -> Result<Move, NotationError> {
        match notation::verb(text).0 {
            "ship" => self.ship.read_move(text).map(Move::Ship),
            "time" => self.clock.read_move(text).map(Move::Clock),
            "spend" | "eject" => self.tanks.read_move(text).map(Move::Tank),
            verb => Err(NotationErrorKind::UnknownVerb.error(verb, "ship, time, spend or eject")),
        }
    }

    fn after(&self, mv: &Move) -> Result<Self, IllegalReason> {
        match mv {
            Move::Ship(mv) => self.ship.after(mv).map(|ship| Self { ship, ..*self }),
            Move::Clock(mv) => self.clock.after(mv).map(|clock| Self { clock, ..*self }),
            Move::Tank(mv) => self.tanks.after(mv).map(|tanks| Self { tanks, ..*self }),
        }
    }

    fn legal_beside(&self, mv: &Move) -> MoveSet {
        match mv {
            Move::Ship(_) => self.ship.legal_moves(),
            Move::Clock(_) => self.clock.legal_moves(),
            Move::Tank(_) => self.tanks.legal_moves(),
        }
    }

    fn legal_moves(&self) -> MoveSet {
        self.ship
            .legal_moves()
            .union(self.clock.legal_moves())
            .union(self.tanks.legal_moves())
    }

    fn legal_count(&self) -> Option<u128> {
        Some(self.ship.legal_count()? + self.clock.legal_count()? + self.tanks.legal_count()?)
    }

    fn nimber(&self) -> Nimber {
        Nimber::Known(self.value())
    }

    fn moves_to(&self, value: u64) -> Result<MoveSet, UnknownReason> {
        // A part must become what, together with the other two, gives the value.
        let change = value ^ self.value();
        let ship = self.ship.moves_to(self.ship.value() ^ change)?;
        let clock = self.clock.moves_to(self.clock.value() ^ change)?;
        let tanks = self.tanks.moves_to(self.tanks.value() ^ change)?;
        Ok(ship.union(clock).union(tanks))
    }

    fn longest_play(&self) -> u128 {
        self.ship.longest_play() + self.clock.longest_play() + self.tanks.longest_play()
    }

    fn shape(&self) -> Vec<ShapePart> {
        [self.ship.shape(), self.clock.shape(), self.tanks.shape()].concat()
    }

    fn explain(&self) -> Explanation {
        by_parts(self)
    }

    fn parts(&self) -> Vec<PartValue> {
        [self.ship.parts(), self.clock.parts(), self.tanks.parts()].concat()
    }

    fn kind(mv: &Move) -> Option<Discriminant<Move>> {
        Some(mem::discriminant(mv))
    }
}
