//! A server's configuration: options of the command line, and settings for tests and programs only.

use std::collections::BTreeMap;
use std::io::Read;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, Resettable, TypedValueParser as _};
use clap::{Args, Command, FromArgMatches as _};
use fibfob_net::client_address::Network;
use fibfob_net::origin::Origin;
use fibfob_net::refusals::LogAddresses;
use fibfob_net::regular_file::open_regular;
use fibfob_protocol::{
    CHAT_CHARS_MAX, COMMAND_ID_MAX, GRACE_MS, Limits, MESSAGE_BYTES_MAX, NAME_CHARS_MAX,
    TAKEBACK_OFFERS_MAX, durations_within, millis,
};
use fibfob_server_matches::MatchSettings;
use fibfob_server_matches::clock::Clock;
use fibfob_server_matches::random::Randomness;
use strum::VariantNames as _;

use super::headings::{LIMITS, MATCHES, NETWORK, OPERATION, STORE};
use crate::calls::PushServices;
use crate::limits::{
    self, CONNECTION_RATE, CONNECTIONS_MAX, FOLLOWED_MAX, IN_FLIGHT_MAX, OPERATOR_TEXT_BYTES_MAX,
    Rate,
};

const BOT_PAUSE: RangeInclusive<Duration> = Duration::ZERO..=Duration::from_secs(60);
const OPEN_FOR: RangeInclusive<Duration> =
    Duration::from_secs(60)..=Duration::from_secs(365 * 24 * 60 * 60);
const ABANDONED_AFTER: RangeInclusive<Duration> =
    Duration::from_secs(60 * 60)..=Duration::from_secs(365 * 24 * 60 * 60);
const IDLE_AFTER: RangeInclusive<Duration> = Duration::ZERO..=Duration::from_secs(24 * 60 * 60);
const GRACE: RangeInclusive<Duration> =
    Duration::from_millis(*GRACE_MS.start())..=Duration::from_millis(*GRACE_MS.end());

/// The unit of options that are about stored bytes.
pub(crate) const MIB: u64 = 1024 * 1024;

/// The ranges to which an operator may raise a connection's bounds.
const MESSAGES: RangeInclusive<i64> = CONNECTION_RATE.per_second as i64..=10_000;
const FOLLOWED: RangeInclusive<i64> = FOLLOWED_MAX as i64..=256;
const IN_FLIGHT: RangeInclusive<i64> = IN_FLIGHT_MAX as i64..=256;

/// The configuration of a server. The defaults are those of the program.
#[derive(Args, Clone, Debug)]
pub struct Config {
    /// Address at which players reach the server, such as `https://play.example.org`.
    ///
    /// The links that the server prints use it, and pages loaded from it may connect. Its scheme says whether a proxy in front of the
    /// server speaks TLS.
    #[arg(long, env = "FIBFOB_PUBLIC_URL", help_heading = NETWORK, value_name = "URL")]
    pub public_url: Option<Origin>,

