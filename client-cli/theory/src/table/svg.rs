//! Tables as SVG pictures: lost positions are dark, the others warmer the larger their nimber.
//!
//! Not `plotters`: its SVG has neither a title and description for screen readers nor hatching, and would be
//! drawn cell by cell too.

mod colour;
mod legend;

use super::captions::{remarks, title};
use super::cell::Cell;
use super::compute::NimberTable;
use super::grid::Grid;
use colour::{ColourScale, INK, PAPER, SOFT};

/// The side of a cell with a number in it.
const CELL: usize = 30;

/// The number of columns above which cells are smaller and have no numbers.
const NUMBERED_MAX: usize = 40;

/// The approximate width of a table with small cells.
const WIDTH: usize = 1200;

/// The minimum side of a cell.
const CELL_MIN: usize = 4;

/// The margin around the picture.
const MARGIN: usize = 28;

/// The minimum width of a picture, for its title.
const WIDTH_MIN: usize = 720;

/// The approximate width of a letter of running text, in hundredths of the font size.
const LETTER: usize = 56;

/// The approximate width of a letter of the title, in hundredths of the font size.
const LETTER_BOLD: usize = 66;

/// The measures of a picture.
struct SvgLayout {
    cell: usize,
    left: usize,
    right: usize,
    top: usize,
    /// The distance between labels that are written.
    label_step: usize,
}

impl SvgLayout {
    fn of(grid: &Grid<'_>) -> Self {
        let columns = grid.columns.labels.len();
        let cell = match columns <= NUMBERED_MAX {
            true => CELL,
            false => (WIDTH / columns).max(CELL_MIN),
        };
        let letters = grid.rows().map(|(label, _)| label.len());
        let left = MARGIN + 24 + letters.max().unwrap_or(1) * 9;
        Self {
            cell,
            left,
            right: left + columns * cell,
            top: MARGIN + 96,
            label_step: (24 / cell).max(1) * if cell < CELL { 5 } else { 1 },
        }
    }
}

/// Draws a table.
pub fn drawn(table: &NimberTable) -> String {
    let grid = Grid::of(table);
    let plan = SvgLayout::of(&grid);
    let remarks = remarks(table);
    let title = title(table);
    let rules = table.game.info().rules;
    let small = remarks.iter().map(String::as_str).chain([rules]);
    let longest = small.map(|line| line.chars().count() * 13 * LETTER).max();
    let titled = title.chars().count() * 21 * LETTER_BOLD;
    let text_width = longest.unwrap_or(0).max(titled) / 100;
    let width = plan.right.max(WIDTH_MIN).max(2 * MARGIN + text_width) + MARGIN;
    let bottom = plan.top + grid.rows.labels.len() * plan.cell;
    let height = bottom + 84 + remarks.len() * 20 + MARGIN;

    let paint = ColourScale::of(grid.cells);
    let small = |colour: &str| format!(" font-size=\"13\" fill=\"{colour}\"");
    let heading = format!(" font-size=\"21\" font-weight=\"600\" fill=\"{INK}\"");
    let mut parts = vec![
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             role=\"img\" aria-labelledby=\"title desc\" font-family=\"system-ui, 'DejaVu Sans', sans-serif\">"
        ),
        format!("<title id=\"title\">{}</title>", escaped(&title)),
        format!("<desc id=\"desc\">{}</desc>", escaped(&remarks.join(". "))),
        legend::PATTERN.to_owned(),
        rect((0, 0), (width, height), PAPER),
        text((MARGIN, MARGIN + 20), &heading, &title),
        text((MARGIN, MARGIN + 42), &small(SOFT), rules),
        labels(&grid, &plan),
        cells(&grid, &plan, &paint),
        legend::drawn(&paint, MARGIN, bottom + 24),
    ];
    let below = (bottom + 84..).step_by(20).zip(&remarks);
    parts.extend(below.map(|(y, line)| text((MARGIN, y), &small(INK), line)));
    parts.push("</svg>\n".to_owned());
    parts.join("\n")
}

/// A text with its place and its other attributes.
fn text((x, y): (usize, usize), attributes: &str, words: &str) -> String {
    let words = escaped(words);
    format!("<text x=\"{x}\" y=\"{y}\"{attributes}>{words}</text>")
}

fn rect((x, y): (usize, usize), (width, height): (usize, usize), fill: &str) -> String {
    format!("<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\"/>")
}

/// Draws the names of both axes and the labels along them.
fn labels(grid: &Grid<'_>, plan: &SvgLayout) -> String {
    let SvgLayout {
        cell,
        left,
        top,
        label_step,
        ..
    } = *plan;
    const MIDDLE: &str = " text-anchor=\"middle\"";
    const END: &str = " text-anchor=\"end\"";
    let middle = left + grid.columns.labels.len() * cell / 2;
    let (x, y) = (MARGIN + 8, top + grid.rows.labels.len() * cell / 2);
    let upright = format!("{MIDDLE} transform=\"rotate(-90 {x} {y})\"");
    let mut parts = vec![
        format!("<g font-size=\"12\" fill=\"{SOFT}\">"),
        text((middle, top - 26), MIDDLE, grid.columns.amount),
        text((x, y), &upright, grid.rows.amount),
    ];
    let columns = grid.columns.labels.iter().enumerate().step_by(label_step);
    parts.extend(
        columns
            .map(|(index, label)| text((left + index * cell + cell / 2, top - 8), MIDDLE, label)),
    );
    let rows = grid.rows.labels.iter().enumerate().step_by(label_step);
    parts.extend(
        rows.map(|(index, label)| text((left - 8, top + index * cell + cell / 2 + 4), END, label)),
    );
    parts.push("</g>".to_owned());
    parts.concat()
}

/// Draws the cells, with their values where they fit.
fn cells(grid: &Grid<'_>, plan: &SvgLayout, paint: &ColourScale) -> String {
    let cell = plan.cell;
    // A gap of one unit between cells, unless they are too small for it.
    let side = if cell > 8 { cell - 1 } else { cell };
    let mut drawn = String::from("<g font-size=\"12\" text-anchor=\"middle\">");
    for (row, (_, values)) in grid.rows().enumerate() {
        drawn.push('\n');
        for (column, &value) in values.iter().enumerate() {
            let (x, y) = (plan.left + column * cell, plan.top + row * cell);
            drawn.push_str(&rect((x, y), (side, side), &paint.fill(value)));
            if cell == CELL {
                drawn.push_str(&number(value, (x + cell / 2, y + cell / 2 + 4)));
            }
        }
    }
    drawn + "\n</g>"
}

fn number(value: Cell, place: (usize, usize)) -> String {
    let style = match value.is_cold() {
        true => format!(" fill=\"{PAPER}\" font-weight=\"700\""),
        false => format!(" fill=\"{INK}\""),
    };
    let shown = value.text();
    // Long numbers are smaller, so that they stay inside the cell.
    let size = match shown.len() {
        0..=3 => String::new(),
        digits => format!(" font-size=\"{}\"", (44 / digits).max(4)),
    };
    text(place, &(style + &size), &shown)
}

/// Escapes a text for XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests;
