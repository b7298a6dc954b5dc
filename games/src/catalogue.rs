//! The catalogue: one line per game makes the enums over all of them.
//!
//! Only this file knows which games there are. It knows no rules.

use std::{fmt, str::FromStr};

use thiserror::Error;

use crate::explanation::{AddedPart, Explanation};
use crate::game::Game;
use crate::game_info::{Convention, GameDocs, GameInfo};
use crate::games::{
    fib_fob::FibFob, fibonacci_nim::FibonacciNim, green_hackenbush::GreenHackenbush,
    kayles::Kayles, misere_fibonacci_nim::MisereFibonacciNim, misere_nim::MisereNim, nim::Nim,
    nim_muskateers::NimMuskateers, poker_nim::PokerNim, rooks::Rooks, ryuo_nim::RyuoNim,
    ryuo_nim_3d::RyuoNim3d, ryuo_nim_pass::RyuoNimPass, staircase_nim::StaircaseNim, sum::Sum,
    take_fibonacci::TakeFibonacci, turning_turtles::TurningTurtles, wythoff_nim::WythoffNim,
};
use crate::illegal::{IllegalMove, IllegalReason};
use crate::move_set::MoveSet;
use crate::nimber::{Nimber, Outcome, UnknownReason};
use crate::notation::{NotationError, normalise_typed};
use crate::shape::ShapePart;
use crate::solution::Solution;
use crate::start::{Ranges, StartError, StartRange};
use crate::table::Tables;

macro_rules! catalogue {
    ($($name:ident),+ $(,)?) => {
        /// A game of the catalogue; `Display` writes its id, such as `fib-fob`.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
        )]
        #[serde(try_from = "String", into = "&'static str")]
        pub enum GameId { $(#[doc = concat!("The game of [`", stringify!($name), "`](crate::games).")] $name),+ }

        /// A position of any game; `Display` writes its canonical notation, without the game's id.
        ///
        /// ```
        /// use fibfob_games::{GameId, Outcome, Position};
        ///
        /// let position = Position::read(GameId::Nim, "3,4,5")?;
        /// let solution = position.solve();
        /// assert_eq!(solution.outcome, Some(Outcome::N));
        ///
        /// let winning = solution.winning.iter().next().expect("a won position has a winning move");
        /// assert_eq!(winning, "take 2 from 1");
        /// let after = position.play(&position.read_move(&winning)?)?;
        /// assert_eq!(after.to_string(), "1,4,5");
        /// assert_eq!(after.outcome(), Some(Outcome::P));
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub enum Position { $(#[doc = concat!("A position of [`GameId::", stringify!($name), "`].")] $name($name)),+ }

        /// A move of any game; `Display` writes its canonical notation.
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub enum Move {
            $(#[doc = concat!("A move of [`GameId::", stringify!($name), "`].")] $name(<$name as Game>::Move)),+
        }

        impl GameId {
            /// All games, in the order of the catalogue.
            pub const ALL: &[GameId] = &[$(GameId::$name),+];

            /// The description of the game.
            #[must_use]
            pub const fn info(self) -> &'static GameInfo {
                match self { $(GameId::$name => &<$name as Game>::INFO),+ }
            }

            /// The notation and the theory of the game.
            #[must_use]
            pub const fn docs(self) -> &'static GameDocs {
                match self { $(GameId::$name => &<$name as Game>::DOCS),+ }
            }

            /// The tables of nimbers that can be made of the game.
            ///
            /// # Errors
            /// The reason there are none.
            pub const fn tables(self) -> Tables {
                match self { $(GameId::$name => <$name as Game>::TABLES),+ }
            }

            /// The named amounts that make up a random start.
            #[must_use]
            pub const fn start_ranges(self) -> &'static [StartRange] {
                match self { $(GameId::$name => <$name as Game>::START_RANGES),+ }
            }

            /// Draws a random unfinished position, uniformly from the ranges; without ranges, from the fair positions.
            ///
            /// # Errors
            /// When a range is not one of the game's or passes its bounds, or when the ranges hold (next to) nothing but
            /// finished positions.
            pub fn random_start(self, ranges: &Ranges, rng: &mut dyn rand::Rng) -> Result<Position, StartError> {
                match self { $(GameId::$name => $name::random(ranges, rng).map(Position::$name)),+ }
            }
        }

        impl Position {
            /// Reads a position of this game, as [`normalise_typed`] leaves its text.
            ///
            /// # Errors
            /// When the text is not in the notation of the game.
            pub fn read(game: GameId, text: &str) -> Result<Position, NotationError> {
                let text = &normalise_typed(text);
                match game { $(GameId::$name => $name::read(text).map(Position::$name)),+ }
            }

            /// The game this is a position of.
            #[must_use]
            pub const fn game(&self) -> GameId {
                match self { $(Position::$name(_) => GameId::$name),+ }
            }

            /// Reads a move of this game, as [`normalise_typed`] leaves its text. Only [`Position::play`] says
            /// whether it is legal.
            ///
            /// # Errors
            /// When the text is no move of the game.
            pub fn read_move(&self, text: &str) -> Result<Move, NotationError> {
                let text = &normalise_typed(text);
                match self { $(Position::$name(position) => position.read_move(text).map(Move::$name)),+ }
            }

            /// The position after a move.
            ///
            /// # Errors
            /// When the rules do not allow the move here.
            pub fn play(&self, mv: &Move) -> Result<Position, IllegalMove> {
                match (self, mv) {
                    $((Position::$name(position), Move::$name(mv)) => position.play(mv).map(Position::$name),)+
                    _ => Err(IllegalMove::new(mv, IllegalReason::OtherGame, self.legal_moves())),
                }
            }

            /// Returns `true` if no move is left.
            #[must_use]
            pub fn is_terminal(&self) -> bool {
                match self { $(Position::$name(position) => position.is_terminal()),+ }
            }

            /// All legal moves.
            #[must_use]
            pub fn legal_moves(&self) -> MoveSet {
                match self { $(Position::$name(position) => position.legal_moves()),+ }
            }

            /// The nimber, or why there is none.
            #[must_use]
            pub fn nimber(&self) -> Nimber {
                match self { $(Position::$name(position) => position.nimber()),+ }
            }

            /// The number of legal moves; `None` for a number past 2^64 that 128 bits may not hold.
            #[must_use]
            pub fn legal_count(&self) -> Option<u128> {
                match self { $(Position::$name(position) => position.legal_count()),+ }
            }

            /// The winner; `None` iff it is not known.
            #[must_use]
            pub fn outcome(&self) -> Option<Outcome> {
                match self { $(Position::$name(position) => position.outcome()),+ }
            }

            /// All moves to positions of this nimber.
            ///
            /// # Errors
            /// When they are not known, or the question has no meaning.
            pub fn moves_to(&self, value: u64) -> Result<MoveSet, UnknownReason> {
                match self { $(Position::$name(position) => position.moves_to(value)),+ }
            }

            /// The winner, the winning moves and the nimber, as far as they are known.
            #[must_use]
            pub fn solve(&self) -> Solution {
                match self { $(Position::$name(position) => position.solve()),+ }
            }

            /// The greatest number of moves that can still be made: exact.
            #[must_use]
            pub fn longest_play(&self) -> u128 {
                match self { $(Position::$name(position) => position.longest_play()),+ }
            }

            /// Checks that a match may start here.
            ///
            /// # Errors
            /// [`StartError::Finished`] or [`StartError::OutOfBounds`].
            pub fn check_start(&self) -> Result<(), StartError> {
                match self { $(Position::$name(position) => position.check_start()),+ }
            }

            /// The winning move that the sources of the game single out, if they do.
            #[must_use]
            pub fn favourite(&self) -> Option<Move> {
                match self { $(Position::$name(position) => position.favourite().map(Move::$name)),+ }
            }

            /// The parts of the position, for pictures.
            #[must_use]
            pub fn shape(&self) -> Vec<ShapePart> {
                match self { $(Position::$name(position) => position.shape()),+ }
            }

            /// The parts by which people reason about the position; none in a game that is explained otherwise.
            pub(crate) fn added_parts(&self) -> Vec<AddedPart> {
                match self { $(Position::$name(position) => position.added_parts()),+ }
            }

            /// A bound on the steps that it takes to do one of these: read and play a move, list the legal moves as
            /// families, value the position, name its parts, write it. It is not more after a move.
            #[must_use]
            pub fn play_steps(&self) -> u64 {
                match self { $(Position::$name(position) => position.play_steps()),+ }
            }

            /// A bound on the steps that it takes to find all moves to a nimber. It is not more after a move.
            #[must_use]
            pub fn solve_steps(&self) -> u64 {
                match self { $(Position::$name(position) => position.solve_steps()),+ }
            }

            /// A bound on the steps that it takes to build the tables for this position and all that can become of it.
            /// Only tables that may be built again are counted, and a search counts them once.
            #[must_use]
            pub fn table_steps(&self) -> u64 {
                match self { $(Position::$name(position) => position.table_steps()),+ }
            }

            /// The explanation of the outcome, step by step.
            #[must_use]
            pub fn explain(&self) -> Explanation {
                match self { $(Position::$name(position) => position.explain()),+ }
            }
        }

        impl fmt::Display for Position {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self { $(Position::$name(position) => position.fmt(f)),+ }
            }
        }

        impl fmt::Display for Move {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self { $(Move::$name(mv) => mv.fmt(f)),+ }
            }
        }
    };
}

