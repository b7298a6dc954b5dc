//! The colours of a picture: a light background, warm colours for nimbers, and lost positions dark
//! enough to be seen without colours.

use super::super::cell::Cell;

/// The background.
pub const PAPER: &str = "#fffdf8";

/// The colour of text.
pub const INK: &str = "#22283a";

/// The colour of labels and rules.
pub const SOFT: &str = "#667085";

/// The fill of lost positions.
pub const COLD: &str = "#1d2b53";

/// The fill of positions that are not known: the legend's pattern.
pub const UNKNOWN: &str = "url(#unknown)";

/// The fill of won positions of a game without nimbers.
pub const WON: [u8; 3] = [0xfa, 0xdf, 0xa4];

/// The colours from nimber 1 to the largest, light enough for dark digits.
const SCALE: [[u8; 3]; 4] = [
    [0xfd, 0xf0, 0xd2],
    [0xfa, 0xd0, 0x8b],
    [0xf4, 0xa6, 0x73],
    [0xe6, 0x80, 0x78],
];

/// The colours of a table's cells, scaled to its largest nimber.
pub struct ColourScale {
    /// The largest nimber; none in a game without nimbers.
    pub largest: Option<u64>,
    /// True if some position is not known.
    pub unknown: bool,
}

impl ColourScale {
    pub fn of(cells: &[Cell]) -> Self {
        Self {
            largest: cells.iter().filter_map(|cell| cell.nimber).max(),
            unknown: cells.iter().any(|cell| cell.outcome.is_none()),
        }
    }

    /// The fill of a cell.
    pub fn fill(&self, cell: Cell) -> String {
        match (cell.nimber, cell.outcome) {
            _ if cell.is_cold() => COLD.to_owned(),
            (Some(nimber), _) => self.shade(nimber),
            (None, Some(_)) => hex(WON),
            (None, None) => UNKNOWN.to_owned(),
        }
    }

    /// The colour of a nimber from 1 on.
    pub fn shade(&self, nimber: u64) -> String {
        let steps = self.largest.unwrap_or(1).saturating_sub(1).max(1);
        let share = nimber.saturating_sub(1) as f64 / steps as f64;
        let place = share.clamp(0.0, 1.0) * (SCALE.len() - 1) as f64;
        // No truncation: it lies between 0 and the last index.
        let index = (place as usize).min(SCALE.len() - 2);
        let part = place - index as f64;
        let mixed = std::array::from_fn(|channel| {
            let [from, to] = [index, index + 1].map(|step| f64::from(SCALE[step][channel]));
            (from + (to - from) * part).round() as u8
        });
        hex(mixed)
    }
}

/// A colour as SVG writes it.
pub fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
