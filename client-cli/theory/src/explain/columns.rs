//! Numbers below each other in binary, for adding without carrying: a column with an odd number of
//! ones has a one below the line.

use std::fmt::Display;

use fibfob_games::{ExplanationStep, Part};

/// The maximum number of rows.
const ROWS_SHOWN_MAX: usize = 64;

/// A named nimber.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NimberRow {
    part: Part,
    /// The amount in the game's notation, if it differs from the nimber.
    size: Option<String>,
    value: u64,
}

impl NimberRow {
    /// The row of a part of a position.
    pub fn new(part: Part, size: impl Display, value: u64) -> Self {
        let size = Some(size.to_string()).filter(|size| *size != value.to_string());
        Self { part, size, value }
    }

    /// Returns the row as a line outside columns.
    pub fn alone(&self) -> String {
        match &self.size {
            Some(size) => format!("{} = {}", sized(self.part, size), self.value),
            None => sized(self.part, self.value),
        }
    }
}

/// Returns the rows of the parts among the steps.
pub fn rows(steps: &[ExplanationStep]) -> Vec<NimberRow> {
    let row = |step: &ExplanationStep| match step {
        ExplanationStep::Part { part, size, nimber } => Some(NimberRow::new(*part, size, *nimber)),
        _ => None,
    };
    steps.iter().filter_map(row).collect()
}

/// Returns a part with its amount: `time 15`, and `heap 1: 15`, where two numbers would meet.
pub fn sized(part: impl Display, size: impl Display) -> String {
    let name = part.to_string();
    let is_numbered = name.ends_with(|last: char| last.is_ascii_digit());
    let colon = if is_numbered { ":" } else { "" };
    format!("{name}{colon} {size}")
}

/// Draws the rows and their sum, each number in decimal and in binary; a single row as a line.
pub fn drawn(rows: &[NimberRow], total: u64) -> Vec<String> {
    if rows.len() < 2 {
        return rows.iter().map(NimberRow::alone).collect();
    }
    let shown = &rows[..rows.len().min(ROWS_SHOWN_MAX)];
    let widest = |text: &dyn Fn(&NimberRow) -> String| {
        let widths = shown.iter().map(|row| text(row).chars().count());
        widths.max().unwrap_or(0)
    };
    let name = widest(&|row| row.part.to_string());
    // Where one amount is shown, all are, so that each column has one meaning.
    let size = |row: &NimberRow| row.size.clone().unwrap_or_else(|| row.value.to_string());
    let sizes = shown
        .iter()
        .any(|row| row.size.is_some())
        .then(|| widest(&size));
    let largest = shown.iter().map(|row| row.value).fold(total, u64::max);
    let decimal = largest.to_string().len();
    let bits = (u64::BITS - largest.leading_zeros()).max(1) as usize;
    let line = |row: &NimberRow| {
        let middle = match sizes {
            Some(width) => format!("  {:>width$} = ", size(row)),
            None => "  ".to_owned(),
        };
        let (part, value) = (row.part.to_string(), row.value);
        format!("  {part:name$}{middle}{value:>decimal$}  {value:0bits$b}")
    };
    let mut lines: Vec<String> = shown.iter().map(line).collect();
    if rows.len() > shown.len() {
        lines.push(format!("  … {} more", rows.len() - shown.len()));
    }
    let indent = 2 + name + sizes.map_or(2, |width| 2 + width + 3);
    let rule = "─".repeat(bits);
    lines.push(format!("{:width$}{rule}", "", width = indent + decimal + 2));
    lines.push(format!("{:indent$}{total:>decimal$}  {total:0bits$b}", ""));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_aligned_in_columns() {
        let rows = [
            NimberRow::new(Part::File, "g", 6),
            NimberRow::new(Part::Time, "15", 15),
        ];
        assert_eq!(
            drawn(&rows, 9),
            [
                "  file   g =  6  0110",
                "  time  15 = 15  1111",
                "                 ────",
                "              9  1001",
            ]
        );
    }

    #[test]
    fn amounts_equal_to_the_nimbers_are_left_out() {
        let rows = [
            NimberRow::new(Part::Heap { number: 1 }, "3", 3),
            NimberRow::new(Part::Heap { number: 10 }, "5", 5),
        ];
        assert_eq!(
            drawn(&rows, 6),
            [
                "  heap 1   3  011",
                "  heap 10  5  101",
                "              ───",
                "           6  110",
            ]
        );
    }

    #[test]
    fn long_sums_are_cut() {
        let rows: Vec<NimberRow> = (0..100)
            .map(|_| NimberRow::new(Part::Heap { number: 1 }, 1, 1))
            .collect();
        let lines = drawn(&rows, 0);
        assert_eq!(lines.len(), ROWS_SHOWN_MAX + 3);
        assert_eq!(lines[ROWS_SHOWN_MAX], "  … 36 more");
    }
}