catalogue! {
    FibFob,
    Rooks,
    PokerNim,
    NimMuskateers,
    Nim,
    MisereNim,
    TakeFibonacci,
    FibonacciNim,
    MisereFibonacciNim,
    TurningTurtles,
    StaircaseNim,
    WythoffNim,
    Kayles,
    GreenHackenbush,
    RyuoNim,
    RyuoNim3d,
    RyuoNimPass,
    Sum,
}

impl GameId {
    /// The name in the notation, such as `fib-fob`.
    #[must_use]
    pub const fn id(self) -> &'static str {
        self.info().id
    }

    /// The winner when no move is left.
    #[must_use]
    pub const fn convention(self) -> Convention {
        self.info().convention
    }

    /// Reads a position of this game.
    ///
    /// # Errors
    /// As [`Position::read`].
    pub fn read(self, text: &str) -> Result<Position, NotationError> {
        Position::read(self, text)
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id())
    }
}

/// No game has this id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "there is no such game; there are: {}",
    GameId::ALL.iter().map(|game| game.id()).collect::<Vec<_>>().join(", ")
)]
pub struct UnknownGame;

impl FromStr for GameId {
    type Err = UnknownGame;

    fn from_str(text: &str) -> Result<Self, UnknownGame> {
        Self::ALL
            .iter()
            .copied()
            .find(|game| game.id() == text)
            .ok_or(UnknownGame)
    }
}

impl TryFrom<String> for GameId {
    type Error = UnknownGame;

    fn try_from(id: String) -> Result<Self, UnknownGame> {
        id.parse()
    }
}

impl From<GameId> for &'static str {
    fn from(game: GameId) -> Self {
        game.id()
    }
}
