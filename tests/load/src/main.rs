//! A load program for operators: puts a server under a known load, checks every answer while it
//! does, and measures the server's processor time and memory from the operating system.
//!
//! The players are [`fibfob_client::Connection`]s with typed requests, not the library's `Client`:
//! that one keeps a full state for each match and reads each frame whole, which would take more
//! processor time than the server that is measured. What is read of a frame is in [`wire`] alone.

mod args;
mod cluster;
mod compare;
mod error;
mod figures;
mod idle;
mod latency;
mod matches;
mod pace;
mod players;
mod process;
mod recover;
mod relay;
mod sequence;
mod target;
mod watch;
mod wire;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use tempfile::TempDir;

use crate::args::{CommonArgs, Load, LoadArgs};
use crate::error::LoadError;
use crate::matches::{MatchLoad, play_matches};
use crate::players::Fibfob;
use crate::sequence::MoveSequence;
use crate::target::{ServerCommand, Target, program_beside};
use crate::watch::{WatchLoad, watch_match};

/// The exit code of an interrupted run.
const INTERRUPTED: u8 = 130;
/// Descriptors that this program and the server need beside their connections.
const OTHER_DESCRIPTORS: u64 = 256;
/// Plies of a match of which none is made.
const UNPLAYED: usize = 8;
/// Connections of the largest scenario of a comparison.
const COMPARED_CONNECTIONS: u64 = 1_002;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let args = LoadArgs::parse();
    let ended = tokio::select! {
        ended = run(&args) => ended,
        // The server that was started ends with the run.
        _ = tokio::signal::ctrl_c() => return ExitCode::from(INTERRUPTED),
    };
    match ended {
        Ok(figures) => {
            print!("{figures}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the load of these arguments, and returns what is to be printed.
async fn run(args: &LoadArgs) -> Result<String, LoadError> {
    let common = &args.common;
    let (connections, plies) = size(&args.load);
    allow_descriptors(connections)?;
    let figures = match &args.load {
        Load::Compare { rounds, only } => return compare::compare(common, *rounds, only).await,
        Load::Cluster { servers, rounds } => {
            return cluster::measure_all(common, servers, *rounds).await;
        }
        load => measure(load, common, plies).await?,
    };
    Ok(match common.json {
        true => format!("{}\n", figures.json()),
        false => figures.to_string(),
    })
}

/// Puts one server under one load.
async fn measure(
    load: &Load,
    common: &CommonArgs,
    plies: usize,
) -> Result<figures::Figures, LoadError> {
    let folder = common.temporary_folder()?;
    let sequence = MoveSequence::draw(common.game, common.start.as_deref(), plies, common.seed)?;
    let sequence = Arc::new(sequence);
    let peer_of = |target: &Target| Fibfob::new(vec![target.endpoint()], Arc::clone(&sequence));
    if let Load::Recover { stored, .. } = load {
        if common.url.is_some() {
            let why = "recover kills its server, and takes none that runs";
            return Err(LoadError::Unsuitable(why.to_owned()));
        }
        let size = (*stored as usize, plies - 1);
        return recover::recover(&server_command(common, &folder), &folder, peer_of, size).await;
    }
    let target = match (&common.url, common.pid) {
        (Some(url), Some(pid)) => Target::running(url.clone(), pid),
        _ => Target::start(&server_command(common, &folder), folder.path()).await?,
    };
    let peer = peer_of(&target);
    let per_second = match load {
        Load::Paced { rate, .. } | Load::Watch { rate, .. } => Some(f64::from(*rate)),
        _ => None,
    };
    let figures = match *load {
        Load::Play(size) | Load::Paced { matches: size, .. } => {
            let load = MatchLoad {
                matches: size.matches.into(),
                plies,
                waves: size.waves.into(),
                per_second,
            };
            play_matches(&target, &peer, load).await?.figures()
        }
        Load::Watch { spectators, .. } => {
            let load = WatchLoad {
                spectators: spectators.into(),
                plies,
                per_second: per_second.unwrap_or_default(),
            };
            watch_match(&target, &peer, load).await?.figures()
        }
        Load::Idle {
            connections,
            seconds,
        } => {
            let idle = Duration::from_secs(seconds.into());
            idle::idle_players(&target, &peer, usize::from(connections) / 2, idle).await?
        }
        Load::Recover { .. } | Load::Compare { .. } | Load::Cluster { .. } => {
            unreachable!("these start servers of their own")
        }
    };
    target.stop().await?;
    Ok(figures)
}

/// The connections and the plies of a match that a load needs.
fn size(load: &Load) -> (u64, usize) {
    match *load {
        Load::Play(size) | Load::Paced { matches: size, .. } => {
            (2 * u64::from(size.matches), size.plies.into())
        }
        Load::Watch {
            spectators, plies, ..
        } => (u64::from(spectators), plies.into()),
        Load::Idle { connections, .. } => (connections.into(), UNPLAYED),
        // Its matches are not played to their end.
        Load::Recover { plies, .. } => (0, usize::from(plies) + 1),
        Load::Compare { .. } | Load::Cluster { .. } => (COMPARED_CONNECTIONS, 0),
    }
}

/// The server to start for a run.
fn server_command(common: &CommonArgs, folder: &TempDir) -> ServerCommand {
    let program = common
        .server
        .first()
        .cloned()
        .unwrap_or_else(program_beside);
    ServerCommand::ours(program, &common.store, folder, common.server_processor)
}

/// Raises this program's limit of open files, which the server inherits.
fn allow_descriptors(connections: u64) -> Result<(), LoadError> {
    let needed = connections + OTHER_DESCRIPTORS;
    let soft = rlimit::Resource::NOFILE.get_soft().unwrap_or(0);
    match rlimit::increase_nofile_limit(needed.max(soft)) {
        Ok(allowed) if allowed >= needed => Ok(()),
        _ => Err(LoadError::Unsuitable(format!(
            "{connections} connections need {needed} open files; raise that with `ulimit -n`"
        ))),
    }
}
