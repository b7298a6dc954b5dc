//! The cost of several servers on one database: the same matches on one, two and three servers, with
//! both players at the same server and at different ones, and beside them one server with its own
//! file.

use std::sync::Arc;

use fibfob_games::GameId;
use fibfob_test_postgres::DatabaseServer;

use crate::args::CommonArgs;
use crate::error::LoadError;
use crate::figures::{Figures, Rounds};
use crate::matches::{MatchLoad, play_matches};
use crate::players::Fibfob;
use crate::sequence::MoveSequence;
use crate::target::{ServerCommand, Target, program_beside};
use crate::watch::{WatchLoad, watch_match};

/// Plies of a match.
const PLIES: usize = 64;
/// The seed of the moves.
const SEED: u64 = 1;
/// The database of the servers.
const DATABASE: &str = "games";

/// The scenarios, each with its name and whether the players of a match are at different servers. The first one
/// also comes before all, so that each server is warm.
const SCENARIOS: [(&str, bool, MatchLoad); 3] = [
    ("saturated, apart", true, load(100, 2, None)),
    ("paced, together", false, load(50, 1, Some(500.0))),
    ("paced, apart", true, load(50, 1, Some(500.0))),
];
/// Spectators of one match, at all servers.
const WATCHED: WatchLoad = WatchLoad {
    spectators: 1_000,
    plies: 20,
    per_second: 10.0,
};

/// The figures that are kept of each scenario that has them.
const KEPT: [&str; 7] = [
    "all servers' CPU per ply",
    "primary's CPU per ply",
    "standby's CPU per ply",
    "client CPU per ply",
    "rate",
    "latency p50",
    "latency p99",
];

const fn load(matches: usize, waves: usize, per_second: Option<f64>) -> MatchLoad {
    MatchLoad {
        matches,
        plies: PLIES,
        waves,
        per_second,
    }
}

/// Measures one server with its own file and these numbers of servers on a database, and returns the table.
pub async fn measure_all(
    common: &CommonArgs,
    servers: &[u16],
    rounds: u16,
) -> Result<String, LoadError> {
    // None on a database is one with its own file.
    let all: Vec<u16> = [0].into_iter().chain(servers.iter().copied()).collect();
    let titles: Vec<_> = all
        .iter()
        .map(|count| match count {
            0 => "1 server, SQLite".to_owned(),
            count => format!("{count} on PostgreSQL"),
        })
        .collect();
    let mut result = Rounds::default();
    for round in 1..=rounds {
        for (at, &count) in all.iter().enumerate() {
            eprintln!("round {round} of {rounds}: {}", titles[at]);
            for (scenario, figures) in measure(common, count).await? {
                result.add(at, scenario, &figures, &KEPT);
            }
        }
    }
    Ok(result.table(&titles))
}

/// Starts the servers, runs every scenario on them, and ends them.
async fn measure(
    common: &CommonArgs,
    on_database: u16,
) -> Result<Vec<(&'static str, Figures)>, LoadError> {
    let folder = common.temporary_folder()?;
    // The programs of the database block this thread; nothing else runs meanwhile.
    let databases = match on_database {
        0 => Vec::new(),
        _ => primary_and_standby(),
    };
    let store = match databases.is_empty() {
        true => "sqlite".to_owned(),
        false => DatabaseServer::url(&databases.iter().collect::<Vec<_>>(), DATABASE),
    };
    let program = common.server.first().cloned();
    let program = program.unwrap_or_else(program_beside);
    let command = ServerCommand::ours(program, &store, &folder, None);
    let mut targets = Vec::new();
    for number in 0..on_database.max(1) {
        let logs = folder.path().join(format!("server_{number}"));
        std::fs::create_dir(&logs).map_err(LoadError::process("no folder for a log"))?;
        targets.push(Target::start(&command, &logs).await?);
    }
    let sequence = Arc::new(MoveSequence::draw(GameId::FibFob, None, PLIES, SEED)?);
    let endpoints = targets.iter().map(Target::endpoint).collect();
    let mut peer = Fibfob::new(endpoints, sequence);
    let mut first = targets.remove(0);
    let others = targets.iter().map(|other| other.pid).collect();
    first.beside = [others]
        .into_iter()
        .chain(databases.iter().map(|it| vec![it.process_id()]))
        .collect();

    peer.apart = true;
    play_matches(&first, &peer, SCENARIOS[0].2).await?;
    let mut figures = Vec::new();
    for (scenario, apart, load) in SCENARIOS {
        peer.apart = apart;
        figures.push((scenario, play_matches(&first, &peer, load).await?.figures()));
    }
    peer.apart = true;
    let watched = watch_match(&first, &peer, WATCHED).await?;
    figures.push(("1000 spectators", watched.figures()));
    for target in [first].into_iter().chain(targets) {
        target.stop().await?;
    }
    Ok(figures)
}

/// A primary and the standby that it waits for.
fn primary_and_standby() -> Vec<DatabaseServer> {
    let primary = DatabaseServer::primary();
    primary.create_database(DATABASE);
    let standby = primary.standby("standby");
    primary.wait_for_standby("standby");
    vec![primary, standby]
}
