//! A table for programs: CSV and JSON.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use super::compute::{NimberTable, TableLayout};
use super::grid::Grid;
use super::shape::Knob;

/// Writes a table as CSV: a sequence as lines `amount,nimber,outcome`, a plane as it stands. What is not known is empty.
///
/// # Errors
/// When the output takes no more.
pub fn csv(table: &NimberTable, out: &mut impl Write) -> io::Result<()> {
    if let TableLayout::Line(line) = &table.layout {
        writeln!(out, "{},nimber,outcome", line.axis.name)?;
        for (amount, cell) in (line.axis.least..).zip(&table.cells) {
            let nimber = cell
                .nimber
                .map_or(String::new(), |nimber| nimber.to_string());
            let outcome = cell
                .outcome
                .map_or(String::new(), |outcome| outcome.to_string());
            writeln!(out, "{amount},{nimber},{outcome}")?;
        }
        return Ok(());
    }
    let grid = Grid::of(table);
    writeln!(
        out,
        "{}\\{},{}",
        grid.down,
        grid.across,
        grid.columns.join(",")
    )?;
    for (label, cells) in &grid.rows {
        let texts: Vec<String> = cells.iter().map(|cell| cell.text()).collect();
        writeln!(out, "{label},{}", texts.join(","))?;
    }
    Ok(())
}

/// A table as one JSON object.
#[derive(Serialize)]
struct TableJson {
    game: &'static str,
    #[serde(flatten)]
    shape: LayoutJson,
    /// Whether nothing is missing at the end.
    complete: bool,
}

#[derive(Serialize)]
#[serde(tag = "table", rename_all = "kebab-case")]
enum LayoutJson {
    Sequence {
        amount: &'static str,
        from: u64,
        /// Null where there is none or it is not known.
        nimbers: Vec<Option<u64>>,
        outcomes: Vec<Option<String>>,
        period: Option<PeriodJson>,
    },
    Plane {
        rows: AxisJson,
        columns: AxisJson,
        options: BTreeMap<&'static str, u64>,
        nimbers: Vec<Vec<Option<u64>>>,
        outcomes: Vec<Vec<Option<String>>>,
    },
}

#[derive(Serialize)]
struct AxisJson {
    amount: &'static str,
    labels: Vec<String>,
}

/// What has been seen, and up to where.
#[derive(Serialize)]
struct PeriodJson {
    length: usize,
    /// The first amount that repeats later.
    from: u64,
    preperiod: usize,
    /// By how much the nimbers rise in a period.
    rise: u64,
    seen_to: u64,
}

/// Writes a table as JSON, on one line.
///
/// # Errors
/// When the output takes no more.
pub fn json(table: &NimberTable, out: &mut impl Write) -> io::Result<()> {
    let outcome = |cell: &super::cell::Cell| cell.outcome.map(|outcome| outcome.to_string());
    let shape = match &table.layout {
        TableLayout::Line(line) => {
            let from = line.axis.least;
            let period = table.period().map(|period| PeriodJson {
                length: period.length,
                from: from + period.preperiod as u64,
                preperiod: period.preperiod,
                rise: period.rise,
                seen_to: (from + table.cells.len() as u64).saturating_sub(1),
            });
            LayoutJson::Sequence {
                amount: line.axis.name,
                from,
                nimbers: table.cells.iter().map(|cell| cell.nimber).collect(),
                outcomes: table.cells.iter().map(outcome).collect(),
                period,
            }
        }
        TableLayout::Plane(_, knobs) => {
            let Grid {
                down,
                across,
                columns,
                rows,
            } = Grid::of(table);
            let nimbers = rows
                .iter()
                .map(|(_, cells)| cells.iter().map(|cell| cell.nimber).collect());
            let outcomes = rows
                .iter()
                .map(|(_, cells)| cells.iter().map(outcome).collect());
            LayoutJson::Plane {
                nimbers: nimbers.collect(),
                outcomes: outcomes.collect(),
                options: Knob::ALL
                    .into_iter()
                    .filter_map(|knob| Some((knob.name(), knobs.get(knob)?)))
                    .collect(),
                rows: AxisJson {
                    amount: down,
                    labels: rows.into_iter().map(|(label, _)| label).collect(),
                },
                columns: AxisJson {
                    amount: across,
                    labels: columns,
                },
            }
        }
    };
    let data = TableJson {
        game: table.game.id(),
        shape,
        complete: table.is_whole(),
    };
    serde_json::to_writer(&mut *out, &data)?;
    writeln!(out)
}
