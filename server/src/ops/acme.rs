//! Gets a certificate from an authority (`--acme`), keeps it in a folder, and renews it. The authority checks
//! on the server's own port that the name is this server's (TLS-ALPN-01, RFC 8737), so no other port is
//! needed.
//!
//! The certificate becomes a file, which is loaded like one of `--tls-cert`.

mod order;

use std::fs::{DirBuilder, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use fibfob_net::tls::Tls;
use fibfob_net::trust::roots_of;
use fibfob_server_matches::clock::Clock;
use fibfob_server_matches::tasks::Tasks;
use fibfob_store::sync_folder_of;
use hyper::Uri;
use hyper::http::uri::Scheme;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;

pub use self::order::AcmeError;
use self::order::certificate_for;
use super::headings::NETWORK;
use crate::limits::{
    ACME_LOOKED_EVERY, ACME_RETRY_MAX, ACME_RETRY_MIN, ACME_RETRY_TIMES, ACME_WITHIN,
};
use crate::outgoing::{connector, system_connector};

/// The production directory of Let's Encrypt.
const LETS_ENCRYPT: &str = "https://acme-v02.api.letsencrypt.org/directory";

/// The options for a certificate from an authority.
#[derive(Args, Clone, Debug)]
pub struct AcmeOptions {
    /// Name of this server, such as `play.example.org`: it gets a certificate for it by itself, and renews it.
    ///
    /// From Let's Encrypt, whose terms of use are agreed to with this. The name must lead to this machine, whose port 443 must
    /// be --listen. It is also the default of --public-url.
    #[arg(
        long = "acme", env = "FIBFOB_ACME", help_heading = NETWORK, value_name = "NAME",
        conflicts_with_all = ["tls_cert", "tls_key"], value_parser = host_name
    )]
    pub acme: Option<String>,

    /// Mail address that the authority may write to; requires --acme.
    #[arg(
        long, env = "FIBFOB_ACME_CONTACT", help_heading = NETWORK, value_name = "MAIL", requires = "acme",
        value_parser = mail_address
    )]
    pub acme_contact: Option<String>,

    /// Directory of another authority that speaks ACME.
    ///
    /// To try without the limits of Let's Encrypt: `https://acme-staging-v02.api.letsencrypt.org/directory`
    #[arg(
        long, env = "FIBFOB_ACME_DIRECTORY", help_heading = NETWORK, hide_short_help = true, value_name = "URL",
        default_value = LETS_ENCRYPT, value_parser = directory
    )]
    pub acme_directory: Uri,

    /// PEM file with the certificates that this directory is trusted by, in place of the system's.
    #[arg(long, env = "FIBFOB_ACME_CA_CERT", help_heading = NETWORK, hide_short_help = true, value_name = "FILE")]
    pub acme_ca_cert: Option<PathBuf>,

    /// Folder of the certificate, its key and the account's, for the server alone.
    ///
    /// Without it: beside an SQLite file, under its name with `-acme`; a database needs one named.
    #[arg(long, env = "FIBFOB_ACME_FOLDER", help_heading = NETWORK, hide_short_help = true, value_name = "FOLDER")]
    pub acme_folder: Option<PathBuf>,
}

fn host_name(text: &str) -> Result<String, &'static str> {
    match ServerName::try_from(text) {
        Ok(ServerName::DnsName(name)) => Ok(name.as_ref().to_ascii_lowercase()),
        Ok(_) => {
            Err("authorities certify names, not addresses; expected one such as `play.example.org`")
        }
        Err(_) => Err("expected a name alone, such as `play.example.org`"),
    }
}

fn mail_address(text: &str) -> Result<String, &'static str> {
    let is_one = text.split('@').count() == 2 && !text.contains([':', ',', ' ']);
    let mail = is_one.then(|| text.to_owned());
    mail.ok_or("expected a mail address, such as `me@example.org`")
}

fn directory(text: &str) -> Result<Uri, &'static str> {
    let uri = text.parse::<Uri>().ok();
    let uri = uri.filter(|uri| uri.scheme() == Some(&Scheme::HTTPS) && uri.host().is_some());
    uri.ok_or(
        "expected the address of an ACME directory, such as `https://acme.example.org/directory`",
    )
}

/// The certificate for a name, which is kept valid.
pub struct Acme {
    name: String,
    contact: Option<String>,
    directory: String,
    connector: TlsConnector,
    /// This authority's folder. Another authority knows neither the account nor the certificate.
    folder: PathBuf,
    tls: Tls,
    clock: Clock,
}

