//! The cost of several servers on one database.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use fibfob_load::cluster::{ClusterLoad, SERVERS_MAX};
use fibfob_load::{LoadProgress, allow_descriptors};

/// The exit code of an interrupted run.
const INTERRUPTED: u8 = 130;
/// Connections of the largest scenario.
const CONNECTIONS: u64 = 1_002;

/// Measures one, two and three servers, or others, on a primary with a synchronous standby, beside
/// one server with its own file.
///
/// Starts everything itself; PostgreSQL must be installed. All processes share this machine: compare
/// processor time and latency within one run.
#[derive(Debug, Parser)]
#[command(name = "load-cluster")]
struct ClusterArgs {
    /// Program of the servers; without it, `fibfob-server` beside this program.
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,
    /// Folder for the file and the logs.
    #[arg(long, default_value_os_t = std::env::temp_dir())]
    folder: PathBuf,
    /// Numbers of servers to measure, separated by commas.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 2, 3], value_name = "NUMBERS",
          value_parser = clap::value_parser!(u16).range(1..=i64::from(SERVERS_MAX)))]
    servers: Vec<u16>,
    /// Number of rounds.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=100))]
    rounds: u16,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let args = ClusterArgs::parse();
    let load = ClusterLoad {
        server: args.server.unwrap_or_else(fibfob_load::program_beside),
        folder: args.folder,
        servers: args.servers.into_iter().map(usize::from).collect(),
        rounds: args.rounds.into(),
    };
    let progress = LoadProgress::default();
    let run = async {
        allow_descriptors(CONNECTIONS)?;
        load.run(&progress).await
    };
    let ended = tokio::select! {
        ended = run => ended,
        _ = tokio::signal::ctrl_c() => return ExitCode::from(INTERRUPTED),
    };
    match ended {
        Ok(result) => {
            print!("{result}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
