//! The command line: flags over environment over defaults.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};
use directories::ProjectDirs;
use fibfob_protocol::GRACE_MS;

use crate::limits::CONNECTIONS_MAX;
use crate::net::client_address::TrustedProxy;
use crate::net::endpoints::MetricsAt;
use crate::net::origin::Origin;
use crate::ops::config::{Config, address_rate};
use crate::store::StoreUrl;

/// Serves matches of Fib Fob and its family of games.
///
/// Matches are kept in one SQLite file and go on after any restart. Every option can be given
/// as an environment variable too; what stands on the command line wins. Without a command, the
/// server starts.
#[derive(Clone, Debug, Parser)]
#[command(name = "fibfob-server", version)]
pub struct Args {
    /// What to do instead of serving.
    #[command(subcommand)]
    pub task: Option<Task>,

    /// Address and port to listen on; port 0 takes a free one.
    #[arg(
        long,
        env = "FIBFOB_LISTEN",
        value_name = "ADDRESS:PORT",
        default_value = "127.0.0.1:7171",
        value_parser = address
    )]
    pub listen: SocketAddr,

    /// Where matches are kept: `sqlite:PATH`, or `memory` to forget them at the end.
    ///
    /// Without it: an SQLite file in the user's data folder.
    #[arg(long, env = "FIBFOB_STORE", value_name = "STORE", global = true)]
    pub store: Option<StoreUrl>,

    /// How long a bot waits before it moves, in milliseconds.
    #[arg(
        long, env = "FIBFOB_BOT_PAUSE", value_name = "MS", default_value_t = 700,
        value_parser = clap::value_parser!(u64).range(..=60_000)
    )]
    pub bot_pause: u64,

    /// Web pages of this origin may connect too; repeat it, or separate several by commas.
    ///
    /// Pages of the server's own address always may, and programs that are no browsers.
    #[arg(
        long = "allow-origin",
        env = "FIBFOB_ALLOW_ORIGIN",
        value_name = "ORIGIN",
        value_delimiter = ','
    )]
    pub allow_origins: Vec<Origin>,

    /// Believe `X-Forwarded-For` from this address or network; repeat it, or separate several by commas.
    ///
    /// Clients are counted by their addresses; behind a proxy that is not named here, all are one.
    #[arg(
        long = "trusted-proxy",
        env = "FIBFOB_TRUSTED_PROXY",
        value_name = "CIDR",
        value_delimiter = ','
    )]
    pub trusted_proxies: Vec<TrustedProxy>,

    /// How many connections one address (of IPv6: one /64 network) may have at once.
    #[arg(
        long, env = "FIBFOB_CONNECTIONS_PER_ADDRESS", value_name = "COUNT", default_value_t = 256,
        value_parser = clap::value_parser!(u32).range(1..=CONNECTIONS_MAX as i64)
    )]
    pub connections_per_address: u32,

    /// How many messages a second all spectators of one address may send; its players four times that.
    ///
    /// Four seconds' worth may come at once.
    #[arg(
        long, env = "FIBFOB_MESSAGES_PER_ADDRESS", value_name = "COUNT", default_value_t = 500,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    pub messages_per_address: u32,

    /// How long a new match waits for its second player, in minutes.
    #[arg(
        long, env = "FIBFOB_OPEN_FOR", value_name = "MINUTES", default_value_t = 24 * 60,
        value_parser = clap::value_parser!(u64).range(1..=525_600)
    )]
    pub open_for: u64,

    /// How long a player may be away before the other one may claim the match, in seconds.
    ///
    /// Who makes a match can say another time for it.
    #[arg(
        long, env = "FIBFOB_GRACE", value_name = "SECONDS", default_value_t = 120,
        value_parser = clap::value_parser!(u64).range(GRACE_MS.start() / 1_000..=GRACE_MS.end() / 1_000)
    )]
    pub grace: u64,

    /// How long a match that nobody looks at stays in memory, in seconds.
    #[arg(
        long, env = "FIBFOB_IDLE_AFTER", value_name = "SECONDS", default_value_t = 60,
        value_parser = clap::value_parser!(u64).range(..=86_400)
    )]
    pub idle_after: u64,

    /// Viewers more events behind than this get one snapshot in place of the events' frames.
    #[arg(
        long, env = "FIBFOB_SNAPSHOT_AFTER", value_name = "EVENTS", default_value_t = 256,
        value_parser = clap::value_parser!(u32).range(1..=65_536)
    )]
    pub snapshot_after: u32,

    /// Speak TLS, with the certificate in this PEM file and its chain; needs --tls-key.
    ///
    /// SIGHUP reads both files anew, for connections from then on.
    #[arg(
        long,
        env = "FIBFOB_TLS_CERT",
        value_name = "FILE",
        requires = "tls_key"
    )]
    pub tls_cert: Option<PathBuf>,

    /// The certificate's private key, a PEM file; needs --tls-cert.
    #[arg(
        long,
        env = "FIBFOB_TLS_KEY",
        value_name = "FILE",
        requires = "tls_cert"
    )]
    pub tls_key: Option<PathBuf>,

    /// Where numbers for Prometheus are: `same` port, `off`, or an ADDRESS:PORT of their own.
    ///
    /// They say how much goes on here and nothing about whom. Who listens to strangers may still
    /// want to keep them to oneself.
    #[arg(
        long,
        env = "FIBFOB_METRICS_LISTEN",
        value_name = "WHERE",
        default_value = "same"
    )]
    pub metrics_listen: MetricsAt,

    /// Read the web page from this folder at each request: for those who work on the page.
    #[arg(long, env = "FIBFOB_WEB", value_name = "FOLDER")]
    pub web: Option<PathBuf>,

    /// Which messages go to the log, such as `warn` or `fibfob_server=debug`.
    #[arg(
        long,
        env = "FIBFOB_LOG",
        value_name = "FILTER",
        default_value = "info"
    )]
    pub log: String,
}