impl Acme {
    /// Loads the saved certificate, if the options ask for one. `beside` is the folder if none was named.
    /// Blocks while it reads a small file.
    pub fn begin(
        options: &AcmeOptions,
        beside: Option<PathBuf>,
        clock: Clock,
    ) -> Result<Option<Self>, AcmeError> {
        let Some(name) = options.acme.clone() else {
            return Ok(None);
        };
        let folder = options.acme_folder.clone().or(beside);
        let authority = options.acme_directory.authority();
        let authority = authority.map_or("", |authority| authority.as_str());
        let folder = folder.ok_or(AcmeError::Nowhere)?;
        let folder = folder.join(authority.replace(':', "-"));
        let made = DirBuilder::new()
            .mode(0o700)
            .recursive(true)
            .create(&folder);
        made.map_err(|error| AcmeError::File(folder.clone(), error))?;
        let file = folder.join(format!("{name}.pem"));
        let tls = Tls::awaiting(file.clone(), file.clone());
        if file.exists()
            && let Err(error) = tls.reload()
        {
            tracing::warn!(%error, "the saved certificate cannot be loaded; a new one is requested");
        }
        Ok(Some(Self {
            name,
            contact: options
                .acme_contact
                .as_ref()
                .map(|mail| format!("mailto:{mail}")),
            directory: options.acme_directory.to_string(),
            connector: match &options.acme_ca_cert {
                Some(file) => connector(roots_of(file)?)?,
                None => system_connector()?,
            },
            folder,
            tls,
            clock,
        }))
    }

    /// The TLS with this certificate.
    #[must_use]
    pub fn tls(&self) -> Tls {
        self.tls.clone()
    }

    /// From now on, gets a certificate if there is none, and renews it when two thirds of its time have
    /// passed.
    pub fn start(self) {
        Tasks::default().spawn(self.keep());
    }

    async fn keep(self) {
        let mut pause = ACME_RETRY_MIN;
        loop {
            let due = self.due_in();
            if !due.is_zero() {
                sleep(due.min(ACME_LOOKED_EVERY)).await;
                continue;
            }
            let got = timeout(ACME_WITHIN, self.renew()).await;
            // However it ended.
            let _ = self.tls.answer_challenge(None);
            match got.unwrap_or(Err(AcmeError::Late)) {
                Ok(()) => {
                    tracing::info!(name = %self.name, "got a certificate; it is in use now");
                    pause = ACME_RETRY_MIN;
                    // Even if this clock and the authority's differ.
                    let (begin, end) = self.tls.validity().unwrap_or_default();
                    sleep((end.saturating_sub(begin) / 3).min(ACME_LOOKED_EVERY)).await;
                }
                Err(error) => {
                    let again = humantime::format_duration(pause);
                    if self.is_valid() {
                        tracing::warn!(name = %self.name, %error, %again, "cannot renew the certificate yet; the current one stays in use");
                    } else {
                        tracing::error!(name = %self.name, %error, %again, "cannot get a certificate, and none is valid: clients cannot connect");
                    }
                    sleep(pause).await;
                    pause = (pause * ACME_RETRY_TIMES).min(ACME_RETRY_MAX);
                }
            }
        }
    }

    fn now(&self) -> Duration {
        Duration::from_millis(self.clock.now().0)
    }

    fn is_valid(&self) -> bool {
        self.tls.validity().is_some_and(|(_, end)| self.now() < end)
    }

    fn due_in(&self) -> Duration {
        let (begin, end) = self.tls.validity().unwrap_or_default();
        (begin + end.saturating_sub(begin) * 2 / 3).saturating_sub(self.now())
    }

    async fn renew(&self) -> Result<(), AcmeError> {
        let text = certificate_for(self).await?;
        let next = self.folder.join("next.pem");
        write(&next, &text)?;
        // A certificate that cannot be used must not replace the current one.
        Tls::load(next.clone(), next.clone())?;
        let file = self.folder.join(format!("{}.pem", self.name));
        std::fs::rename(&next, &file).map_err(|error| AcmeError::File(file, error))?;
        Ok(self.tls.reload()?)
    }
}

/// Writes a secret that only the server's user can read, as a whole: after a crash, or on a full disk, the file is
/// the old one or the new one.
fn write(path: &Path, text: &str) -> Result<(), AcmeError> {
    let part = path.with_extension("part");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let writing = options.open(&part).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&part, path)?;
        sync_folder_of(path)
    });
    writing.map_err(|error| AcmeError::File(path.to_owned(), error))
}
