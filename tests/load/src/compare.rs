//! The comparison of servers: the same scenarios on each, interleaved in rounds, so that a machine
//! that gets slower or faster meanwhile does so for all of them.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fibfob_client::Endpoint;
use fibfob_games::GameId;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::error::LoadError;
use crate::figures::{Figures, of_matches};
use crate::matches::{MatchLoad, play_matches};
use crate::peers::{BoardgameIo, Colyseus, Relay};
use crate::players::{Fibfob, Peer};
use crate::progress::LoadProgress;
use crate::sequence::MoveSequence;
use crate::target::{ServerCommand, Target};

/// Plies of a match.
const PLIES: usize = 64;
/// The seed of the moves.
const SEED: u64 = 1;

/// The load that comes before the measured ones: Node compiles what it runs often.
const WARM_UP: MatchLoad = MatchLoad {
    matches: 50,
    plies: PLIES,
    waves: 1,
    per_second: None,
};

/// The scenarios, each with its name.
pub const SCENARIOS: [(&str, MatchLoad); 3] = [
    (
        "100 matches",
        MatchLoad {
            matches: 100,
            plies: PLIES,
            waves: 2,
            per_second: None,
        },
    ),
    (
        "10 matches",
        MatchLoad {
            matches: 10,
            plies: PLIES,
            waves: 8,
            per_second: None,
        },
    ),
    (
        "5000/s",
        MatchLoad {
            matches: 100,
            plies: PLIES,
            waves: 2,
            per_second: Some(5_000.0),
        },
    ),
];

/// The figures that are kept of each scenario.
const KEPT: [&str; 5] = [
    "server CPU per ply",
    "client CPU per ply",
    "latency p50",
    "latency p99",
    "bytes per ply and viewer",
];

/// A server that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ComparedServer {
    /// The bare relay.
    Relay,
    /// The relay with a durable log.
    RelaySqlite,
    /// Colyseus, which stores nothing.
    Colyseus,
    /// boardgame.io with its store in memory.
    BoardgameIo,
    /// Fib Fob's, with a durable store and Nim.
    SqliteNim,
    /// Fib Fob's, with a durable store and Fib Fob.
    SqliteFibFob,
    /// Fib Fob's, with its store in memory and Nim.
    MemoryNim,
    /// Fib Fob's, with its store in memory and Fib Fob.
    MemoryFibFob,
}

impl ComparedServer {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Relay,
        Self::RelaySqlite,
        Self::Colyseus,
        Self::BoardgameIo,
        Self::SqliteNim,
        Self::SqliteFibFob,
        Self::MemoryNim,
        Self::MemoryFibFob,
    ];

    /// Its name in the table.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Relay => "bare relay, volatile",
            Self::RelaySqlite => "relay + SQLite FULL, group commit",
            Self::Colyseus => "Colyseus 0.18, volatile",
            Self::BoardgameIo => "boardgame.io 0.50, volatile",
            Self::SqliteNim => "ours, SQLite, Nim",
            Self::SqliteFibFob => "ours, SQLite, Fib Fob",
            Self::MemoryNim => "ours, memory, Nim",
            Self::MemoryFibFob => "ours, memory, Fib Fob",
        }
    }

    fn game(self) -> GameId {
        match self {
            Self::SqliteFibFob | Self::MemoryFibFob => GameId::FibFob,
            _ => GameId::Nim,
        }
    }
}

/// The programs and the machine of a comparison.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Folder of the built programs.
    pub programs: PathBuf,
    /// Folder with the installed adapters of Colyseus and boardgame.io.
    pub peers: PathBuf,
    /// Node.
    pub node: PathBuf,
    /// Folder for stores.
    pub folder: PathBuf,
    /// Processor that every server is bound to.
    pub processor: Option<u32>,
    /// The servers.
    pub servers: Vec<ComparedServer>,
    /// Rounds.
    pub rounds: usize,
}

/// The figures of every round, by server, scenario and name.
#[derive(Clone, Debug, Default)]
pub struct ComparisonResult(BTreeMap<(ComparedServer, &'static str, &'static str), Vec<f64>>);

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
                        let value = figures.get(name).unwrap_or(f64::NAN);
                        let key = (server, scenario, name);
                        result.0.entry(key).or_default().push(value);
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
        let endpoint = Endpoint::new(target.url.clone());
        let figures = match server {
            ComparedServer::Relay | ComparedServer::RelaySqlite => {
                scenarios(&target, &Relay::new(endpoint, &sequence), progress).await?
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
            _ => scenarios(&target, &Fibfob { endpoint, sequence }, progress).await?,
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

/// Median, least and greatest of some rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The least.
    pub least: f64,
    /// The greatest.
    pub greatest: f64,
}

impl Spread {
    fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_owned();
        sorted.sort_by(f64::total_cmp);
        let (first, last) = (sorted.first()?, sorted.last()?);
        let middle = sorted.len() / 2;
        let median = match sorted.len() % 2 {
            0 => f64::midpoint(sorted[middle - 1], sorted[middle]),
            _ => sorted[middle],
        };
        Some(Self {
            median,
            least: *first,
            greatest: *last,
        })
    }
}

