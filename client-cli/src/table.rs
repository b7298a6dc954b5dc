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

use fibfob_games::TableOptions;

use crate::args::TableArgs;
use crate::exit::Exit;
use compute::{NimberTable, TableRequest};
use progress::TableProgress;

/// The format in which a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OutputFormat {
    Text,
    Csv,
    Json,
}

/// Computes a table and writes it.
///
/// # Errors
/// Standard output cannot be written to.
pub fn run(args: &TableArgs) -> io::Result<Exit> {
    let wanted = TableRequest {
        to: args.to,
        size: args.size,
        options: TableOptions {
            p: args.p,
            q: args.q,
            third: args.third,
        },
    };
    let mut table = match NimberTable::new(args.game, &wanted) {
        Ok(table) => table,
        Err(fault) => return Ok(refused(&fault)),
    };
    if args.svg.is_some()
        && let Err(fault) = svg::check(&table)
    {
        return Ok(refused(&fault));
    }
    let mut progress = TableProgress::start(table.wanted());
    let computed = table.compute(|done| progress.advance(done));
    let interrupted = progress.finish();
    if let Err(fault) = computed {
        return Ok(refused(&fault));
    }
    match &args.svg {
        // A partial picture does not replace a whole one.
        Some(_) if !table.is_whole() => complain(&"interrupted; no picture was written"),
        Some(file) => {
            if let Err(error) = picture(&table, file) {
                return Ok(refused(&format!("{}: {error}", file.display())));
            }
        }
        None => {}
    }
    if args.svg.is_none() || args.json || args.csv {
        show(&table, form(args))?;
    }
    Ok(if interrupted && !table.is_whole() {
        Exit::Interrupted
    } else {
        Exit::Done
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
            for remark in captions::remarks(table) {
                let _ = writeln!(io::stderr(), "{remark}");
            }
        }
    }
    out.flush()
}

fn picture(table: &NimberTable, file: &Path) -> io::Result<()> {
    std::fs::write(file, svg::drawn(table))?;
    let mut err = io::stderr().lock();
    let _ = writeln!(err, "wrote {}", file.display());
    for remark in captions::remarks(table) {
        let _ = writeln!(err, "{remark}");
    }
    Ok(())
}

/// Returns true if standard output is a terminal with colours and `NO_COLOR` is not set.
fn is_coloured() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    io::stdout().is_terminal() && !set("NO_COLOR") && !dumb
}

fn refused(fault: &dyn std::fmt::Display) -> Exit {
    complain(fault);
    Exit::No
}

fn complain(what: &dyn std::fmt::Display) {
    let _ = writeln!(io::stderr().lock(), "fibfob: {what}");
}

#[cfg(test)]
mod tests;
