//! The address of a database, as an operator writes it. What is printed of it has no password.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};

use crate::limits::HANDSHAKE_WITHIN;

/// The time without a byte after which the operating system asks whether the server is there.
const KEEPALIVE_AFTER: Duration = Duration::from_secs(5);
/// The port of a host that is named without one.
const PORT: u16 = 5432;

/// The address of a database: servers, user, password and how the connection is encrypted.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl {
    config: Config,
    pub(super) encryption: Encryption,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Encryption {
    /// None, as on one machine or in a private network.
    Off,
    /// TLS with a certificate that one of these authorities has signed for the host: those in a
    /// file, or those that the operating system trusts.
    Verified(Option<PathBuf>),
}

/// A text that is not the address of a database: names what was expected, and no part of the text, which
/// may be a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected {0}")]
pub struct InvalidPostgresUrl(&'static str);

impl FromStr for PostgresUrl {
    type Err = InvalidPostgresUrl;

    fn from_str(text: &str) -> Result<Self, InvalidPostgresUrl> {
        // A password may contain a question mark.
        let after_password = text.find('@').unwrap_or(0);
        let options = text[after_password..].split_once('?');
        let options = options.map_or("", |(_, options)| options);
        let place = text[..text.len() - options.len()].trim_end_matches('?');
        // The library knows neither all modes nor files with authorities.
        let own = ["sslmode=", "sslrootcert="];
        let value = |name| options.rsplit('&').find_map(|it| it.strip_prefix(name));
        let [ssl_mode, authorities] = own.map(value);
        let mut authorities = authorities.map(PathBuf::from);
        let is_kept = |it: &&str| !it.is_empty() && !own.iter().any(|name| it.starts_with(name));
        let kept: Vec<_> = options.split('&').filter(is_kept).collect();
        let kept = format!("{place}?{}", kept.join("&"));
        let config: Config = kept.parse().map_err(|_| {
            InvalidPostgresUrl("`postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE?sslmode=…`")
        })?;
        if config.get_hosts().is_empty() {
            return Err(InvalidPostgresUrl(
                "a host after `postgres://`, such as `postgres://fibfob@db.example/fibfob`",
            ));
        }
        if !config.get_hostaddrs().is_empty() {
            return Err(InvalidPostgresUrl("hosts without hostaddr"));
        }
        if config.get_target_session_attrs() == TargetSessionAttrs::ReadOnly {
            return Err(InvalidPostgresUrl(
                "target_session_attrs=read-write or none: only the primary is read",
            ));
        }
        let encryption = match ssl_mode {
            Some("disable") => Encryption::Off,
            None if authorities.is_none() && is_local(&config) => Encryption::Off,
            None | Some("require" | "verify-full") => Encryption::Verified(authorities.take()),
            Some(_) => {
                return Err(InvalidPostgresUrl(
                    "sslmode=disable, or sslmode=verify-full (or `require`, which also checks the \
                     server's certificate)",
                ));
            }
        };
        if authorities.is_some() {
            return Err(InvalidPostgresUrl(
                "sslrootcert only together with sslmode=verify-full",
            ));
        }
        Ok(Self { config, encryption })
    }
}

impl PostgresUrl {
    /// The name of each server, and the configuration of connections to it.
    pub(super) fn servers(&self) -> impl Iterator<Item = (String, Config)> {
        let ports = self.config.get_ports();
        let port = |number| ports.get(number).or(ports.first()).copied();
        let hosts = self.config.get_hosts().iter().enumerate();
        hosts.map(move |(number, host)| {
            let port = port(number).unwrap_or(PORT);
            (server_name(host, port), self.config_of(host, port))
        })
    }

    /// The configuration of connections to one of the servers. One whose machine does not answer leaves
    /// time for another address of the same name.
    fn config_of(&self, host: &Host, port: u16) -> Config {
        let (all, mut one) = (&self.config, Config::new());
        if let Some(user) = all.get_user() {
            one.user(user);
        }
        if let Some(password) = all.get_password() {
            one.password(password);
        }
        if let Some(database) = all.get_dbname() {
            one.dbname(database);
        }
        if let Some(options) = all.get_options() {
            one.options(options);
        }
        if let Some(name) = all.get_application_name() {
            one.application_name(name);
        }
        match host {
            Host::Tcp(name) => one.host(name),
            #[cfg(unix)]
            Host::Unix(folder) => one.host_path(folder),
        };
        one.port(port)
            .ssl_mode(match self.encryption {
                Encryption::Off => SslMode::Disable,
                Encryption::Verified(_) => SslMode::Require,
            })
            .ssl_negotiation(all.get_ssl_negotiation())
            .channel_binding(all.get_channel_binding())
            .connect_timeout(HANDSHAKE_WITHIN / 2)
            .keepalives_idle(KEEPALIVE_AFTER);
        one
    }
}

impl fmt::Display for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("postgres://")?;
        if let Some(user) = self.config.get_user() {
            write!(f, "{user}@")?;
        }
        let servers: Vec<_> = self.servers().map(|(server, _)| server).collect();
        f.write_str(&servers.join(","))?;
        if let Some(database) = self.config.get_dbname() {
            write!(f, "/{database}")?;
        }
        match &self.encryption {
            Encryption::Off => f.write_str("?sslmode=disable"),
            Encryption::Verified(None) => f.write_str("?sslmode=verify-full"),
            Encryption::Verified(Some(file)) => {
                write!(f, "?sslmode=verify-full&sslrootcert={}", file.display())
            }
        }
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PostgresUrl({self})")
    }
}

