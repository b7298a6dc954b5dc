//! `fibfob table`: the nimbers of many positions, as text, data or a picture.

mod captions;
mod cell;
mod compute;
mod export;
mod grid;
mod period;
mod progress;
mod svg;
mod text;

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fibfob_games::TableOptions;

use crate::args::TableArgs;
use crate::exit::Exit;
use crate::{Failure, complain};
use compute::{NimberTable, TableRequest};
use progress::TableProgress;

/// The format in which a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OutputFormat {
    Text,
    Csv,
    Json,
}

/// Computes a table and writes it, as far as it is computed when the flag of `listen` is set.
///
/// # Errors
/// There is no such table, or a file or standard output cannot be written to.
pub fn run(args: &TableArgs, listen: fn() -> Arc<AtomicBool>) -> Result<Exit, Failure> {
    let wanted = TableRequest {
        to: args.to,
        size: args.size,
        options: TableOptions {
            p: args.p,
            q: args.q,
            third: args.third,
        },
    };
    let mut table = NimberTable::new(args.game, &wanted)?;
    if args.svg.is_some() {
        svg::check(&table)?;
    }
    let mut progress = TableProgress::new(table.wanted(), listen());
    let computed = table.compute(|done| progress.advance(done));
    let interrupted = progress.finish();
    computed?;
    match &args.svg {
        // A partial picture does not replace a whole one.
        Some(_) if !table.is_whole() => complain(&"interrupted; no picture was written"),
        Some(file) => {
            picture(&table, file).map_err(|error| format!("{}: {error}", file.display()))?
        }
        None => {}
    }
    if args.svg.is_none() || args.json || args.csv {
        show(&table, form(args))?;
    }
    Ok(match interrupted && !table.is_whole() {
        true => Exit::Interrupted,
        false => Exit::Done,
    })
}

/// Returns the format asked for or, without one, the format that fits the output.
fn form(args: &TableArgs) -> OutputFormat {
    match args {
        args if args.json => OutputFormat::Json,
        args if args.csv => OutputFormat::Csv,
        args if args.plain || io::stdout().is_terminal() => OutputFormat::Text,
        _ => OutputFormat::Csv,
    }
}

fn show(table: &NimberTable, form: OutputFormat) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    match form {
        OutputFormat::Text => text::write(table, is_coloured(), &mut out)?,
        OutputFormat::Json => export::json(table, &mut out)?,
        OutputFormat::Csv => {
            export::csv(table, &mut out)?;
            // As in every command whose output is for programs, text for people goes here.
            remark_on(table);
        }
    }
    out.flush()
}

fn picture(table: &NimberTable, file: &Path) -> io::Result<()> {
    std::fs::write(file, svg::drawn(table))?;
    complain(&format_args!("wrote {}", file.display()));
    remark_on(table);
    Ok(())
}

fn remark_on(table: &NimberTable) {
    for remark in captions::remarks(table) {
        complain(&remark);
    }
}

/// Returns true if standard output is a terminal with colours and `NO_COLOR` is not set.
fn is_coloured() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    io::stdout().is_terminal() && !set("NO_COLOR") && !dumb
}

#[cfg(test)]
mod tests;