/// What an operator does with a store besides serving it.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub enum Task {
    /// Copies the store into a new file, also while a server uses it.
    ///
    /// The copy is of one moment: everything that was acknowledged before is in it. It is a store
    /// like any other, and as secret: it holds the key that signs tokens.
    Backup {
        /// The new file; an existing one is left alone.
        file: PathBuf,
    },
    /// Replays every match and names what is damaged, also while a server uses the store.
    ///
    /// Changes nothing. Exits with 0 if all is well and with 1 if something is damaged.
    Check,
}

impl Args {
    /// The server these arguments ask for.
    #[must_use]
    pub fn config(&self) -> Config {
        Config {
            bot_pause: Duration::from_millis(self.bot_pause),
            allow_origins: self.allow_origins.clone(),
            trusted_proxies: self.trusted_proxies.clone(),
            connections_per_address: self.connections_per_address as usize,
            address_rate: address_rate(self.messages_per_address),
            idle_after: Duration::from_secs(self.idle_after),
            open_for: Duration::from_secs(60 * self.open_for),
            grace: Duration::from_secs(self.grace),
            snapshot_after: self.snapshot_after as usize,
            web: self.web.clone(),
            ..Config::default()
        }
    }

    /// The files of TLS, where it is to be spoken: the certificate's and the key's.
    #[must_use]
    pub fn tls(&self) -> Option<(PathBuf, PathBuf)> {
        self.tls_cert.clone().zip(self.tls_key.clone())
    }

    /// The store to use; none if none was named and the user has no folder for data.
    #[must_use]
    pub fn store(&self) -> Option<StoreUrl> {
        let named = self.store.clone();
        named.or_else(|| default_file().map(StoreUrl::Sqlite))
    }
}

fn address(text: &str) -> Result<SocketAddr, &'static str> {
    let wrong = "expected a numeric address and a port, such as `127.0.0.1:7171` or `[::1]:7171`";
    text.parse().map_err(|_| wrong)
}

