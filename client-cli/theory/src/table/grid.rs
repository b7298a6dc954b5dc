//! A table as labelled rows and columns, the common source of text and data.

use fibfob_games::Axis;
use serde::Serialize;

use super::cell::Cell;
use super::compute::NimberTable;

/// The length of a row in a sequence without a period.
const ROW_USUAL: usize = 10;

/// The periods that are used as the length of a row.
const ROW_PERIODS: std::ops::RangeInclusive<usize> = 6..=24;

/// The labels of rows or columns.
#[derive(Serialize)]
pub struct Labels {
    /// The amount that they count.
    pub amount: &'static str,
    /// One for each row or column.
    pub labels: Vec<String>,
}

impl Labels {
    /// The labels of every `step`th amount up to `end`.
    fn of(axis: Axis, end: u64, step: usize) -> Self {
        Self {
            amount: axis.name,
            labels: axis.up_to(end).step_by(step).map(axis.label).collect(),
        }
    }
}

/// Returns the columns of a sequence, and how many there are.
fn row_labels(table: &NimberTable) -> (Labels, usize) {
    let period = table.period().map(|period| period.length);
    let fitting = period.filter(|length| ROW_PERIODS.contains(length));
    let width = fitting.unwrap_or(ROW_USUAL);
    let labels = (0..width).map(|more| format!("+{more}")).collect();
    (Labels { amount: "", labels }, width)
}

/// Labelled rows of cells.
pub struct Grid<'a> {
    /// The labels of the rows that are begun.
    pub rows: Labels,
    /// The labels of the columns.
    pub columns: Labels,
    /// All cells in order.
    pub cells: &'a [Cell],
}

impl<'a> Grid<'a> {
    /// Arranges a table. A sequence is broken into rows of its period, so that the period can be seen.
    pub fn of(table: &'a NimberTable) -> Self {
        let columns = table.arranged.columns;
        let columns = columns.map(|axis| Labels::of(axis, table.end, 1));
        let (columns, step) = columns.map_or_else(|| row_labels(table), |columns| (columns, 1));
        let mut rows = Labels::of(table.arranged.rows, table.end, step);
        let cells = &table.cells[..];
        rows.labels
            .truncate(cells.len().div_ceil(columns.labels.len()));
        Self {
            rows,
            columns,
            cells,
        }
    }

    /// The rows with their labels; the last one may be shorter.
    pub fn rows(&self) -> impl Iterator<Item = (&str, &'a [Cell])> {
        let labels = self.rows.labels.iter().map(String::as_str);
        labels.zip(self.cells.chunks(self.columns.labels.len()))
    }
}