    /// Pause before a bot moves, at most 1m.
    #[arg(
        long, env = "FIBFOB_BOT_PAUSE", help_heading = MATCHES, hide_short_help = true, value_name = "DURATION", default_value = "700ms",
        value_parser = durations_within(BOT_PAUSE)
    )]
    pub bot_pause: Duration,

    /// Origin of another site whose pages may connect; repeat it, or separate several by commas.
    ///
    /// Pages loaded from an IP address, localhost or the --public-url of the server may connect, and
    /// so may programs other than browsers.
    #[arg(
        long = "allow-origin",
        env = "FIBFOB_ALLOW_ORIGIN", help_heading = NETWORK, hide_short_help = true,
        value_name = "ORIGIN",
        value_delimiter = ','
    )]
    pub allow_origins: Vec<Origin>,

    /// Push service that may be called for players who are away: `known`, `off`, or its origin; repeat it,
    /// or separate several by commas.
    ///
    /// `known` are those of the browsers from Google, Mozilla, Microsoft and Apple. They learn which browser is called when;
    /// what a call says is encrypted for the browser.
    #[arg(
        long = "push-service",
        env = "FIBFOB_PUSH_SERVICE", help_heading = NETWORK, hide_short_help = true,
        value_name = "SERVICE",
        value_delimiter = ',',
        default_value = "known"
    )]
    pub push_services: Vec<PushServices>,

    /// Proxy (address or network) whose X-Forwarded-For is trusted; repeat it, or separate several
    /// by commas.
    ///
    /// Clients are counted by address; all clients behind a proxy that is not listed count as one.
    #[arg(
        long = "trusted-proxy",
        env = "FIBFOB_TRUSTED_PROXY", help_heading = NETWORK, hide_short_help = true,
        value_name = "CIDR",
        value_delimiter = ','
    )]
    pub trusted_proxies: Vec<Network>,

    /// Connections that one address (for IPv6, one /64 network) may have at once.
    ///
    /// It may have four times as many requests without an answer.
    #[arg(
        long, env = "FIBFOB_CONNECTIONS_PER_ADDRESS", help_heading = LIMITS, hide_short_help = true, value_name = "COUNT", default_value_t = 256,
        value_parser = clap::value_parser!(u32).range(1..=CONNECTIONS_MAX as i64).map(|count| count as usize)
    )]
    pub connections_per_address: usize,

    /// Messages per second from all spectators of one address; its players may send four times as
    /// many.
    ///
    /// The messages of four seconds may come at once.
    #[arg(
        long = "messages-per-address", env = "FIBFOB_MESSAGES_PER_ADDRESS", help_heading = LIMITS, hide_short_help = true, value_name = "COUNT", default_value = "500",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000).map(address_rate)
    )]
    pub address_rate: Rate,

    /// Messages per second from one connection, 50 to 10000.
    ///
    /// Twice as many may come at once. Its address stays within --messages-per-address.
    #[arg(
        long = "messages-per-connection", env = "FIBFOB_MESSAGES_PER_CONNECTION", help_heading = LIMITS, hide_short_help = true, value_name = "COUNT", default_value = "50",
        value_parser = clap::value_parser!(u32).range(MESSAGES).map(connection_rate)
    )]
    pub rate: Rate,

    /// Matches that one connection may follow at once, 8 to 256, without those that are over.
    ///
    /// Those of its address stay within four for each of --connections-per-address.
    #[arg(
        long = "followed-per-connection", env = "FIBFOB_FOLLOWED_PER_CONNECTION", help_heading = LIMITS, hide_short_help = true, value_name = "COUNT", default_value_t = FOLLOWED_MAX,
        value_parser = clap::value_parser!(u32).range(FOLLOWED).map(|count| count as usize)
    )]
    pub following: usize,

    /// Requests that one connection may have without an answer, 8 to 256.
    ///
    /// Those of its address stay within four for each of --connections-per-address.
    #[arg(
        long = "requests-per-connection", env = "FIBFOB_REQUESTS_PER_CONNECTION", help_heading = LIMITS, hide_short_help = true, value_name = "COUNT", default_value_t = IN_FLIGHT_MAX,
        value_parser = clap::value_parser!(u32).range(IN_FLIGHT).map(|count| count as usize)
    )]
    pub in_flight: usize,

    /// Matches of one address that may wait for a second player at once.
    ///
    /// It may make as many in a minute, and twice as many at once.
    #[arg(
        long, env = "FIBFOB_MATCHES_PER_ADDRESS", help_heading = LIMITS, hide_short_help = true, value_name = "COUNT", default_value_t = 64,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000).map(|count| count as usize)
    )]
    pub matches_per_address: usize,

    /// MiB that one address may store in a day, before it makes no new matches.
    ///
    /// Running matches go on. An IPv6 /48 network may store four times as much.
    #[arg(
        long, env = "FIBFOB_STORED_PER_ADDRESS", help_heading = LIMITS, hide_short_help = true, value_name = "MIB", default_value_t = 256,
        value_parser = clap::value_parser!(u64).range(1..=1_000_000)
    )]
    pub stored_per_address: u64,

    /// MiB that the store may take, for a database on a disk that this server does not see.
    ///
    /// The rest of it counts as free room. When that is less than the use of seven days, the addresses that
    /// stored the most in the last day make no new matches. The free space of an SQLite file's disk counts too.
    #[arg(
        long, env = "FIBFOB_STORE_QUOTA", help_heading = STORE, hide_short_help = true, value_name = "MIB",
        value_parser = clap::value_parser!(u64).range(1..=1_000_000_000)
    )]
    pub store_quota: Option<u64>,

    /// Time that a new match waits for its second player, 1m to 365d.
    #[arg(
        long, env = "FIBFOB_OPEN_FOR", help_heading = MATCHES, hide_short_help = true, value_name = "DURATION", default_value = "24h",
        value_parser = durations_within(OPEN_FOR)
    )]
    pub open_for: Duration,

    /// Absence after which the other player may claim the match, 10s to 7d.
    ///
    /// The creator of a match can choose another time for it.
    #[arg(
        long, env = "FIBFOB_GRACE", help_heading = MATCHES, hide_short_help = true, value_name = "DURATION", default_value = "2m",
        value_parser = durations_within(GRACE)
    )]
    pub grace: Duration,

    /// Time without a move after which a match without clocks ends if its players have left it,
    /// 1h to 365d.
    ///
    /// The player to move loses. Time in which no server ran does not count.
    #[arg(
        long, env = "FIBFOB_ABANDONED_AFTER", help_heading = MATCHES, hide_short_help = true, value_name = "DURATION", default_value = "30d",
        value_parser = durations_within(ABANDONED_AFTER)
    )]
    pub abandoned_after: Duration,

    /// Time that a match in play between two people stays in memory when nobody follows it, at
    /// most 1d.
    ///
    /// Other matches leave memory a second after their last request; the store has them all.
    #[arg(
        long, env = "FIBFOB_IDLE_AFTER", help_heading = LIMITS, hide_short_help = true, value_name = "DURATION", default_value = "1m",
        value_parser = durations_within(IDLE_AFTER)
    )]
    pub idle_after: Duration,

    /// Events that a viewer may be behind before one snapshot replaces the frames.
    #[arg(
        long, env = "FIBFOB_SNAPSHOT_AFTER", help_heading = LIMITS, hide_short_help = true, value_name = "EVENTS", default_value_t = 256,
        value_parser = clap::value_parser!(u32).range(1..=65_536).map(|count| count as usize)
    )]
    pub snapshot_after: usize,

    /// Part of the addresses of refused clients that the log shows: `off`, `prefix` (/24, of IPv6 /48) or
    /// `full` (of IPv6 /64).
    ///
    /// The log has a line a minute for each of which something was refused.
    #[arg(
        long, env = "FIBFOB_LOG_ADDRESSES", help_heading = OPERATION, hide_short_help = true,
        value_name = "PART", default_value = "prefix", hide_possible_values = true,
        value_parser = PossibleValuesParser::new(LogAddresses::VARIANTS).try_map(|part| part.parse::<LogAddresses>())
    )]
    pub log_addresses: LogAddresses,

    /// Folder to read the web page from at each request, for developers of the page.
    #[arg(long, env = "FIBFOB_WEB", help_heading = OPERATION, hide_short_help = true, value_name = "FOLDER")]
    pub web: Option<PathBuf>,

    /// File with the text that says how to reach the operator, shown at /contact.
    ///
    /// Plain text, read when the server starts; the page links it.
    #[arg(
        long, env = "FIBFOB_CONTACT", help_heading = OPERATION, hide_short_help = true, value_name = "FILE",
        value_parser = text_of
    )]
    pub contact: Option<String>,

    /// File with the text that says who the operator is, shown at /imprint.
    #[arg(
        long, env = "FIBFOB_IMPRINT", help_heading = OPERATION, hide_short_help = true, value_name = "FILE",
        value_parser = text_of
    )]
    pub imprint: Option<String>,

    /// File with the text that says what is stored about players, shown at /privacy.
    #[arg(
        long, env = "FIBFOB_PRIVACY", help_heading = OPERATION, hide_short_help = true, value_name = "FILE",
        value_parser = text_of
    )]
    pub privacy: Option<String>,

    /// File with a line for each guest who was forgotten, by which a restored backup forgets them again.
    ///
    /// Without it: beside an SQLite file, under its name with `-forgotten`; none for a database. Keep it apart
    /// from the backups, and as safe as them.
    #[arg(long, env = "FIBFOB_FORGOTTEN", help_heading = STORE, hide_short_help = true, value_name = "FILE")]
    pub forgotten: Option<PathBuf>,

    /// Bounds that are not options.
    #[arg(skip)]
    pub bounds: Bounds,

    /// The source of the time of day.
    #[arg(skip)]
    pub clock: Clock,

    /// The source of randomness.
    #[arg(skip)]
    pub randomness: Randomness,
}