fn default_file() -> Option<PathBuf> {
    let folders = ProjectDirs::from("", "", "fibfob")?;
    Some(folders.data_local_dir().join("matches.sqlite"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Result<Args, String> {
        Args::try_parse_from([&["fibfob-server"], args].concat()).map_err(|error| error.to_string())
    }

    #[test]
    fn the_defaults_are_those_of_the_library() {
        let (args, library) = (parse(&[]).unwrap(), Config::default());
        assert_eq!(args.listen, "127.0.0.1:7171".parse().unwrap());
        let config = args.config();
        assert_eq!(config.bot_pause, library.bot_pause);
        assert_eq!(config.idle_after, library.idle_after);
        assert_eq!(config.open_for, library.open_for);
        assert_eq!(config.grace, library.grace);
        assert_eq!(config.web, library.web);
        assert_eq!(config.allow_origins, library.allow_origins);
        assert_eq!(config.snapshot_after, library.snapshot_after);
        assert_eq!(config.trusted_proxies, library.trusted_proxies);
        let per_address = config.connections_per_address;
        assert_eq!(per_address, library.connections_per_address);
        assert_eq!(config.address_rate, library.address_rate);
    }

    #[test]
    fn options_are_values() {
        let args = parse(&[
            "--listen=[::1]:0",
            "--store=memory",
            "--bot-pause=0",
            "--allow-origin=https://a.example,https://b.example",
            "--allow-origin=http://c.example:8080",
        ])
        .unwrap();
        assert_eq!(args.store(), Some(StoreUrl::Memory));
        assert_eq!(args.config().bot_pause, Duration::ZERO);
        assert_eq!(args.allow_origins.len(), 3);
        assert_eq!(args.tls(), None);

        let args = parse(&["--tls-cert=a", "--tls-key=b", "--metrics-listen=[::1]:9"]).unwrap();
        assert_eq!(args.tls(), Some(("a".into(), "b".into())));
        assert_eq!(
            args.metrics_listen,
            MetricsAt::Own("[::1]:9".parse().unwrap())
        );
        assert_eq!(parse(&[]).unwrap().metrics_listen, MetricsAt::Same);
        let off = parse(&["--metrics-listen=off"]).unwrap();
        assert_eq!(off.metrics_listen, MetricsAt::Off);
    }

    #[test]
    fn a_store_is_named_before_or_after_the_task() {
        let file = StoreUrl::Sqlite("a.sqlite".into());
        for words in [
            ["--store=sqlite:a.sqlite", "check"],
            ["check", "--store=sqlite:a.sqlite"],
        ] {
            let args = parse(&words).unwrap();
            assert_eq!(args.task, Some(Task::Check));
            assert_eq!(args.store(), Some(file.clone()));
        }
        let backup = parse(&["backup", "b.sqlite"]).unwrap();
        let file = "b.sqlite".into();
        assert_eq!(backup.task, Some(Task::Backup { file }));
        assert!(parse(&["backup"]).unwrap_err().contains("<FILE>"));
        assert!(parse(&["chekc"]).unwrap_err().contains("'check'"));
    }

    #[test]
    fn a_wrong_value_is_told_what_was_expected() {
        let wrong = |arg| parse(&[arg]).unwrap_err();
        assert!(wrong("--store=postgres").contains("expected `sqlite:PATH` or `memory`"));
        assert!(wrong("--allow-origin=*").contains("expected an origin such as"));
        assert!(wrong("--trusted-proxy=proxy").contains("expected an address or a network"));
        assert!(wrong("--connections-per-address=0").contains("1..=16384"));
        assert!(wrong("--listen=7171").contains("expected a numeric address and a port"));
        assert!(wrong("--listen=localhost:7171").contains("such as `127.0.0.1:7171`"));
        assert!(wrong("--tls-cert=cert.pem").contains("--tls-key <FILE>"));
        assert!(wrong("--tls-key=key.pem").contains("--tls-cert <FILE>"));
        assert!(wrong("--metrics-listen=9171").contains("expected `same`, `off`, or a numeric"));
        assert!(wrong("--bot-pause=slow").contains("invalid digit"));
        assert!(wrong("--bot-pause=60001").contains("0..=60000"));
    }

    #[test]
    fn every_option_has_its_variable() {
        use clap::CommandFactory;
        for arg in Args::command().get_arguments() {
            let long = arg.get_long().unwrap();
            let name = format!("FIBFOB_{}", long.to_uppercase().replace('-', "_"));
            assert_eq!(arg.get_env().and_then(|env| env.to_str()), Some(&*name));
        }
    }
}
