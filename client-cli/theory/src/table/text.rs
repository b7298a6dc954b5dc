//! Tables for people: aligned, and coloured where colours are available.
//!
//! Not `comfy-table`: it draws a vertical line between all columns or none, fills short rows up with spaces,
//! and holds all cells as text at once; a plane has up to a million.

use std::io::{self, Write};

use super::captions::{remarks, title};
use super::cell::Cell;
use super::compute::NimberTable;
use super::grid::Grid;

/// The style of lost positions: dark on green.
const COLD: &str = "\x1b[1;38;5;16;48;5;42m";

/// The style of labels and lines.
const FAINT: &str = "\x1b[2m";

const END: &str = "\x1b[0m";

/// The colours of nimbers from 1 on, which repeat.
const NIMBERS: [u8; 8] = [75, 179, 141, 209, 80, 176, 186, 110];

/// Writes a table.
pub fn write(table: &NimberTable, colour: bool, out: &mut impl Write) -> io::Result<()> {
    let grid = Grid::of(table);
    let paint = |text: &str, style: &str| {
        if colour && !style.is_empty() {
            format!("{style}{text}{END}")
        } else {
            text.to_owned()
        }
    };
    let labels = &grid.columns.labels;
    let widths = grid.cells.iter().map(|cell| shown(*cell).chars().count());
    let widths = widths.chain(labels.iter().map(|label| label.chars().count()));
    let width = widths.max().unwrap_or(0) + 1;
    let names = grid.rows().map(|(label, _)| label.chars().count());
    let left = names.max().unwrap_or(0);

    writeln!(out, "{}", title(table))?;
    let head = labels.iter().map(|label| format!("{label:>width$}"));
    let head: String = head.collect();
    writeln!(out, "{}", paint(&format!("{:left$} │{head}", ""), FAINT))?;
    let rule = "─".repeat(left + 1) + "┼" + &"─".repeat(width * labels.len());
    writeln!(out, "{}", paint(&rule, FAINT))?;
    for (label, cells) in grid.rows() {
        write!(out, "{}", paint(&format!("{label:>left$} │"), FAINT))?;
        for &cell in cells {
            let text = format!("{:>width$}", shown(cell));
            write!(out, "{}", paint(&text, &style(cell)))?;
        }
        writeln!(out)?;
    }
    for remark in remarks(table) {
        writeln!(out, "{remark}")?;
    }
    Ok(())
}

/// Returns the text of a cell, `?` if it is not known.
fn shown(cell: Cell) -> String {
    match cell.text() {
        text if text.is_empty() => "?".to_owned(),
        text => text,
    }
}

fn style(cell: Cell) -> String {
    match cell.nimber {
        _ if cell.is_cold() => COLD.to_owned(),
        Some(nimber) => {
            let index = (nimber.saturating_sub(1) % NIMBERS.len() as u64) as usize;
            format!("\x1b[38;5;{}m", NIMBERS[index])
        }
        None if cell.outcome.is_some() => String::new(),
        None => FAINT.to_owned(),
    }
}