fn server_name(host: &Host, port: u16) -> String {
    match host {
        Host::Tcp(name) if name.contains(':') => format!("[{name}]:{port}"),
        Host::Tcp(name) => format!("{name}:{port}"),
        #[cfg(unix)]
        Host::Unix(folder) => {
            let folder = folder.display().to_string().replace('/', "%2F");
            format!("{folder}:{port}")
        }
    }
}

/// Returns whether nothing leaves this machine on the way to any server.
fn is_local(config: &Config) -> bool {
    config.get_hosts().iter().all(|host| match host {
        Host::Tcp(name) => {
            let address = name.parse::<IpAddr>();
            name == "localhost" || address.is_ok_and(|address| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<PostgresUrl, InvalidPostgresUrl> {
        text.parse()
    }

    #[test]
    fn addresses_print_without_their_password() {
        for (text, printed) in [
            (
                "postgres://ada:s3cret@a,b:6000/games?sslmode=verify-full",
                "postgres://ada@a:5432,b:6000/games?sslmode=verify-full",
            ),
            (
                "postgresql://ada@db/games?password=s3cret&sslrootcert=/etc/own.pem",
                "postgres://ada@db:5432/games?sslmode=verify-full&sslrootcert=/etc/own.pem",
            ),
            (
                "postgres://ada:s3cret?@[::1]/games",
                "postgres://ada@[::1]:5432/games?sslmode=disable",
            ),
            (
                "postgres://ada:s3cret@%2Frun%2Fpostgresql/games",
                "postgres://ada@%2Frun%2Fpostgresql:5432/games?sslmode=disable",
            ),
        ] {
            let url = parse(text).unwrap();
            assert_eq!(url.to_string(), printed);
            let again = parse(&url.to_string()).unwrap();
            assert_eq!(again.to_string(), printed, "it is an address itself");
            assert!(!format!("{url:?}").contains("s3cret"));
            let password = url.config.get_password().unwrap();
            assert!(password.starts_with(b"s3cret"));
        }
    }

    #[test]
    fn connections_to_other_machines_are_encrypted_by_default() {
        let encryption = |text| parse(text).unwrap().encryption;
        assert_eq!(encryption("postgres://a@localhost/d"), Encryption::Off);
        assert_eq!(
            encryption("postgres://a@127.0.0.1,10.0.0.7/d"),
            Encryption::Verified(None)
        );
        assert_eq!(
            encryption("postgres://a@db.example/d"),
            Encryption::Verified(None)
        );
        assert_eq!(
            encryption("postgres://a@localhost/d?sslmode=require"),
            Encryption::Verified(None)
        );
        assert_eq!(
            encryption("postgres://a@db.example/d?sslmode=disable"),
            Encryption::Off
        );
    }

    #[test]
    fn other_addresses_are_refused_with_what_was_expected() {
        for (text, why) in [
            ("postgres://", "a host after"),
            ("postgres://a@/d", "a host after"),
            ("postgres://a@db:x/d", "`postgres://USER:PASSWORD@"),
            ("postgres://a@db/d?colour=red", "`postgres://USER:PASSWORD@"),
            ("postgres://a@db/d?sslmode=prefer", "verify-full"),
            ("postgres://a@db/d?sslmode", "`postgres://USER:PASSWORD@"),
            (
                "postgres://a@db/d?sslmode=disable&sslrootcert=a.pem",
                "sslrootcert only together",
            ),
            ("postgres://a@db/d?hostaddr=10.0.0.7", "without hostaddr"),
            (
                "postgres://a@db/d?target_session_attrs=read-only",
                "target_session_attrs=read-write",
            ),
        ] {
            let refused = parse(text).unwrap_err().to_string();
            assert!(refused.contains(why), "{text}: {refused}");
        }
    }
}
