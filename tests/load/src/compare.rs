//! The comparison of servers: the same scenarios on each, interleaved in rounds, so that a machine
//! that gets slower or faster meanwhile does so for all of them.

use std::path::PathBuf;
use std::sync::Arc;

use fibfob_games::GameId;

use crate::args::CommonArgs;
use crate::error::LoadError;
use crate::figures::{Figures, Rounds};
use crate::matches::{MatchLoad, play_matches};
use crate::players::{Fibfob, Peer};
use crate::relay::Relay;
use crate::sequence::MoveSequence;
use crate::target::{ServerCommand, Target, program_beside};
use crate::watch::{WatchLoad, watch_match};

/// Plies of a match.
const PLIES: usize = 64;
/// The seed of the moves.
const SEED: u64 = 1;
/// Waves of 100 matches: the matches of each are packed while the next one is played.
const WAVES: usize = 5;

/// The scenarios, each with its name. All have the same number of plies. The first one also comes before all, so
/// that each server is warm.
const SCENARIOS: [(&str, MatchLoad); 3] = [
    ("100 matches", load(100, WAVES, None)),
    ("10 matches", load(10, 10 * WAVES, None)),
    ("5000/s", load(100, WAVES, Some(5_000.0))),
];

/// The scenario with spectators.
const WATCH: WatchLoad = WatchLoad {
    spectators: 1_000,
    plies: 20,
    per_second: 10.0,
};

/// The figures that are kept of each scenario that has them.
const KEPT: [&str; 6] = [
    "server CPU per ply",
    "client CPU per ply",
    "latency p50",
    "latency p99",
    "bytes per ply and viewer",
    "server CPU per frame",
];

const fn load(matches: usize, waves: usize, per_second: Option<f64>) -> MatchLoad {
    MatchLoad {
        matches,
        plies: PLIES,
        waves,
        per_second,
    }
}

/// A server that is compared.
enum Compared {
    /// A relay, with a durable log or without.
    Relay { is_durable: bool },
    /// This program of ours, with this store and these matches.
    Ours(PathBuf, &'static str, GameId),
}

impl Compared {
    /// All of them, the reference first.
    fn all(common: &CommonArgs) -> Vec<Self> {
        let mut all: Vec<_> = [true, false]
            .map(|is_durable| Self::Relay { is_durable })
            .into();
        let mut programs = common.server.clone();
        if programs.is_empty() {
            programs.push(program_beside());
        }
        for store in ["sqlite", "memory"] {
            for game in [GameId::Nim, GameId::FibFob] {
                let ours = |program: &PathBuf| Self::Ours(program.clone(), store, game);
                all.extend(programs.iter().map(ours));
            }
        }
        all
    }

    fn title(&self) -> String {
        match self {
            Self::Relay { is_durable: true } => "relay + SQLite FULL, group commit".to_owned(),
            Self::Relay { is_durable: false } => "bare relay, volatile".to_owned(),
            Self::Ours(program, store, game) => format!("{}, {store}, {game}", program.display()),
        }
    }

    /// Starts it, runs every scenario on it, and ends it.
    async fn measure(
        &self,
        common: &CommonArgs,
    ) -> Result<Vec<(&'static str, Figures)>, LoadError> {
        let folder = common.temporary_folder()?;
        let log = folder.path().join("plies.sqlite").display().to_string();
        let (command, game) = match self {
            Self::Relay { is_durable } => {
                let arguments = match is_durable {
                    true => vec!["--log".to_owned(), log],
                    false => Vec::new(),
                };
                let command = ServerCommand {
                    program: program_beside().with_file_name("load-relay"),
                    arguments,
                    processor: common.server_processor,
                };
                (command, GameId::Nim)
            }
            Self::Ours(program, store, game) => {
                let processor = common.server_processor;
                let command = ServerCommand::ours(program.clone(), store, &folder, processor);
                (command, *game)
            }
        };
        let sequence = Arc::new(MoveSequence::draw(game, None, PLIES, SEED)?);
        let target = Target::start(&command, folder.path()).await?;
        let endpoint = target.endpoint();
        let figures = match self {
            Self::Relay { .. } => scenarios(&target, &Relay::new(endpoint, &sequence)).await?,
            Self::Ours(..) => scenarios(&target, &Fibfob::new(vec![endpoint], sequence)).await?,
        };
        target.stop().await?;
        Ok(figures)
    }
}

/// Runs all rounds, and returns the table.
pub async fn compare(
    common: &CommonArgs,
    rounds: u16,
    only: &[String],
) -> Result<String, LoadError> {
    let mut compared = Compared::all(common);
    compared.retain(|it| only.is_empty() || only.iter().any(|part| it.title().contains(part)));
    let titles: Vec<_> = compared.iter().map(Compared::title).collect();
    let mut all = Rounds::default();
    for round in 1..=rounds {
        for (at, server) in compared.iter().enumerate() {
            eprintln!("round {round} of {rounds}: {}", titles[at]);
            for (scenario, figures) in server.measure(common).await? {
                all.add(at, scenario, &figures, &KEPT);
            }
        }
    }
    Ok(all.table(&titles))
}

/// Warms a server up and runs every scenario on it.
async fn scenarios<P: Peer>(
    target: &Target,
    peer: &P,
) -> Result<Vec<(&'static str, Figures)>, LoadError> {
    play_matches(target, peer, SCENARIOS[0].1).await?;
    let mut figures = Vec::new();
    for (name, load) in SCENARIOS {
        figures.push((name, play_matches(target, peer, load).await?.figures()));
    }
    let watched = watch_match(target, peer, WATCH).await?;
    figures.push(("1000 spectators", watched.figures()));
    Ok(figures)
}
