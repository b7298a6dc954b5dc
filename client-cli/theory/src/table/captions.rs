//! The title of a table and remarks on what it shows.

use super::compute::{NimberTable, TableLayout};

/// The maximum number of lost positions that are listed.
const COLD_SHOWN_MAX: usize = 24;

/// Returns the title of a table, such as `Kayles: nimbers by pins`.
pub fn title(table: &NimberTable) -> String {
    let title = table.game.info().title;
    let values = if table.cells.iter().any(|cell| cell.nimber.is_some()) {
        "nimbers"
    } else {
        "outcomes"
    };
    match &table.layout {
        TableLayout::Sequence(sequence) => format!("{title}: {values} by {}", sequence.axis.name),
        TableLayout::Plane(plane, options) => {
            let chosen = match options.written() {
                chosen if chosen.is_empty() => String::new(),
                chosen => format!(" ({chosen})"),
            };
            let (down, across) = (plane.rows.name, plane.columns.name);
            format!("{title}{chosen}: {values} by {down} (down) and {across} (across)")
        }
    }
}

/// Returns remarks on a table: its period, its lost positions, what is not known, and whether the
/// computation was interrupted.
pub fn remarks(table: &NimberTable) -> Vec<String> {
    let mut lines = Vec::new();
    if let TableLayout::Sequence(sequence) = &table.layout {
        let to = table.cells.len() as u64 + sequence.axis.least;
        let to = to.saturating_sub(1);
        let known = table.cells.iter().all(|cell| cell.nimber.is_some());
        match table.period() {
            Some(period) => {
                let from = sequence.axis.least + period.preperiod as u64;
                let seen = (table.cells.len() - period.preperiod) as f64 / period.length as f64;
                let what = match period.rise {
                    0 => format!("period {}", period.length),
                    rise => format!("a rise by {rise} every {}", period.length),
                };
                let first = if period.preperiod == 0 {
                    "no pre-period".to_owned()
                } else {
                    format!("pre-period {}", period.preperiod)
                };
                lines.push(format!(
                    "{what} from {from} ({first}), observed up to {to}, {seen:.1} times; nothing is claimed beyond"
                ));
            }
            None if known && !table.cells.is_empty() => {
                lines.push(format!("no period observed up to {to}"));
            }
            None => {}
        }
        lines.push(cold(table, sequence.axis.least));
    } else {
        let cold = table.cells.iter().filter(|cell| cell.is_cold()).count();
        lines.push(format!(
            "{cold} of {} positions are cold: the player to move loses",
            table.cells.len()
        ));
    }
    let unknown = |cell: &&super::cell::Cell| cell.nimber.is_none() && cell.outcome.is_none();
    let unknown = table.cells.iter().filter(unknown).count();
    if unknown > 0 {
        lines.push(format!("{unknown} positions are not known"));
    }
    if !table.is_whole() {
        lines.push(format!(
            "interrupted: {} of {} positions",
            table.cells.len(),
            table.wanted()
        ));
    }
    lines
}

/// Returns the lost positions of a sequence, in words.
fn cold(table: &NimberTable, least: u64) -> String {
    let cells = (least..).zip(&table.cells);
    let mut cold = cells.filter(|(_, cell)| cell.is_cold());
    let shown = cold.by_ref().take(COLD_SHOWN_MAX);
    let mut shown: Vec<String> = shown.map(|(amount, _)| amount.to_string()).collect();
    let more = cold.count();
    if more > 0 {
        shown.push(format!("… and {more} more"));
    }
    if shown.is_empty() {
        return "cold (the player to move loses): none".to_owned();
    }
    format!("cold (the player to move loses): {}", shown.join(", "))
}
