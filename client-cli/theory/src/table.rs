//! `fibfob table`: the nimbers of many positions, as text or data.

mod captions;
mod cell;
mod compute;
mod export;
mod grid;
mod period;
mod text;

use std::io::{self, BufWriter, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::args::TableArgs;
use crate::exit::Exit;
use crate::{Failure, complain};
use compute::{NimberTable, TableError};

/// The time a computation may take before its progress is shown.
const QUIET: Duration = Duration::from_millis(400);

/// The line that shows progress.
const PROGRESS: &str = "{percent:>3} %  {pos} of {len}  (Ctrl-C shows what is there)";

/// Computes a table, and writes what is computed until the flag of `listen` is set.
///
/// # Errors
/// There is no such table, or standard output cannot be written to.
pub fn run(args: &TableArgs, listen: fn() -> Arc<AtomicBool>) -> Result<Exit, Failure> {
    let mut table = NimberTable::new(args)?;
    let interrupted = compute(&mut table, &listen())?;
    show(&table, args)?;
    Ok(match interrupted && !table.is_whole() {
        true => Exit::Interrupted,
        false => Exit::Done,
    })
}

/// Computes a table until a flag says to stop, and shows the progress if standard error is a terminal.
/// Returns true if it was stopped. From then on Ctrl-C ends the program.
fn compute(table: &mut NimberTable, stop: &AtomicBool) -> Result<bool, TableError> {
    let style = ProgressStyle::with_template(PROGRESS).expect("the template is well-formed");
    let bar = ProgressBar::new(table.cell_count()).with_style(style);
    let start = Instant::now();
    let computed = table.compute(|done| {
        if start.elapsed() > QUIET {
            bar.set_position(done);
        }
        !stop.load(Ordering::Relaxed)
    });
    bar.finish_and_clear();
    let interrupted = stop.swap(true, Ordering::Relaxed);
    computed.map(|()| interrupted)
}

/// Writes a table in the format asked for or, without one, in the format that fits the output.
fn show(table: &NimberTable, args: &TableArgs) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    if args.json {
        export::json(table, &mut out)?;
    } else if args.plain || (!args.csv && io::stdout().is_terminal()) {
        text::write(table, &mut out)?;
    } else {
        export::csv(table, &mut out)?;
        // Text for people goes to standard error, as in every command whose output is for programs.
        for remark in captions::remarks(table) {
            complain(&remark);
        }
    }
    out.flush()
}

#[cfg(test)]
mod tests;
