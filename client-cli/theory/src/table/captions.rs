//! The title of a table and remarks on what it shows.

use fibfob_games::Axis;

use super::cell::Cell;
use super::compute::NimberTable;
use super::period::Period;

/// The maximum number of lost positions that are listed.
const COLD_SHOWN_MAX: usize = 24;

/// Returns the title of a table, such as `Kayles: nimbers by pins`.
pub fn title(table: &NimberTable) -> String {
    let title = table.game.info().title;
    let has_nimbers = table.cells.iter().any(|cell| cell.nimber.is_some());
    let values = if has_nimbers { "nimbers" } else { "outcomes" };
    let chosen = table
        .options
        .chosen()
        .map(|(name, value)| format!("{name}={value}"));
    let chosen = match &chosen.collect::<Vec<_>>()[..] {
        [] => String::new(),
        chosen => format!(" ({})", chosen.join(" ")),
    };
    let down = table.arranged.rows.name;
    match table.arranged.columns {
        None => format!("{title}: {values} by {down}"),
        Some(Axis { name, .. }) => {
            format!("{title}{chosen}: {values} by {down} (down) and {name} (across)")
        }
    }
}

/// Returns remarks on a table: its period, its lost positions, what is unknown, and whether it was
/// interrupted.
pub fn remarks(table: &NimberTable) -> Vec<String> {
    let count = table.cells.len();
    let mut lines = Vec::new();
    if table.arranged.columns.is_none() {
        let least = table.arranged.rows.least;
        let known = table.cells.iter().all(|cell| cell.nimber.is_some());
        if let Some(period) = table.period() {
            lines.push(describe_period(period, count));
        } else if known && count > 0 {
            lines.push(format!("no period up to {}", least + count as u64 - 1));
        }
        lines.push(list_lost(table, least));
    } else {
        let cold = table.cells.iter().filter(|cell| cell.is_cold()).count();
        lines.push(format!(
            "{cold} of {count} positions are cold: the player to move loses"
        ));
    }
    let is_unknown = |cell: &&Cell| cell.nimber.is_none() && cell.outcome.is_none();
    let unknown = table.cells.iter().filter(is_unknown).count();
    if unknown > 0 {
        lines.push(format!("{unknown} positions are not known"));
    }
    if !table.is_whole() {
        let wanted = table.cell_count();
        lines.push(format!("interrupted: {count} of {wanted} positions"));
    }
    lines
}

/// Returns the period of a sequence of `count` values, in words.
fn describe_period(period: Period, count: usize) -> String {
    let Period {
        length,
        from,
        preperiod,
        rise,
        seen_to,
    } = period;
    let what = match rise {
        0 => format!("period {length}"),
        rise if length == 1 => format!("each nimber is {rise} more than the one before"),
        rise => format!("every nimber is {rise} more than the one {length} before it"),
    };
    let first = match preperiod {
        0 => String::new(),
        values => format!(" (after {values} others)"),
    };
    let seen = (count - preperiod) as f64 / length as f64;
    format!(
        "{what} from {from} on{first}, seen {seen:.1} times up to {seen_to}; a table proves nothing beyond"
    )
}

/// Returns the lost positions of a sequence, in words.
fn list_lost(table: &NimberTable, least: u64) -> String {
    let cells = (least..).zip(&table.cells);
    let mut cold = cells.filter(|(_, cell)| cell.is_cold());
    let shown = cold.by_ref().take(COLD_SHOWN_MAX);
    let mut shown: Vec<String> = shown.map(|(amount, _)| amount.to_string()).collect();
    let more = cold.count();
    if more > 0 {
        shown.push(format!("… and {more} more"));
    }
    if shown.is_empty() {
        shown.push("none".to_owned());
    }
    format!("cold (the player to move loses): {}", shown.join(", "))
}
