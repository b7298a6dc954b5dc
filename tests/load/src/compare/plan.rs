//! The servers and the scenarios of a comparison.

use fibfob_games::GameId;

use crate::matches::MatchLoad;
use crate::watch::WatchLoad;

/// Plies of a match.
pub(super) const PLIES: usize = 64;
/// The seed of the moves.
pub(super) const SEED: u64 = 1;

/// Waves of 100 matches: the matches of each are packed while the next one is played.
const WAVES: usize = 5;

/// The load that comes before the measured ones: Node compiles what it runs often.
pub(super) const WARM_UP: MatchLoad = MatchLoad {
    matches: 100,
    plies: PLIES,
    waves: WAVES,
    per_second: None,
};

/// The scenarios, each with its name. All have the same number of plies.
pub const SCENARIOS: [(&str, MatchLoad); 3] = [
    (
        "100 matches",
        MatchLoad {
            matches: 100,
            plies: PLIES,
            waves: WAVES,
            per_second: None,
        },
    ),
    (
        "10 matches",
        MatchLoad {
            matches: 10,
            plies: PLIES,
            waves: 10 * WAVES,
            per_second: None,
        },
    ),
    (
        "5000/s",
        MatchLoad {
            matches: 100,
            plies: PLIES,
            waves: WAVES,
            per_second: Some(5_000.0),
        },
    ),
];

/// The name of the scenario with spectators, on the servers that have them.
pub const WATCHED: &str = "1000 spectators";

/// Its load.
pub(super) const WATCH: WatchLoad = WatchLoad {
    spectators: 1_000,
    plies: 20,
    per_second: 10.0,
};

/// The figures that are kept of each scenario that has them.
pub(super) const KEPT: [&str; 7] = [
    "server CPU per ply",
    "client CPU per ply",
    "latency p50",
    "latency p99",
    "bytes per ply and viewer",
    "server CPU per frame",
    "latency alone p99",
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

    pub(super) fn game(self) -> GameId {
        match self {
            Self::SqliteFibFob | Self::MemoryFibFob => GameId::FibFob,
            _ => GameId::Nim,
        }
    }
}
