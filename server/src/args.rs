//! The command line: flags take precedence over the environment, and that over defaults.
//!
//! Durations are written with their units, as the terminal client takes them. Empty variables count
//! as unset: see `variables`.

pub mod variables;

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::builder::ArgPredicate;
use clap::{Parser, Subcommand};
use directories::ProjectDirs;
use fibfob_net::endpoints::MetricsListen;
use fibfob_net::origin::Origin;

use crate::admin::Command;
use crate::ops::VERSION;
use crate::ops::acme::AcmeOptions;
use crate::ops::config::Config;
use crate::ops::headings::{NETWORK, OPERATION, STORE};
use crate::ops::log::LogFormat;
use crate::ops::store_arg::StoreUrlParser;
use crate::ops::store_url::StoreUrl;

/// The widest help text. A narrower window gets narrower text.
const HELP_COLUMNS: usize = 100;

/// Serves matches of Fib Fob and its family of games.
///
/// Matches are stored in one SQLite file, or in a PostgreSQL database, and continue after a restart. Every option can also be
/// given as an environment variable; the command line takes precedence, and an empty variable counts
/// as unset. Durations have units: `700ms`, `30s`, `2m`, `24h`. Without a command, the server starts.
#[derive(Clone, Debug, Parser)]
#[command(name = "fibfob-server", version = VERSION, max_term_width = HELP_COLUMNS)]
pub struct Args {
    /// The command to run instead of serving.
    #[command(subcommand)]
    pub command: Option<ServerCommand>,

    /// Address and port to listen on; port 0 takes a free one, and `[::]:443` is the default with --acme.
    #[arg(
        long,
        help_heading = NETWORK,
        env = "FIBFOB_LISTEN",
        value_name = "ADDRESS:PORT",
        default_value = "127.0.0.1:7171",
        default_value_if("acme", ArgPredicate::IsPresent, "[::]:443"),
        value_parser = address
    )]
    pub listen: SocketAddr,

    /// The store of the matches: `sqlite:PATH`, `postgres://USER:PASSWORD@HOST/DATABASE`, or
    /// `memory`, which loses them at exit.
    ///
    /// Without it: an SQLite file in the user's data folder. A database may name several hosts,
    /// separated by commas, of which the primary is used; connections to other machines are
    /// encrypted, and the certificate is checked against `?sslrootcert=FILE` or the system's
    /// authorities, unless the address ends with `?sslmode=disable`. A password is safer in the
    /// environment variable than on the command line, which other users of the machine can see.
    #[arg(
        long, env = "FIBFOB_STORE", value_name = "STORE", global = true, help_heading = STORE,
        hide_env_values = true, value_parser = StoreUrlParser
    )]
    pub store: Option<StoreUrl>,

    /// The options of the server itself.
    #[command(flatten)]
    pub config: Config,

    /// Accept a PostgreSQL database without a synchronous standby: with its disk, moves are lost
    /// that players have seen.
    #[arg(long, env = "FIBFOB_ALLOW_SINGLE_DATABASE", global = true, hide_short_help = true, help_heading = STORE)]
    pub allow_single_database: bool,

    /// PEM file with the TLS certificate and its chain; requires --tls-key.
    ///
    /// SIGHUP reloads both files, for new connections.
    #[arg(
        long,
        help_heading = NETWORK,
        env = "FIBFOB_TLS_CERT",
        value_name = "FILE",
        requires = "tls_key"
    )]
    pub tls_cert: Option<PathBuf>,

    /// PEM file with the private key of the certificate; requires --tls-cert.
    #[arg(
        long,
        help_heading = NETWORK,
        env = "FIBFOB_TLS_KEY",
        value_name = "FILE",
        requires = "tls_cert"
    )]
    pub tls_key: Option<PathBuf>,

    /// A certificate from an authority.
    #[command(flatten)]
    pub acme: AcmeOptions,

    /// Endpoint of the Prometheus metrics: the `same` port for this machine alone, `off`, or a separate
    /// ADDRESS:PORT.
    ///
    /// They show how busy the server is, and nothing about persons. On the same port they are for programs
    /// of this machine that name an address of its own, and not for what a proxy forwards; the separate one
    /// is for whoever reaches it.
    #[arg(
        long,
        help_heading = OPERATION,
        hide_short_help = true,
        env = "FIBFOB_METRICS_LISTEN",
        value_name = "WHERE",
        default_value = "same"
    )]
    pub metrics_listen: MetricsListen,

    /// The Unix socket on which `fibfob-server admin` and curl reach the running server: a path, or `off`.
    ///
    /// Without it: `admin.sock` in $RUNTIME_DIRECTORY, which systemd sets, or beside the store's file. Only root and
    /// the server's own user may use it.
    #[arg(
        long, env = "FIBFOB_ADMIN_SOCKET", value_name = "PATH", global = true, hide_short_help = true,
        help_heading = OPERATION
    )]
    pub admin_socket: Option<PathBuf>,

    /// Filter of log messages, such as `warn` or `fibfob_server=debug`.
    #[arg(
        long,
        help_heading = OPERATION,
        env = "FIBFOB_LOG",
        value_name = "FILTER",
        default_value = "info"
    )]
    pub log: String,

    /// Format of the log: `text`, `json`, or `auto`.
    ///
    /// `auto` is text on a terminal, text with priorities for systemd's journal, and JSON elsewhere.
    #[arg(
        long,
        help_heading = OPERATION,
        hide_short_help = true,
        env = "FIBFOB_LOG_FORMAT",
        value_name = "FORMAT",
        default_value = "auto",
        hide_possible_values = true
    )]
    pub log_format: LogFormat,
}

