//! The crash test by hand, with any number of rounds.

use std::process::ExitCode;

use clap::Parser;
use fibfob_tests::crash_test::{CrashTestPlan, crash_test};

/// Kills a server in the middle of many matches, again and again, and checks the histories of
/// all clients.
///
/// Ends by itself. The exit code is 0 if there was no violation, else 1.
#[derive(Debug, Parser)]
#[command(name = "crash-test")]
struct Args {
    /// Number of kills.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    rounds: u32,

    /// Seed of all choices; without it, a new one, which is printed.
    #[arg(long)]
    seed: Option<u64>,

    /// Clients that play, each in six matches at once.
    #[arg(long, default_value_t = 120, value_parser = clap::value_parser!(u16).range(5..=2_000))]
    guests: u16,

    /// Clients that watch, each five matches at once.
    #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u16).range(0..=2_000))]
    watchers: u16,

    /// Commands that must be unanswered at each kill in the middle of play.
    #[arg(long, default_value_t = 200)]
    in_flight: usize,
}

#[tokio::main]
async fn main() -> ExitCode {
    let args = Args::parse();
    let seed = args.seed.unwrap_or_else(rand::random);
    println!("seed {seed}");
    let plan = CrashTestPlan {
        guests: args.guests.into(),
        watchers: args.watchers.into(),
        in_flight: args.in_flight,
        ..CrashTestPlan::new(seed, args.rounds)
    };
    let rounds = args.rounds;
    let progress =
        |round, in_flight| println!("kill {round}/{rounds}: {in_flight} commands in flight");
    let report = crash_test(plan, progress).await;
    print!("{report}");
    if report.violations.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
