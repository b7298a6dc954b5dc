//! Numbers below each other in binary, for adding without carrying: a column with an odd number of
//! ones has a one below the line.

use fibfob_games::Part;

/// The maximum number of rows.
const ROWS_SHOWN_MAX: usize = 64;

/// A named nimber.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NimberRow {
    name: String,
    /// The amount in the game's notation, if it differs from the nimber.
    size: Option<String>,
    value: u64,
}

impl NimberRow {
    /// The row of a part of a position.
    pub fn part(part: Part, size: &str, value: u64) -> Self {
        Self {
            name: part.to_string(),
            size: (size != value.to_string()).then(|| size.to_owned()),
            value,
        }
    }

    /// The row of a part without an amount.
    pub fn term(part: Part, value: u64) -> Self {
        Self {
            name: part.to_string(),
            size: None,
            value,
        }
    }

    /// Returns the row as a line outside columns.
    pub fn alone(&self) -> String {
        match &self.size {
            Some(size) => format!("{} = {}", sized(&self.name, size), self.value),
            None => sized(&self.name, &self.value.to_string()),
        }
    }
}

/// Returns a part with its amount: `time 15`, and `heap 1: 15`, where two numbers would meet.
pub(super) fn sized(name: &str, size: &str) -> String {
    let colon = if name.ends_with(|last: char| last.is_ascii_digit()) {
        ":"
    } else {
        ""
    };
    format!("{name}{colon} {size}")
}

/// Draws the rows and their sum, each number in decimal and in binary.
pub fn drawn(rows: &[NimberRow], total: u64) -> Vec<String> {
    let shown = &rows[..rows.len().min(ROWS_SHOWN_MAX)];
    let widest = |width: &dyn Fn(&NimberRow) -> usize| shown.iter().map(width).max().unwrap_or(0);
    let name = widest(&|row| row.name.chars().count());
    let sizes = shown.iter().any(|row| row.size.is_some());
    // Where one amount is shown, all are, so that each column has one meaning.
    let size = |row: &NimberRow| row.size.clone().unwrap_or_else(|| row.value.to_string());
    let size_width = if sizes {
        widest(&|row| size(row).chars().count())
    } else {
        0
    };
    let largest = shown.iter().map(|row| row.value).fold(total, u64::max);
    let decimal = largest.to_string().len();
    let bits = (u64::BITS - largest.leading_zeros()).max(1) as usize;
    let line = |row: &NimberRow| {
        let middle = if sizes {
            format!("  {:>size_width$} = ", size(row))
        } else {
            "  ".to_owned()
        };
        let NimberRow {
            name: text, value, ..
        } = row;
        format!("  {text:name$}{middle}{value:>decimal$}  {value:0bits$b}")
    };
    let mut lines: Vec<String> = shown.iter().map(line).collect();
    if rows.len() > shown.len() {
        lines.push(format!("  … {} more", rows.len() - shown.len()));
    }
    let indent = 2 + name + if sizes { 2 + size_width + 3 } else { 2 };
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
            NimberRow::part(Part::File, "g", 6),
            NimberRow::part(Part::Time, "15", 15),
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
            NimberRow::part(Part::Heap { number: 1 }, "3", 3),
            NimberRow::part(Part::Heap { number: 10 }, "5", 5),
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
            .map(|_| NimberRow::term(Part::Heap { number: 1 }, 1))
            .collect();
        let lines = drawn(&rows, 0);
        assert_eq!(lines.len(), ROWS_SHOWN_MAX + 3);
        assert_eq!(lines[ROWS_SHOWN_MAX], "  … 36 more");
    }
}
