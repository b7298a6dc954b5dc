//! A table as labelled rows and columns, the common source of text and picture.

use super::cell::Cell;
use super::compute::{NimberTable, TableLayout};

/// The length of a row in a sequence without a period.
const ROW_USUAL: usize = 10;

/// The periods that are used as the length of a row.
const ROW_PERIODS: std::ops::RangeInclusive<usize> = 6..=24;

/// Labelled rows of cells.
pub struct Grid<'a> {
    /// The amount that the row labels count.
    pub down: &'static str,
    /// The amount that the column labels count.
    pub across: &'static str,
    /// The labels of the columns.
    pub columns: Vec<String>,
    /// The rows with their labels; the last one may be shorter.
    pub rows: Vec<(String, &'a [Cell])>,
}

impl<'a> Grid<'a> {
    /// Arranges a table. A sequence is broken into rows of its period, so that it can be seen.
    pub fn of(table: &'a NimberTable) -> Self {
        match &table.layout {
            TableLayout::Sequence(sequence) => {
                let period = table.period().map(|period| period.length);
                let width = period
                    .filter(|length| ROW_PERIODS.contains(length))
                    .unwrap_or(ROW_USUAL);
                let rows = table.cells.chunks(width);
                let labels = sequence
                    .axis
                    .up_to(table.end)
                    .step_by(width)
                    .map(sequence.axis.label);
                Self {
                    down: sequence.axis.name,
                    across: "",
                    columns: (0..width).map(|more| format!("+{more}")).collect(),
                    rows: labels.zip(rows).collect(),
                }
            }
            TableLayout::Plane(plane, _) => {
                let columns = plane.columns.up_to(table.end).map(plane.columns.label);
                let columns: Vec<String> = columns.collect();
                let labels = plane.rows.up_to(table.end).map(plane.rows.label);
                let rows = table.cells.chunks(columns.len().max(1));
                Self {
                    down: plane.rows.name,
                    across: plane.columns.name,
                    rows: labels.zip(rows).collect(),
                    columns,
                }
            }
        }
    }

    /// All cells in order.
    pub fn cells(&self) -> impl Iterator<Item = Cell> {
        self.rows
            .iter()
            .flat_map(|(_, cells)| cells.iter().copied())
    }
}
