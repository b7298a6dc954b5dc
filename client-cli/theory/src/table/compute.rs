//! A table as requested and as far as it is computed.

use std::ops::RangeInclusive;

use fibfob_games::{GameId, NotationError, Plane, Sequence, TableOption, TableOptions, Tables};
use thiserror::Error;

use super::cell::Cell;
use super::period::{Period, period};

/// The last amount of a sequence by default.
pub const TO_DEFAULT: u64 = 60;

/// The last amounts of a plane by default.
pub const SIZE_DEFAULT: u64 = 12;

/// A request for a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableRequest {
    /// A sequence up to this amount.
    pub to: Option<u64>,
    /// A plane up to this amount.
    pub size: Option<u64>,
    /// The options that all positions share.
    pub options: TableOptions,
}

/// The reason why a table cannot be computed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TableError {
    #[error("{game} has no table: {why}")]
    Game { game: GameId, why: &'static str },
    #[error("{0} has no sequence of one amount; --size N makes its table of two")]
    NoSequence(GameId),
    #[error("{0} has no table of two amounts; --to N makes its sequence")]
    NoPlane(GameId),
    #[error(
        "--{option} {asked} is out of bounds: in this table, {what} goes from {least} to {most}"
    )]
    TooLarge {
        option: &'static str,
        asked: u64,
        what: &'static str,
        least: u64,
        most: u64,
    },
    #[error("this table has no --{}", .0.name())]
    UnknownOption(TableOption),
    #[error(transparent)]
    Position(#[from] NotationError),
}

/// Checks that only known options have a value.
fn check(options: &TableOptions, known: &[TableOption]) -> Result<(), TableError> {
    match options.foreign_to(known) {
        Some(option) => Err(TableError::UnknownOption(option)),
        None => Ok(()),
    }
}

/// The arrangement of a table's positions.
#[derive(Clone)]
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
    ///
    /// # Errors
    /// [`TableError`].
    pub fn new(game: GameId, wanted: &TableRequest) -> Result<Self, TableError> {
        let (sequence, plane) = match game.tables() {
            Tables::Of { sequence, plane } => (sequence, plane),
            Tables::None(why) => return Err(TableError::Game { game, why }),
        };
        let options = wanted.options;
        let wants_plane = wanted.size.is_some() || options != TableOptions::default();
        let (layout, option, axes, end) = match (sequence, plane) {
            (Some(sequence), _) if wanted.to.is_some() || !wants_plane => {
                check(&options, &[])?;
                let end = wanted.to.unwrap_or(TO_DEFAULT.min(sequence.axis.most));
                (
                    TableLayout::Sequence(sequence),
                    "to",
                    vec![sequence.axis],
                    end,
                )
            }
            (_, Some(plane)) if wanted.to.is_none() => {
                check(&options, plane.options)?;
                let axes = vec![plane.rows, plane.columns];
                let usual = SIZE_DEFAULT.min(plane.rows.most).min(plane.columns.most);
                let end = wanted.size.unwrap_or(usual);
                (TableLayout::Plane(plane, options), "size", axes, end)
            }
            (None, _) => return Err(TableError::NoSequence(game)),
            (Some(_), _) => return Err(TableError::NoPlane(game)),
        };
        match axes
            .iter()
            .find(|axis| !(axis.least..=axis.most).contains(&end))
        {
            Some(axis) => Err(TableError::TooLarge {
                option,
                asked: end,
                what: axis.name,
                least: axis.least,
                most: axis.most,
            }),
            None => Ok(Self {
                game,
                layout,
                end,
                cells: Vec::new(),
            }),
        }
    }

    /// Computes the next cells until all are there or `go_on`, called with their number after each,
    /// returns false.
    ///
    /// # Errors
    /// The game refuses an option.
    pub fn compute(&mut self, mut go_on: impl FnMut(u64) -> bool) -> Result<(), TableError> {
        let done = self.cells.len();
        for text in self.layout.clone().positions(self.end).skip(done) {
            self.cells.push(Cell::solve(self.game, &text)?);
            if !go_on(self.cells.len() as u64) {
                break;
            }
        }
        Ok(())
    }

    /// The number of cells of the whole table.
    pub fn wanted(&self) -> u64 {
        let count = |range: RangeInclusive<u64>| (1 + range.end()).saturating_sub(*range.start());
        match &self.layout {
            TableLayout::Sequence(sequence) => count(sequence.axis.up_to(self.end)),
            TableLayout::Plane(plane, _) => {
                count(plane.rows.up_to(self.end)) * count(plane.columns.up_to(self.end))
            }
        }
    }

    /// Returns true once all cells are computed.
    pub fn is_whole(&self) -> bool {
        self.cells.len() as u64 == self.wanted()
    }

    /// The period observed in a sequence; a plane has none.
    pub fn period(&self) -> Option<Period> {
        let TableLayout::Sequence(_) = self.layout else {
            return None;
        };
        let nimbers: Option<Vec<u64>> = self.cells.iter().map(|cell| cell.nimber).collect();
        period(&nimbers?)
    }
}

impl TableLayout {
    /// The positions in order, in the notation of the game.
    fn positions(self, end: u64) -> Box<dyn Iterator<Item = String>> {
        match self {
            Self::Sequence(sequence) => Box::new(sequence.axis.up_to(end).map(sequence.cell)),
            Self::Plane(plane, options) => Box::new(plane.rows.up_to(end).flat_map(move |row| {
                let columns = plane.columns.up_to(end);
                columns.map(move |column| (plane.cell)(row, column, &options))
            })),
        }
    }
}