impl ComparisonResult {
    /// A figure of a server in a scenario, over all rounds.
    #[must_use]
    pub fn spread(
        &self,
        server: ComparedServer,
        scenario: &'static str,
        name: &'static str,
    ) -> Option<Spread> {
        Spread::of(self.0.get(&(server, scenario, name))?)
    }

    fn servers(&self) -> impl Iterator<Item = ComparedServer> {
        let known = |server| {
            let mut keys = self.0.keys();
            keys.any(|key| key.0 == server)
        };
        ComparedServer::ALL.into_iter().filter(move |&it| known(it))
    }

    /// All figures of all rounds as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        let row = |((server, scenario, name), values): (
            &(ComparedServer, &str, &str),
            &Vec<f64>,
        )| {
            json!({"server": server.title(), "scenario": scenario, "figure": name, "rounds": values})
        };
        self.0.iter().map(row).collect()
    }

    /// The table of processor time with its range, and of latencies and bytes.
    fn figures(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "µs of server CPU per ply: median [least–greatest of all rounds]\n\n\
             | server | 100 matches | plies/s/core | 10 matches | 5000/s | p50 / p99 ms | bytes per ply and viewer |\n\
             |---|---|---|---|---|---|---|"
        )?;
        for server in self.servers() {
            let cpu = |scenario| self.spread(server, scenario, KEPT[0]);
            let [hundred, ten, paced] = SCENARIOS.map(|(name, _)| cpu(name));
            let median = |name| self.spread(server, "5000/s", name).map(|it| it.median);
            writeln!(
                f,
                "| {} | {} | {} | {} | {} | {} / {} | {} |",
                server.title(),
                range(hundred),
                number(hundred.map(|it| 1e6 / it.median)),
                range(ten),
                range(paced),
                number(median("latency p50")),
                number(median("latency p99")),
                number(median("bytes per ply and viewer")),
            )?;
        }
        Ok(())
    }

    /// The table of the ratios of processor time.
    fn ratios(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const REFERENCES: [(ComparedServer, &str); 4] = [
            (ComparedServer::Relay, "bare relay"),
            (ComparedServer::RelaySqlite, "relay + SQLite"),
            (ComparedServer::Colyseus, "Colyseus"),
            (ComparedServer::BoardgameIo, "boardgame.io"),
        ];
        let mut head = "| server | scenario |".to_owned();
        for (_, title) in REFERENCES {
            let _ = write!(head, " × {title} |");
        }
        writeln!(
            f,
            "\nRatios of the medians\n\n{head}\n|---|---|---|---|---|---|"
        )?;
        let references = REFERENCES.map(|(server, _)| server);
        for server in self.servers().filter(|it| !references.contains(it)) {
            for (scenario, _) in SCENARIOS {
                let own = self.spread(server, scenario, KEPT[0]);
                write!(f, "| {} | {scenario} |", server.title())?;
                for reference in references {
                    let reference = self.spread(reference, scenario, KEPT[0]);
                    let ratio = own.zip(reference);
                    let ratio = ratio.map(|(own, reference)| own.median / reference.median);
                    write!(
                        f,
                        " {} |",
                        ratio.map_or("–".to_owned(), |it| format!("{it:.2}"))
                    )?;
                }
                writeln!(f)?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for ComparisonResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.figures(f)?;
        self.ratios(f)
    }
}

fn range(spread: Option<Spread>) -> String {
    let Some(spread) = spread else {
        return "–".to_owned();
    };
    format!(
        "{} [{}–{}]",
        number(Some(spread.median)),
        number(Some(spread.least)),
        number(Some(spread.greatest))
    )
}

fn number(value: Option<f64>) -> String {
    match value {
        None => "–".to_owned(),
        Some(value) if value >= 100.0 => format!("{value:.0}"),
        Some(value) if value >= 10.0 => format!("{value:.1}"),
        Some(value) => format!("{value:.2}"),
    }
}

/// Returns true if a folder holds the adapters with what they depend on.
#[must_use]
pub fn are_installed(peers: &Path) -> bool {
    ["colyseus", "boardgame"]
        .iter()
        .all(|name| peers.join(name).join("node_modules").is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_that_of_the_medians() {
        let mut result = ComparisonResult::default();
        for (server, values) in [
            (ComparedServer::Relay, vec![4.0, 5.0, 100.0]),
            (ComparedServer::SqliteNim, vec![50.0, 9.0, 10.0]),
        ] {
            result.0.insert((server, "100 matches", KEPT[0]), values);
        }
        let text = result.to_string();
        assert!(
            text.contains("| ours, SQLite, Nim | 100 matches | 2.00 | – | – | – |"),
            "{text}"
        );
        assert!(text.contains("| 5.00 [4.00–100] | 200000 |"), "{text}");
    }

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        let spread = Spread::of(&[4.0, 1.0, 3.0, 2.0]).unwrap();
        assert_eq!(
            (spread.median, spread.least, spread.greatest),
            (2.5, 1.0, 4.0)
        );
        assert_eq!(Spread::of(&[]), None);
    }
}
