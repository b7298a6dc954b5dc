//! A table as rows and columns with labels, whatever it is: what a text and a picture are made from.

use super::cell::Cell;
use super::compute::{NimberTable, TableLayout};

/// How many values of a sequence without a period stand in a row.
const ROW_USUAL: usize = 10;

/// The longest period that is shown as the length of a row, and the shortest.
const ROW_PERIODS: std::ops::RangeInclusive<usize> = 6..=24;

/// Rows of cells with labels.
pub struct Grid<'a> {
    /// What the labels of the rows count.
    pub down: &'static str,
    /// What those of the columns count.
    pub across: &'static str,
    /// The labels of the columns.
    pub columns: Vec<String>,
    /// Each row with its label; the last one may be shorter.
    pub rows: Vec<(String, &'a [Cell])>,
}

impl<'a> Grid<'a> {
    /// The rows of a table. Sequences are broken into rows of their period, so that it can be seen.
    pub fn of(table: &'a NimberTable) -> Self {
        match &table.layout {
            TableLayout::Line(line) => {
                let period = table.period().map(|period| period.length);
                let width = period
                    .filter(|length| ROW_PERIODS.contains(length))
                    .unwrap_or(ROW_USUAL);
                let rows = table.cells.chunks(width);
                let labels = line
                    .axis
                    .up_to(table.end)
                    .step_by(width)
                    .map(line.axis.label);
                Self {
                    down: line.axis.name,
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

    /// All cells.
    pub fn cells(&self) -> impl Iterator<Item = Cell> {
        self.rows
            .iter()
            .flat_map(|(_, cells)| cells.iter().copied())
    }
}