/// A maintenance command on a store.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub enum ServerCommand {
    /// Copies the store's file into a new file, also while a server uses it.
    ///
    /// The copy is consistent and contains everything that was acknowledged before it began. It is
    /// a complete store file, and as secret as the original: it holds the key that signs tokens.
    /// Bring it back with `restore`. For a database this prints the `pg_dump` command that makes its backup.
    Backup {
        /// The new file; an existing one is not overwritten.
        file: PathBuf,
    },
    /// Puts a backup in the place of a store file that no server uses, or of one that is lost.
    ///
    /// A copy of the backup is checked first, and the file of the backup stays. The old store is kept beside
    /// the new one, under its name with the date, and what it had beyond the backup is counted. If it
    /// is interrupted, run it again.
    Restore {
        /// The backup, or any other store file.
        file: PathBuf,
    },
    /// Lists the old stores that `restore` has left beside the store's file, or removes one.
    ///
    /// They hold everybody who was in them, also players who were erased since.
    OldStores {
        /// The one to remove, by its name in the list.
        #[arg(long, value_name = "FILE")]
        remove: Option<PathBuf>,
    },
    /// Replays every match of a file or a database and reports damage, also while servers use it.
    ///
    /// Changes nothing. Exits with 0 if nothing is damaged and with 1 otherwise.
    Check,
    /// Asks a running server whether it is ready; exits with 0 if it is, and with 1 otherwise.
    ///
    /// For a container's health check.
    Ready {
        /// Its address, such as `http://127.0.0.1:7171`; without it, the one that the same options and
        /// variables would listen on.
        url: Option<Origin>,
    },
    /// Looks after a running server, or a stopped one's store: lists, shows and closes matches, bans guests.
    ///
    /// Speaks to the server that uses the store, over its socket; on a stopped store, and on a database, it does the
    /// same by itself.
    Admin {
        /// Print the answer as JSON.
        #[arg(long, global = true)]
        json: bool,
        /// The command.
        #[command(subcommand)]
        command: Command,
    },
    /// Moves all that a backup has to another store; no server may use either.
    ///
    /// The target is a new file or an empty database, or what an interrupted migration has left: then
    /// it goes on. Once all matches are copied, both stores are read again and compared. The source is
    /// only read. Where servers use a database, it waits until they have ended, and gives up after some
    /// seconds.
    Migrate {
        /// The store to move from: `sqlite:PATH` or `postgres://…`.
        #[arg(long, value_name = "STORE", value_parser = StoreUrlParser)]
        from: StoreUrl,
        /// The store to move to: `sqlite:PATH` or `postgres://…`.
        #[arg(long, value_name = "STORE", value_parser = StoreUrlParser)]
        to: StoreUrl,
    },
}

impl Args {
    /// The files of the certificate and its key, if TLS is enabled.
    #[must_use]
    pub fn tls(&self) -> Option<(PathBuf, PathBuf)> {
        self.tls_cert.clone().zip(self.tls_key.clone())
    }

    /// Fills in the options that follow from others, for a server on this store.
    pub fn complete(&mut self, store: &StoreUrl) {
        let config = &mut self.config;
        let named = self.acme.acme.as_ref();
        let named = named.and_then(|name| format!("https://{name}").parse().ok());
        config.public_url = config.public_url.take().or(named);
        let list = config.forgotten.take();
        config.forgotten = list.or_else(|| store.beside("-forgotten"));
    }

    /// Returns the operators' socket for a server on this store, and whether it was named.
    #[must_use]
    pub fn socket(&self, store: &StoreUrl) -> Option<(PathBuf, bool)> {
        if let Some(path) = &self.admin_socket {
            return (path.as_os_str() != "off").then(|| (path.clone(), true));
        }
        let folder = std::env::var_os("RUNTIME_DIRECTORY").filter(|folder| !folder.is_empty());
        let path = folder.map(|folder| PathBuf::from(folder).join("admin.sock"));
        path.or_else(|| store.beside(".admin.sock"))
            .map(|path| (path, false))
    }

    /// The store to use; none if the option is absent and the user has no data folder.
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
    use std::time::Duration;

    use clap::CommandFactory;

    use super::*;

    fn parse(args: &[&str]) -> Result<Args, String> {
        Args::try_parse_from([&["fibfob-server"], args].concat()).map_err(|error| error.to_string())
    }

