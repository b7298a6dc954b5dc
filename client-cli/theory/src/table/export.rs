//! Tables for programs: CSV and JSON.

use std::collections::BTreeMap;
use std::io::{self, Write};

use csv::WriterBuilder;
use fibfob_games::{GameId, Outcome, TableOption};
use serde::Serialize;

use super::compute::{NimberTable, TableLayout};
use super::grid::Grid;

/// Writes a table as CSV: a sequence as lines `amount,nimber,outcome`, a plane as rows of nimbers.
/// Unknown values are empty.
///
/// # Errors
/// The output cannot be written to.
pub fn csv(table: &NimberTable, out: &mut impl Write) -> io::Result<()> {
    let mut csv = WriterBuilder::new().flexible(true).from_writer(Vec::new());
    if let TableLayout::Sequence(sequence) = &table.layout {
        csv.write_record([sequence.axis.name, "nimber", "outcome"])?;
        for (amount, cell) in (sequence.axis.least..).zip(&table.cells) {
            csv.serialize((amount, cell.nimber, cell.outcome))?;
        }
    } else {
        let grid = Grid::of(table);
        let corner = format!("{}\\{}", grid.down, grid.across);
        csv.write_record([&corner].into_iter().chain(&grid.columns))?;
        for (label, cells) in &grid.rows {
            let texts = cells.iter().map(|cell| cell.text());
            csv.write_record([label.clone()].into_iter().chain(texts))?;
        }
    }
    // Not written directly: csv's errors hide that a pipe was closed.
    out.write_all(&csv.into_inner().expect("memory takes all bytes"))
}

/// A table as one JSON object.
#[derive(Serialize)]
struct TableJson {
    game: GameId,
    #[serde(flatten)]
    shape: LayoutJson,
    /// False if the computation was interrupted.
    complete: bool,
}

#[derive(Serialize)]
#[serde(tag = "table", rename_all = "kebab-case")]
enum LayoutJson {
    Sequence {
        amount: &'static str,
        from: u64,
        /// Null where a position has no nimber or it is not known.
        nimbers: Vec<Option<u64>>,
        outcomes: Vec<Option<Outcome>>,
        period: Option<PeriodJson>,
    },
    Plane {
        rows: AxisJson,
        columns: AxisJson,
        options: BTreeMap<&'static str, u64>,
        nimbers: Vec<Vec<Option<u64>>>,
        outcomes: Vec<Vec<Option<Outcome>>>,
    },
}

#[derive(Serialize)]
struct AxisJson {
    amount: &'static str,
    labels: Vec<String>,
}

/// The period observed, and the amount up to which it was observed.
#[derive(Serialize)]
struct PeriodJson {
    length: usize,
    /// The first amount of the period.
    from: u64,
    preperiod: usize,
    /// The rise of the nimbers in each period.
    rise: u64,
    seen_to: u64,
}

/// Writes a table as JSON on one line.
///
/// # Errors
/// The output cannot be written to.
pub fn json(table: &NimberTable, out: &mut impl Write) -> io::Result<()> {
    let shape = match &table.layout {
        TableLayout::Sequence(sequence) => {
            let from = sequence.axis.least;
            let period = table.period().map(|period| PeriodJson {
                length: period.length,
                from: from + period.preperiod as u64,
                preperiod: period.preperiod,
                rise: period.rise,
                seen_to: (from + table.cells.len() as u64).saturating_sub(1),
            });
            LayoutJson::Sequence {
                amount: sequence.axis.name,
                from,
                nimbers: table.cells.iter().map(|cell| cell.nimber).collect(),
                outcomes: table.cells.iter().map(|cell| cell.outcome).collect(),
                period,
            }
        }
        TableLayout::Plane(_, options) => {
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
                .map(|(_, cells)| cells.iter().map(|cell| cell.outcome).collect());
            LayoutJson::Plane {
                nimbers: nimbers.collect(),
                outcomes: outcomes.collect(),
                options: TableOption::ALL
                    .into_iter()
                    .filter_map(|option| Some((option.name(), options.get(option)?)))
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
        game: table.game,
        shape,
        complete: table.is_whole(),
    };
    serde_json::to_writer(&mut *out, &data)?;
    writeln!(out)
}
