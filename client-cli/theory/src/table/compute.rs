//! A table as requested and as far as it is computed.

use fibfob_games::{Axis, GameId, NotationError, Plane, Sequence, TableOptions, Tables};
use thiserror::Error;

use super::cell::Cell;
use super::period::Period;
use crate::args::TableArgs;

/// The last amount of a sequence by default.
const TO_DEFAULT: u64 = 60;

/// The last amounts of a plane by default.
const SIZE_DEFAULT: u64 = 12;

/// The maximum number of cells of a picture.
pub const PICTURE_CELLS_MAX: u64 = 66_000;

/// The reason why a table cannot be computed.
#[derive(Clone, Debug, Error)]
pub enum TableError {
    #[error("{game} has no table: {why}")]
    Game { game: GameId, why: &'static str },
    #[error("{0} has no sequence of one amount; --size N makes its table of two")]
    NoSequence(GameId),
    #[error("{0} has no table of two amounts; --to N makes its sequence")]
    NoPlane(GameId),
    #[error(
        "--{option} {asked} is out of bounds: in this table, {} goes from {} to {}",
        .axis.name, .axis.least, .axis.most
    )]
    TooLarge {
        option: &'static str,
        asked: u64,
        axis: Axis,
    },
    #[error("this table has no --{0}")]
    UnknownOption(&'static str),
    #[error("a picture of {0} positions is too large; at most {PICTURE_CELLS_MAX} can be drawn")]
    TooManyCells(u64),
    #[error(transparent)]
    Position(#[from] NotationError),
}

/// The arrangement of a table's positions.
#[derive(Clone, Copy)]
pub enum TableLayout {
    /// One after another.
    Sequence(Sequence),
    /// Row by row.
    Plane(Plane, TableOptions),
}

/// The cells of a table, as far as they have been computed.
pub struct NimberTable {
    /// The game.
    pub game: GameId,
    /// The arrangement of the cells.
    pub layout: TableLayout,
    /// The last amount of each axis.
    pub end: u64,
    /// The cells computed so far.
    pub cells: Vec<Cell>,
}

impl NimberTable {
    /// Creates a table without cells.
    pub fn new(args: &TableArgs) -> Result<Self, TableError> {
        let game = args.game;
        let layout = TableLayout::of(args)?;
        let (option, asked, usual) = match layout {
            TableLayout::Sequence(_) => ("to", args.to, TO_DEFAULT),
            TableLayout::Plane(..) => ("size", args.size, SIZE_DEFAULT),
        };
        let axes = layout.axes();
        let usual = axes.iter().fold(usual, |usual, axis| usual.min(axis.most));
        let end = asked.unwrap_or(usual);
        let is_outside = |axis: &Axis| !(axis.least..=axis.most).contains(&end);
        if let Some(axis) = axes.into_iter().find(is_outside) {
            let asked = end;
            return Err(TableError::TooLarge {
                option,
                asked,
                axis,
            });
        }
        let table = Self {
            game,
            layout,
            end,
            cells: Vec::new(),
        };
        let wanted = table.wanted();
        match args.svg.is_some() && wanted > PICTURE_CELLS_MAX {
            true => Err(TableError::TooManyCells(wanted)),
            false => Ok(table),
        }
    }

    /// Computes the next cells until all are there or `go_on`, called with their number after each,
    /// returns false.
    ///
    /// # Errors
    /// The game refuses an option.
    pub fn compute(&mut self, mut go_on: impl FnMut(u64) -> bool) -> Result<(), TableError> {
        for index in self.cells.len() as u64..self.wanted() {
            let text = self.layout.position(index, self.end);
            self.cells.push(Cell::solve(self.game, &text)?);
            if !go_on(index + 1) {
                break;
            }
        }
        Ok(())
    }

    /// The number of cells of the whole table.
    pub fn wanted(&self) -> u64 {
        let axes = self.layout.axes();
        axes.iter().map(|axis| length(*axis, self.end)).product()
    }

    /// Returns true once all cells are computed.
    pub fn is_whole(&self) -> bool {
        self.cells.len() as u64 == self.wanted()
    }

    /// The period observed in a sequence; a plane has none.
    pub fn period(&self) -> Option<Period> {
        let TableLayout::Sequence(sequence) = self.layout else {
            return None;
        };
        let nimbers: Option<Vec<u64>> = self.cells.iter().map(|cell| cell.nimber).collect();
        Period::observed(sequence.axis.least, &nimbers?)
    }
}

impl TableLayout {
    /// Returns the arrangement that was asked for, or else the first one that the game has.
    fn of(args: &TableArgs) -> Result<Self, TableError> {
        let game = args.game;
        let (sequence, plane) = match game.tables() {
            Tables::Of { sequence, plane } => (sequence, plane),
            Tables::None(why) => return Err(TableError::Game { game, why }),
        };
        let options = args.options();
        let wants_plane = args.size.is_some() || options != TableOptions::default();
        let (layout, known) = match (sequence, plane) {
            (Some(sequence), _) if args.to.is_some() || !wants_plane => {
                (Self::Sequence(sequence), &[][..])
            }
            (_, Some(plane)) if args.to.is_none() => (Self::Plane(plane, options), plane.options),
            (None, _) => return Err(TableError::NoSequence(game)),
            (Some(_), _) => return Err(TableError::NoPlane(game)),
        };
        match options.chosen().find(|(name, _)| !known.contains(name)) {
            Some((name, _)) => Err(TableError::UnknownOption(name)),
            None => Ok(layout),
        }
    }

    /// The amounts that the positions are arranged by.
    fn axes(&self) -> Vec<Axis> {
        match self {
            Self::Sequence(sequence) => vec![sequence.axis],
            Self::Plane(plane, _) => vec![plane.rows, plane.columns],
        }
    }

    /// The position of a cell, in the notation of the game.
    fn position(&self, index: u64, end: u64) -> String {
        match self {
            Self::Sequence(sequence) => (sequence.cell)(sequence.axis.least + index),
            Self::Plane(plane, options) => {
                let width = length(plane.columns, end);
                let (row, column) = (index / width, index % width);
                (plane.cell)(
                    plane.rows.least + row,
                    plane.columns.least + column,
                    options,
                )
            }
        }
    }
}

/// The number of amounts on an axis up to `end`.
fn length(axis: Axis, end: u64) -> u64 {
    (1 + end.min(axis.most)).saturating_sub(axis.least)
}
