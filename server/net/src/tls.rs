//! TLS on the listening port, for a server without a proxy in front of it.
//!
//! Knows files and handshakes, and nothing about a connection's content.

use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio_rustls::LazyConfigAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::Acceptor;
use tokio_rustls::rustls::sign::{CertifiedKey, SingleCertAndKey};
use tokio_rustls::rustls::{self, CertificateError, ServerConfig};
use tokio_rustls::server::TlsStream;
use x509_cert::Certificate;
use x509_cert::der::Decode;

use crate::limits::PEM_BYTES_MAX;
use crate::regular_file::open_regular;

/// The first byte of a TLS connection: the record type of a handshake.
pub(crate) const HANDSHAKE: u8 = 0x16;
/// The protocol by which an authority asks whether a name is this server's (RFC 8737).
const CHALLENGE: &[u8] = b"acme-tls/1";

/// A certificate and its key, which can be reloaded while they are in use. Clones share them.
#[derive(Clone, Debug)]
pub struct Tls(Arc<TlsFiles>);

#[derive(Debug)]
struct TlsFiles {
    certificate: PathBuf,
    key: PathBuf,
    /// None until an authority has given the first one.
    current: Mutex<Option<LoadedTls>>,
    /// The configuration for connections that ask [`CHALLENGE`], while there is an answer.
    challenge: Mutex<Option<Arc<ServerConfig>>>,
}

#[derive(Clone, Debug)]
struct LoadedTls {
    config: Arc<ServerConfig>,
    /// The times between which the certificate is valid, as the time since 1970.
    validity: Option<(Duration, Duration)>,
}

/// Files that cannot be used for TLS. Names the file, and what was expected in it.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct TlsError(pub(crate) String);

impl Tls {
    /// Reads a certificate with its chain, and its key. Blocks while it reads two small files.
    ///
    /// # Errors
    /// [`TlsError`], which names the file.
    pub fn load(certificate: PathBuf, key: PathBuf) -> Result<Self, TlsError> {
        let tls = Self::awaiting(certificate, key);
        tls.reload()?;
        Ok(tls)
    }

    /// Begins without a certificate; [`Tls::reload`] reads it once it is there.
    #[must_use]
    pub fn awaiting(certificate: PathBuf, key: PathBuf) -> Self {
        Self(Arc::new(TlsFiles {
            certificate,
            key,
            current: Mutex::default(),
            challenge: Mutex::default(),
        }))
    }

    /// Reloads the same files, for new connections. Blocks while it reads two small files.
    ///
    /// # Errors
    /// As [`Tls::load`]; the previous certificate then stays in use.
    pub fn reload(&self) -> Result<(), TlsError> {
        let next = read(&self.0.certificate, &self.0.key)?;
        *self.0.current.lock() = Some(next);
        Ok(())
    }

    /// Returns from when to when the certificate is valid, as time since 1970. None if that cannot be read; 0
    /// to 0 without a certificate.
    pub fn validity(&self) -> Option<(Duration, Duration)> {
        let current = self.0.current.lock();
        current
            .as_ref()
            .map_or(Some(<_>::default()), |it| it.validity)
    }

    /// Answers an authority that checks a name with this certificate; with none, no longer.
    ///
    /// # Errors
    /// If the certificate and its key cannot be used.
    pub fn answer_challenge(
        &self,
        shown: Option<(CertificateDer<'static>, PrivateKeyDer<'static>)>,
    ) -> Result<(), rustls::Error> {
        // Unchecked, because no check knows the extension that the authority asks for.
        let shown = shown.map(|(certificate, key)| {
            let key = ring::sign::any_supported_type(&key)?;
            config(CertifiedKey::new(vec![certificate], key), CHALLENGE)
        });
        *self.0.challenge.lock() = shown.transpose()?;
        Ok(())
    }

    /// Completes the server's half of the handshake. None for an authority, which it has answered.
    pub async fn accept<S>(&self, stream: S) -> io::Result<Option<TlsStream<S>>>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let asked = LazyConfigAcceptor::new(Acceptor::default(), stream).await?;
        let offered = asked.client_hello().alpn();
        if offered.is_some_and(|mut offered| offered.any(|protocol| protocol == CHALLENGE)) {
            let shown = self.0.challenge.lock().clone();
            let shown = shown.ok_or_else(|| io::Error::other("no challenge is expected"))?;
            asked.into_stream(shown).await?.shutdown().await?;
            return Ok(None);
        }
        let current = self.0.current.lock().clone();
        let current = current.ok_or_else(|| io::Error::other("there is no certificate yet"))?;
        asked.into_stream(current.config).await.map(Some)
    }
}

