//! The soak test by hand: a server, thousands of connections, a table and a picture.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use fibfob_tests::allow_connections;
use fibfob_tests::soak::{SoakPlan, csv, graph, soak};

/// The pause of a client before each request, in milliseconds.
const PAUSE: std::ops::Range<u64> = 300..2_000;

/// Fills a server with clients that play, watch and follow the lobby, and draws what it takes.
///
/// Ends by itself. The exit code is 0 if no steady reader was closed and memory stayed flat, else
/// 1; less than ten minutes after the warm-up say nothing about memory.
#[derive(Debug, Parser)]
#[command(name = "soak")]
struct Args {
    /// Minutes that all clients stay.
    #[arg(long, default_value_t = 30.0)]
    minutes: f64,

    /// Minutes of these that are not measured; without it, a fifth.
    #[arg(long)]
    warm_up: Option<f64>,

    /// Number of connections.
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u16).range(20..=16_000))]
    connections: u16,

    /// Share of them that reads slowly, or not at all for a while, 0 to 1.
    #[arg(long, default_value_t = 0.1)]
    slow: f64,

    /// Seconds without a viewer after which a match leaves the server's memory.
    #[arg(long, default_value_t = 60)]
    idle_after: u32,

    /// Seconds between two samples of the server.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=600))]
    every: u32,

    /// Seed of all choices.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// File of the picture; the table is written beside it, as `.csv`.
    #[arg(long, default_value = "soak.svg")]
    out: PathBuf,
}

#[tokio::main]
async fn main() -> ExitCode {
    let args = Args::parse();
    let times = [args.minutes, args.warm_up.unwrap_or(0.0)];
    let in_bounds = times.iter().all(|time| (0.0..=10_000.0).contains(time));
    if !in_bounds || !(0.0..=1.0).contains(&args.slow) {
        eprintln!("error: minutes are 0 to 10000, and the slow share is 0 to 1");
        return ExitCode::from(2);
    }
    if let Err(error) = allow_connections(args.connections.into()) {
        eprintln!("error: {error}, or take fewer --connections");
        return ExitCode::FAILURE;
    }
    let minutes = |minutes: f64| Duration::from_secs_f64(minutes * 60.0);
    let plan = SoakPlan {
        seed: args.seed,
        clients: args.connections.into(),
        slow: args.slow,
        time: minutes(args.minutes),
        warm: minutes(args.warm_up.unwrap_or(args.minutes / 5.0)),
        every: Duration::from_secs(args.every.into()),
        pause: PAUSE,
        idle_after: Duration::from_secs(args.idle_after.into()),
    };
    let summary = soak(&plan, |sample| {
        println!(
            "{:6.1} min  {:7.1} MiB  {:5} connections  {:4} matches  {:6.0} moves/s",
            sample.seconds / 60.0,
            sample.rss_kib as f64 / 1024.0,
            sample.connections,
            sample.matches,
            sample.moves_per_second,
        );
    })
    .await;
    let table = args.out.with_extension("csv");
    let written = std::fs::write(&args.out, graph(&summary))
        .and_then(|()| std::fs::write(&table, csv(&summary.samples)));
    print!("\n{summary}");
    match written {
        Ok(()) => println!(
            "drawn in {}, all samples in {}",
            args.out.display(),
            table.display()
        ),
        Err(error) => {
            eprintln!("error: {} cannot be written: {error}", args.out.display());
            return ExitCode::FAILURE;
        }
    }
    if summary.is_good() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
