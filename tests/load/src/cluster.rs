//! The cost of several servers on one database: the same matches on one, two and three servers, with
//! both players at the same server and at different ones, and beside them one server with its own
//! file.

mod peer;
mod table;

use std::path::PathBuf;
use std::sync::Arc;

use fibfob_games::GameId;
use fibfob_test_postgres::DatabaseServer;
use tempfile::TempDir;

pub use self::table::ClusterResult;
use crate::error::LoadError;
use crate::figures::{Figures, of_matches, of_watch};
use crate::matches::{MatchLoad, MatchLoadResult, play_matches};
use crate::players::Fibfob;
use crate::progress::LoadProgress;
use crate::sequence::MoveSequence;
use crate::target::{ServerCommand, Target};
use crate::watch::{WatchLoad, watch_match};
use peer::{Places, SpreadFibfob};

/// Plies of a match.
const PLIES: usize = 64;
/// The seed of the moves.
const SEED: u64 = 1;
/// The database of the servers.
const DATABASE: &str = "games";
/// The largest number of servers.
pub const SERVERS_MAX: u16 = 16;

/// The load that comes before the measured ones.
const WARM_UP: MatchLoad = MatchLoad {
    matches: 50,
    plies: PLIES,
    waves: 1,
    per_second: None,
};
/// Matches that are played as fast as the servers answer.
const SATURATED: MatchLoad = MatchLoad {
    matches: 100,
    plies: PLIES,
    waves: 2,
    per_second: None,
};
/// Matches at an even rate.
const PACED: MatchLoad = MatchLoad {
    matches: 50,
    plies: PLIES,
    waves: 1,
    per_second: Some(500.0),
};
/// Spectators of one match, at all servers.
const WATCHED: WatchLoad = WatchLoad {
    spectators: 1_000,
    plies: 20,
    per_second: 10.0,
};

/// The servers of one measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Servers {
    /// One server with its own file.
    Embedded,
    /// So many servers on one primary with a synchronous standby.
    OnDatabase(usize),
}

/// The programs and the size of a measurement.
#[derive(Clone, Debug)]
pub struct ClusterLoad {
    /// The server's program.
    pub server: PathBuf,
    /// Folder for logs and for the file.
    pub folder: PathBuf,
    /// The numbers of servers that are measured.
    pub servers: Vec<usize>,
    /// The number of rounds; each measures all servers.
    pub rounds: usize,
}

impl ClusterLoad {
    /// Runs all rounds.
    ///
    /// # Errors
    /// The first failure or wrong answer.
    pub async fn run(&self, progress: &LoadProgress) -> Result<ClusterResult, LoadError> {
        let mut result = ClusterResult::default();
        let all = self.servers.iter().copied().map(Servers::OnDatabase);
        let all: Vec<_> = [Servers::Embedded].into_iter().chain(all).collect();
        for round in 1..=self.rounds {
            for &servers in &all {
                progress.announce(&format!("round {round} of {}: {servers}", self.rounds));
                for (scenario, figures) in self.measure(servers, progress).await? {
                    result.add(servers, scenario, &figures);
                }
            }
        }
        Ok(result)
    }

    /// Starts the servers, runs every scenario on them, and ends them.
    async fn measure(
        &self,
        servers: Servers,
        progress: &LoadProgress,
    ) -> Result<Vec<(&'static str, Figures)>, LoadError> {
        let folder = tempfile::Builder::new()
            .prefix("fibfob-cluster-")
            .tempdir_in(&self.folder)
            .map_err(LoadError::process("no temporary folder"))?;
        let database = match servers {
            Servers::Embedded => None,
            // The programs of the database block this thread; nothing else runs meanwhile.
            Servers::OnDatabase(_) => Some(Database::start()),
        };
        let store = match &database {
            None => format!("sqlite:{}", folder.path().join("matches.sqlite").display()),
            Some(database) => DatabaseServer::url(&database.both(), DATABASE),
        };
        let mut targets = self.start(servers.count(), &store, &folder).await?;
        let mut first = targets.remove(0);
        first
            .beside
            .push(targets.iter().map(|other| other.pid).collect());
        for server in database.iter().flat_map(Database::both) {
            first.beside.push(vec![server.process_id()]);
        }
        let sequence = Arc::new(MoveSequence::draw(GameId::FibFob, None, PLIES, SEED)?);
        let all = [&first].into_iter().chain(&targets);
        let all = all.map(|target| Fibfob {
            endpoint: target.endpoint(),
            sequence: Arc::clone(&sequence),
        });
        let peer = SpreadFibfob::new(all.collect(), Places::Together);
        let figures = scenarios(&first, &peer, progress).await?;
        first.stop().await?;
        for target in targets {
            target.stop().await?;
        }
        Ok(figures)
    }

