//! The crash test by hand, with any number of rounds.

use std::process::ExitCode;

use clap::Parser;
use fibfob_tests::crash_test::{CrashTestPlan, cluster_crash_test, crash_test, patroni_crash_test};

/// Kills a server in the middle of many matches, again and again, and checks the histories of
/// all clients. With `--cluster` or `--patroni`, the parts of a cluster.
///
/// Ends by itself. The exit code is 0 if there was no violation, else 1.
#[derive(Debug, Parser)]
#[command(name = "crash-test")]
struct Args {
    /// Three servers on one PostgreSQL database with a standby instead of one server with a file: each
    /// round has all kinds of failures of servers, primary and standby.
    #[arg(long, conflicts_with_all = ["guests", "watchers", "in_flight"])]
    cluster: bool,

    /// Three servers on three databases under Patroni: in each round the leader's node is killed and comes
    /// back, and there is a switchover.
    #[arg(long, conflicts_with_all = ["cluster", "guests", "watchers", "in_flight"])]
    patroni: bool,

    /// Number of kills, or of rounds of a cluster.
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
    if args.cluster || args.patroni {
        let progress = |failure: &str| println!("{failure}");
        let report = if args.patroni {
            patroni_crash_test(CrashTestPlan::of_patroni(seed, args.rounds), progress).await
        } else {
            cluster_crash_test(CrashTestPlan::of_cluster(seed, args.rounds), progress).await
        };
        print!("{report}");
        return exit_code(report.report.violations.is_empty());
    }
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
    exit_code(report.violations.is_empty())
}

fn exit_code(is_right: bool) -> ExitCode {
    match is_right {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
