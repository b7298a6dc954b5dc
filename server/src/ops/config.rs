//! What an operator decides, as values; `args` reads them from the command line.

use std::path::PathBuf;
use std::time::Duration;

use crate::chance::Chance;
use crate::clock::Clock;
use crate::limits;
use crate::net::client_address::TrustedProxy;
use crate::net::origin::Origin;

/// How a server behaves. The defaults are those of the program.
#[derive(Clone, Debug)]
pub struct Config {
    /// How long a bot waits before it moves, so that a person can follow.
    pub bot_pause: Duration,
    /// Pages elsewhere that may open sockets to this server.
    pub allow_origins: Vec<Origin>,
    /// Whom to believe when they say for whom they speak.
    pub trusted_proxies: Vec<TrustedProxy>,
    /// How many connections one address may have at once.
    pub connections_per_address: usize,
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
    /// How fast all connections of one address that have no seat in what they follow may send. Those
    /// that have one may send [`limits::PLAYERS_TIMES`] as fast, whatever the others do.
    pub address_rate: Rate,
    /// What holds whatever an operator decides.
    pub bounds: Bounds,
    /// A folder to read the web page from at each request, in place of the one in the binary.
    pub web: Option<PathBuf>,
    /// The time of day.
    pub clock: Clock,
    /// What is drawn at random.
    pub chance: Chance,
}

/// A sustained rate of messages (or bytes, where that is said), and how many may come at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Messages a second in the long run.
    pub per_second: u32,
    /// Messages at once after a silence.
    pub burst: u32,
}

impl Rate {
    /// A rate so many times as high.
    #[must_use]
    pub(crate) fn times(self, factor: u32) -> Self {
        Self {
            per_second: self.per_second.saturating_mul(factor),
            burst: self.burst.saturating_mul(factor),
        }
    }
}

/// Bounds that no operator sets: the values are those of [`limits`], where each is explained. They are
/// values at all so that a test can reach them in no time.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// [`limits::CONNECTIONS_MAX`]
    pub connections: usize,
    /// [`limits::HTTP_HEAD_WITHIN`]
    pub http_head_within: Duration,
    /// [`limits::WRITE_WITHIN`]
    pub write_within: Duration,
    /// [`limits::HELLO_WITHIN`]
    pub hello_within: Duration,
    /// [`limits::SEND_WITHIN`]
    pub send_within: Duration,
    /// [`limits::PING_EVERY`]
    pub ping_every: Duration,
    /// [`limits::SILENT_MAX`]
    pub silent_max: Duration,
    /// [`limits::CLOSE_WITHIN`]
    pub close_within: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            connections: limits::CONNECTIONS_MAX,
            http_head_within: limits::HTTP_HEAD_WITHIN,
            write_within: limits::WRITE_WITHIN,
            hello_within: limits::HELLO_WITHIN,
            send_within: limits::SEND_WITHIN,
            ping_every: limits::PING_EVERY,
            silent_max: limits::SILENT_MAX,
            close_within: limits::CLOSE_WITHIN,
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            bot_pause: Duration::from_millis(700),
            allow_origins: Vec::new(),
            trusted_proxies: Vec::new(),
            connections_per_address: 256,
            idle_after: Duration::from_secs(60),
            open_for: Duration::from_secs(24 * 60 * 60),
            grace: Duration::from_secs(2 * 60),
            snapshot_after: 256,
            rate: Rate {
                per_second: 50,
                burst: 100,
            },
            address_rate: address_rate(500),
            bounds: Bounds::default(),
            web: None,
            clock: Clock::system(),
            chance: Chance::system(),
        }
    }
}

/// What an address may send, from its sustained rate: a crowd of some seconds may come at once, as
/// after a restart.
#[must_use]
pub(crate) fn address_rate(per_second: u32) -> Rate {
    Rate {
        per_second,
        burst: per_second.saturating_mul(limits::ADDRESS_BURST_SECONDS),
    }
}
