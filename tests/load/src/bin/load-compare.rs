//! The comparison with other servers; `tests/load/compare` builds and installs all it needs and
//! calls it.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use fibfob_load::compare::{ComparedServer, Comparison, are_installed};
use fibfob_load::{LoadProgress, allow_descriptors};

/// The exit code of an interrupted run.
const INTERRUPTED: u8 = 130;
/// Connections of the largest scenario.
const CONNECTIONS: u64 = 1_002;

/// Compares the server with a bare relay, a relay with a log, Colyseus and boardgame.io.
#[derive(Debug, Parser)]
#[command(name = "load-compare")]
struct CompareArgs {
    /// Folder of the built programs; without it, that of this one.
    #[arg(long)]
    programs: Option<PathBuf>,
    /// Folder with the installed adapters of Colyseus and boardgame.io.
    #[arg(long)]
    peers: PathBuf,
    /// Node, 22 or newer.
    #[arg(long, default_value = "node")]
    node: PathBuf,
    /// Folder for the stores.
    #[arg(long, default_value_os_t = std::env::temp_dir())]
    folder: PathBuf,
    /// Processor to bind each server to.
    #[arg(long)]
    server_processor: Option<u32>,
    /// Number of rounds.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=100))]
    rounds: u16,
    /// Part of the names of the servers to compare; without it, all.
    #[arg(long)]
    only: Vec<String>,
    /// Print the figures of every round as JSON.
    #[arg(long)]
    json: bool,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let args = CompareArgs::parse();
    let own = std::env::current_exe().unwrap_or_default();
    let beside = own.parent().map(PathBuf::from).unwrap_or_default();
    let chosen = |server: &ComparedServer| {
        let mut only = args.only.iter();
        args.only.is_empty() || only.any(|part| server.title().contains(part.as_str()))
    };
    let comparison = Comparison {
        programs: args.programs.clone().unwrap_or(beside),
        peers: args.peers.clone(),
        node: args.node.clone(),
        folder: args.folder.clone(),
        processor: args.server_processor,
        servers: ComparedServer::ALL.into_iter().filter(chosen).collect(),
        rounds: args.rounds.into(),
    };
    if !are_installed(&args.peers) {
        eprintln!(
            "error: {} holds no adapters; run tests/load/compare",
            args.peers.display()
        );
        return ExitCode::FAILURE;
    }
    let progress = LoadProgress::default();
    let run = async {
        allow_descriptors(CONNECTIONS)?;
        comparison.run(&progress).await
    };
    let ended = tokio::select! {
        ended = run => ended,
        _ = tokio::signal::ctrl_c() => return ExitCode::from(INTERRUPTED),
    };
    match ended {
        Ok(result) if args.json => println!("{}", result.json()),
        Ok(result) => print!("{result}"),
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
