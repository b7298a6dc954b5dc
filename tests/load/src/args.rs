//! The command line of the load program.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use fibfob_client::ServerUrl;
use fibfob_games::GameId;
use tempfile::TempDir;

use crate::error::LoadError;

/// Puts a server of Fib Fob under load, checks every answer, and measures the server.
///
/// Without --url it starts a server of its own, with a store that is removed afterwards. A wrong
/// answer ends the run with exit code 1. Processor time and memory are the operating system's
/// figures of the server's process; this needs Linux.
#[derive(Clone, Debug, Parser)]
#[command(name = "fibfob-load", version)]
pub struct LoadArgs {
    /// The load.
    #[command(subcommand)]
    pub load: Load,

    /// The server and the matches.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// The options of every load.
#[derive(Clone, Debug, Args)]
pub struct CommonArgs {
    /// Program of the server to start; without it, `fibfob-server` beside this program. A comparison takes
    /// several, such as that of today and an older one.
    #[arg(long, global = true, value_name = "FILE", conflicts_with_all = ["url", "pid"])]
    pub server: Vec<PathBuf>,

    /// Store of the server to start: `sqlite`, in a temporary folder, or `memory`.
    #[arg(long, global = true, value_name = "STORE", default_value = "sqlite",
          value_parser = ["sqlite", "memory"])]
    pub store: String,

    /// Folder for that temporary folder: the disk whose flushes are measured.
    #[arg(long, global = true, value_name = "FOLDER")]
    pub folder: Option<PathBuf>,

    /// Processor to bind the server to, with `taskset`.
    #[arg(long, global = true, value_name = "NUMBER")]
    pub server_processor: Option<u32>,

    /// Address of a running server; it must allow the load (--connections-per-address,
    /// --messages-per-address, --messages-per-connection).
    #[arg(long, global = true, value_name = "URL", requires = "pid")]
    pub url: Option<ServerUrl>,

    /// Process id of the running server.
    #[arg(long, global = true, value_name = "PID", requires = "url")]
    pub pid: Option<u32>,

    /// Game of the matches.
    #[arg(long, global = true, default_value = "fib-fob")]
    pub game: GameId,

    /// Start of the matches; without it, one that is long enough is drawn.
    #[arg(long, global = true, value_name = "POSITION")]
    pub start: Option<String>,

    /// Seed of the start and the moves.
    #[arg(long, global = true, default_value_t = 1)]
    pub seed: u64,

    /// Print the figures of one load as JSON.
    #[arg(long, global = true)]
    pub json: bool,
}

impl CommonArgs {
    /// A folder for stores and logs, which is removed with the value.
    pub fn temporary_folder(&self) -> Result<TempDir, LoadError> {
        let mut builder = tempfile::Builder::new();
        builder.prefix("fibfob-load-");
        let folder = match &self.folder {
            Some(folder) => builder.tempdir_in(folder),
            None => builder.tempdir(),
        };
        folder.map_err(LoadError::process("no temporary folder"))
    }
}

/// The kinds of load.
#[derive(Clone, Debug, Subcommand)]
pub enum Load {
    /// Matches that are played as fast as the server answers.
    Play(MatchArgs),
    /// Matches that are played at an even rate: the latency from a mover to the opponent.
    Paced {
        /// The matches.
        #[command(flatten)]
        matches: MatchArgs,
        /// Plies a second of all matches together.
        #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
        rate: u32,
    },
    /// Spectators of one match: processor time per delivered frame, and the players' latency with
    /// and without them.
    Watch {
        /// Spectators of the match.
        #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u16).range(1..=10_000))]
        spectators: u16,
        /// Plies of the match.
        #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=10_000))]
        plies: u16,
        /// Plies a second.
        #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=10_000))]
        rate: u32,
    },
    /// Connected players who do nothing: memory of each, and processor time of all.
    Idle {
        /// Connections, two to a match.
        #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u16).range(2..=16_000))]
        connections: u16,
        /// Seconds without a ply.
        #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=3_600))]
        seconds: u32,
    },
    /// The start of a server that was killed with matches in its store: time, memory, losses.
    Recover {
        /// Matches in play in the store.
        #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
        stored: u32,
        /// Plies of each.
        #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u16).range(..=10_000))]
        plies: u16,
    },
    /// The same matches on a bare relay, on one with a durable log, and on each server: all take turns.
    Compare {
        /// Number of rounds.
        #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=100))]
        rounds: u16,
        /// Part of the names of what is compared; without it, all.
        #[arg(long)]
        only: Vec<String>,
    },
    /// One server with its own file, and several on a primary with a synchronous standby; PostgreSQL must be
    /// installed. All share this machine: compare within one run.
    Cluster {
        /// Numbers of servers to measure, separated by commas.
        #[arg(long, value_delimiter = ',', default_values_t = [1, 2, 3], value_name = "NUMBERS",
              value_parser = clap::value_parser!(u16).range(1..=16))]
        servers: Vec<u16>,
        /// Number of rounds.
        #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=100))]
        rounds: u16,
    },
}

/// The size of a load of matches.
#[derive(Clone, Copy, Debug, Args)]
pub struct MatchArgs {
    /// Matches at once, each with two connections.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=8_000))]
    pub matches: u16,
    /// Plies of each match.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub plies: u16,
    /// Repetitions with new matches, measured together.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    pub waves: u16,
}
