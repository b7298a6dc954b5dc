//! The comparison of servers: the same scenarios on each, interleaved in rounds, so that a machine
//! that gets slower or faster meanwhile does so for all of them.

mod plan;
mod tables;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;

pub use self::plan::ComparedServer;
use self::plan::{KEPT, PLIES, SCENARIOS, SEED, WARM_UP, WATCH, WATCHED};
pub use self::tables::{ComparisonResult, Spread};
use crate::error::LoadError;
use crate::figures::{Figures, of_matches, of_watch};
use crate::matches::play_matches;
use crate::peers::{BoardgameIo, Colyseus, Relay};
use crate::players::{Fibfob, Peer, WatchedPeer};
use crate::progress::LoadProgress;
use crate::sequence::MoveSequence;
use crate::target::{ServerCommand, Target};
use crate::watch::watch_match;

/// The programs and the machine of a comparison.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Folder of the built programs.
    pub programs: PathBuf,
    /// Folder with the installed adapters of Colyseus and boardgame.io.
    pub peers: PathBuf,
    /// The program of Node.
    pub node: PathBuf,
    /// Folder for stores.
    pub folder: PathBuf,
    /// Processor that every server is bound to.
    pub processor: Option<u32>,
    /// The servers.
    pub servers: Vec<ComparedServer>,
    /// The number of rounds.
    pub rounds: usize,
}

impl Comparison {
    /// Runs all rounds.
    ///
    /// # Errors
    /// The first failure or wrong answer.
    pub async fn run(&self, progress: &LoadProgress) -> Result<ComparisonResult, LoadError> {
        let mut result = ComparisonResult::default();
        for round in 1..=self.rounds {
            for &server in &self.servers {
                let what = format!("round {round} of {}: {}", self.rounds, server.title());
                progress.announce(&what);
                for (scenario, figures) in self.measure(server, progress).await? {
                    for name in KEPT {
                        if let Some(value) = figures.get(name) {
                            let key = (server, scenario, name);
                            result.0.entry(key).or_default().push(value);
                        }
                    }
                }
            }
        }
        Ok(result)
    }

    /// Starts a server, runs every scenario on it, and ends it.
    async fn measure(
        &self,
        server: ComparedServer,
        progress: &LoadProgress,
    ) -> Result<Vec<(&'static str, Figures)>, LoadError> {
        let folder = tempfile::Builder::new()
            .prefix("fibfob-compare-")
            .tempdir_in(&self.folder)
            .map_err(LoadError::process("no temporary folder"))?;
        let sequence = Arc::new(MoveSequence::draw(server.game(), None, PLIES, SEED)?);
        let command = self.command(server, &folder);
        let target = Target::start(&command, folder.path()).await?;
        let authority = target.url.authority().to_owned();
        let endpoint = target.endpoint();
        let figures = match server {
            ComparedServer::Relay | ComparedServer::RelaySqlite => {
                watched_scenarios(&target, &Relay::new(endpoint, &sequence), progress).await?
            }
            ComparedServer::Colyseus => {
                let peer = Colyseus {
                    authority,
                    sequence,
                };
                scenarios(&target, &peer, progress).await?
            }
            ComparedServer::BoardgameIo => {
                scenarios(&target, &BoardgameIo::new(authority, sequence), progress).await?
            }
            _ => watched_scenarios(&target, &Fibfob { endpoint, sequence }, progress).await?,
        };
        target.stop().await?;
        Ok(figures)
    }

    fn command(&self, server: ComparedServer, folder: &TempDir) -> ServerCommand {
        let file = |name: &str| folder.path().join(name).display().to_string();
        let program = |program: PathBuf, arguments: &[&str]| ServerCommand {
            program,
            arguments: arguments.iter().map(|&it| it.to_owned()).collect(),
            processor: self.processor,
            environment: vec![("NODE_ENV".to_owned(), "production".to_owned())],
        };
        let node = |script: &str| {
            let script = self.peers.join(script).display().to_string();
            program(self.node.clone(), &[&script])
        };
        let ours = |store: &str| {
            let server = self.programs.join("fibfob-server");
            ServerCommand::ours(server, store, self.processor)
        };
        let relay = self.programs.join("load-relay");
        match server {
            ComparedServer::Relay => program(relay, &[]),
            ComparedServer::RelaySqlite => program(relay, &["--log", &file("plies.sqlite")]),
            ComparedServer::Colyseus => node("colyseus/server.mjs"),
            ComparedServer::BoardgameIo => node("boardgame/server.cjs"),
            ComparedServer::SqliteNim | ComparedServer::SqliteFibFob => {
                ours(&format!("sqlite:{}", file("matches.sqlite")))
            }
            ComparedServer::MemoryNim | ComparedServer::MemoryFibFob => ours("memory"),
        }
    }
}

/// Warms a server up and runs every scenario on it.
async fn scenarios<P: Peer>(
    target: &Target,
    peer: &P,
    progress: &LoadProgress,
) -> Result<Vec<(&'static str, Figures)>, LoadError> {
    play_matches(target, peer, WARM_UP, progress).await?;
    let mut figures = Vec::with_capacity(SCENARIOS.len());
    for (name, load) in SCENARIOS {
        let result = play_matches(target, peer, load, progress).await?;
        figures.push((name, of_matches(name.to_owned(), &result)));
    }
    Ok(figures)
}

/// Runs every scenario on a server that has spectators.
async fn watched_scenarios<P: WatchedPeer>(
    target: &Target,
    peer: &P,
    progress: &LoadProgress,
) -> Result<Vec<(&'static str, Figures)>, LoadError> {
    let mut figures = scenarios(target, peer, progress).await?;
    let result = watch_match(target, peer, WATCH, progress).await?;
    figures.push((WATCHED, of_watch(WATCHED.to_owned(), &result)));
    Ok(figures)
}

/// Returns true if a folder holds the adapters with what they depend on.
#[must_use]
pub fn are_installed(peers: &Path) -> bool {
    ["colyseus", "boardgame"]
        .iter()
        .all(|name| peers.join(name).join("node_modules").is_dir())
}
