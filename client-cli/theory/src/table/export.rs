//! Tables for programs: CSV and JSON.

use std::collections::BTreeMap;
use std::io::{self, Write};

use csv::WriterBuilder;
use fibfob_games::{GameId, Outcome};
use serde::Serialize;

use super::cell::Cell;
use super::compute::NimberTable;
use super::grid::{Grid, Labels};
use super::period::Period;
use crate::json_line;

/// Writes a table as CSV: a sequence as lines `amount,nimber,outcome`, a plane as rows of nimbers.
/// Unknown values are empty.
pub fn csv(table: &NimberTable, out: &mut impl Write) -> io::Result<()> {
    let mut csv = WriterBuilder::new().flexible(true).from_writer(Vec::new());
    let rows = table.arranged.rows;
    if table.arranged.columns.is_none() {
        csv.write_record([rows.name, "nimber", "outcome"])?;
        for (amount, cell) in (rows.least..).zip(&table.cells) {
            csv.serialize((amount, cell.nimber, cell.outcome))?;
        }
    } else {
        let grid = Grid::of(table);
        let corner = format!("{}\\{}", grid.rows.amount, grid.columns.amount);
        csv.write_record([&corner].into_iter().chain(&grid.columns.labels))?;
        for (label, cells) in grid.rows() {
            let texts = cells.iter().map(|cell| cell.text());
            csv.write_record([label.to_owned()].into_iter().chain(texts))?;
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
    layout: LayoutJson,
    /// False if the computation was interrupted.
    complete: bool,
}

#[derive(Serialize)]
#[serde(tag = "table", rename_all = "kebab-case")]
enum LayoutJson {
    Sequence {
        amount: &'static str,
        from: u64,
        nimbers: CellNimbers,
        outcomes: CellOutcomes,
        period: Option<Period>,
    },
    Plane {
        rows: Labels,
        columns: Labels,
        options: BTreeMap<&'static str, u64>,
        nimbers: Vec<CellNimbers>,
        outcomes: Vec<CellOutcomes>,
    },
}

/// The nimbers of cells; null where a position has none or it is not known.
type CellNimbers = Vec<Option<u64>>;

/// The outcomes of cells; null where they are not known.
type CellOutcomes = Vec<Option<Outcome>>;

fn values(cells: &[Cell]) -> (CellNimbers, CellOutcomes) {
    let values = cells.iter().map(|cell| (cell.nimber, cell.outcome));
    values.unzip()
}

/// Writes a table as JSON on one line.
pub fn json(table: &NimberTable, out: &mut impl Write) -> io::Result<()> {
    let axis = table.arranged.rows;
    let layout = match table.arranged.columns {
        None => {
            let (nimbers, outcomes) = values(&table.cells);
            LayoutJson::Sequence {
                amount: axis.name,
                from: axis.least,
                nimbers,
                outcomes,
                period: table.period(),
            }
        }
        Some(_) => {
            let grid = Grid::of(table);
            let (nimbers, outcomes) = grid.rows().map(|(_, cells)| values(cells)).unzip();
            LayoutJson::Plane {
                rows: grid.rows,
                columns: grid.columns,
                options: table.options.chosen().collect(),
                nimbers,
                outcomes,
            }
        }
    };
    let data = TableJson {
        game: table.game,
        layout,
        complete: table.is_whole(),
    };
    out.write_all(json_line(&data).as_bytes())
}
