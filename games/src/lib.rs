//! The rules and the perfect play of Fib Fob and its family of impartial games.
//!
//! Two players move alternately, both may make the same moves, and no play is endless. This crate says what the
//! positions and moves are, how they are written, who wins, and by which moves. It knows nothing of seats, clocks,
//! matches, sockets or files; its only source of chance is the generator a caller hands in.
//!
//! Start at [`GameId`] and [`Position`]: closed enums over all games, made by one line per game in the catalogue.
//! A game by itself is a type that implements `Game`, in `game.rs`.

#![warn(
    clippy::must_use_candidate,
    clippy::return_self_not_must_use,
    clippy::use_self
)]

#[macro_use]
mod how_to_play;

mod budget;
mod catalogue;
mod explain;
mod explanation;
pub mod fibonacci;
mod flight;
mod game;
mod game_info;
pub mod games;
mod illegal;
mod lesson;
mod listed;
mod move_set;
mod nimber;
mod notation;
mod options;
mod puzzle;
mod reasoner;
mod shape;
mod solution;
mod start;
mod strategy;
mod table;
mod tiered_table;

pub use budget::{Budget, MOVE_STEPS_MAX, QUESTION_STEPS_MAX, TRIAL_STEPS, TooMuchWork};
pub use catalogue::{GameId, Move, Position, UnknownGame};
pub use explain::REPLIES_SHOWN_MAX;
pub use explanation::{AddedPart, Explanation, ExplanationStep, LossCondition, Part, Summand};
pub use flight::Flight;
pub use game_info::{Convention, GameDocs, GameInfo, MoveKind};
pub use how_to_play::{HowToPlay, ShownMove};
pub use illegal::{IllegalMove, IllegalReason};
pub use lesson::{Lesson, LessonPath, LessonStep, LessonTask, LessonWords, lessons};
pub use listed::{Catalogue, ListedGame, ListedLevel, ListedRange};
pub use move_set::{MoveFamily, MoveSet, Progression, SUMMED_SLOTS_MAX, Slot, SumConstraint};
pub use nimber::{Nimber, Outcome, TableIndex, UnknownReason, mex};
pub use notation::{
    AMOUNT_MAX, LIST_MAX, NotationError, NotationErrorKind, ROW_MAX, TEXT_MAX, normalise_typed,
};
pub use options::{FAMILIES_MAX, OptionFamily, Options, VALUED_MAX, VALUES_MAX};
pub use puzzle::{NoSuchPuzzle, Puzzle};
pub use reasoner::{Reasoner, UnknownReasoner};
pub use shape::{MoveBound, RowKind, SIDE, ShapePart, Square};
pub use solution::Solution;
pub use start::{PLIES_MAX, Ranges, RangesError, StartError, StartRange};
pub use strategy::{
    CANDIDATES_MAX, Level, SHOWN_MOVES, UnknownLevel, choose_move, choose_move_within,
    chooses_first, concedes, random_move,
};
pub use table::{Axis, PositionTable, TableOptions, Tables};
