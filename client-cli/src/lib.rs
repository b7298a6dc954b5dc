//! `fibfob`: play, watch and solve Fib Fob and its family of games in a terminal.
//!
//! Two halves know nothing of each other: `app` is a match as it happens, without a screen; `screen` and
//! `plain` show it. The crate `fibfob-theory` has the commands that need no server.

mod app;
mod args;
mod coach;
mod device;
mod forget;
mod json_lines;
mod learn;
mod legal;
mod lists;
mod local;
mod local_time;
mod moves;
mod names;
mod plain;
mod questions;
mod run;
mod screen;
mod signal;
mod solver;
mod storage;
mod time_control;
mod typed_move;

use std::error::Error;
use std::io::{self, IsTerminal};
use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use fibfob_theory::{Exit, Failure, complain};

use app::Recording;
use args::{Cli, CliCommand, UsageError, near_miss};
use questions::Interrupted;
use run::RunSetup;

/// Runs the program.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(mut error) => {
            let words: Vec<String> = std::env::args().skip(1).collect();
            if let Some(moved) = learn::answer_old_command(&words, error.kind()) {
                complain(&format_args!("fibfob: {moved}"));
                return Exit::Usage.into();
            }
            let meant = near_miss(&words, &mut error);
            // A closed standard error leaves the exit code.
            let _ = error.print();
            if let Some(meant) = meant {
                complain(&format_args!("\nperhaps you mean: {meant}"));
            }
            std::process::exit(error.exit_code());
        }
    };
    let exit = run(&cli.command).unwrap_or_else(|failure| exit_after(&*failure));
    exit.into()
}

/// Returns the command line, from which packages make a manual page and completions.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command()
}

fn run(command: &CliCommand) -> Result<Exit, Failure> {
    let setup = match command {
        CliCommand::Theory(command) => return command.run(signal::stop_flag),
        CliCommand::Learn(args) => return learn::run(args),
        CliCommand::Matches(args) => return wait_for(lists::matches(args)),
        CliCommand::Device(args) => return wait_for(device::run(args)),
        CliCommand::ForgetMe(args) => return wait_for(forget::run(args)),
        CliCommand::Lobby(args) => return wait_for(lists::lobby(args)),
        CliCommand::Analyse(args) => RunSetup::analyse(args)?,
        CliCommand::Play(args) => RunSetup::play(args)?,
        CliCommand::Watch(args) => RunSetup::watch(&args.common, &args.code, Recording::AtEnd)?,
        CliCommand::Review(args) => RunSetup::watch(&args.common, &args.code, Recording::Asked)?,
    };
    wait_for(play(setup))
}

/// Reports the failure of a command; returns its exit code.
fn exit_after(failure: &(dyn Error + 'static)) -> Exit {
    let output: Option<&io::Error> = failure.downcast_ref();
    if output.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
        // Whoever read our output has enough of it.
        return Exit::Done;
    }
    if failure.is::<Interrupted>() {
        return Exit::Interrupted;
    }
    complain(&format_args!("fibfob: {failure}"));
    match failure.is::<UsageError>() {
        true => Exit::Usage,
        false => Exit::No,
    }
}

async fn play(setup: RunSetup) -> Result<Exit, Failure> {
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    // There is a screen to draw on and a keyboard to type on.
    let is_screen = io::stdout().is_terminal() && io::stdin().is_terminal() && !is_dumb;
    match is_screen && !setup.common.json && !setup.common.plain {
        true => screen::run(setup).await,
        false => plain::run(setup).await,
    }
}

fn wait_for(run: impl Future<Output = Result<Exit, Failure>>) -> Result<Exit, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let ended = runtime.block_on(run);
    // A thread that waits for a line nobody will type is not waited for.
    runtime.shutdown_background();
    ended
}
