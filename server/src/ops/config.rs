//! The configuration of a server as values; `args` reads them from the command line.

use std::path::PathBuf;
use std::time::Duration;

use crate::clock::Clock;
use crate::limits;
use crate::limits::Rate;
use crate::net::client_address::TrustedProxy;
use crate::net::origin::Origin;
use crate::random::Randomness;

/// The configuration of a server. The defaults are those of the program.
#[derive(Clone, Debug)]
pub struct Config {
    /// The pause before a bot moves, so that a person can follow.
    pub bot_pause: Duration,
    /// The address at which players reach the server, if the operator states one.
    pub public_url: Option<Origin>,
    /// Origins of other sites' pages that may open WebSockets to this server.
    pub allow_origins: Vec<Origin>,
    /// Proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Vec<TrustedProxy>,
    /// The number of connections that one address may have at once.
    pub connections_per_address: usize,
    /// The number of matches of one address that may wait for a second player at once. It may make
    /// as many in a minute, and [`limits::CREATED_BURST_TIMES`] as many at once.
    pub matches_per_address: usize,
    /// The time that a match in play between two people stays in memory when nobody follows it.
    pub idle_after: Duration,
    /// The time that a new match waits for its second player.
    pub open_for: Duration,
    /// The absence after which the other player may claim the match, unless its creator chooses
    /// another one.
    pub grace: Duration,
    /// The time without an event after which a match without clocks ends that its players have
    /// left.
    pub abandoned_after: Duration,
    /// A viewer more events behind than this gets one snapshot in place of the frames.
    pub snapshot_after: usize,
    /// The message rate of one connection.
    pub rate: Rate,
    /// The message rate shared by all connections of one address without a seat in a match they
    /// follow. Those with a seat share a rate [`limits::PLAYERS_TIMES`] as high.
    pub address_rate: Rate,
    /// Bounds that are not options.
    pub bounds: Bounds,
    /// A folder to read the web page from at each request, in place of the embedded one.
    pub web: Option<PathBuf>,
    /// The source of the time of day.
    pub clock: Clock,
    /// The source of randomness.
    pub randomness: Randomness,
}

/// Bounds that are not options: the defaults are the constants of [`limits`], which explain them.
/// They are fields so that tests can lower them.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Connections of one listener: [`limits::CONNECTIONS_MAX`].
    pub connections: usize,
    /// Time for the head of a request: [`limits::HTTP_HEAD_WITHIN`].
    pub http_head_within: Duration,
    /// Time without progress of a write: [`limits::WRITE_WITHIN`].
    pub write_within: Duration,
    /// Time until an acceptable `hello`: [`limits::HELLO_WITHIN`].
    pub hello_within: Duration,
    /// Time to accept one message: [`limits::SEND_WITHIN`].
    pub send_within: Duration,
    /// Interval of pings: [`limits::PING_EVERY`].
    pub ping_every: Duration,
    /// Longest silence: [`limits::SILENT_MAX`].
    pub silent_max: Duration,
    /// Wait for a close frame: [`limits::CLOSE_WITHIN`].
    pub close_within: Duration,
    /// Processor time of an address: [`limits::COMPUTED_RATE`].
    pub computed: Rate,
    /// Pause between two rounds through all unfinished matches: [`limits::SWEEP_EVERY`].
    pub sweep_every: Duration,
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
            computed: limits::COMPUTED_RATE,
            sweep_every: limits::SWEEP_EVERY,
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            bot_pause: Duration::from_millis(700),
            public_url: None,
            allow_origins: Vec::new(),
            trusted_proxies: Vec::new(),
            connections_per_address: 256,
            matches_per_address: 64,
            idle_after: Duration::from_secs(60),
            open_for: Duration::from_secs(24 * 60 * 60),
            grace: Duration::from_secs(2 * 60),
            abandoned_after: Duration::from_secs(30 * 24 * 60 * 60),
            snapshot_after: 256,
            rate: Rate {
                per_second: 50,
                burst: 100,
            },
            address_rate: address_rate(500),
            bounds: Bounds::default(),
            web: None,
            clock: Clock::system(),
            randomness: Randomness::system(),
        }
    }
}

/// The message rate of an address, from its sustained rate: the messages of some seconds may come
/// at once, as after a restart.
#[must_use]
pub(crate) fn address_rate(per_second: u32) -> Rate {
    Rate {
        per_second,
        burst: per_second.saturating_mul(limits::ADDRESS_BURST_SECONDS),
    }
}
