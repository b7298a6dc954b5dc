//! What an operator decides, as values; `args` reads them from the command line.

use std::path::PathBuf;
use std::time::Duration;

use crate::chance::Chance;
use crate::clock::Clock;
use crate::origin::Origin;

/// How a server behaves. The defaults are those of the program.
#[derive(Clone, Debug)]
pub struct Config {
    /// How long a bot waits before it moves, so that a person can follow.
    pub bot_pause: Duration,
    /// Pages elsewhere that may open sockets to this server.
    pub allow_origins: Vec<Origin>,
    /// How long a match that nobody follows stays in memory.
    pub idle_after: Duration,
    /// How long a new match waits for its second player.
    pub open_for: Duration,
    /// How long a player may be away before the other one may claim the match, where the
    /// match's creator does not say it.
    pub grace: Duration,
    /// A viewer more events behind than this gets one snapshot in place of the frames.
    pub snapshot_after: usize,
    /// How fast one connection may send.
    pub rate: Rate,
    /// A folder to read the web page from at each request, in place of the one in the binary.
    pub web: Option<PathBuf>,
    /// The time of day.
    pub clock: Clock,
    /// What is drawn at random.
    pub chance: Chance,
}

/// A sustained rate of messages, and how many may come at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Messages a second in the long run.
    pub per_second: u32,
    /// Messages at once after a silence.
    pub burst: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            bot_pause: Duration::from_millis(700),
            allow_origins: Vec::new(),
            idle_after: Duration::from_secs(60),
            open_for: Duration::from_secs(24 * 60 * 60),
            grace: Duration::from_secs(2 * 60),
            snapshot_after: 256,
            rate: Rate {
                per_second: 50,
                burst: 100,
            },
            web: None,
            clock: Clock::system(),
            chance: Chance::system(),
        }
    }
}
