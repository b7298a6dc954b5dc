//! A table as requested and as far as it is computed.

use fibfob_games::{Axis, GameId, NotationError, PositionTable, TableOptions};
use thiserror::Error;

use super::cell::Cell;
use super::period::Period;
use crate::args::TableArgs;

/// The last amount of a sequence by default.
const TO_DEFAULT: u64 = 60;

/// The last amounts of a plane by default.
const SIZE_DEFAULT: u64 = 12;

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
    #[error(transparent)]
    Position(#[from] NotationError),
}

/// The cells of a table, as far as they have been computed.
pub struct NimberTable {
    /// The game.
    pub game: GameId,
    /// The arrangement of the cells: row by row.
    pub arranged: PositionTable,
    /// The options that all positions share.
    pub options: TableOptions,
    /// The last amount of each axis.
    pub end: u64,
    /// The cells computed so far.
    pub cells: Vec<Cell>,
}

impl NimberTable {
    /// Creates a table without cells.
    pub fn new(args: &TableArgs) -> Result<Self, TableError> {
        let arranged = arrange(args)?;
        let (option, asked, usual) = match arranged.columns {
            None => ("to", args.to, TO_DEFAULT),
            Some(_) => ("size", args.size, SIZE_DEFAULT),
        };
        let axes = || [arranged.rows].into_iter().chain(arranged.columns);
        let usual = axes().fold(usual, |usual, axis| usual.min(axis.most));
        let end = asked.unwrap_or(usual);
        let is_outside = |axis: &Axis| !(axis.least..=axis.most).contains(&end);
        if let Some(axis) = axes().find(is_outside) {
            let asked = end;
            return Err(TableError::TooLarge {
                option,
                asked,
                axis,
            });
        }
        Ok(Self {
            game: args.game,
            arranged,
            options: args.options(),
            end,
            cells: Vec::new(),
        })
    }

    /// Computes further cells until all are there, or until `go_on`, which is called with their number after
    /// each, returns false.
    ///
    /// # Errors
    /// The game refuses an option.
    pub fn compute(&mut self, mut go_on: impl FnMut(u64) -> bool) -> Result<(), TableError> {
        let PositionTable {
            rows,
            columns,
            cell,
            ..
        } = self.arranged;
        let least = columns.map_or(0, |columns| columns.least);
        for index in self.cells.len() as u64..self.cell_count() {
            let (row, column) = (index / self.width(), index % self.width());
            let text = cell(rows.least + row, least + column, &self.options);
            self.cells.push(Cell::solve(self.game, &text)?);
            if !go_on(index + 1) {
                break;
            }
        }
        Ok(())
    }

    /// The number of cells of the whole table.
    pub fn cell_count(&self) -> u64 {
        length(self.arranged.rows, self.end) * self.width()
    }

    /// The number of columns.
    fn width(&self) -> u64 {
        let columns = self.arranged.columns;
        columns.map_or(1, |columns| length(columns, self.end))
    }

    /// Returns true once all cells are computed.
    pub fn is_whole(&self) -> bool {
        self.cells.len() as u64 == self.cell_count()
    }

    /// The period observed in a sequence; a plane has none.
    pub fn period(&self) -> Option<Period> {
        if self.arranged.columns.is_some() {
            return None;
        }
        let nimbers: Option<Vec<u64>> = self.cells.iter().map(|cell| cell.nimber).collect();
        Period::observe(self.arranged.rows.least, &nimbers?)
    }
}

/// Returns the arrangement that was asked for, or else the game's first one.
fn arrange(args: &TableArgs) -> Result<PositionTable, TableError> {
    let game = args.game;
    let tables = game
        .tables()
        .map_err(|why| TableError::Game { game, why })?;
    let [sequence, plane] = [false, true].map(|is_plane| {
        let mut tables = tables.iter();
        tables.find(|table| table.columns.is_some() == is_plane)
    });
    let options = args.options();
    let wants_plane = args.size.is_some() || options != TableOptions::default();
    let table = match (sequence, plane) {
        (Some(sequence), _) if args.to.is_some() || !wants_plane => sequence,
        (_, Some(plane)) if args.to.is_none() => plane,
        (None, _) => return Err(TableError::NoSequence(game)),
        (Some(_), _) => return Err(TableError::NoPlane(game)),
    };
    let is_unknown = |(name, _): &(&str, u64)| !table.options.contains(name);
    match options.chosen().find(is_unknown) {
        Some((name, _)) => Err(TableError::UnknownOption(name)),
        None => Ok(*table),
    }
}

/// The number of amounts on an axis up to `end`.
fn length(axis: Axis, end: u64) -> u64 {
    (1 + end.min(axis.most)).saturating_sub(axis.least)
}