    async fn start(
        &self,
        count: usize,
        store: &str,
        folder: &TempDir,
    ) -> Result<Vec<Target>, LoadError> {
        let mut targets = Vec::with_capacity(count);
        for number in 0..count {
            let folder = folder.path().join(format!("server_{number}"));
            std::fs::create_dir(&folder).map_err(LoadError::process("no folder for a log"))?;
            let command = ServerCommand::ours(self.server.clone(), store, None);
            targets.push(Target::start(&command, &folder).await?);
        }
        Ok(targets)
    }
}

impl Servers {
    fn count(self) -> usize {
        match self {
            Self::Embedded => 1,
            Self::OnDatabase(count) => count,
        }
    }
}

impl std::fmt::Display for Servers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Embedded => f.write_str("1 server, SQLite"),
            Self::OnDatabase(1) => f.write_str("1 server, PostgreSQL"),
            Self::OnDatabase(count) => write!(f, "{count} servers, PostgreSQL"),
        }
    }
}

/// A primary and the standby that it waits for.
struct Database {
    primary: DatabaseServer,
    standby: DatabaseServer,
}

impl Database {
    fn start() -> Self {
        let primary = DatabaseServer::primary();
        primary.create_database(DATABASE);
        let standby = primary.standby("standby");
        primary.wait_for_standby("standby");
        Self { primary, standby }
    }

    fn both(&self) -> [&DatabaseServer; 2] {
        [&self.primary, &self.standby]
    }
}

/// Warms the servers up and runs every scenario on them.
async fn scenarios(
    target: &Target,
    peer: &SpreadFibfob,
    progress: &LoadProgress,
) -> Result<Vec<(&'static str, Figures)>, LoadError> {
    let apart = peer.placed(Places::Apart);
    play_matches(target, &apart, WARM_UP, progress).await?;
    let mut figures = Vec::new();
    for (scenario, peer, load) in [
        ("saturated, apart", &apart, SATURATED),
        ("paced, together", peer, PACED),
        ("paced, apart", &apart, PACED),
    ] {
        let result = play_matches(target, peer, load, progress).await?;
        let all = with_beside(of_matches(scenario.to_owned(), &result), &result);
        figures.push((scenario, all));
    }
    let scenario = "1000 spectators";
    let result = watch_match(target, &apart, WATCHED, progress).await?;
    let all = with_beside(of_watch(scenario.to_owned(), &result), &result.watched);
    figures.push((scenario, all));
    Ok(figures)
}

/// Adds the processor time of all servers, and of the databases if there are any.
fn with_beside(figures: Figures, result: &MatchLoadResult) -> Figures {
    let per_ply = |cpu: f64| cpu / result.plies as f64 * 1e6;
    let beside = |at: usize| {
        result
            .beside_cpu
            .get(at)
            .map(std::time::Duration::as_secs_f64)
    };
    let servers = result.server_cpu.as_secs_f64() + beside(0).unwrap_or_default();
    figures
        .with("all servers' CPU per ply", per_ply(servers), "µs")
        .with_known("primary's CPU per ply", beside(1).map(per_ply), "µs")
        .with_known("standby's CPU per ply", beside(2).map(per_ply), "µs")
}
