//! Power cuts by hand, in any number.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use fibfob_tests::power_cut::{PowerCuts, write_store};

/// Records what a store in a file writes under load, builds the disk as power cuts may leave it, and
/// opens the store on each.
///
/// Ends by itself. The exit code is 0 if nothing acknowledged was lost, else 1.
#[derive(Debug, Parser)]
#[command(name = "power-cut")]
struct Args {
    /// Number of stores that are opened, spread evenly over all recorded steps.
    #[arg(long, default_value_t = 10_000)]
    states: usize,

    /// Seed of all choices; without it, a new one, which is printed.
    #[arg(long)]
    seed: Option<u64>,

    /// Only write the store that is recorded, in this folder.
    #[arg(long, value_name = "FOLDER")]
    write: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> ExitCode {
    let args = Args::parse();
    let seed = args.seed.unwrap_or_else(rand::random);
    if let Some(folder) = args.write {
        write_store(&folder, seed).await;
        return ExitCode::SUCCESS;
    }
    println!("seed {seed}");
    let own = std::env::current_exe().expect("a running program has a path");
    let cuts = PowerCuts::record(&own, seed).await;
    let report = cuts.examine(args.states).await;
    println!("{report}");
    match report.violations.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
