//! The attack on the memory by hand.

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use fibfob_tests::allow_connections;
use fibfob_tests::attack::attack;

/// Takes all the memory that it gets of a server that it starts on loopback, while two honest people play there.
///
/// Ends by itself, and prints the connections that the attackers held, the server's memory before and at most, and
/// the honest moves.
#[derive(Debug, Parser)]
#[command(name = "attack")]
struct Args {
    /// Seconds of the attack.
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=120))]
    seconds: u64,

    /// Addresses of the attackers.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    addresses: u16,
}

#[tokio::main]
async fn main() -> ExitCode {
    let args = Args::parse();
    if let Err(error) = allow_connections(256 * u64::from(args.addresses)) {
        eprintln!("error: {error}, or take fewer --addresses");
        return ExitCode::FAILURE;
    }
    let report = attack(args.addresses, Duration::from_secs(args.seconds)).await;
    println!("{report:#?}");
    ExitCode::SUCCESS
}