    #[test]
    fn options_are_parsed_into_values() {
        let args = parse(&[
            "--listen=[::1]:0",
            "--store=memory",
            "--bot-pause=0s",
            "--allow-origin=https://a.example,https://b.example",
            "--allow-origin=http://c.example:8080",
        ])
        .unwrap();
        assert_eq!(args.store(), Some(StoreUrl::Memory));
        assert_eq!(args.config.bot_pause, Duration::ZERO);
        assert_eq!(args.config.allow_origins.len(), 3);
        assert_eq!(args.tls(), None);

        let args = parse(&["--tls-cert=a", "--tls-key=b", "--metrics-listen=[::1]:9"]).unwrap();
        assert_eq!(args.tls(), Some(("a".into(), "b".into())));
        assert_eq!(
            args.metrics_listen,
            MetricsListen::Own("[::1]:9".parse().unwrap())
        );
        assert_eq!(parse(&[]).unwrap().metrics_listen, MetricsListen::Same);
        let acme = parse(&["--acme=Fib.example"]).unwrap();
        assert_eq!(acme.acme.acme.as_deref(), Some("fib.example"));
        assert_eq!(acme.listen, "[::]:443".parse().unwrap());
        assert_eq!(
            parse(&[]).unwrap().listen,
            "127.0.0.1:7171".parse().unwrap()
        );
        let off = parse(&["--metrics-listen=off"]).unwrap();
        assert_eq!(off.metrics_listen, MetricsListen::Off);
    }

    #[test]
    fn the_store_option_may_stand_before_or_after_the_command() {
        let file = StoreUrl::Sqlite("a.sqlite".into());
        for arguments in [
            ["--store=sqlite:a.sqlite", "check"],
            ["check", "--store=sqlite:a.sqlite"],
        ] {
            let args = parse(&arguments).unwrap();
            assert_eq!(args.command, Some(ServerCommand::Check));
            assert_eq!(args.store(), Some(file.clone()));
        }
        let backup = parse(&["backup", "b.sqlite"]).unwrap();
        let file = "b.sqlite".into();
        assert_eq!(backup.command, Some(ServerCommand::Backup { file }));
        assert!(parse(&["backup"]).unwrap_err().contains("<FILE>"));
        assert!(parse(&["chekc"]).unwrap_err().contains("'check'"));
    }

    #[test]
    fn the_error_of_a_wrong_value_says_what_was_expected() {
        let wrong = |arg| parse(&[arg]).unwrap_err();
        assert!(wrong("--store=postgres").contains("expected `sqlite:PATH`, `postgres://USER"));
        assert!(wrong("--allow-origin=*").contains("expected an origin such as"));
        assert!(wrong("--trusted-proxy=proxy").contains("expected an address or a network"));
        assert!(wrong("--connections-per-address=0").contains("1..=16384"));
        assert!(wrong("--listen=7171").contains("expected a numeric address and a port"));
        assert!(wrong("--listen=localhost:7171").contains("such as `127.0.0.1:7171`"));
        assert!(wrong("--tls-cert=cert.pem").contains("--tls-key <FILE>"));
        assert!(wrong("--tls-key=key.pem").contains("--tls-cert <FILE>"));
        assert!(wrong("--metrics-listen=9171").contains("expected `same`, `off`, or a numeric"));
        for no_duration in ["--bot-pause=slow", "--bot-pause=700", "--bot-pause=61s"] {
            let text = wrong(no_duration);
            assert!(
                text.contains("such as 90s or 15m, from 0ms to 1m"),
                "{text}"
            );
        }
        assert!(wrong("--grace=9s").contains("from 10s to 7d"));
        assert!(wrong("--public-url=fib.example").contains("expected an origin such as"));
        assert!(wrong("--acme=192.0.2.1").contains("certify names, not addresses"));
        assert!(wrong("--acme=https://fib.example").contains("expected a name alone"));
        assert!(wrong("--acme-contact=me@example.org").contains("--acme <NAME>"));
        let both = ["--acme=fib.example", "--tls-cert=a", "--tls-key=b"];
        assert!(parse(&both).unwrap_err().contains("cannot be used with"));
    }

    #[test]
    fn every_option_is_in_a_group_and_the_short_help_fits_a_window() {
        let mut command = Args::command();
        for arg in command.get_arguments() {
            assert!(arg.get_help_heading().is_some(), "{}", arg.get_id());
        }
        let help = command.render_help().to_string();
        let (lines, widest) = (help.lines().count(), help.lines().map(str::len).max());
        assert!(lines <= 50, "{lines} lines");
        assert!(widest <= Some(HELP_COLUMNS), "{widest:?} columns");
    }

    #[test]
    fn every_option_has_an_environment_variable() {
        for arg in Args::command().get_arguments() {
            let long = arg.get_long().unwrap();
            let name = format!("FIBFOB_{}", long.to_uppercase().replace('-', "_"));
            assert_eq!(arg.get_env().and_then(|env| env.to_str()), Some(&*name));
        }
    }
}
