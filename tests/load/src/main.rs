//! The load program: one run of one kind of load.

use std::process::ExitCode;

use clap::Parser;
use fibfob_load::{Figures, LoadArgs, LoadError, run};

/// The exit code of an interrupted run.
const INTERRUPTED: u8 = 130;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let args = LoadArgs::parse();
    let ended: Option<Result<Figures, LoadError>> = tokio::select! {
        ended = run(&args) => Some(ended),
        _ = tokio::signal::ctrl_c() => None,
    };
    match ended {
        // The server that was started has ended with the run.
        None => ExitCode::from(INTERRUPTED),
        Some(Ok(figures)) => {
            if args.common.json {
                println!("{}", figures.json());
            } else {
                print!("{figures}");
            }
            ExitCode::SUCCESS
        }
        Some(Err(error)) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