/// Says in plain words what is wrong, where the library does not.
fn in_words(fault: &rustls::Error) -> String {
    match fault {
        rustls::Error::InvalidCertificate(CertificateError::Other(fault))
            if fault.to_string() == "UnsupportedCertVersion" =>
        {
            "the certificate is of version 1, and TLS needs version 3; docs/OPERATING.md has the \
             command that makes one"
                .to_owned()
        }
        fault => fault.to_string(),
    }
}

/// The times between which the first certificate of a chain is valid, as the time since 1970.
fn validity(chain: &[CertificateDer<'_>]) -> Option<(Duration, Duration)> {
    let certificate = Certificate::from_der(chain.first()?).ok()?;
    let validity = certificate.tbs_certificate.validity;
    let (begin, end) = (validity.not_before, validity.not_after);
    Some((begin.to_unix_duration(), end.to_unix_duration()))
}

/// The configuration that shows this certificate for one protocol.
fn config(shown: CertifiedKey, protocol: &[u8]) -> Result<Arc<ServerConfig>, rustls::Error> {
    let shown = Arc::new(SingleCertAndKey::from(shown));
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_cert_resolver(shown);
    config.alpn_protocols = vec![protocol.to_vec()];
    Ok(Arc::new(config))
}

/// Reads a file's certificates: a chain, or authorities that are trusted. Blocks while it reads a small file.
///
/// # Errors
/// [`TlsError`], which names the file; also if it has none.
pub(crate) fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let text = read_file(path)?;
    let chain = CertificateDer::pem_slice_iter(&text).collect::<Result<Vec<_>, _>>();
    let chain = chain.map_err(|fault| damaged(path, &fault))?;
    if chain.is_empty() {
        return Err(TlsError(format!(
            "{} has no certificate; expected one or more blocks `-----BEGIN CERTIFICATE-----`",
            path.display()
        )));
    }
    Ok(chain)
}

fn read(certificate: &Path, key: &Path) -> Result<LoadedTls, TlsError> {
    let chain = certificates(certificate)?;
    warn_if_exposed(key);
    let secret = PrivateKeyDer::from_pem_slice(&read_file(key)?).map_err(|fault| match fault {
        pem::Error::NoItemsFound => TlsError(format!(
            "{} has no private key; expected a block `-----BEGIN PRIVATE KEY-----` that is not \
             encrypted",
            key.display()
        )),
        fault => damaged(key, &fault),
    })?;
    let validity = validity(&chain);
    let shown = CertifiedKey::from_der(chain, secret, &ring::default_provider());
    let config = shown.and_then(|shown| config(shown, b"http/1.1"));
    let config = config.map_err(|fault| {
        TlsError(format!(
            "the certificate in {} and the key in {} cannot be used together: {}",
            certificate.display(),
            key.display(),
            in_words(&fault)
        ))
    })?;
    Ok(LoadedTls { config, validity })
}

/// Warns of a key that every user of the machine can read.
fn warn_if_exposed(key: &Path) {
    if let Ok(found) = key.metadata()
        && let mode = found.permissions().mode()
        && mode & 0o007 != 0
    {
        let (key, mode) = (key.display(), format_args!("{:04o}", mode & 0o777));
        tracing::warn!(%key, %mode, "every user of this machine can read the TLS key: chmod 600 it");
    }
}

fn damaged(path: &Path, fault: &pem::Error) -> TlsError {
    let path = path.display();
    TlsError(format!(
        "{path} is damaged: {fault}; expected a file in PEM"
    ))
}

