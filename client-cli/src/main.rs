//! `fibfob`: play, watch and solve Fib Fob and its family of games in a terminal.
//!
//! Two halves that know nothing of each other: `app` is a match as it happens, without a screen;
//! `screen`, `plain` and `lobby` show it. `solve`, `reference` and `table` need neither.

mod app;
mod args;
mod device;
mod duration;
mod exit;
mod explain;
mod how_to_play;
mod legal;
mod lobby;
mod local;
mod matches;
mod names;
mod plain;
mod printed_request;
mod reference;
mod review;
mod run;
mod screen;
mod signal;
mod solve;
mod spelling;
mod storage;
mod table;
mod time_control;
mod typed;
mod wrapping;

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use clap::Parser;

use args::{Cli, CliCommand, ConnectionArgs};
use exit::Exit;
use run::{RunSetup, RunSetupError};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let ended = match &cli.command {
        CliCommand::Solve(args) => solve::run(args),
        CliCommand::Games(args) => reference::games(args),
        CliCommand::Rules(args) => reference::rules(args),
        CliCommand::Table(args) => table::run(args),
        CliCommand::Compare(args) => reference::compare(args),
        CliCommand::Mex(args) => reference::mex(args),
        CliCommand::Play(args) => online(RunSetup::play(args), &args.common),
        CliCommand::Watch(args) => online(RunSetup::watch(args), &args.common),
        CliCommand::Matches(args) => wait_for(async {
            match RunSetup::list(&args.common) {
                Ok(setup) => matches::run(setup, args).await,
                Err(fault) => Ok(refused(&fault)),
            }
        }),
        CliCommand::Review(args) => wait_for(async {
            match RunSetup::review(args) {
                Ok(setup) => review::run(setup, args).await,
                Err(fault) => Ok(refused(&fault)),
            }
        }),
        CliCommand::Device(args) => wait_for(async {
            match RunSetup::list(&args.common) {
                Ok(setup) => device::run(setup, args).await,
                Err(fault) => Ok(refused(&fault)),
            }
        }),
        CliCommand::Lobby(args) => wait_for(async {
            match RunSetup::list(&args.common) {
                Ok(setup) => lobby::run(setup, args).await,
                Err(fault) => Ok(refused(&fault)),
            }
        }),
    };
    let exit = match ended {
        Ok(exit) => exit,
        // Whoever read our output has enough of it.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Done,
        Err(error) => {
            complain(&error);
            Exit::No
        }
    };
    exit.into()
}

fn online(setup: Result<RunSetup, RunSetupError>, common: &ConnectionArgs) -> io::Result<Exit> {
    let setup = match setup {
        Ok(setup) => setup,
        Err(fault) => return Ok(refused(&fault)),
    };
    let drawn = !common.json && !common.plain && is_screen();
    wait_for(async {
        if drawn {
            screen::run(setup).await
        } else {
            plain::run(setup, common.json).await
        }
    })
}

/// Whether there is a screen to draw on and a keyboard to type on.
fn is_screen() -> bool {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    io::stdout().is_terminal() && io::stdin().is_terminal() && !dumb
}

fn wait_for(run: impl Future<Output = io::Result<Exit>>) -> io::Result<Exit> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let ended = runtime.block_on(run);
    // A thread that waits for a line nobody will type is not waited for.
    runtime.shutdown_background();
    ended
}

fn refused(fault: &RunSetupError) -> Exit {
    complain(fault);
    fault.exit()
}

fn complain(what: &dyn std::fmt::Display) {
    // Where even standard error is closed, the exit code still tells.
    let _ = writeln!(io::stderr().lock(), "fibfob: {what}");
}
