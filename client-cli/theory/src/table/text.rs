//! Tables for people.
//!
//! Not `comfy-table`: it draws a vertical line between all columns or none, fills short rows up with spaces,
//! and holds all cells as text at once; a plane has up to a million.

use std::io::{self, Write};

use super::captions::{remarks, title};
use super::cell::Cell;
use super::compute::NimberTable;
use super::grid::Grid;

/// Writes a table.
pub fn write(table: &NimberTable, out: &mut impl Write) -> io::Result<()> {
    let grid = Grid::of(table);
    let labels = &grid.columns.labels;
    let widths = grid
        .cells
        .iter()
        .map(|cell| write_cell(*cell).chars().count());
    let widths = widths.chain(labels.iter().map(|label| label.chars().count()));
    let width = widths.max().unwrap_or(0) + 1;
    let names = grid.rows().map(|(label, _)| label.chars().count());
    let left = names.max().unwrap_or(0);

    writeln!(out, "{}", title(table))?;
    let head = labels.iter().map(|label| format!("{label:>width$}"));
    let head: String = head.collect();
    writeln!(out, "{:left$} │{head}", "")?;
    let rule = "─".repeat(left + 1) + "┼" + &"─".repeat(width * labels.len());
    writeln!(out, "{rule}")?;
    for (label, cells) in grid.rows() {
        write!(out, "{label:>left$} │")?;
        for &cell in cells {
            write!(out, "{:>width$}", write_cell(cell))?;
        }
        writeln!(out)?;
    }
    for remark in remarks(table) {
        writeln!(out, "{remark}")?;
    }
    Ok(())
}

/// Returns the text of a cell, `?` if it is not known.
fn write_cell(cell: Cell) -> String {
    match cell.text() {
        text if text.is_empty() => "?".to_owned(),
        text => text,
    }
}