fn read_file(path: &Path) -> Result<Vec<u8>, TlsError> {
    let shown = path.display();
    let fault = |source: io::Error| TlsError(format!("cannot read {shown}: {source}"));
    let file = open_regular(path).map_err(fault)?;
    let mut text = Vec::new();
    file.take(PEM_BYTES_MAX + 1)
        .read_to_end(&mut text)
        .map_err(fault)?;
    if text.len() as u64 > PEM_BYTES_MAX {
        return Err(TlsError(format!(
            "{shown} has more than {PEM_BYTES_MAX} bytes; expected a file in PEM"
        )));
    }
    Ok(text)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::fs;

    use rcgen::{CertifiedKey, generate_simple_self_signed};
    use tempfile::TempDir;

    use super::*;

    /// As `openssl x509 -req` makes it from a request without extensions.
    const VERSION_1: &str = "-----BEGIN CERTIFICATE-----
MIIBIzCByQIUaEgtFdpqaLutDqgH1+U04Rd2sh8wCgYIKoZIzj0EAwIwFDESMBAG
A1UEAwwJbG9jYWxob3N0MB4XDTI2MTEyNDExMDMyMloXDTM2MTEyMTExMDMyMlow
FDESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
T3CthlA0Kn5XC7C/73D1Y1bgVkIfm3tk9Zehjmrg964N8oPwGgBTpux3yL94iZsq
uc1PdEYGWTFzIZEzuKGtsjAKBggqhkjOPQQDAgNJADBGAiEA44f3l/Y476r1KhMO
5oCnsQw0PqacygHgc6v3bK7Jyi0CIQDqg+wqTckw+RhIag9/DxXp9w7A7c0XGu7/
EpP0iPUi8g==
-----END CERTIFICATE-----
";

    pub(crate) struct CertificateFiles {
        folder: TempDir,
    }

    impl CertificateFiles {
        pub(crate) fn new() -> Self {
            let files = Self {
                folder: TempDir::new().unwrap(),
            };
            let (certificate, key) = pair();
            files.write("cert.pem", &certificate);
            files.write("key.pem", &key);
            files
        }

        fn path(&self, name: &str) -> PathBuf {
            self.folder.path().join(name)
        }

        fn write(&self, name: &str, text: &str) {
            fs::write(self.path(name), text).unwrap();
        }

        pub(crate) fn load(&self) -> Result<Tls, String> {
            let loaded = Tls::load(self.path("cert.pem"), self.path("key.pem"));
            loaded.map_err(|error| error.to_string())
        }
    }

    fn pair() -> (String, String) {
        let made = generate_simple_self_signed(["localhost".to_owned()]);
        let CertifiedKey { cert, signing_key } = made.unwrap();
        (cert.pem(), signing_key.serialize_pem())
    }

    fn current(tls: &Tls) -> Arc<ServerConfig> {
        Arc::clone(&tls.0.current.lock().as_ref().unwrap().config)
    }

    #[test]
    fn the_error_of_a_wrong_file_names_it_and_what_was_expected() {
        let files = CertificateFiles::new();
        assert!(files.load().is_ok());
        let (certificate, key) = pair();
        for (name, text, expected) in [
            ("cert.pem", "", "has no certificate; expected"),
            ("cert.pem", &key, "has no certificate; expected"),
            ("cert.pem", "-----BEGIN CERTIFICATE-----\n", "is damaged"),
            ("key.pem", "hello", "has no private key; expected"),
            ("key.pem", &certificate, "has no private key; expected"),
            ("key.pem", &key, "cannot be used together"),
            (
                "key.pem",
                &"-".repeat(PEM_BYTES_MAX as usize + 1),
                "more than",
            ),
        ] {
            let files = CertificateFiles::new();
            files.write(name, text);
            let wrong = files.load().unwrap_err();
            assert!(wrong.contains(expected), "{wrong}");
            assert!(wrong.contains(name), "{wrong}");
        }
        let files = CertificateFiles::new();
        files.write("cert.pem", VERSION_1);
        let wrong = files.load().unwrap_err();
        assert!(
            wrong.contains("version 1, and TLS needs version 3"),
            "{wrong}"
        );
        fs::remove_file(files.path("key.pem")).unwrap();
        let wrong = files.load().unwrap_err();
        assert!(wrong.contains("cannot read") && wrong.contains("key.pem"));
    }

    #[test]
    fn reloaded_files_are_used_only_if_they_are_valid() {
        let files = CertificateFiles::new();
        let tls = files.load().unwrap();
        let first = current(&tls);
        let (certificate, key) = pair();
        files.write("cert.pem", &certificate);
        assert!(tls.reload().is_err(), "the key is still the old one");
        assert!(Arc::ptr_eq(&first, &current(&tls)));
        files.write("key.pem", &key);
        tls.reload().unwrap();
        assert!(!Arc::ptr_eq(&first, &current(&tls)));
    }
}