/// Reads one of the operator's texts from a file.
fn text_of(path: &str) -> Result<String, String> {
    let mut text = String::new();
    let file = open_regular(path.as_ref()).map_err(|error| error.to_string())?;
    let read = file
        .take(OPERATOR_TEXT_BYTES_MAX + 1)
        .read_to_string(&mut text);
    match read {
        Ok(bytes) if bytes as u64 <= OPERATOR_TEXT_BYTES_MAX => Ok(text),
        Ok(_) => Err(format!("expected at most {OPERATOR_TEXT_BYTES_MAX} bytes")),
        Err(error) => Err(error.to_string()),
    }
}

impl Config {
    /// Returns the operator's texts, each under the path where it is shown.
    pub(crate) fn texts(&self) -> BTreeMap<&'static str, String> {
        let texts = [
            ("contact", &self.contact),
            ("imprint", &self.imprint),
            ("privacy", &self.privacy),
        ];
        let given = |(name, text): (_, &Option<String>)| Some((name, text.clone()?));
        texts.into_iter().filter_map(given).collect()
    }
}

/// Bounds that are not options: the defaults are the constants of [`limits`], which explain them.
/// They are fields so that tests can lower them.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "each is the constant that is its default")]
pub struct Bounds {
    pub connections: usize,
    pub http_head_within: Duration,
    pub write_within: Duration,
    pub hello_within: Duration,
    pub send_within: Duration,
    pub ping_every: Duration,
    pub silent_max: Duration,
    pub close_within: Duration,
    pub computed: Rate,
    pub sweep_every: Duration,
    pub room_looked_every: Duration,
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
            room_looked_every: limits::ROOM_LOOKED_EVERY,
        }
    }
}

