//! A table as it is asked for, and as far as it has been computed.

use std::ops::RangeInclusive;

use fibfob_games::{GameId, NotationError};
use thiserror::Error;

use super::cell::Cell;
use super::games::tables;
use super::period::{Period, period};
use super::shape::{Knobs, Line, NoKnob, Plane, Tables};

/// How far a sequence goes if nothing is said.
pub const TO_DEFAULT: u64 = 60;

/// How far a plane goes if nothing is said.
pub const SIZE_DEFAULT: u64 = 12;

/// Which table is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableRequest {
    /// A sequence up to this amount.
    pub to: Option<u64>,
    /// A plane up to this amount.
    pub size: Option<u64>,
    /// What is the same in all positions.
    pub knobs: Knobs,
}

/// Why there is no such table.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TableError {
    #[error("{game} has no table: {why}")]
    Game { game: GameId, why: &'static str },
    #[error("{0} has no sequence of one amount; --size N makes its table of two")]
    NoLine(GameId),
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
    #[error(transparent)]
    Knob(#[from] NoKnob),
    #[error(transparent)]
    Position(#[from] NotationError),
}

/// In what order the positions of a table come.
#[derive(Clone)]
pub enum TableLayout {
    /// One after the other.
    Line(Line),
    /// Row by row.
    Plane(Plane, Knobs),
}

/// The cells of a table, as far as they have been computed.
pub struct NimberTable {
    /// The game.
    pub game: GameId,
    /// How the cells are arranged.
    pub layout: TableLayout,
    /// The largest amount.
    pub end: u64,
    /// The cells so far.
    pub cells: Vec<Cell>,
}

impl NimberTable {
    /// An empty table.
    ///
    /// # Errors
    /// [`TableError`].
    pub fn new(game: GameId, wanted: &TableRequest) -> Result<Self, TableError> {
        let (line, plane) = match tables(game) {
            Tables::Of { line, plane } => (line, plane),
            Tables::None(why) => return Err(TableError::Game { game, why }),
        };
        let knobs = wanted.knobs;
        let wants_plane = wanted.size.is_some() || knobs != Knobs::default();
        let (layout, option, axes, end) = match (line, plane) {
            (Some(line), _) if wanted.to.is_some() || !wants_plane => {
                knobs.check(&[])?;
                let end = wanted.to.unwrap_or(TO_DEFAULT.min(line.axis.most));
                (TableLayout::Line(line), "to", vec![line.axis], end)
            }
            (_, Some(plane)) if wanted.to.is_none() => {
                knobs.check(plane.knobs)?;
                let axes = vec![plane.rows, plane.columns];
                let usual = SIZE_DEFAULT.min(plane.rows.most).min(plane.columns.most);
                let end = wanted.size.unwrap_or(usual);
                (TableLayout::Plane(plane, knobs), "size", axes, end)
            }
            (None, _) => return Err(TableError::NoLine(game)),
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

    /// Computes the next cells until all are there or `go_on`, asked after each, says no.
    ///
    /// # Errors
    /// When the game refuses what was chosen.
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

    /// How many cells the whole table has.
    pub fn wanted(&self) -> u64 {
        let count = |range: RangeInclusive<u64>| (1 + range.end()).saturating_sub(*range.start());
        match &self.layout {
            TableLayout::Line(line) => count(line.axis.up_to(self.end)),
            TableLayout::Plane(plane, _) => {
                count(plane.rows.up_to(self.end)) * count(plane.columns.up_to(self.end))
            }
        }
    }

    /// Whether all cells are there.
    pub fn is_whole(&self) -> bool {
        self.cells.len() as u64 == self.wanted()
    }

    /// The period of a sequence, as far as it is seen; none in a plane.
    pub fn period(&self) -> Option<Period> {
        let TableLayout::Line(_) = self.layout else {
            return None;
        };
        let nimbers: Option<Vec<u64>> = self.cells.iter().map(|cell| cell.nimber).collect();
        period(&nimbers?)
    }
}

impl TableLayout {
    /// The texts of the positions, in order.
    fn positions(self, end: u64) -> Box<dyn Iterator<Item = String>> {
        match self {
            Self::Line(line) => Box::new(line.axis.up_to(end).map(line.cell)),
            Self::Plane(plane, knobs) => Box::new(plane.rows.up_to(end).flat_map(move |row| {
                let columns = plane.columns.up_to(end);
                columns.map(move |column| (plane.cell)(row, column, &knobs))
            })),
        }
    }
}
