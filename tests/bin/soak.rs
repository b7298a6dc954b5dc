//! The soak test by hand: a server, many connections, and what it takes for them.

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use fibfob_tests::allow_connections;
use fibfob_tests::crash_test::{CrashTestPlan, SoakPlan, soak};

/// Fills a server with clients that play and watch, and prints what it takes.
///
/// Ends by itself. The exit code is 0 if the server ended no connection and its memory stayed flat, else 1.
#[derive(Debug, Parser)]
#[command(name = "soak")]
struct Args {
    /// Minutes that all clients stay.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    minutes: u64,

    /// Number of clients that play; a quarter as many watch, and each has two connections.
    #[arg(long, default_value_t = 800, value_parser = clap::value_parser!(u16).range(4..=6_000))]
    players: u16,

    /// Seed of all choices.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[tokio::main]
async fn main() -> ExitCode {
    let args = Args::parse();
    if let Err(error) = allow_connections(u64::from(args.players) * 5 / 2) {
        eprintln!("error: {error}, or take fewer --players");
        return ExitCode::FAILURE;
    }
    let players = usize::from(args.players);
    let plan = SoakPlan {
        clients: CrashTestPlan {
            guests: players,
            watchers: players / 4,
            ..CrashTestPlan::new(args.seed, 0)
        },
        time: Duration::from_secs(60 * args.minutes),
        every: Duration::from_secs(5),
    };
    let report = soak(plan, |sample| {
        let minutes = sample.at.as_secs_f64() / 60.0;
        let memory = sample.memory_kib as f64 / 1024.0;
        let (descriptors, answers) = (sample.descriptors, sample.answers);
        println!(
            "{minutes:6.1} min  {memory:7.1} MiB  {descriptors:5} descriptors  {answers:9} answers"
        );
    })
    .await;
    let rise = report.rise() * 100.0;
    println!(
        "memory rose by {rise:.2} %; after all had left: {:?}",
        report.rested
    );
    println!(
        "{} connections for {}",
        report.connections, report.planned_connections
    );
    match report.is_good() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