impl Config {
    /// Returns the settings of its matches.
    pub(crate) fn matches(&self) -> MatchSettings {
        MatchSettings {
            abandoned_after: self.abandoned_after,
            bot_pause: self.bot_pause,
            idle_after: self.idle_after,
            snapshot_after: self.snapshot_after,
            listed_per_address: (self.matches_per_address / limits::LOBBY_PART).max(1),
            live_matches: limits::LIVE_MATCHES_MAX,
            stored_per_address: self.stored_per_address.saturating_mul(MIB),
        }
    }

    /// The limits in the `welcome` of a connection.
    pub(crate) fn limits(&self) -> Limits {
        let (messages, read) = (self.rate, limits::read_rate(self.rate));
        Limits {
            message_bytes: MESSAGE_BYTES_MAX,
            name_chars: NAME_CHARS_MAX,
            command_id_chars: COMMAND_ID_MAX,
            chat_chars: CHAT_CHARS_MAX,
            following: self.following,
            following_over: limits::OVER_FOLLOWED_MAX,
            behind: self.snapshot_after,
            in_flight: self.in_flight,
            per_second: messages.per_second,
            burst: messages.burst,
            read_per_second: read.per_second,
            read_burst: read.burst,
            chat_per_second: limits::TALK_RATE.per_second,
            chat_burst: limits::TALK_RATE.burst,
            silent_ms: u32::try_from(millis(self.bounds.silent_max)).unwrap_or(u32::MAX),
            matches: limits::MATCHES_MAX,
            seats: limits::SEATS_MAX,
            takebacks: TAKEBACK_OFFERS_MAX,
        }
    }
}

impl Default for Config {
    /// Returns the configuration without arguments and environment variables.
    fn default() -> Self {
        let options = Self::augment_args(Command::new("fibfob-server"));
        let options = options.mut_args(|option| option.env(Resettable::Reset));
        let named = options.try_get_matches_from(["fibfob-server"]);
        let config = named.and_then(|named| Self::from_arg_matches(&named));
        config.expect("every option has a default, or needs none")
    }
}

/// Returns an address's message rate from its sustained rate. Some seconds' messages may come at once, as
/// after a restart.
#[must_use]
pub(crate) fn address_rate(per_second: u32) -> Rate {
    Rate {
        per_second,
        burst: per_second.saturating_mul(limits::ADDRESS_BURST_SECONDS),
    }
}

/// Returns a connection's message rate from its sustained rate, with a burst in the default's proportion.
fn connection_rate(per_second: u32) -> Rate {
    Rate {
        per_second,
        burst: per_second.saturating_mul(CONNECTION_RATE.burst / CONNECTION_RATE.per_second),
    }
}
